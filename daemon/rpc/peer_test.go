package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// ordered is a connection whose messages are taken in order: "set" changes a number at once, "get" answers with the
// number as it was when it came.
func ordered(t *testing.T) (p *peer, server *Peer) {
	t.Helper()
	greeted := make(chan *Peer, 1)
	n := 0 // the reader's
	h := serve(t, Options{
		Greet: func(p *Peer) { greeted <- p },
		Arrive: func(method string, params json.RawMessage, request bool) Work {
			switch method {
			case "set":
				n++
				return nil
			case "get":
				was := n
				return func(context.Context) (any, error) { return was, nil }
			case "panic":
				panic("in arrive")
			case "late":
				return func(context.Context) (any, error) { panic("in work") }
			}
			return func(context.Context) (any, error) { return params, nil }
		},
	})
	p = h.dial()
	return p, <-greeted
}

// A request sees exactly the notifications that came before it.
func TestArriveInOrder(t *testing.T) {
	p, _ := ordered(t)
	var stream strings.Builder
	for i := range 500 {
		stream.Write(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","method":"set"}`)))
		stream.Write(wire.AppendFrame(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"get"}`, i+1)))
	}
	p.raw(stream.String())
	for range 500 {
		if r := p.reply(); string(r.Result) != string(r.ID) {
			t.Fatalf("request %s saw %s", r.ID, r.Result)
		}
	}
}

// CASES L1: what panics in arrive, or later, is one reply.
func TestArrivePanics(t *testing.T) {
	p, _ := ordered(t)
	for _, method := range []string{"panic", "late"} {
		p.call("1", method, "{}")
		p.wantError("1", wire.Internal.Code())
		p.note(method, "{}")
	}
	p.wantEcho("2")
}

func TestPeerNotifies(t *testing.T) {
	p, server := ordered(t)
	if err := server.Notify("told", map[string]string{"a": "<é>"}); err != nil {
		t.Fatal(err)
	}
	data, err := wire.ReadFrame(p.r)
	if want := `{"jsonrpc":"2.0","method":"told","params":{"a":"<é>"}}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v; want %s", data, err, want)
	}
}

func TestPeerCalls(t *testing.T) {
	p, server := ordered(t)
	answers := make(chan error, 1)
	var result string
	ask := func(ctx context.Context) { answers <- server.Call(ctx, "ask", []int{1}, &result) }
	go ask(t.Context())
	if data, _ := wire.ReadFrame(p.r); string(data) != `{"jsonrpc":"2.0","id":1,"method":"ask","params":[1]}` {
		t.Fatalf("asked %s", data)
	}
	p.send(`{"jsonrpc":"2.0","id":99,"result":"to nobody"}`)
	p.send(`{"jsonrpc":"2.0","id":"1","result":"to nobody: a string is no number"}`)
	p.send(`{"jsonrpc":"2.0","id":1,"result":"yes"}`)
	if err := <-answers; err != nil || result != "yes" {
		t.Errorf("got %q, %v", result, err)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"result":"twice"}`)

	go ask(t.Context())
	wire.ReadFrame(p.r)
	p.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-7,"message":"no"}}`)
	var refused *wire.Error
	if err := <-answers; !errors.As(err, &refused) || refused.Code != -7 {
		t.Errorf("an error: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go ask(ctx)
	wire.ReadFrame(p.r)
	cancel()
	if err := <-answers; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if data, _ := wire.ReadFrame(p.r); string(data) != `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}` {
		t.Errorf("the peer is told %s", data)
	}

	go ask(t.Context())
	wire.ReadFrame(p.r)
	p.Close()
	if err := <-answers; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a peer that is gone: %v", err)
	}
	if err := server.Notify("told", nil); err == nil {
		t.Error("a notification to nobody")
	}
}

// Close ends the connection once all is answered.
func TestPeerCloses(t *testing.T) {
	p, server := ordered(t)
	p.call("1", "get", "{}")
	if r := p.reply(); string(r.Result) != "0" {
		t.Errorf("got %s", r.Result)
	}
	server.Close()
	p.wantEnd()
}
