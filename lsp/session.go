package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/daemon/rpc"
)

// Sessions are the first messages that make a connection of d an LSP session, for daemon.RunOptions: `ctx lsp` sends a
// notification of its own, so that what an editor sends before initialize is answered as LSP says.
func Sessions(d *daemon.Daemon) map[string]rpc.Session {
	serve := func(ctx context.Context, nc net.Conn, h rpc.Handler) error { return Serve(ctx, nc, d, h) }
	return map[string]rpc.Session{"initialize": serve, wire.MethodLSP: serve}
}

// Serve speaks LSP on nc until the client ends it. h answers the methods ctx/… that are not the daemon's own.
func Serve(ctx context.Context, nc net.Conn, d *daemon.Daemon, h rpc.Handler) error {
	log := d.Logger()
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &Session{d: d, plain: h, log: log, ctx: ctx, encoding: utf16Units}
	s.now.Store(&moment{s: s})
	s.publisher = newPublisher(s)
	err := rpc.Serve(ctx, nc, rpc.Options{Logger: log, Arrive: s.arrive, Greet: func(p *rpc.Peer) { s.peer = p }})
	end()
	s.owned.Wait()
	s.leave()
	return err
}

// Session is one editor. All fields but now are set by the goroutine that reads the connection alone, or before it
// starts; requests see the moment that they were given.
type Session struct {
	d     *daemon.Daemon
	plain rpc.Handler
	log   *slog.Logger
	peer  *rpc.Peer
	ctx   context.Context // ends with the connection
	owned sync.WaitGroup  // goroutines besides those of requests

	phase    phase
	client   clientCapabilities // from initialize on
	encoding encoding           // the same
	trace    atomic.Bool
	tokens   atomic.Int64 // of progress, that were made up here

	now       atomic.Pointer[moment]
	publisher *publisher
}

// phase is how far the life of a session has come.
type phase int

const (
	phaseNew phase = iota
	phaseRunning
	phaseShutDown
)

// moment is what the client has told until one message of it. Immutable.
type moment struct {
	s       *Session
	folders []*folder
	docs    map[string]*document // by key
}

// The codes of LSP's own errors.
const (
	codeNotInitialized  = -32002
	codeInvalidParams   = -32602
	codeRequestFailed   = -32803
	codeContentModified = -32801
)

func failure(code int, format string, args ...any) *wire.Error {
	return &wire.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *wire.Error {
	return failure(codeInvalidParams, format, args...)
}

// decode reads parameters; the error is that of LSP.
func decode(raw json.RawMessage, p any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, p); err != nil {
		return invalid("malformed parameters: %v", err)
	}
	return nil
}

// arrive takes one message. It runs on the goroutine that reads the connection, so what it does here happens in the
// order of the messages; see doc.go.
func (s *Session) arrive(method string, params json.RawMessage, request bool) rpc.Work {
	if !request {
		s.notified(method, params)
		return nil
	}
	result, err, done := s.lifecycle(method, params)
	if done {
		return func(context.Context) (any, error) { return result, err }
	}
	at := s.now.Load()
	if strings.HasPrefix(method, "ctx/") {
		return func(ctx context.Context) (any, error) { return at.socket(ctx, method, params) }
	}
	serve := requests[method]
	if serve == nil {
		err := failure(wire.CodeMethodNotFound, "unknown method %s", method)
		return func(context.Context) (any, error) { return nil, err }
	}
	return func(ctx context.Context) (any, error) {
		if err := ctx.Err(); err != nil {
			return nil, err // cancelled before it ran: what was typed meanwhile is not parsed for it
		}
		began := time.Now()
		result, err := serve(ctx, at, params)
		if s.trace.Load() {
			_ = s.peer.Notify("$/logTrace", map[string]string{"message": fmt.Sprintf("%s took %v", method, time.Since(began).Round(10*time.Microsecond))})
		}
		return result, explained(err)
	}
}

// notified takes a notification. One that is wrong changes nothing: there is nobody to be told but the log.
func (s *Session) notified(method string, params json.RawMessage) {
	switch method {
	case "exit":
		s.peer.Close()
		return
	case wire.MethodLSP, "$/progress":
		return
	}
	if s.phase != phaseRunning {
		return
	}
	take := notifications[method]
	if take == nil {
		return // $/… and what is newer than we are
	}
	if err := take(s, params); err != nil {
		s.log.Info("an editor's notification", "method", method, "error", err)
		s.say(logWarning, "%s: %v", method, err)
	}
}

// notifications by method.
var notifications = map[string]func(*Session, json.RawMessage) error{
	"initialized":                         (*Session).initialized,
	"$/setTrace":                          (*Session).setTrace,
	"textDocument/didOpen":                (*Session).didOpen,
	"textDocument/didChange":              (*Session).didChange,
	"textDocument/didSave":                (*Session).didSave,
	"textDocument/didClose":               (*Session).didClose,
	"workspace/didChangeWorkspaceFolders": (*Session).didChangeFolders,
	"workspace/didChangeWatchedFiles":     (*Session).stirred,
	"workspace/didRenameFiles":            (*Session).stirred,
	"workspace/didCreateFiles":            (*Session).stirred,
	"workspace/didDeleteFiles":            (*Session).stirred,
	"workspace/didChangeConfiguration":    (*Session).stirred,
}

// stirred takes what a client tells of the files. Nothing depends on it: the daemon looks itself.
func (s *Session) stirred(json.RawMessage) error {
	s.publisher.stir()
	return nil
}

// handler answers one request from a moment.
type handler func(ctx context.Context, at *moment, raw json.RawMessage) (any, error)

// on decodes the parameters of a request.
func on[P any](f func(*moment, context.Context, P) (any, error)) handler {
	return func(ctx context.Context, at *moment, raw json.RawMessage) (any, error) {
		var p P
		if err := decode(raw, &p); err != nil {
			return nil, err
		}
		if c, ok := any(&p).(interface{ check() error }); ok {
			if err := c.check(); err != nil {
				return nil, err
			}
		}
		return f(at, ctx, p)
	}
}

// requests by method; those of the life of a session are in lifecycle.
var requests map[string]handler

func init() {
	requests = map[string]handler{
		"textDocument/definition":           on((*moment).definition),
		"textDocument/declaration":          on((*moment).declaration),
		"textDocument/typeDefinition":       on((*moment).typeDefinition),
		"textDocument/implementation":       on((*moment).implementation),
		"textDocument/references":           on((*moment).references),
		"textDocument/documentHighlight":    on((*moment).highlight),
		"textDocument/documentSymbol":       on((*moment).documentSymbol),
		"workspace/symbol":                  on((*moment).workspaceSymbol),
		"workspaceSymbol/resolve":           on((*moment).resolveSymbol),
		"textDocument/hover":                on((*moment).hover),
		"textDocument/prepareCallHierarchy": on((*moment).prepareCalls),
		"callHierarchy/incomingCalls":       on((*moment).incomingCalls),
		"callHierarchy/outgoingCalls":       on((*moment).outgoingCalls),
		"textDocument/foldingRange":         on((*moment).foldingRange),
		"textDocument/selectionRange":       on((*moment).selectionRange),
		"textDocument/semanticTokens/full":  on((*moment).tokensFull),
		"textDocument/semanticTokens/range": on((*moment).tokensRange),
		"textDocument/prepareRename":        on((*moment).prepareRename),
		"textDocument/rename":               on((*moment).rename),
		"textDocument/documentLink":         on((*moment).documentLink),
		"textDocument/codeAction":           on((*moment).codeAction),
		"workspace/executeCommand":          on((*moment).executeCommand),
		"workspace/willRenameFiles":         on((*moment).willRename),
		"textDocument/diagnostic":           on((*moment).diagnostic),
		"workspace/diagnostic":              on((*moment).workspaceDiagnostic),
	}
}

// explained turns an error of the daemon into LSP's: what the client asked for and cannot have is RequestFailed.
func explained(err error) error {
	var w *wire.Error
	if !errors.As(err, &w) || w.Data == nil {
		return err
	}
	told := *w
	switch w.Data.Error {
	case wire.EditConflict:
		told.Code = codeContentModified
	case wire.Internal:
		return err
	case wire.InvalidRequest:
		told.Code = codeInvalidParams
	default:
		told.Code = codeRequestFailed
	}
	return &told
}

// nothing is err, but for refusals that only mean that there is nothing to show: a file in no language, a name that
// nothing defines, a file that the policy keeps back.
func nothing(err error) error {
	var w *wire.Error
	if errors.As(err, &w) && w.Data != nil {
		switch w.Data.Error {
		case wire.NotFound, wire.Unsupported, wire.BinaryContent, wire.FileTooLarge, wire.PathDenied:
			return nil
		}
	}
	return err
}

// put makes d what is open under its URI.
func (s *Session) put(d *document) {
	now := s.now.Load()
	next := &moment{s: s, folders: make([]*folder, len(now.folders)), docs: maps.Clone(now.docs)}
	if next.docs == nil {
		next.docs = map[string]*document{}
	}
	next.docs[key(d.uri)] = d
	for i, f := range now.folders {
		next.folders[i] = f.with(d)
	}
	s.publish(next)
}

// drop makes uri a document that is not open.
func (s *Session) drop(uri string) {
	now := s.now.Load()
	d := now.docs[key(uri)]
	if d == nil {
		return
	}
	next := &moment{s: s, folders: make([]*folder, len(now.folders)), docs: maps.Clone(now.docs)}
	delete(next.docs, key(uri))
	for i, f := range now.folders {
		next.folders[i] = f.without(d)
	}
	s.publish(next)
}

// publish makes next the present moment.
func (s *Session) publish(next *moment) {
	s.now.Store(next)
	for _, f := range next.folders {
		f.announce(s)
	}
	s.publisher.wake()
}

// leave gives back what the session holds. The connection has ended.
func (s *Session) leave() {
	for _, f := range s.now.Load().folders {
		f.leave(s)
	}
}

// socket answers a method of the socket, with the client's buffers and folders.
func (at *moment) socket(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case wire.MethodHello, wire.MethodEcho, wire.MethodStop:
		return at.s.plain(ctx, method, params)
	}
	return at.s.d.HandleIn(ctx, at, method, params)
}

// Workspace finds the folder of a request ctx/…; no root is the first folder's.
func (at *moment) Workspace(root string) (*daemon.Workspace, func(), error) {
	for _, f := range at.folders {
		if root == "" || root == f.path || root == f.root {
			return at.counting(f.workspace(at.s.d))
		}
	}
	if root == "" {
		return nil, nil, failure(codeInvalidParams, "no workspace folder is open: say which root is meant")
	}
	return at.counting(at.s.d.Workspace(root))
}

// counting is a workspace whose positions are in the encoding of the connection.
func (at *moment) counting(ws *daemon.Workspace, release func(), err error) (*daemon.Workspace, func(), error) {
	if err != nil {
		return nil, nil, err
	}
	return ws.Counting(map[encoding]daemon.Units{utf8Units: daemon.UTF8, utf32Units: daemon.UTF32}[at.s.encoding]), release, nil
}

// logWarning is the type of a warning in window/logMessage.
const logWarning = 2

// say shows a line in the client's log.
func (s *Session) say(level int, format string, args ...any) {
	_ = s.peer.Notify("window/logMessage", map[string]any{"type": level, "message": "ctx: " + fmt.Sprintf(format, args...)})
}

// sortedDocs are the open documents in the order of their keys.
func (at *moment) sortedDocs() []*document {
	var all []*document
	for _, k := range slices.Sorted(maps.Keys(at.docs)) {
		all = append(all, at.docs[k])
	}
	return all
}
