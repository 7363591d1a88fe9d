package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// repliedResult is a result that says when its reply is queued.
type repliedResult struct {
	N    int
	then func()
}

func (r *repliedResult) Replied() { r.then() }

// message reads one message of the server.
func (p *peer) message() (m struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}) {
	p.t.Helper()
	data, err := wire.ReadFrame(p.r)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// TestNotify: notifications arrive in order, those that follow a reply behind it, and every handler of a connection has
// the same notifier, which ends with the connection.
func TestNotify(t *testing.T) {
	notifiers := make(chan *Peer, 10)
	h := serve(t, Options{Handler: func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		n := PeerOf(ctx)
		notifiers <- n
		if err := n.Tell(ctx, "before", []int{1}); err != nil {
			t.Error(err)
		}
		return &repliedResult{N: 2, then: func() {
			for _, what := range []string{"after", "later"} {
				if err := n.Tell(context.Background(), what, []int{3}); err != nil {
					t.Error(err)
				}
			}
		}}, nil
	}})
	p := h.dial()
	for range 2 {
		p.raw(string(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","id":7,"method":"m"}`))))
		for _, want := range []string{"before", "", "after", "later"} {
			if m := p.message(); m.Method != want || (want == "") != (string(m.ID) == "7") {
				t.Errorf("%+v, want %q", m, want)
			}
		}
	}
	one, two := <-notifiers, <-notifiers
	if one == nil || one != two {
		t.Errorf("%p and %p", one, two)
	}
	if PeerOf(context.Background()) != nil {
		t.Error("a notifier without a connection")
	}
	if err := one.Tell(context.Background(), "bad", func() {}); err == nil {
		t.Error("what is no JSON was sent")
	}
	p.Close()
	<-one.Context().Done()
	if err := one.Tell(context.Background(), "late", nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// TestNotifyAwaits: who notifies a peer that does not read waits, with little queued, and goes on when it reads, or
// ends with its context or the connection. Answers are not held up.
func TestNotifyAwaits(t *testing.T) {
	notifiers := make(chan *Peer, 1)
	h := serve(t, Options{Handler: func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		notifiers <- PeerOf(ctx)
		return 1, nil
	}})
	p := h.dial()
	ask := string(wire.AppendFrame(nil, []byte(`{"jsonrpc":"2.0","id":7,"method":"m"}`)))
	p.raw(ask)
	p.message()
	n := <-notifiers
	big := strings.Repeat("x", 10<<10)
	sent, ended := 0, make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with ctx
		for {
			if err := n.Tell(ctx, "news", []string{big}); err != nil {
				ended <- err
				return
			}
			sent++
		}
	}()
	for waits := false; !waits; { // until the peer's buffers are full
		n.c.update(func(s *inFlight) {
			waits = s.calm != nil
			if s.unsent > maxUntaken+2*len(big) {
				t.Errorf("%d bytes are queued", s.unsent)
			}
		})
	}
	p.raw(ask) // answered behind what is queued
	for m := p.message(); string(m.ID) != "7"; m = p.message() {
		if m.Method != "news" {
			t.Fatalf("%+v", m)
		}
	}
	for waits := false; !waits; { // it went on, and waits again
		n.c.update(func(s *inFlight) { waits = s.calm != nil })
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if sent < 10 {
		t.Errorf("%d sent", sent)
	}
	go func() { // it may be calm for a moment: what the peer's buffers take is sent
		err := error(nil)
		for err == nil {
			err = n.Await(context.Background())
		}
		ended <- err
	}()
	p.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}
