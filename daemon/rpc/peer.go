package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"

	"ctxd/client/wire"
)

// Peer is the other end of a connection, for what is said to it unasked. Its methods may be called from any
// goroutine; after the connection has ended they fail with net.ErrClosed.
type Peer struct{ c *conn }

// Notify sends a notification. It does not wait until the peer takes it; what a peer leaves untaken is bounded,
// and then dropped with an error.
func (p *Peer) Notify(method string, params any) error {
	frame, err := encodeMessage(nil, method, params)
	if err != nil {
		return err
	}
	return p.send(func(*inFlight) []byte { return frame })
}

// Call asks the peer, and waits for its answer until ctx or the connection ends. result may be nil. An answer that is
// an error is a *wire.Error. The peer is told when ctx ends first.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	var id string
	err := p.send(func(s *inFlight) []byte {
		s.number++
		id = strconv.Itoa(s.number)
		frame, err := encodeMessage(json.RawMessage(id), method, params)
		if err != nil {
			return nil
		}
		s.asked["n"+id] = answer
		return frame
	})
	if err != nil {
		return err
	}
	select {
	case m := <-answer:
		return m.read(result)
	case <-ctx.Done():
		p.c.update(func(s *inFlight) { delete(s.asked, "n"+id) })
		_ = p.Notify(wire.MethodCancel, map[string]json.RawMessage{"id": json.RawMessage(id)})
		return ctx.Err()
	case <-p.c.ctx.Done():
		return net.ErrClosed
	}
}

// Close ends the connection once it has flushed what it owes, as the peer's own end of input does.
func (p *Peer) Close() { CloseRead(p.c.nc) }

// send queues the frame that make gives under the lock.
func (p *Peer) send(frame func(*inFlight) []byte) (err error) {
	p.c.update(func(s *inFlight) {
		switch {
		case s.closed:
			err = net.ErrClosed
		case s.unsent >= maxUnsent:
			err = fmt.Errorf("the peer leaves %d bytes untaken", s.unsent)
		default:
			if f := frame(s); f != nil {
				s.push(f)
			} else {
				err = fmt.Errorf("the message cannot be encoded")
			}
		}
	})
	return err
}

// read decodes the answer to a call.
func (m message) read(result any) error {
	if m.failure != nil && string(m.failure) != "null" {
		e := new(wire.Error)
		if err := json.Unmarshal(m.failure, e); err != nil {
			return fmt.Errorf("the peer's error cannot be read: %w", err)
		}
		return e
	}
	if result == nil || m.result == nil {
		return nil
	}
	return json.Unmarshal(m.result, result)
}

// encodeMessage is the frame of a request, or of a notification when id is nil.
func encodeMessage(id json.RawMessage, method string, params any) ([]byte, error) {
	b := []byte(`{"jsonrpc":"2.0",`)
	if id != nil {
		b = fmt.Appendf(b, `"id":%s,`, id)
	}
	b = fmt.Appendf(b, `"method":%q`, method)
	if params != nil {
		var err error
		if b, err = wire.AppendJSON(append(b, `,"params":`...), params); err != nil {
			return nil, err
		}
	}
	if b = append(b, '}'); len(b) > wire.MaxFrame {
		return nil, fmt.Errorf("a message of %d bytes is larger than %d", len(b), wire.MaxFrame)
	}
	return wire.AppendFrame(nil, b), nil
}

// CloseRead ends what the peer can send, or the connection where there are no halves.
func CloseRead(nc net.Conn) {
	if half, ok := nc.(interface{ CloseRead() error }); ok {
		_ = half.CloseRead()
		return
	}
	nc.Close()
}
