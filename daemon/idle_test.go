package daemon

import (
	"bufio"
	"context"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener in memory, so that a test can run in a bubble of synctest.
type pipes struct {
	accept chan any // net.Conn or error
	once   sync.Once
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{accept: make(chan any), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case v := <-p.accept:
		if err, ok := v.(error); ok {
			return nil, err
		}
		return v.(net.Conn), nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return nil }

func (p *pipes) dial(t *testing.T) *caller {
	server, client := net.Pipe()
	p.accept <- server
	return &caller{t, client, bufio.NewReader(client)}
}

func TestIdleExit(t *testing.T) {
	const idle = 30 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s := newServer(ServerOptions{IdleTimeout: idle}, l)
		s.peerUID = func(net.Conn) (int, error) { return s.uid, nil }
		done := make(chan error, 1)
		began := time.Now()
		go func() { done <- s.Serve(t.Context()) }()
		alive := func(what string) {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-done:
				t.Fatalf("%s: it ended after %v: %v", what, time.Since(began), err)
			default:
			}
		}
		time.Sleep(idle - time.Second)
		alive("before the first connection")
		c := l.dial(t)
		c.mustEcho()
		time.Sleep(3 * time.Hour)
		alive("with a connection")
		c.mustEcho()
		c.nc.Close()
		time.Sleep(idle - time.Second)
		alive("after a connection")
		c = l.dial(t) // one that comes and goes between two looks
		c.nc.Close()
		time.Sleep(idle - time.Second)
		alive("after a short connection")
		left := time.Now()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := time.Since(left); got != time.Second {
			t.Errorf("it ended %v too late", got-time.Second)
		}
	})
}

func TestNoIdleExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(ServerOptions{}, newPipes())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx) }()
		time.Sleep(5 * time.Hour)
		select {
		case err := <-done:
			t.Fatalf("it ended: %v", err)
		default:
		}
		stop()
		<-done
	})
}

// Out of descriptors: accepting goes on when there are some again.
func TestAcceptErrorsPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s := newServer(ServerOptions{}, l)
		s.peerUID = func(net.Conn) (int, error) { return s.uid, nil }
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx) }()
		for range 50 {
			l.accept <- error(&net.OpError{Op: "accept", Err: syscall.EMFILE})
		}
		l.dial(t).mustEcho()
		stop()
		<-done
	})
}
