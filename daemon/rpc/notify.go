package rpc

import (
	"context"
	"net"
)

// maxUntaken is how many bytes a peer may leave untaken before notifications wait. It is far below maxUnsent, so
// that a peer which reads no notifications still gets its answers, and what it is told last is young.
const maxUntaken = 64 << 10

type peerKey struct{}

// PeerOf is the peer of the connection that a handler works for: ctx is the handler's. It is nil outside of a
// connection, and one and the same for all handlers of a connection.
func PeerOf(ctx context.Context) *Peer {
	p, _ := ctx.Value(peerKey{}).(*Peer)
	return p
}

// Context ends with the connection.
func (p *Peer) Context() context.Context { return p.c.ctx }

// Await returns when the peer has taken what it was sent but for a little, so that what is said next is
// not old before it is read. Whoever has news that replace each other awaits first and then looks what is new: a slow
// peer costs one waiting goroutine, and no queue.
func (p *Peer) Await(ctx context.Context) error {
	for {
		var calm chan struct{}
		var err error
		p.c.update(func(s *inFlight) {
			if s.closed {
				err = net.ErrClosed
			} else if s.unsent >= maxUntaken {
				if s.calm == nil {
					s.calm = make(chan struct{})
				}
				calm = s.calm
			}
		})
		if err != nil || calm == nil {
			return err
		}
		select {
		case <-calm:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Tell awaits the peer and sends it one notification. Notifications of one goroutine arrive in their order.
func (p *Peer) Tell(ctx context.Context, method string, params any) error {
	frame, err := encodeMessage(nil, method, params)
	if err != nil {
		return err
	}
	if err := p.Await(ctx); err != nil {
		return err
	}
	return p.send(func(*inFlight) []byte { return frame })
}

// Replied is a result that wants to know when its reply is queued: what is sent to the peer from then on arrives
// after it. It is called on the goroutine of the handler; not when the request was cancelled or its reply cannot be sent.
type Replied interface{ Replied() }
