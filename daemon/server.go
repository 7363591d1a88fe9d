package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/rpc"
)

const (
	drainLimit = 10 * time.Second       // for requests under way, once the server stops
	flushLimit = 2 * time.Second        // for their answers to be taken, after that
	watchEvery = 500 * time.Millisecond // between looks at the socket's file: two lstat
)

// ServerOptions are what a server serves, and where.
type ServerOptions struct {
	Listener *net.UnixListener // listens at Path
	Path     string
	Lock     *os.File // the lock of Path, held; the server keeps it until Serve has returned
	Handler  rpc.Handler
	// Sessions, by the method of a connection's first message, take over that connection.
	Sessions    map[string]rpc.Session
	IdleTimeout time.Duration // without a connection; 0: it never ends by itself
	Logger      *slog.Logger  // nil: nothing is logged
	OnStop      func()        // called once, when no more requests are taken; may be nil
}

// Server accepts the connections of one user at one socket. It answers ctx/hello, ctx/echo and
// ctx/stop, hands every other request to its handler, and ends when it is idle, stopped, or its
// context is.
type Server struct {
	o       ServerOptions
	log     *slog.Logger
	uid     int // whose connections are served
	peerUID func(net.Conn) (int, error)

	mu      sync.Mutex
	state   serverState    // only update touches it
	changed chan struct{}  // holds a value when the state changed and Serve has not looked yet
	accepts sync.WaitGroup // accept loops

	listener net.Listener  // Serve only
	socket   socketFile    // Serve only
	locks    []*os.File    // Serve only; the newest is the one at the lock's path
	drainFor time.Duration // drainLimit; tests shorten it
	flushFor time.Duration // flushLimit
}

// serverState is everything about a server that changes while it serves.
type serverState struct {
	conns    map[*attached]struct{}
	went     int    // connections that have ended
	running  int    // requests under way, those of lost connections included
	stopping string // why the server ends; "": it does not
}

// attached is one connection.
type attached struct {
	nc      net.Conn
	running int // requests under way
}

// NewServer makes a server; Serve runs it.
func NewServer(o ServerOptions) *Server {
	s := newServer(o, o.Listener)
	s.socket = statSocket(o.Path)
	if o.Lock != nil {
		s.locks = append(s.locks, o.Lock)
	}
	return s
}

func newServer(o ServerOptions, l net.Listener) *Server {
	s := &Server{
		o: o, log: o.Logger, uid: os.Geteuid(), peerUID: peerUID, listener: l,
		changed: make(chan struct{}, 1), drainFor: drainLimit, flushFor: flushLimit,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.state.conns = map[*attached]struct{}{}
	return s
}

// update is the one place where the state is read or changed. It wakes Serve when connections
// went, or when it drains and waits for requests; not for each request, nor for a connection that comes, whose
// first request would share the processors with that.
func (s *Server) update(f func(*serverState)) {
	type seen struct {
		went, running int
		stopping      bool
	}
	see := func() seen {
		st := &s.state
		if st.stopping == "" {
			return seen{went: st.went}
		}
		return seen{st.went, st.running, true}
	}
	s.mu.Lock()
	before := see()
	f(&s.state)
	woken := see() != before
	s.mu.Unlock()
	if !woken {
		return
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Counts are the connections that are open and the requests under way.
func (s *Server) Counts() (connections, requests int) {
	s.update(func(st *serverState) { connections, requests = len(st.conns), st.running })
	return connections, requests
}

// stop makes the server end. The first reason counts.
func (s *Server) stop(why string) {
	s.update(func(st *serverState) {
		if st.stopping == "" {
			st.stopping = why
		}
	})
}

// Serve accepts connections until the server is idle for its timeout, is asked to stop, loses its
// socket for good (the error), or ctx ends. Then it drains: new requests are refused with the
// word stopping, requests under way have 10 seconds to end, their answers are flushed, and the
// socket is removed if it is still ours. The lock is left to the caller, who may have more to
// finish before another daemon may start.
func (s *Server) Serve(ctx context.Context) error {
	conns, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	first := s.listener
	s.accepts.Go(func() { s.accept(conns, first) })
	err := s.wait(ctx, conns)
	s.drain(abandon)
	for _, lock := range s.locks[min(1, len(s.locks)):] {
		lock.Close() // the first is the caller's
	}
	return err
}

// wait returns when the server has to end.
func (s *Server) wait(ctx, conns context.Context) error {
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	idle := time.NewTimer(s.o.IdleTimeout)
	defer idle.Stop()
	went := 0 // connections that had ended when idle was set
	for {
		select {
		case <-ctx.Done():
			s.stop("it was told to by a signal")
		case <-watch.C:
			if err := s.keepSocket(conns); err != nil {
				s.stop("it lost its socket")
				return err
			}
		case <-idle.C:
			s.update(func(st *serverState) {
				if s.o.IdleTimeout > 0 && len(st.conns) == 0 && st.went == went && st.stopping == "" {
					st.stopping = fmt.Sprintf("nobody has connected for %v", s.o.IdleTimeout)
				}
			})
		case <-s.changed:
		}
		var stopping bool
		s.update(func(st *serverState) {
			stopping = st.stopping != ""
			if st.went != went {
				went = st.went
				idle.Reset(s.o.IdleTimeout)
			}
		})
		if stopping {
			return nil
		}
	}
}

// accept serves the connections of one listener until that is closed. An error that is not the
// end (no more descriptors) passes when somebody disconnects: it is waited out.
func (s *Server) accept(ctx context.Context, l net.Listener) {
	const least, most = 5 * time.Millisecond, time.Second
	for delay := least; ; {
		nc, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			s.log.Warn("accept", "error", err, "again in", delay)
			select {
			case <-time.After(delay):
			case <-ctx.Done():
				return
			}
			delay = min(2*delay, most)
			continue
		}
		delay = least
		if uid, err := s.peerUID(nc); err != nil || uid != s.uid {
			s.log.Warn("refused a connection", "uid", uid, "error", err)
			nc.Close()
			continue
		}
		c := &attached{nc: nc}
		s.update(func(st *serverState) {
			st.conns[c] = struct{}{}
		})
		go s.serve(ctx, c) // ends with the connection, and that with ctx
	}
}

// serve runs one connection.
func (s *Server) serve(ctx context.Context, c *attached) {
	defer s.update(func(st *serverState) {
		delete(st.conns, c)
		st.went++
	})
	err := rpc.Serve(ctx, c.nc, rpc.Options{
		Logger:   s.log,
		Sessions: s.o.Sessions,
		Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return s.handle(ctx, c, method, params)
		},
	})
	if err != nil {
		s.log.Info("a connection ended", "error", err)
	}
}

// handle answers one request, or counts it and hands it on.
func (s *Server) handle(ctx context.Context, c *attached, method string, params json.RawMessage) (any, error) {
	if method == wire.MethodStop {
		return s.handleStop(params)
	}
	if err := s.begin(c); err != nil {
		return nil, err
	}
	defer s.update(func(st *serverState) {
		st.running--
		c.running--
	})
	switch method {
	case wire.MethodHello:
		return s.hello(c, params)
	case wire.MethodEcho:
		return params, nil
	}
	return s.o.Handler(ctx, method, params)
}

// begin counts a request in, or refuses it because the server stops.
func (s *Server) begin(c *attached) error {
	var why string
	s.update(func(st *serverState) {
		if why = st.stopping; why == "" {
			st.running++
			c.running++
		}
	})
	if why == "" {
		return nil
	}
	return wire.NewError(wire.ErrorData{Error: wire.Stopping, Message: "ctxd is stopping, " + why + ": dial again"})
}

func (s *Server) hello(c *attached, params json.RawMessage) (*wire.HelloResult, error) {
	if err := decodeParams(params, new(wire.HelloParams)); err != nil {
		return nil, err
	}
	r := &wire.HelloResult{Version: wire.Version, PID: os.Getpid()}
	s.update(func(st *serverState) { r.Busy = st.running - c.running })
	return r, nil
}

// handleStop is answered while the server stops, too: to ask twice is no mistake.
func (s *Server) handleStop(params json.RawMessage) (*wire.StopResult, error) {
	var p wire.StopParams
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	why := "it was asked to"
	if p.IfOlder != "" {
		if !wire.Older(wire.Version, p.IfOlder) {
			return &wire.StopResult{Stopping: false}, nil
		}
		why = "a newer version takes its place"
	}
	s.stop(why)
	return &wire.StopResult{Stopping: true, PID: os.Getpid()}, nil
}

// drain ends everything, in bounded time. Connections are still accepted while requests are under
// way, so that whoever comes is told to dial again; then each is shut for reading, which lets it
// flush what it owes and close.
func (s *Server) drain(abandon context.CancelFunc) {
	why, running := "", 0
	s.update(func(st *serverState) { why, running = st.stopping, st.running })
	s.log.Info("stopping", "why", why, "requests under way", running)
	if s.o.OnStop != nil {
		s.o.OnStop()
	}
	if !s.await(s.drainFor, func(st *serverState) bool { return st.running == 0 }) {
		s.update(func(st *serverState) { running = st.running })
		s.log.Warn("requests did not end and are given up", "requests", running, "waited", s.drainFor)
	}
	s.socket.remove()
	s.listener.Close()
	s.accepts.Wait()
	s.update(func(st *serverState) {
		for c := range st.conns {
			rpc.CloseRead(c.nc)
		}
	})
	noConns := func(st *serverState) bool { return len(st.conns) == 0 }
	if !s.await(s.flushFor, noConns) {
		s.log.Warn("connections did not end and are cut", "waited", s.flushFor)
	}
	abandon() // closes what is left; a handler or session that ignores even that is left behind
	s.await(s.flushFor, noConns)
}

// await waits until the state is as wanted, or for d.
func (s *Server) await(d time.Duration, wanted func(*serverState) bool) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	for {
		ok := false
		s.update(func(st *serverState) { ok = wanted(st) })
		if ok {
			return true
		}
		select {
		case <-s.changed:
		case <-limit.C:
			return false
		}
	}
}

// keepSocket looks whether the socket and the lock are still in their directory, and puts them
// back. It fails when that is impossible or another daemon has taken the lock: then this one must
// end, for there must not be two.
func (s *Server) keepSocket(conns context.Context) error {
	if len(s.locks) == 0 {
		return nil
	}
	if lock := s.locks[len(s.locks)-1]; !namesFile(lock.Name(), lock) {
		s.log.Warn("the lock file is gone", "path", lock.Name())
		if err := os.MkdirAll(filepath.Dir(lock.Name()), 0o700); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		lock, err := takeLock(lock.Name())
		if err != nil {
			return err
		}
		s.locks = append(s.locks, lock)
	}
	if s.socket.there() {
		return nil
	}
	s.log.Warn("the socket is gone", "path", s.o.Path)
	l, err := listenSocket(s.o.Path)
	if err != nil {
		return err
	}
	old := s.listener
	s.listener, s.socket = l, statSocket(s.o.Path)
	s.accepts.Go(func() { s.accept(conns, l) })
	old.Close()
	return nil
}
