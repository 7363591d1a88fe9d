package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxd/client/wire"
)

const (
	// endWait bounds how long a language server is waited for after it was told to end.
	endWait = 10 * time.Second
	// mostSaid is how much of a server's standard error is kept for a message.
	mostSaid = 4 << 10
)

// languageServer is a language server on a connection, asked as an editor would ask it. Two goroutines
// serve it: one reads, and ends with the connection; the other writes, so that the reader never waits for
// a server that itself waits to be read, and ends with close or the reader.
type languageServer struct {
	root string // absolute
	pid  int    // of its process
	name string // of the server, and its version, as it says itself

	commands []string // that it executes
	language language
	shown    []string      // files that are open
	quiet    time.Duration // it has loaded when it reported no progress for so long

	to   io.WriteCloser // writer only
	wake chan struct{}  // the writer has something to do

	mu       sync.Mutex
	out      []byte // frames that the writer has not taken yet
	closing  bool   // nothing follows what is in out
	last     int64
	pending  map[int64]chan lspMessage
	working  map[string]bool // tokens of progress that have begun
	changed  time.Time       // when the last of them began or ended
	inactive map[string][]wire.Lines
	told     chan struct{} // closed when inactive has grown
	err      error

	done chan struct{} // closed when the reader has ended; err is set before
	end  func() error  // ends the process and waits for it
}

// lspMessage is any message of JSON-RPC.
type lspMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *lspError       `json:"error,omitempty"`
}

type lspError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *lspError) Error() string { return e.Message }

// location is where LSP places something, in one of the two forms it has.
type location struct {
	URI       string     `json:"uri"`
	Range     wire.Range `json:"range"`
	TargetURI string     `json:"targetUri"`
	Target    wire.Range `json:"targetSelectionRange"`
}

// startServer runs a command line, split at spaces, in root. Its children are ended with it: the server
// for TypeScript is one process in front of others.
func startServer(ctx context.Context, root string, words []string, l language) (*languageServer, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	said := &tail{most: mostSaid}
	cmd.Stderr = said
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w: install it, or name another with --server", words[0], err)
	}
	s := newServer(root, from, to, l)
	s.pid = cmd.Process.Pid
	s.end = func() error {
		late := time.AfterFunc(endWait, func() { kill() })
		<-s.done
		err := cmd.Wait()
		late.Stop()
		kill() // whoever is left of the group
		return err
	}
	if err := s.initialize(ctx); err != nil {
		s.close(ctx)
		return nil, fmt.Errorf("%s: %w: %s", words[0], err, said)
	}
	return s, nil
}

func newServer(root string, from io.Reader, to io.WriteCloser, l language) *languageServer {
	s := &languageServer{
		root: root, language: l, quiet: 5 * time.Second, to: to, wake: make(chan struct{}, 1),
		pending: map[int64]chan lspMessage{}, working: map[string]bool{}, changed: time.Now(),
		inactive: map[string][]wire.Lines{}, told: make(chan struct{}),
		done: make(chan struct{}), end: func() error { return nil },
	}
	go s.read(bufio.NewReader(from))
	go s.write()
	return s
}

// read hands each answer to whoever waits for it, until the connection ends.
func (s *languageServer) read(from *bufio.Reader) {
	defer close(s.done)
	for {
		frame, err := wire.ReadFrame(from)
		if err != nil {
			s.mu.Lock()
			s.err = fmt.Errorf("the server ended the connection: %w", err)
			s.mu.Unlock()
			return
		}
		var m lspMessage
		if json.Unmarshal(frame, &m) != nil {
			continue // not ours to judge
		}
		switch {
		case m.Method != "" && m.ID != nil:
			s.answer(m)
		case m.Method != "":
			s.notice(m)
		default:
			var id int64
			if json.Unmarshal(m.ID, &id) != nil {
				continue
			}
			s.mu.Lock()
			waiting := s.pending[id]
			delete(s.pending, id)
			s.mu.Unlock()
			if waiting != nil {
				waiting <- m
			}
		}
	}
}

// answer replies to a request of the server's: its settings, and that we agree to all else.
func (s *languageServer) answer(m lspMessage) {
	var result any
	switch m.Method {
	case "workspace/configuration":
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		_ = json.Unmarshal(m.Params, &p) // what cannot be read asks for nothing
		values := make([]any, len(p.Items))
		for i, item := range p.Items {
			values[i] = s.language.settings[item.Section]
		}
		result = values
	case "workspace/workspaceFolders":
		result = s.folders()
	}
	_ = s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}) // plain values: they can be encoded
}

// notice follows the progress that the server reports, and the lines that it says are not compiled.
func (s *languageServer) notice(m lspMessage) {
	switch m.Method {
	case "$/progress":
		var p struct {
			Token json.RawMessage `json:"token"`
			Value struct {
				Kind string `json:"kind"`
			} `json:"value"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch s.changed = time.Now(); p.Value.Kind {
		case "begin":
			s.working[string(p.Token)] = true
		case "end":
			delete(s.working, string(p.Token))
		}
	case "textDocument/inactiveRegions":
		var p struct {
			TextDocument struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
			Regions []wire.Range `json:"regions"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return
		}
		lines := []wire.Lines{}
		for _, r := range p.Regions {
			lines = append(lines, wire.Lines{r.Start.Line + 1, r.End.Line + 1})
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inactive[p.TextDocument.URI] = lines
		close(s.told)
		s.told = make(chan struct{})
	}
}

// send queues a message. What cannot be written any more is noticed by the reader.
func (s *languageServer) send(message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.out = wire.AppendFrame(s.out, body)
	s.mu.Unlock()
	s.kick()
	return nil
}

func (s *languageServer) kick() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// write writes what is queued, and closes the server's input when nothing follows.
func (s *languageServer) write() {
	defer s.to.Close()
	for {
		select {
		case <-s.wake:
		case <-s.done:
			return
		}
		s.mu.Lock()
		frames, last := s.out, s.closing
		s.out = nil
		s.mu.Unlock()
		if _, err := s.to.Write(frames); err != nil || last {
			return
		}
	}
}

func (s *languageServer) notify(method string, params any) error {
	return s.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// call makes one request and decodes its answer into result, which may be nil.
func (s *languageServer) call(ctx context.Context, method string, params, result any) error {
	reply := make(chan lspMessage, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.pending[id] = reply
	s.mu.Unlock()
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var m lspMessage
	select {
	case m = <-reply:
	case <-s.done:
		select {
		case m = <-reply: // it came just before the end
		default:
			return fmt.Errorf("%s: %w", method, s.err)
		}
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
		return errors.Join(fmt.Errorf("%s: %w", method, ctx.Err()), s.notify("$/cancelRequest", map[string]any{"id": id}))
	}
	if m.Error != nil {
		return fmt.Errorf("%s: %w", method, m.Error)
	}
	if result == nil || len(m.Result) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (s *languageServer) folders() []any {
	return []any{map[string]any{"uri": uriOf(s.root), "name": filepath.Base(s.root)}}
}

// initialize says hello. Positions are in UTF-16 code units, which every server counts in.
func (s *languageServer) initialize(ctx context.Context) error {
	var r struct {
		Capabilities struct {
			Commands struct {
				Commands []string `json:"commands"`
			} `json:"executeCommandProvider"`
		} `json:"capabilities"`
		Info struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	yes := map[string]any{"dynamicRegistration": false}
	err := s.call(ctx, "initialize", map[string]any{
		"processId": nil, "rootUri": uriOf(s.root), "rootPath": s.root, "workspaceFolders": s.folders(),
		"initializationOptions": s.language.settings["initialize"],
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-16"}},
			"window":  map[string]any{"workDoneProgress": true},
			"workspace": map[string]any{"configuration": true, "workspaceFolders": true,
				"didChangeConfiguration": map[string]any{"dynamicRegistration": true}},
			"textDocument": map[string]any{
				"references": yes, "definition": yes, "synchronization": yes,
				"documentSymbol":              map[string]any{"hierarchicalDocumentSymbolSupport": true},
				"inactiveRegionsCapabilities": map[string]any{"inactiveRegions": true}, // clangd's own
			},
		},
	}, &r)
	if err != nil {
		return err
	}
	s.name, s.commands = strings.TrimSpace(r.Info.Name+" "+plainVersion(r.Info.Version)), r.Capabilities.Commands.Commands
	if err := s.notify("initialized", map[string]any{}); err != nil {
		return err
	}
	return s.notify("workspace/didChangeConfiguration", map[string]any{"settings": s.language.settings})
}

var versionNumber = regexp.MustCompile(`v?\d+(\.\d+)+`)

// plainVersion is the number in what a server calls its version: gopls sends a report in JSON, whose first
// numbers are those of Go, clangd a line of text.
func plainVersion(version string) string {
	var report struct {
		Main struct{ Version string }
	}
	if json.Unmarshal([]byte(version), &report) == nil && report.Main.Version != "" {
		version = report.Main.Version
	}
	return versionNumber.FindString(version)
}

// loaded waits until the server has begun nothing for a while and ended all that it began: loading the
// workspace, reading an index.
func (s *languageServer) loaded(ctx context.Context) error {
	for {
		s.mu.Lock()
		rest := len(s.working) == 0 && time.Since(s.changed) >= s.quiet
		s.mu.Unlock()
		if rest {
			return nil
		}
		select {
		case <-time.After(pollEvery):
		case <-s.done:
			return s.err
		case <-ctx.Done():
			return fmt.Errorf("the server has not loaded the workspace: %w", ctx.Err())
		}
	}
}

// close ends the server as LSP has it, or by force.
func (s *languageServer) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	_ = s.call(ctx, "shutdown", nil, nil) // a server that cannot answer is ended all the same
	_ = s.notify("exit", nil)
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.kick()
	return s.end()
}

// show opens a file, as an editor does, and closes the one before unless the language keeps them open:
// gopls with 500 files open had 7 GB and was still typechecking.
func (s *languageServer) show(t *tree, file string) error {
	if slices.Contains(s.shown, file) {
		return nil
	}
	if !s.language.keep {
		for _, before := range s.shown {
			if err := s.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(s.root + "/" + before)}}); err != nil {
				return err
			}
		}
		s.shown = nil
	}
	s.shown = append(s.shown, file)
	return s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uriOf(s.root + "/" + file), "languageId": s.language.document(file), "version": 1, "text": strings.Join(t.text(file), "\n"),
	}})
}

// uriOf is the file URI of an absolute path.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// pathOf is the path of a file URI below root, relative to it; false for any other.
func (s *languageServer) pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	rel, err := filepath.Rel(s.root, filepath.FromSlash(u.Path))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex
	most int
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-t.most):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// locations is one location, several or none: a request for a definition may return any.
type locations []location

func (l *locations) UnmarshalJSON(text []byte) error {
	var one location
	if json.Unmarshal(text, &one) == nil {
		if one.URI != "" || one.TargetURI != "" {
			*l = locations{one}
		}
		return nil
	}
	var many []location
	if err := json.Unmarshal(text, &many); err != nil {
		return err
	}
	*l = many
	return nil
}
