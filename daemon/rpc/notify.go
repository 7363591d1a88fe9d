package rpc

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"ctxd/client/wire"
)

// maxUntaken is how many bytes a peer may leave untaken before notifications wait. It is far below maxUnsent, so
// that a peer which reads no notifications still gets its answers, and what it is told last is young.
const maxUntaken = 64 << 10

// Notifier says things to the peer of a connection that it did not ask for. Its methods may be called from any
// goroutine; after the end of the connection they fail with net.ErrClosed.
type Notifier struct{ c *conn }

type notifierKey struct{}

// NotifierOf is the notifier of the connection that a handler works for: ctx is the handler's. It is nil outside of
// a connection, and one and the same for all handlers of a connection.
func NotifierOf(ctx context.Context) *Notifier {
	n, _ := ctx.Value(notifierKey{}).(*Notifier)
	return n
}

// Context ends with the connection.
func (n *Notifier) Context() context.Context { return n.c.ctx }

// Await returns when the peer has taken what it was sent but for a little, so that what is said next is
// not old before it is read. Whoever has news that replace each other awaits first and then looks what is new: a slow
// peer costs one waiting goroutine, and no queue.
func (n *Notifier) Await(ctx context.Context) error {
	for {
		var calm chan struct{}
		var err error
		n.c.update(func(s *inFlight) {
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

// Notify awaits the peer and sends it one notification. Notifications of one goroutine arrive in their order.
func (n *Notifier) Notify(ctx context.Context, method string, params any) error {
	b := new(bytes.Buffer)
	fmt.Fprintf(b, `{"jsonrpc":"2.0","method":%q,"params":`, method)
	if err := writeJSON(b, params); err != nil {
		return err
	}
	b.WriteByte('}')
	if b.Len() > wire.MaxFrame {
		return fmt.Errorf("a notification of %d bytes is larger than %d", b.Len(), wire.MaxFrame)
	}
	if err := n.Await(ctx); err != nil {
		return err
	}
	err := net.ErrClosed
	n.c.update(func(s *inFlight) {
		if !s.closed {
			s.push(wire.AppendFrame(nil, b.Bytes()))
			err = nil
		}
	})
	return err
}

// Replied is a result that wants to know when its reply is queued: what is sent to the peer from then on arrives
// after it. It is called on the goroutine of the handler; not when the request was cancelled or its reply cannot be sent.
type Replied interface{ Replied() }
