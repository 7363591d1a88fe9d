package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxd/client/wire"
)

// patience ends a test that hangs; no test depends on its length.
const patience = 30 * time.Second

// A host serves connections on a real unix socket.
type host struct {
	t      *testing.T
	path   string
	served sync.WaitGroup
	errs   chan error // what Serve returned
}

func serve(t *testing.T, o Options) *host {
	t.Helper()
	h := &host{t: t, path: filepath.Join(t.TempDir(), "s"), errs: make(chan error, 1000)}
	l, err := net.Listen("unix", h.path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.served.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			h.served.Go(func() { h.errs <- Serve(ctx, nc, o) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		cancel()
		h.served.Wait()
	})
	return h
}

// A peer is the client's end of one connection.
type peer struct {
	t *testing.T
	*net.UnixConn
	r *bufio.Reader
}

func (h *host) dial() *peer {
	h.t.Helper()
	nc, err := net.Dial("unix", h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(patience))
	h.t.Cleanup(func() { nc.Close() })
	return &peer{h.t, nc.(*net.UnixConn), bufio.NewReader(nc)}
}

func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p, s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(message string) {
	p.t.Helper()
	p.raw(string(wire.AppendFrame(nil, []byte(message))))
}

func (p *peer) call(id, method, params string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
}

func (p *peer) note(method, params string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
}

type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *wire.Error     `json:"error"`
}

func (p *peer) reply() reply {
	p.t.Helper()
	data, err := wire.ReadFrame(p.r)
	if err != nil {
		p.t.Fatalf("no reply: %v", err)
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		p.t.Fatalf("reply %q: %v", data, err)
	}
	if r.Version != "2.0" || (r.Result == nil) == (r.Error == nil) {
		p.t.Fatalf("reply %s has a wrong shape", data)
	}
	return r
}

// wantEcho proves that the connection is served.
func (p *peer) wantEcho(id string) {
	p.t.Helper()
	p.call(id, "echo", `{"n":[1,2]}`)
	if r := p.reply(); string(r.ID) != id || string(r.Result) != `{"n":[1,2]}` {
		p.t.Fatalf("echo: got id %s, result %s, error %v", r.ID, r.Result, r.Error)
	}
}

func (p *peer) wantError(id string, code int) *wire.Error {
	p.t.Helper()
	r := p.reply()
	if string(r.ID) != id || r.Error == nil || r.Error.Code != code {
		p.t.Fatalf("got id %s, result %s, error %+v; want id %s, code %d", r.ID, r.Result, r.Error, id, code)
	}
	return r.Error
}

// wantEnd waits for the end of the connection.
func (p *peer) wantEnd() {
	p.t.Helper()
	data, err := wire.ReadFrame(p.r)
	var ne net.Error
	if err == nil || errors.As(err, &ne) && ne.Timeout() {
		p.t.Fatalf("got %q, %v; want the end", data, err)
	}
}

// handlers is the method table of the tests.
type handlers map[string]Handler

func (h handlers) serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if f := h[method]; f != nil {
		return f(ctx, method, params)
	}
	if method == "echo" {
		return params, nil
	}
	return nil, &wire.Error{Code: wire.CodeMethodNotFound, Message: "no method " + method}
}

// CASES L5; LIBRARIES M2.
func TestIDsComeBackVerbatim(t *testing.T) {
	p := serve(t, Options{Handler: handlers{}.serve}).dial()
	for _, id := range []string{
		"0", "1", "-1", "2147483647", "2147483648", "1099511627776", "9007199254740993", "1.5", "7.0", "1e3", "-0",
		"123456789012345678901234567890", `""`, `"7"`, `"a\u0062\n\"\u00e9é"`, `"` + strings.Repeat("x", 4000) + `"`,
	} {
		p.wantEcho(id)
	}
}

// CASES L5; LIBRARIES M2.
func TestBadMessagesLeaveTheSession(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	for _, test := range []struct {
		name, message, id string
		code              int
	}{
		{"no JSON", "hello", "null", -32700},
		{"cut JSON", `{"jsonrpc":"2.0","id":1`, "null", -32700},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"echo"}{}`, "null", -32700},
		{"NUL", "\x00", "null", -32700},
		{"blanks", "  ", "null", -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[\"\xff\"]}", "null", -32700},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"echo","params":` + deep + `}`, "null", -32700},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"echo"}]`, "null", -32600},
		{"empty batch", ` []`, "null", -32600},
		{"number", "42", "null", -32600},
		{"string", `"x"`, "null", -32600},
		{"null", "null", "null", -32600},
		{"empty object", "{}", "null", -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"echo"}`, "null", -32600},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"echo"}`, "null", -32600},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"echo"}`, "null", -32600},
		{"id array", `{"jsonrpc":"2.0","id":[1],"method":"echo"}`, "null", -32600},
		{"id too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 5000) + `","method":"echo"}`, "null", -32600},
		{"no version", `{"id":1,"method":"echo"}`, "1", -32600},
		{"version 1.0", `{"jsonrpc":"1.0","id":1,"method":"echo"}`, "1", -32600},
		{"version as number", `{"jsonrpc":2.0,"id":1,"method":"echo"}`, "1", -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "1", -32600},
		{"method in another case", `{"jsonrpc":"2.0","id":1,"Method":"echo"}`, "1", -32600},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, "1", -32600},
		{"method number", `{"jsonrpc":"2.0","id":"a","method":5}`, `"a"`, -32600},
		{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, "1", -32600},
		{"params string", `{"jsonrpc":"2.0","id":1,"method":"echo","params":"x"}`, "1", -32600},
		{"params number", `{"jsonrpc":"2.0","id":1,"method":"echo","params":1}`, "1", -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, "1", -32601},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := serve(t, Options{Handler: handlers{}.serve}).dial()
			p.wantEcho("1")
			p.send(test.message)
			if e := p.wantError(test.id, test.code); e.Message == "" {
				t.Error("the error says nothing")
			}
			p.wantEcho("2")
		})
	}
}

// CASES L5; LIBRARIES M2, M22.
func TestFraming(t *testing.T) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"<&>"}}`
	header := "Content-Length: " + strconv.Itoa(len(body))
	for _, test := range []struct {
		name   string
		writes []string
		code   int // 0: answered
		ends   bool
	}{
		{"lower case", []string{strings.ToLower(header) + "\r\n\r\n" + body}, 0, false},
		{"content type", []string{"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + header + "\r\n\r\n" + body}, 0, false},
		{"header in two writes", []string{header[:9], header[9:] + "\r\n\r", "\n" + body[:5], body[5:]}, 0, false},
		{"length 0", []string{"Content-Length: 0\r\n\r\n"}, -32700, false},
		{"broken line", []string{"hm\r\nContent-Length: 2\r\n\r\n{}"}, -32700, false},
		{"length -1", []string{"Content-Length: -1\r\n\r\n" + body}, -32600, true},
		{"length 2^31", []string{"Content-Length: 2147483648\r\n\r\n" + body}, -32600, true},
		{"length 4,000 MB", []string{"Content-Length: 4000000000\r\n\r\n"}, -32600, true},
		{"endless line", []string{strings.Repeat("x", 5000)}, -32600, true},
		{"http", []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"}, -32600, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := serve(t, Options{Handler: handlers{}.serve})
			other, p := h.dial(), h.dial()
			other.wantEcho("1")
			for _, w := range test.writes {
				p.raw(w)
			}
			if test.code != 0 {
				p.wantError("null", test.code)
			} else if r := p.reply(); string(r.Result) != `{"a":"<&>"}` {
				t.Errorf("result %s", r.Result)
			}
			if test.ends {
				p.wantEnd()
			} else {
				p.wantEcho("2")
			}
			other.wantEcho("2")
		})
	}
}

// A stream that is out of step still gets the answers to what came before.
// CASES L5.
func TestAnswersBeforeBrokenFraming(t *testing.T) {
	release := make(chan struct{})
	p := serve(t, Options{Handler: handlers{"slow": func(context.Context, string, json.RawMessage) (any, error) {
		<-release
		return "late", nil
	}}.serve}).dial()
	p.call("1", "slow", "{}")
	p.raw("Content-Length: -1\r\n\r\n")
	p.wantError("null", -32600)
	close(release)
	if r := p.reply(); string(r.Result) != `"late"` {
		t.Errorf("got %s, %v", r.Result, r.Error)
	}
	p.wantEnd()
}

// weird is an error whose methods panic on nil.
type weird struct{ text string }

func (w *weird) Error() string { return w.text }

// M1, M8, L1: whatever a handler does is one reply on its own connection.
func TestHandlersCannotHarm(t *testing.T) {
	var log lockedBuffer
	forever := make(chan struct{})
	defer close(forever)
	h := serve(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Handler: handlers{
		"plain":   func(context.Context, string, json.RawMessage) (any, error) { return nil, errors.New("x") },
		"wrapped": func(context.Context, string, json.RawMessage) (any, error) { return nil, fmt.Errorf("a: %w", io.EOF) },
		"word": func(context.Context, string, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("in a wrap: %w", wire.NewError(wire.ErrorData{
				Error: wire.AnchorStale, Message: "gone", Path: "m.py", Suggestions: []string{"ctx get repo:m.py"}}))
		},
		"codeless":    func(context.Context, string, json.RawMessage) (any, error) { return nil, &wire.Error{Message: "m"} },
		"nil error":   func(context.Context, string, json.RawMessage) (any, error) { return nil, (*wire.Error)(nil) },
		"weird error": func(context.Context, string, json.RawMessage) (any, error) { return nil, (*weird)(nil) },
		"panic":       func(context.Context, string, json.RawMessage) (any, error) { panic("boom") },
		"panic nil":   func(context.Context, string, json.RawMessage) (any, error) { panic(nil) },
		"index": func(context.Context, string, json.RawMessage) (any, error) {
			return []int{}[len(forever)], nil
		},
		"goexit":   func(context.Context, string, json.RawMessage) (any, error) { runtime.Goexit(); return nil, nil },
		"chan":     func(context.Context, string, json.RawMessage) (any, error) { return make(chan int), nil },
		"nan":      func(context.Context, string, json.RawMessage) (any, error) { return math.NaN(), nil },
		"bad raw":  func(context.Context, string, json.RawMessage) (any, error) { return json.RawMessage("{"), nil },
		"marshal":  func(context.Context, string, json.RawMessage) (any, error) { return panicky{}, nil },
		"canceled": func(context.Context, string, json.RawMessage) (any, error) { return nil, context.Canceled },
		"deadline": func(context.Context, string, json.RawMessage) (any, error) { return nil, context.DeadlineExceeded },
		"huge": func(context.Context, string, json.RawMessage) (any, error) {
			return strings.Repeat("x", wire.MaxFrame), nil
		},
		"never": func(context.Context, string, json.RawMessage) (any, error) { <-forever; return nil, nil },
	}.serve})
	a := h.dial()
	a.wantEcho("1")
	for _, test := range []struct {
		method string
		code   int
		text   string
		word   wire.Word
	}{
		{"plain", -32603, "x", wire.Internal},
		{"wrapped", -32603, "a: EOF", wire.Internal},
		{"word", -32010, "gone", wire.AnchorStale},
		{"codeless", -32603, "m", wire.Internal},
		{"nil error", -32603, "", wire.Internal},
		{"weird error", -32603, "", wire.Internal},
		{"panic", -32603, "boom", wire.Internal},
		{"panic nil", -32603, "nil", wire.Internal},
		{"index", -32603, "index out of range", wire.Internal},
		{"goexit", -32603, "goroutine was ended", wire.Internal},
		{"chan", -32603, "unsupported type", wire.Internal},
		{"nan", -32603, "NaN", wire.Internal},
		{"bad raw", -32603, "", wire.Internal},
		{"marshal", -32603, "", wire.Internal},
		{"canceled", -32800, "cancelled", ""},
		{"deadline", -32603, "deadline", wire.Internal},
		{"huge", -32019, "limit of a message", wire.FileTooLarge},
	} {
		b := h.dial()
		b.call("9", "never", "{}")
		b.call("1", test.method, "{}")
		e := b.wantError("1", test.code)
		if !strings.Contains(e.Message, test.text) {
			t.Errorf("%s: message %q lacks %q", test.method, e.Message, test.text)
		}
		if test.word == "" != (e.Data == nil) || e.Data != nil && (e.Data.Error != test.word || e.Data.Suggestions == nil) {
			t.Errorf("%s: data %+v, want %s", test.method, e.Data, test.word)
		}
		b.wantEcho("2")
		a.wantEcho("2")
		b.Close()
	}
	if text := log.String(); !strings.Contains(text, "boom") || !strings.Contains(text, "conn_test.go") {
		t.Errorf("the log has no stack of the panic:\n%s", text)
	}
}

type panicky struct{}

func (panicky) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A disconnect in the middle of a reply that does not fit into the socket.
// CASES L1.
func TestDisconnectInReply(t *testing.T) {
	writing := make(chan struct{}, 1)
	h := serve(t, Options{Handler: handlers{"big": func(context.Context, string, json.RawMessage) (any, error) {
		writing <- struct{}{}
		return strings.Repeat("x", 5<<20), nil
	}}.serve})
	a := h.dial()
	for range 10 {
		b := h.dial()
		b.call("1", "big", "{}")
		<-writing
		if _, err := b.r.ReadByte(); err != nil { // the reply has begun
			t.Fatal(err)
		}
		b.Close()
		if err := <-h.errs; err != nil {
			t.Errorf("Serve: %v", err)
		}
		a.wantEcho("1")
	}
}

// Q5: five megabytes each way.
func TestLargeMessages(t *testing.T) {
	p := serve(t, Options{Handler: handlers{}.serve}).dial()
	params := `["` + strings.Repeat("é<", 2<<20) + `"]`
	go p.call("1", "echo", params)
	if r := p.reply(); string(r.Result) != params {
		t.Errorf("%d bytes came back, want %d", len(r.Result), len(params))
	}
}

// Invalid UTF-8 in a result is replaced, once, and never reaches the peer raw.
func TestResultIsUTF8(t *testing.T) {
	p := serve(t, Options{Handler: handlers{"latin1": func(context.Context, string, json.RawMessage) (any, error) {
		return map[string]string{"text": "caf\xe9!"}, nil
	}}.serve}).dial()
	p.call("1", "latin1", "{}")
	if r := p.reply(); string(r.Result) != `{"text":"caf\ufffd!"}` {
		t.Errorf("got %s", r.Result)
	}
}

// M8: a quick request does not wait for a slow one before it.
func TestRequestsRunConcurrently(t *testing.T) {
	release := make(chan struct{})
	p := serve(t, Options{Handler: handlers{"slow": func(context.Context, string, json.RawMessage) (any, error) {
		<-release
		return "slow", nil
	}}.serve}).dial()
	p.call("1", "slow", "{}")
	p.wantEcho("2")
	close(release)
	if r := p.reply(); string(r.ID) != "1" {
		t.Errorf("got id %s", r.ID)
	}
}

func TestRunningIsBounded(t *testing.T) {
	const requests = 4 * maxRunning
	var now, most atomic.Int32
	entered, release := make(chan struct{}, requests), make(chan struct{})
	h := serve(t, Options{Handler: handlers{"slow": func(context.Context, string, json.RawMessage) (any, error) {
		most.Store(max(most.Load(), now.Add(1)))
		entered <- struct{}{}
		<-release
		now.Add(-1)
		return "ok", nil
	}}.serve})
	p := h.dial()
	for i := range requests {
		p.call(strconv.Itoa(i), "slow", "{}")
	}
	for range maxRunning {
		<-entered
	}
	p.note(wire.MethodCancel, `{"id":200}`) // one that waits is cancelled without ever running
	p.wantError("200", -32800)
	h.dial().wantEcho("1") // another connection has places of its own
	close(release)
	seen := map[string]bool{}
	for range requests - 1 {
		r := p.reply()
		if r.Error != nil || seen[string(r.ID)] {
			t.Fatalf("id %s: %v, seen before: %v", r.ID, r.Error, seen[string(r.ID)])
		}
		seen[string(r.ID)] = true
	}
	if got := most.Load(); got > maxRunning || got < maxRunning {
		t.Errorf("%d handlers at once, want %d", got, maxRunning)
	}
}

// More requests than can wait are refused one by one, and the connection goes on.
func TestWaitingIsBounded(t *testing.T) {
	release := make(chan struct{})
	p := serve(t, Options{Handler: handlers{"slow": func(context.Context, string, json.RawMessage) (any, error) {
		<-release
		return nil, nil
	}}.serve}).dial()
	const over = 10
	go func() {
		var all []byte
		for i := range maxRunning + maxWaiting + over {
			all = wire.AppendFrame(all, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"slow"}`, i))
		}
		p.Write(all)
	}()
	for range over {
		if e := p.reply().Error; e == nil || e.Code != -32600 || !strings.Contains(e.Message, "wait on this connection") {
			t.Fatalf("got %+v, want a refusal", e)
		}
	}
	close(release)
	for range maxRunning + maxWaiting {
		if r := p.reply(); r.Error != nil {
			t.Fatal(r.Error)
		}
	}
	p.wantEcho("1")
}

func TestNotificationsInOrder(t *testing.T) {
	var got []string // the notifier alone appends; the channel orders the end
	end := make(chan struct{})
	p := serve(t, Options{Handler: handlers{
		"add": func(_ context.Context, _ string, params json.RawMessage) (any, error) {
			got = append(got, string(params))
			return nil, errors.New("ignored")
		},
		"boom": func(context.Context, string, json.RawMessage) (any, error) { panic("in a notification") },
		"exit": func(context.Context, string, json.RawMessage) (any, error) { runtime.Goexit(); return nil, nil },
		"end":  func(context.Context, string, json.RawMessage) (any, error) { close(end); return nil, nil },
	}.serve}).dial()
	var want []string
	for i := range 500 {
		params := fmt.Sprintf("[%d]", i)
		want = append(want, params)
		p.note("add", params)
		p.note("unknown", "{}")
		switch i {
		case 100:
			p.note("boom", "{}")
		case 200:
			p.note("exit", "{}")
		}
	}
	p.note("end", "[]")
	select {
	case <-end:
	case <-time.After(patience):
		t.Fatal("notifications stopped")
	}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("got %v", got)
	}
	p.wantEcho("1") // and none of them was answered
}

// Responses are not answered, whatever their id is: two peers would never stop.
// LIBRARIES M2.
func TestResponsesAreIgnored(t *testing.T) {
	p := serve(t, Options{Handler: handlers{}.serve}).dial()
	p.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`)
	p.send(`{"jsonrpc":"2.0","id":5,"result":null}`)
	p.wantEcho("1")
}

// A connection goes to a session with its first byte, and only by its first message.
func TestSessions(t *testing.T) {
	h := serve(t, Options{Handler: handlers{}.serve, Sessions: map[string]Session{
		"initialize": func(_ context.Context, nc net.Conn, _ Handler) error {
			r := bufio.NewReader(nc)
			for {
				data, err := wire.ReadFrame(r)
				if err != nil {
					return err
				}
				nc.Write(wire.AppendFrame(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"result":%s}`, data)))
			}
		},
	}})
	p := h.dial()
	messages := []string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","method":"next"}`}
	p.raw(string(wire.AppendFrame(wire.AppendFrame(nil, []byte(messages[0])), []byte(messages[1]))))
	for _, want := range messages {
		if r := p.reply(); string(r.Result) != want {
			t.Errorf("got %s, want %s", r.Result, want)
		}
	}
	p.CloseWrite()
	p.wantEnd()
	q := h.dial()
	q.wantEcho("1")
	q.call("2", "initialize", "{}")
	q.wantError("2", wire.CodeMethodNotFound)
}
