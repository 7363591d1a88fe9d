package rpc

import (
	"context"
	"encoding/json"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ctxd/client/wire"
)

// slow returns a handler that waits for its context, and where it says that it began and ended.
func slow() (f Handler, began, ended chan string) {
	began, ended = make(chan string, 5000), make(chan string, 5000)
	return func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		began <- string(params)
		<-ctx.Done()
		ended <- string(params)
		return nil, ctx.Err()
	}, began, ended
}

// M3, L6: numeric and string ids cancel; ids that only look alike do not.
func TestCancel(t *testing.T) {
	f, began, ended := slow()
	p := serve(t, Options{Handler: handlers{"slow": f}.serve}).dial()
	for _, test := range []struct{ id, cancel string }{
		{"7", "7"}, {`"7"`, `"7"`}, {"1099511627776", "1099511627776"}, {"1.5", "1.5"}, {`"é"`, `"\u00e9"`}, {`""`, `""`},
	} {
		p.call(test.id, "slow", "[]")
		<-began
		for _, other := range []string{`{"id":8}`, `{"id":"8"}`, `{"id":null}`, `{"id":[7]}`, `{}`, `[]`, `[7]`} {
			p.note(wire.MethodCancel, other)
		}
		p.wantEcho("1") // these did nothing
		p.note(wire.MethodCancel, `{"id":`+test.cancel+`}`)
		p.wantError(test.id, wire.CodeCancelled)
		<-ended
		p.note(wire.MethodCancel, `{"id":`+test.cancel+`}`) // too late: nothing
		p.wantEcho("2")
	}
	p.call("7", "slow", "[]")
	<-began
	p.note(wire.MethodCancel, `{"id":"7"}`) // a string is not the number
	p.wantEcho("1")
	p.note(wire.MethodCancel, `{"id":7}`)
	p.wantError("7", wire.CodeCancelled)
}

// The reply does not wait for a handler that ignores its context, and what that returns later is
// not sent.
// CASES L6.
func TestCancelOfDeafHandler(t *testing.T) {
	began, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p := serve(t, Options{Handler: handlers{"deaf": func(context.Context, string, json.RawMessage) (any, error) {
		close(began)
		defer close(done)
		<-release
		return "too late", nil
	}}.serve}).dial()
	p.call("7", "deaf", "{}")
	<-began
	p.note(wire.MethodCancel, `{"id":7}`)
	p.wantError("7", wire.CodeCancelled)
	close(release)
	<-done
	p.wantEcho("7") // the id is free again, and no second reply came
}

// Two requests with one id: both are answered, both are cancelled.
func TestSameIDTwice(t *testing.T) {
	f, began, _ := slow()
	p := serve(t, Options{Handler: handlers{"slow": f}.serve}).dial()
	p.call("1", "slow", "[1]")
	p.call("1", "slow", "[2]")
	<-began
	<-began
	p.wantEcho("1")
	p.note(wire.MethodCancel, `{"id":1}`)
	p.wantError("1", wire.CodeCancelled)
	p.wantError("1", wire.CodeCancelled)
	p.wantEcho("1")
}

// L6: a thousand cancelled requests, most of which never started, leave nothing behind.
func TestCancelledRequestsLeaveNothing(t *testing.T) {
	f, began, ended := slow()
	p := serve(t, Options{Handler: handlers{"slow": f}.serve}).dial()
	p.wantEcho("0")
	before := runtime.NumGoroutine()
	for round := range 2 {
		for i := range 1000 {
			p.call(strconv.Itoa(round*1000+i), "slow", "[]")
		}
		for range maxRunning {
			<-began
		}
		go func() {
			for i := range 1000 {
				p.note(wire.MethodCancel, `{"id":`+strconv.Itoa(round*1000+i)+`}`)
			}
		}()
		for range 1000 {
			if r := p.reply(); r.Error == nil || r.Error.Code != wire.CodeCancelled {
				t.Fatalf("got %s, %v", r.Result, r.Error)
			}
		}
		for range maxRunning {
			<-ended
		}
	}
	p.wantEcho("1")
	eventually(t, "goroutines are flat", func() bool { return runtime.NumGoroutine() <= before })
}

// A peer that is gone cancels its requests, those that wait included, and Serve returns.
func TestGonePeerCancels(t *testing.T) {
	before := runtime.NumGoroutine()
	f, began, ended := slow()
	h := serve(t, Options{Handler: handlers{"slow": f}.serve})
	p := h.dial()
	for i := range maxRunning + 10 {
		p.call(strconv.Itoa(i), "slow", "[]")
	}
	for range maxRunning {
		<-began
	}
	p.Close()
	for range maxRunning {
		<-ended
	}
	if err := <-h.errs; err != nil {
		t.Errorf("Serve: %v", err)
	}
	eventually(t, "no goroutine is left but the listener's", func() bool { return runtime.NumGoroutine() <= before+1 })
	if len(began) > 0 {
		t.Errorf("%d requests were started for a peer that is gone", len(began))
	}
}

// A peer that sends its requests, ends its side and waits is answered (printf … | nc -N); when it
// then goes away after all, the rest is cancelled.
// CASES L5.
func TestHalfClose(t *testing.T) {
	f, began, ended := slow()
	release := make(chan struct{})
	h := serve(t, Options{Handler: handlers{"slow": f, "later": func(context.Context, string, json.RawMessage) (any, error) {
		<-release
		return "answer", nil
	}}.serve})
	p := h.dial()
	p.call("1", "later", "{}")
	p.call("2", "later", "{}")
	p.CloseWrite()
	close(release)
	for range 2 {
		if r := p.reply(); string(r.Result) != `"answer"` {
			t.Errorf("got %s, %v", r.Result, r.Error)
		}
	}
	p.wantEnd()

	q := h.dial()
	q.call("1", "slow", "{}")
	<-began
	q.CloseWrite()
	q.Close()
	<-ended
}

// The one-shot pipe over a connection that is no socket: the end of input is all there is.
func TestPipe(t *testing.T) {
	server, client := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), server, Options{Handler: handlers{}.serve}) }()
	go client.Write(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`)))
	buf := make([]byte, 200)
	n, err := client.Read(buf)
	if err != nil || !strings.Contains(string(buf[:n]), "Content-Length") {
		t.Fatalf("%q, %v", buf[:n], err)
	}
	client.Close()
	<-done
}

// A peer that takes no answers is not read any further, holds nobody else up, and costs a bounded
// number of answers.
func TestSlowReader(t *testing.T) {
	const size, requests = 32 << 10, 600
	answer := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
	made := make(chan struct{}, requests)
	h := serve(t, Options{Handler: handlers{"big": func(context.Context, string, json.RawMessage) (any, error) {
		made <- struct{}{}
		return answer, nil
	}}.serve})
	p := h.dial()
	go func() {
		for i := range requests {
			p.call(strconv.Itoa(i), "big", "{}")
		}
	}()
	<-made
	other := h.dial()
	for i := range 200 {
		other.wantEcho(strconv.Itoa(i))
	}
	const socket = 1 << 20 // what the kernel may have taken
	if n := len(made); n > maxRunning+(maxUnsent+socket)/size {
		t.Errorf("%d answers were made for a peer that takes none", n)
	}
	for range requests { // and when it takes them, all are there
		if r := p.reply(); len(r.Result) != size+2 {
			t.Fatalf("a result of %d bytes, %v", len(r.Result), r.Error)
		}
	}
}

// Answers that no handler makes, to messages that are wrong, are bounded as well.
func TestPeerThatOnlySendsIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- Serve(t.Context(), server, Options{Handler: handlers{}.serve}) }()
		var sent atomic.Int64
		go func() {
			for {
				if _, err := client.Write(wire.AppendFrame(nil, []byte("wrong"))); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		synctest.Wait() // everything is blocked, which would never be if it were read on and on
		if n := sent.Load(); n < 1000 || n > maxUnsent/100 {
			t.Errorf("%d messages were read, though no answer was taken", n)
		}
		client.Close()
		<-done
	})
}

// The context of a request ends with it, so that nothing that hangs on it is kept.
func TestContextEndsWithRequest(t *testing.T) {
	contexts := make(chan context.Context, 1)
	p := serve(t, Options{Handler: handlers{"quick": func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		contexts <- ctx
		return nil, nil
	}}.serve}).dial()
	p.call("1", "quick", "{}")
	p.reply()
	select {
	case <-(<-contexts).Done():
	case <-time.After(patience):
		t.Error("it has not ended")
	}
}

// A peer that takes no answers and leaves frees everything.
func TestSlowReaderLeaves(t *testing.T) {
	before := runtime.NumGoroutine()
	made := make(chan struct{}, 10000)
	h := serve(t, Options{Handler: handlers{"big": func(context.Context, string, json.RawMessage) (any, error) {
		made <- struct{}{}
		return strings.Repeat("x", 1<<18), nil
	}}.serve})
	p := h.dial()
	for i := range 100 {
		p.call(strconv.Itoa(i), "big", "{}")
	}
	for range 10 {
		<-made
	}
	p.Close()
	<-h.errs
	eventually(t, "no goroutine is left but the listener's", func() bool { return runtime.NumGoroutine() <= before+1 })
}

// The end of the server's context ends the connection and its requests.
func TestContextEnds(t *testing.T) {
	f, began, ended := slow()
	ctx, cancel := context.WithCancel(context.Background())
	server, client := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, server, Options{Handler: handlers{"slow": f}.serve}) }()
	client.Write(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)))
	<-began
	cancel()
	<-ended
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// eventually waits for a state that nothing announces.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("not so: %s\n%s", what, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}
