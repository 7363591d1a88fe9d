package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/daemon/rpc"
)

// patience ends a test that hangs; no test depends on its length.
const patience = 60 * time.Second

// host is a daemon on a real socket, with one worktree.
type host struct {
	t    *testing.T
	d    *daemon.Daemon
	root string
	path string
	wait sync.WaitGroup
}

// tree is a host of the files of a txtar archive.
func tree(t *testing.T, archive string) *host {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, root: root, path: filepath.Join(t.TempDir(), "s")}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		h.write(f.Name, string(f.Data))
	}
	if h.d, err = daemon.New(daemon.Options{StateDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", h.path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.wait.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			h.wait.Go(func() {
				_ = rpc.Serve(ctx, nc, rpc.Options{Handler: h.d.Handle, Sessions: Sessions(h.d)})
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		cancel()
		h.wait.Wait()
		h.d.Close()
	})
	return h
}

func (h *host) write(name, text string) {
	h.t.Helper()
	p := filepath.Join(h.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) uri(name string) string { return string(fileURI(filepath.Join(h.root, name))) }

// shell is what the same question gives a client without an editor.
func (h *host) shell(method string, params map[string]any, result any) error {
	params["root"] = h.root
	raw, err := json.Marshal(params)
	if err != nil {
		h.t.Fatal(err)
	}
	got, err := h.d.Handle(context.Background(), method, raw)
	if err != nil {
		return err
	}
	text, err := json.Marshal(got)
	if err != nil {
		h.t.Fatal(err)
	}
	return json.Unmarshal(text, result)
}

// editor is a client on one connection.
type editor struct {
	t    *testing.T
	h    *host
	nc   *net.UnixConn
	id   int
	lock sync.Mutex
	back map[string]chan answer
	// notes are the notifications that came, by method.
	notes   map[string][]json.RawMessage
	arrived *sync.Cond
	ended   bool
	asked   map[string]func(json.RawMessage) any // answers to the server's requests
	mute    bool                                 // it answers none
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *wire.Error     `json:"error"`
}

// connect is an editor that has sent nothing yet but who it is.
func (h *host) connect() *editor {
	h.t.Helper()
	nc, err := net.Dial("unix", h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	e := &editor{t: h.t, h: h, nc: nc.(*net.UnixConn), back: map[string]chan answer{}, notes: map[string][]json.RawMessage{}, asked: map[string]func(json.RawMessage) any{}}
	e.arrived = sync.NewCond(&e.lock)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.read()
	}()
	h.t.Cleanup(func() {
		nc.Close()
		<-done
	})
	e.note(wire.MethodLSP, nil)
	return e
}

// edit is an initialized editor of the whole tree; options are merged into initialize's parameters.
func (h *host) edit(capabilities string) *editor {
	h.t.Helper()
	e := h.connect()
	if capabilities == "" {
		capabilities = "{}"
	}
	e.must("initialize", map[string]any{"processId": 4_000_000_000, "rootUri": fileURI(h.root), "capabilities": json.RawMessage(capabilities)}, nil)
	e.note("initialized", map[string]any{})
	return e
}

func (e *editor) read() {
	r := bufio.NewReader(e.nc)
	for {
		data, err := wire.ReadFrame(r)
		if err != nil {
			e.lock.Lock()
			e.ended = true
			for _, c := range e.back {
				close(c)
			}
			e.back = map[string]chan answer{}
			e.arrived.Broadcast()
			e.lock.Unlock()
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			answer
		}
		if json.Unmarshal(data, &m) != nil {
			continue
		}
		e.lock.Lock()
		switch {
		case m.Method != "" && m.ID == nil:
			e.notes[m.Method] = append(e.notes[m.Method], m.Params)
			e.arrived.Broadcast()
		case m.Method != "":
			reply := `null`
			if f := e.asked[m.Method]; f != nil {
				text, _ := json.Marshal(f(m.Params))
				reply = string(text)
			}
			e.notes[m.Method] = append(e.notes[m.Method], m.Params)
			e.arrived.Broadcast()
			if !e.mute {
				e.frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, reply))
			}
		default:
			if c := e.back[string(m.ID)]; c != nil {
				c <- m.answer
				delete(e.back, string(m.ID))
			}
		}
		e.lock.Unlock()
	}
}

func (e *editor) frame(message string) { e.nc.Write(wire.AppendFrame(nil, []byte(message))) }

func (e *editor) note(method string, params any) {
	e.t.Helper()
	e.message("", method, params)
}

func (e *editor) message(id, method string, params any) {
	e.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != "" {
		m["id"] = json.RawMessage(id)
	}
	if params != nil {
		m["params"] = params
	}
	text, err := json.Marshal(m)
	if err != nil {
		e.t.Error(err) // not Fatal: several goroutines may be editors of one test
		return
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	e.frame(string(text))
}

// send sends a request, and gives where its answer comes.
func (e *editor) send(method string, params any) <-chan answer {
	e.t.Helper()
	e.lock.Lock()
	e.id++
	id := fmt.Sprint(e.id)
	c := make(chan answer, 1)
	if e.ended {
		close(c)
	}
	e.back[id] = c
	e.lock.Unlock()
	e.message(id, method, params)
	return c
}

// call waits for the answer.
func (e *editor) call(method string, params any) answer {
	e.t.Helper()
	return e.await(e.send(method, params))
}

func (e *editor) await(c <-chan answer) answer {
	e.t.Helper()
	a, ok := e.got(c)
	if !ok {
		e.t.Fatal("no answer, or the connection ended")
	}
	return a
}

// got waits for an answer, in any goroutine; false: none came.
func (e *editor) got(c <-chan answer) (a answer, ok bool) {
	select {
	case a, ok = <-c:
	case <-time.After(patience):
	}
	return a, ok
}

// must is call for what must succeed.
func (e *editor) must(method string, params, result any) {
	e.t.Helper()
	a := e.call(method, params)
	if a.Error != nil {
		e.t.Fatalf("%s: %d %s", method, a.Error.Code, a.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(a.Result, result); err != nil {
			e.t.Fatalf("%s: %s: %v", method, a.Result, err)
		}
	}
}

// fails is call for what must be refused with a code.
func (e *editor) fails(code int, method string, params any) string {
	e.t.Helper()
	a := e.call(method, params)
	if a.Error == nil || a.Error.Code != code {
		e.t.Fatalf("%s: got %s, %+v; want error %d", method, a.Result, a.Error, code)
	}
	return a.Error.Message
}

// until waits for a notification that fits, among all that came.
func (e *editor) until(method string, fits func(json.RawMessage) bool) json.RawMessage {
	e.t.Helper()
	expired := false
	timer := time.AfterFunc(patience, func() {
		e.lock.Lock()
		expired = true
		e.arrived.Broadcast()
		e.lock.Unlock()
	})
	defer timer.Stop()
	e.lock.Lock()
	defer e.lock.Unlock()
	for {
		all := e.notes[method]
		for i := len(all) - 1; i >= 0; i-- {
			if fits(all[i]) {
				return all[i]
			}
		}
		if expired || e.ended {
			e.t.Fatalf("no %s that fits; came: %s", method, all)
		}
		e.arrived.Wait()
	}
}

// forget drops the notifications that came.
func (e *editor) forget() {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.notes = map[string][]json.RawMessage{}
}

func (e *editor) open(name, text string) { e.openURI(e.h.uri(name), text) }

func (e *editor) openURI(uri, text string) {
	e.t.Helper()
	e.note("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "x", "version": 1, "text": text}})
}

func (e *editor) change(name string, version int, changes ...any) {
	e.t.Helper()
	e.note("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.h.uri(name), "version": version}, "contentChanges": changes})
}

func whole(text string) any { return map[string]any{"text": text} }

func part(l1, c1, l2, c2 int, text string) any {
	return map[string]any{"range": span(l1, c1, l2, c2), "text": text}
}

func (e *editor) closeDoc(name string) {
	e.t.Helper()
	e.note("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.h.uri(name)}})
}

func pos(line, character int) map[string]any {
	return map[string]any{"line": line, "character": character}
}

func span(l1, c1, l2, c2 int) map[string]any {
	return map[string]any{"start": pos(l1, c1), "end": pos(l2, c2)}
}

func (e *editor) doc(name string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": e.h.uri(name)}}
}

// at is the parameters of a request about the first place of word in text, or the nth.
func (e *editor) at(name, text, word string, nth ...int) map[string]any {
	e.t.Helper()
	offset := strings.Index(text, word)
	if len(nth) > 0 {
		for range nth[0] {
			offset += 1 + strings.Index(text[offset+1:], word)
		}
	}
	if offset < 0 {
		e.t.Fatalf("%q is not in the text", word)
	}
	p := newMapper(newLines([]byte(text)), utf16Units).position(offset)
	m := e.doc(name)
	m["position"] = p
	return m
}

// where prints locations as name:line:character, from 0.
func (e *editor) where(locations []protocol.Location) string {
	var out []string
	for _, l := range locations {
		p, _ := filePath(string(l.URI))
		out = append(out, fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(p, e.h.root+"/"), l.Range.Start.Line, l.Range.Start.Character))
	}
	return strings.Join(out, " ")
}

// jump is the locations that a request gives.
func (e *editor) jump(method string, params map[string]any) string {
	e.t.Helper()
	var got []protocol.Location
	e.must(method, params, &got)
	return e.where(got)
}
