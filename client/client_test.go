package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxd/client/wire"
)

// timeout is a context that ends long after any test should have.
func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	if t != nil {
		t.Cleanup(cancel)
	} else {
		context.AfterFunc(ctx, cancel)
	}
	return ctx
}

func dialed(t *testing.T, socket string) *Client {
	t.Helper()
	c, err := Dial(timeout(t), Options{Socket: socket, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestTypedCalls(t *testing.T) {
	days := 7
	socket := fake(t, func(q request, reply func(any)) {
		if q.Method == wire.MethodHello {
			reply(wire.HelloResult{Version: "1.2.3", PID: 4})
			return
		}
		// Every result type that is not hello's is asked to carry its method and parameters.
		reply(map[string]any{"target": q.Method, "ref": string(q.Params), "state": q.Method,
			"outcomes": []any{}, "checks": []any{}, "stopping": true, "removed": 3, "blob": string(q.Params)})
	})
	c := dialed(t, socket)
	ctx := timeout(t)

	if r, err := c.Hello(ctx, wire.HelloParams{Version: "x"}); err != nil || r.PID != 4 {
		t.Errorf("Hello: %+v, %v", r, err)
	}
	if r, err := c.Def(ctx, wire.DefParams{Target: "a<b"}); err != nil || r.Target != wire.MethodDef {
		t.Errorf("Def: %+v, %v", r, err)
	}
	if r, err := c.Get(ctx, wire.GetParams{Common: wire.Common{Root: "/w"}, Ref: "repo:a<b"}); err != nil || r.Ref != `{"root":"/w","ref":"repo:a<b"}` {
		t.Errorf("Get: %+v, %v", r, err)
	}
	if r, err := c.Resolve(ctx, wire.ResolveParams{}); err != nil || r.Outcomes == nil {
		t.Errorf("Resolve: %+v, %v", r, err)
	}
	if r, err := c.Status(ctx, wire.StatusParams{}); err != nil || r.State != wire.MethodStatus {
		t.Errorf("Status: %+v, %v", r, err)
	}
	if r, err := c.Doctor(ctx, wire.DoctorParams{}); err != nil || r.Checks == nil {
		t.Errorf("Doctor: %+v, %v", r, err)
	}
	if r, err := c.GC(ctx, wire.GCParams{RetentionDays: &days}); err != nil || r.Removed != 3 {
		t.Errorf("GC: %+v, %v", r, err)
	}
	if r, err := c.Pin(ctx, wire.PinParams{ID: "x"}); err != nil || r.Blob != `{"id":"x"}` {
		t.Errorf("Pin: %+v, %v", r, err)
	}
	if r, err := c.Stop(ctx, wire.StopParams{}); err != nil || !r.Stopping {
		t.Errorf("Stop: %+v, %v", r, err)
	}
}

// The first call and the hello leave in one write, so that the daemon's first read finds both. A
// call that may not be repeated waits until the daemon's version is known.
func TestFirstWrite(t *testing.T) {
	for _, tt := range []struct {
		method, want string
	}{
		{wire.MethodEcho, `"ctx/hello","params":{"version":"1.2.3"}}` + "Content-Length: 55\r\n\r\n" + `{"jsonrpc":"2.0","id":2,"method":"ctx/echo","params":5}`},
		{wire.MethodGC, `"ctx/hello","params":{"version":"1.2.3"}}`},
	} {
		socket := filepath.Join(shortDir(t), "s")
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan string, 1+silenceLimit)
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				b := make([]byte, 64<<10)
				n, _ := c.Read(b)
				first <- string(b[:n])
				c.Close()
			}
		}()
		err = dialed(t, socket).Call(timeout(t), tt.method, 5, nil)
		ln.Close()
		if _, ok := errors.AsType[*ConnError](err); !ok {
			t.Errorf("%s on connections that are closed: %v", tt.method, err)
		}
		if len(first) != 1+silenceLimit {
			t.Errorf("%s: %d attempts", tt.method, len(first))
		}
		if got := <-first; !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: first write %q", tt.method, got)
		}
	}
}

// Answers come in any order and find the call that they belong to.
func TestManyCallsOnOneConnection(t *testing.T) {
	const calls = 200
	var mu sync.Mutex
	var held []func()
	socket := fake(t, func(q request, reply func(any)) {
		if q.Method == wire.MethodHello {
			reply(wire.HelloResult{Version: "1.2.3"})
			return
		}
		mu.Lock()
		defer mu.Unlock()
		held = append(held, func() { reply(q.Params) })
		if len(held) == calls {
			rand.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
			for _, answer := range held {
				answer()
			}
		}
	})
	c := dialed(t, socket)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			got, err := c.Echo(timeout(t), i)
			if err != nil || string(got) != fmt.Sprint(i) {
				t.Errorf("echo %d: %s, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

func TestRefusalIsAnError(t *testing.T) {
	want := wire.NewError(wire.ErrorData{Error: wire.AnchorStale, Message: "gone", Path: "m.py", Lines: &wire.Lines{4, 5},
		Suggestions: []string{"ctx get repo:m.py --lines 4:5"}})
	socket := fake(t, polite("1.2.3", func(q request, reply func(any)) { reply(want) }))
	_, err := dialed(t, socket).Get(timeout(t), wire.GetParams{})
	got, ok := errors.AsType[*wire.Error](err)
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", err, want)
	}
}

func TestErrorDataOfAnotherShape(t *testing.T) {
	for _, raw := range []string{`{"code":-32603,"message":"m","data":"a string"}`, `{"code":-32603,"message":"m"}`} {
		got := decodeError([]byte(raw))
		if got.Code != -32603 || got.Message != "m" || got.Data != nil {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	if got := decodeError([]byte(`"what"`)); got.Code != wire.Internal.Code() || got.Message != `"what"` {
		t.Errorf("%+v", got)
	}
}

func TestCancelReachesTheDaemon(t *testing.T) {
	type cancelled struct {
		ID json.RawMessage `json:"id"`
	}
	asked, stopped := make(chan json.RawMessage, 1), make(chan json.RawMessage, 1)
	socket := fake(t, polite("1.2.3", func(q request, reply func(any)) {
		switch q.Method {
		case wire.MethodDef:
			asked <- q.ID
		case wire.MethodCancel:
			var c cancelled
			if err := json.Unmarshal(q.Params, &c); err != nil {
				t.Error(err)
			}
			stopped <- c.ID
		}
	}))
	c := dialed(t, socket)
	ctx, cancel := context.WithCancel(timeout(t))
	result := make(chan error, 1)
	go func() {
		_, err := c.Def(ctx, wire.DefParams{})
		result <- err
	}()
	id := <-asked
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := <-stopped; string(got) != string(id) {
		t.Errorf("cancelled %s, asked %s", got, id)
	}
	if got, err := c.Echo(timeout(t), 1); err != nil || string(got) != "1" {
		t.Errorf("the connection after a cancel: %s, %v", got, err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	asked := make(chan struct{}, 1)
	socket := fake(t, polite("1.2.3", func(q request, reply func(any)) { asked <- struct{}{} }))
	c := dialed(t, socket)
	result := make(chan error, 1)
	go func() {
		_, err := c.Def(timeout(t), wire.DefParams{})
		result <- err
	}()
	<-asked
	c.Close()
	if err := <-result; !errors.Is(err, ErrClosed) {
		t.Errorf("call under way: %v", err)
	}
	if _, err := c.Def(timeout(t), wire.DefParams{}); !errors.Is(err, ErrClosed) {
		t.Errorf("call after: %v", err)
	}
}

// A peer that does not speak the protocol ends the call, never hangs it.
func TestBadPeers(t *testing.T) {
	for name, say := range map[string]string{
		"nothing":          "",
		"no frame":         "HTTP/1.1 400 Bad Request\r\n\r\n",
		"no json":          "Content-Length: 3\r\n\r\n{]}",
		"no object":        "Content-Length: 2\r\n\r\n[]",
		"error without id": "Content-Length: 75\r\n\r\n" + fmt.Sprintf("%-75s", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`),
		"short":            "Content-Length: 300\r\n\r\n{",
		"huge":             "Content-Length: 4000000000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(shortDir(t), "s")
			ln, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					io.WriteString(c, say)
					if name == "nothing" || name == "short" { // the others are known to be bad at once
						c.(*net.UnixConn).CloseWrite()
					}
					defer c.Close()
				}
			}()
			_, err = dialed(t, socket).Echo(timeout(t), 1)
			if _, ok := errors.AsType[*ConnError](err); !ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestResultOfAnotherShape(t *testing.T) {
	socket := fake(t, polite("1.2.3", func(q request, reply func(any)) { reply([]int{1}) }))
	_, err := dialed(t, socket).Def(timeout(t), wire.DefParams{})
	if _, ok := errors.AsType[*ProtocolError](err); !ok {
		t.Errorf("error %v", err)
	}
}

func TestDialWithoutDaemon(t *testing.T) {
	socket := filepath.Join(shortDir(t), "none.sock")
	_, err := Dial(timeout(t), Options{Socket: socket})
	dial, ok := errors.AsType[*DialError](err)
	if !ok || dial.Socket != socket || !absent(err) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Error("dialling made a socket")
	}
}

// Nothing is sent to a socket that somebody else serves.
// CASES S3.
func TestPeerIsChecked(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, err = dial(socket, os.Geteuid()+1, false)
	if peer, ok := errors.AsType[*PeerError](err); !ok || peer.UID != os.Geteuid() {
		t.Fatalf("error %v", err)
	}
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); len(got) != 0 || err != nil {
		t.Errorf("sent %q, %v", got, err)
	}
}

// A server whose queue is full is waited for, as long as the context allows.
func TestFullQueue(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), socket)
	defer file.Close()
	for full := false; !full; {
		queued, err := dial(socket, os.Geteuid(), false)
		if err == nil {
			defer queued.Close()
		} else if full = crowded(err); !full {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, Options{Socket: socket}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	ln, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveFake(ln, polite("1.2.3", nil))
	}()
	c := dialed(t, socket)
	if got, err := c.Echo(timeout(t), 1); err != nil || string(got) != "1" {
		t.Errorf("%s, %v", got, err)
	}
	c.Close()
	ln.Close()
}

// A daemon that says it is stopping is dialled again until another answers.
func TestStoppingIsRetried(t *testing.T) {
	var mu sync.Mutex
	left := 3
	socket := fake(t, polite("1.2.3", func(q request, reply func(any)) {
		mu.Lock()
		defer mu.Unlock()
		if left--; left >= 0 {
			reply(wire.NewError(wire.ErrorData{Error: wire.Stopping, Message: "stopping"}))
			return
		}
		reply(wire.GCResult{Kept: 5})
	}))
	r, err := dialed(t, socket).GC(timeout(t), wire.GCParams{})
	if err != nil || r.Kept != 5 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAnswers: what the daemon writes as a result is taken apart without being decoded, and comes out as if it had been;
// everything else is decoded.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		message, result, failure string
		id                       int32
		broken                   bool
	}{
		{message: `{"jsonrpc":"2.0","id":7,"result":{"a":1}}`, id: 7, result: `{"a":1}`},
		{message: `{"jsonrpc":"2.0","id":7,"result":null}`, id: 7, result: `null`},
		{message: `{"id":7,"jsonrpc":"2.0","result":{"a":[1, 2]}}`, id: 7, result: `{"a":[1, 2]}`},
		{message: `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":",\"result\":"}}`, id: 7, failure: `,"result":`},
		{message: `{"jsonrpc":"2.0","id":"7,"result":1}`, broken: true},
		{message: `{"jsonrpc":"2.0","id":4294967297,"result":{}}`, broken: true},
		{message: `{"jsonrpc":"2.0","id":null,"result":{}}`, broken: true},
		{message: `{"jsonrpc":"2.0","id":7`, broken: true},
		{message: ``, broken: true},
	} {
		id, got, err := decodeAnswer([]byte(c.message))
		failure := ""
		if got.err != nil {
			failure = got.err.Message
		}
		if (err != nil) != c.broken || !c.broken && (id != c.id || string(got.result) != c.result || failure != c.failure) {
			t.Errorf("%s: %d %s %q %v", c.message, id, got.result, failure, err)
		}
	}
}

// TestNoJSON: a result that is none is an error for callers that decode it, want it as it is, and want none.
func TestNoJSON(t *testing.T) {
	for _, into := range []any{nil, new(json.RawMessage), new(wire.StatusResult)} {
		socket := filepath.Join(shortDir(t), "s")
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		go func() {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			for r := bufio.NewReader(c); ; {
				message, err := wire.ReadFrame(r)
				if err != nil {
					return
				}
				var q request
				if json.Unmarshal(message, &q) == nil {
					c.Write(wire.AppendFrame(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{},"error":{}}`, q.ID)))
				}
			}
		}()
		err = dialed(t, socket).Call(timeout(t), wire.MethodStatus, nil, into)
		if _, ok := errors.AsType[*ProtocolError](err); !ok {
			t.Errorf("%T: %v", into, err)
		}
	}
}
