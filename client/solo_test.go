package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxd/client/wire"
)

func once(t *testing.T, method string, params, result any) error {
	t.Helper()
	return Once(timeout(t), Options{Version: "1.2.3"}, method, params, result)
}

func TestOnce(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	var got json.RawMessage
	if err := once(t, wire.MethodEcho, 5, &got); err != nil || string(got) != "5" {
		t.Errorf("%s, %v", got, err)
	}
	// The daemon is killed in the middle of the next.
	var def wire.DefResult
	if err := once(t, wire.MethodDef, nil, &def); err != nil || def.Target != "again" {
		t.Errorf("%+v, %v", def, err)
	}
	if n := len(w.lines(t, "start")); n != 2 {
		t.Errorf("%d starts", n)
	}
	// A newer program comes.
	t.Setenv("CTX_TEST_VERSION", "2.0.0")
	if err := Once(timeout(t), Options{Version: "2.0.0"}, wire.MethodGC, nil, nil); err != nil {
		t.Error(err)
	}
	if n := len(w.lines(t, "start")); n != 3 {
		t.Errorf("%d starts", n)
	}
	if err := Once(timeout(t), Options{Version: "2.0.0"}, "", map[string]any{"f": func() {}}, nil); err == nil {
		t.Error("a function was sent")
	}
}

func TestOnceDaemonDies(t *testing.T) {
	newWorld(t, "die", "1.2.3")
	err := once(t, wire.MethodEcho, 5, nil)
	if start, ok := errors.AsType[*StartError](err); !ok || !strings.HasSuffix(start.Stderr, "reason 19") {
		t.Errorf("error %v", err)
	}
}

// The end of the context ends the call, whether the daemon answers nothing or half a frame.
func TestOnceIsCutShort(t *testing.T) {
	for name, say := range map[string]string{"nothing": "", "half a frame": "Content-Length: 100\r\n\r\n{"} {
		socket := filepath.Join(shortDir(t), "s")
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(timeout(t))
		hungUp := make(chan struct{})
		go func() {
			defer close(hungUp)
			c, err := ln.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			io.WriteString(c, say)
			io.ReadFull(c, make([]byte, 10))
			cancel()
			io.Copy(io.Discard, c) // until the client hangs up
		}()
		if err := Once(ctx, Options{Socket: socket}, wire.MethodEcho, 1, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		<-hungUp
		ln.Close()
	}
}

// A daemon that never accepts the connection, nor reads what is sent, is no reason to wait.
func TestOnceIsNotAccepted(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	err = Once(ctx, Options{Socket: socket}, wire.MethodEcho, strings.Repeat("x", 1<<22), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A daemon that ends before it has answered hello got nothing to do: even a request that must not
// be made twice is made on the next connection. After a stop there is a moment like that.
func TestOnceDaemonEndsBeforeHello(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	asked := make(chan string, 10)
	go func() {
		for first := true; ; first = false {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if first {
				wire.ReadFrame(bufio.NewReader(c))
				c.Close()
				continue
			}
			serveConn(c, polite("1.2.3", func(q request, reply func(any)) {
				asked <- q.Method
				reply(wire.GCResult{Removed: 7})
			}))
		}
	}()
	var got wire.GCResult
	if err := Once(timeout(t), Options{Socket: socket, Version: "1.2.3"}, wire.MethodGC, nil, &got); err != nil || got.Removed != 7 || len(asked) != 1 {
		t.Errorf("%+v, %v, asked %d times", got, err, len(asked))
	}
}

// A daemon that greets, and ends before the request is written, got nothing to do either.
func TestAloneDaemonEndsAfterHello(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	asked, ended := make(chan string, 10), make(chan struct{})
	serve := polite("1.2.3", func(q request, reply func(any)) {
		asked <- q.Method
		reply(wire.GCResult{Removed: 7})
	})
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		wire.ReadFrame(bufio.NewReader(c))
		c.Write(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","id":1,"result":{"version":"1.2.3"}}`)))
		c.Close()
		close(ended)
		serveFake(ln, serve)
	}()
	c := Alone(Options{Socket: socket, Version: "1.2.3"})
	defer c.Close()
	<-ended
	var got wire.GCResult
	if err := c.Call(timeout(t), wire.MethodGC, nil, &got); err != nil || got.Removed != 7 || len(asked) != 1 {
		t.Errorf("%+v, %v, asked %d times", got, err, len(asked))
	}
}

// CASES D9.
func TestOnceBadPeer(t *testing.T) {
	for _, say := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", "Content-Length: 2\r\n\r\n[]", ""} {
		socket := filepath.Join(shortDir(t), "s")
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				io.WriteString(c, say)
				c.Close()
			}
		}()
		err = Once(timeout(t), Options{Socket: socket}, wire.MethodEcho, 1, nil)
		if _, ok := errors.AsType[*ConnError](err); !ok {
			t.Errorf("%q: %v", say, err)
		}
		ln.Close()
	}
}

// TestEndedContext: a call with a context that has ended is refused, and in the way of no later one.
func TestEndedContext(t *testing.T) {
	socket := fake(t, polite("1.2.3", func(_ request, reply func(any)) { reply(5) }))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	many := &Client{options: Options{Socket: socket, Version: "1.2.3"}, connecting: make(chan struct{}, 1)}
	for _, c := range []*Client{Alone(Options{Socket: socket, Version: "1.2.3"}), many} {
		defer c.Close()
		var got int
		if err := c.Call(ended, wire.MethodDef, nil, &got); !errors.Is(err, context.Canceled) {
			t.Errorf("ended: %v", err)
		}
		if err := c.Call(timeout(t), wire.MethodDef, nil, &got); err != nil || got != 5 {
			t.Errorf("after it: %d, %v", got, err)
		}
	}
}

// TestOnWait: who waits longer than Prompt is told once for each call, and has the answer all the same.
func TestOnWait(t *testing.T) {
	socket := filepath.Join(shortDir(t), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	waited := make(chan struct{}, 1)
	go serveFake(ln, polite("1.2.3", func(q request, reply func(any)) {
		if q.Method == wire.MethodDef { // it answers when the client has waited
			<-waited
		}
		reply(5)
	}))
	told := 0
	c := Alone(Options{Socket: socket, Version: "1.2.3", OnWait: func() {
		told++
		select {
		case waited <- struct{}{}:
		default:
		}
	}})
	defer c.Close()
	for i, method := range []string{wire.MethodDef, wire.MethodDef, wire.MethodDef} {
		var got int
		if err := c.Call(timeout(t), method, nil, &got); err != nil || got != 5 || told != i+1 {
			t.Errorf("call %d: %d, %v, told %d times", i, got, err, told)
		}
	}
}
