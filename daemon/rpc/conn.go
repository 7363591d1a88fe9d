package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"syscall"

	"ctxd/client/wire"
)

// Handler answers one request, or takes one notification (its result is dropped). It is called
// from many goroutines. Params is an object, an array, or nil.
//
// A *wire.Error is passed to the peer as it is; context.Canceled becomes -32800; every other
// error, and a panic, is an internal error (-32603). ctx ends when the request is cancelled and
// when the connection is gone; a cancelled request has been answered already, so that the
// handler may take its time, at the price of one of the 64 places of its connection.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// Session speaks another protocol on a whole connection, from its first byte on; h is what answers there without
// it. The connection is closed when it returns.
type Session func(ctx context.Context, conn net.Conn, h Handler) error

// Work is one message that was taken, and still has to be answered or worked off.
type Work func(ctx context.Context) (any, error)

// Options say what a connection serves.
type Options struct {
	Handler Handler
	// Arrive, if set, takes the place of Handler: it sees every message in the order in which they came, on the
	// goroutine that reads them, so it must not wait. What it returns runs as a Handler does, requests at once and
	// notifications one after another; nil is for a notification that is done with.
	Arrive func(method string, params json.RawMessage, request bool) Work
	// Greet, if set, is given the peer before its first message is read.
	Greet func(*Peer)
	// Sessions, by the method of a connection's first message, take over that connection.
	Sessions map[string]Session
	Logger   *slog.Logger // nil: nothing is logged
}

// conn is one connection. Its goroutines are the reader (Serve itself), at most one writer, at
// most one for notifications, and one for each running handler. All but handlers that ignore
// their context have ended when Serve returns.
type conn struct {
	nc     net.Conn
	r      *bufio.Reader
	o      Options
	ctx    context.Context // of all handlers: ends with the connection
	cancel context.CancelFunc

	mu     sync.Mutex
	state  inFlight // only update touches it
	writer sync.WaitGroup
}

// Serve answers the requests on nc until it ends, and closes it: after the peer's last message
// has been answered, or at once when the peer is gone or ctx ends. The error says what was wrong
// with the stream; a peer that leaves is none.
func Serve(ctx context.Context, nc net.Conn, o Options) error {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &conn{nc: nc, r: bufio.NewReader(nc), o: o}
	c.state.calls = map[string][]*call{}
	c.state.asked = map[string]chan<- message{}
	peer := &Peer{c}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(ctx, peerKey{}, peer))
	if o.Greet != nil {
		o.Greet(peer)
	}
	defer c.writer.Wait()
	defer c.close()
	defer context.AfterFunc(ctx, c.close)()

	session, err := c.read()
	if session != nil {
		return session(ctx, c.handover(err), o.Handler)
	}
	c.update(func(s *inFlight) { s.eof = true })
	if !awaitHangup(nc) {
		<-c.ctx.Done() // we closed it, or it is no socket and cannot tell
	}
	c.close()
	if err == io.EOF || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) {
		return nil
	}
	return err
}

// update is the one place where the state changes: f changes it, then whatever has become
// possible is started. Encoding and writing happen outside the lock.
func (c *conn) update(f func(*inFlight)) {
	if c.change(f) {
		go c.write()
	}
}

// change is update for whoever calls write itself if it says so: a handler that is done. To wake a goroutine for that
// took 10 µs of a request on a machine with an idle core.
func (c *conn) change(f func(*inFlight)) (write bool) {
	c.mu.Lock()
	s := &c.state
	f(s)
	closing := !s.closed && s.over()
	if closing {
		s.closed = true
	}
	started := s.start()
	takeNotes := !s.closed && !s.noting && len(s.notes) > 0
	if takeNotes {
		s.noting = true
	}
	if write = !s.closed && !s.writing && len(s.out) > 0; write {
		s.writing = true
		c.writer.Add(1)
	}
	if s.room != nil && (s.closed || s.unsent < maxUnsent) {
		close(s.room)
		s.room = nil
	}
	if s.calm != nil && (s.closed || s.unsent < maxUntaken) {
		close(s.calm)
		s.calm = nil
	}
	c.mu.Unlock()

	for _, k := range started {
		go c.run(k)
	}
	if takeNotes {
		go c.runNotes()
	}
	if closing {
		c.cancel()
		c.nc.Close()
	}
	return write
}

func (c *conn) close() { c.update(func(s *inFlight) { s.gone = true }) }

// takeover is the message that a Session must see again.
type takeover struct{ first []byte }

func (*takeover) Error() string { return "the connection belongs to a session" }

// handover gives a session the connection with what has been read of it.
func (c *conn) handover(err error) net.Conn {
	var t *takeover
	errors.As(err, &t)
	first := bytes.NewReader(wire.AppendFrame(nil, t.first))
	return &replayed{c.nc, io.MultiReader(first, c.r)}
}

type replayed struct {
	net.Conn
	r io.Reader
}

func (r *replayed) Read(p []byte) (int, error) { return r.r.Read(p) }

// SyscallConn and CloseRead are those of the connection: the session's own Serve needs both.
func (r *replayed) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := r.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

func (r *replayed) CloseRead() error {
	CloseRead(r.Conn)
	return nil
}

// read takes messages until the stream ends or is out of step. When the first one belongs to a
// session, that is returned with a *takeover.
func (c *conn) read() (Session, error) {
	for first := true; ; first = false {
		if err := c.awaitRoom(); err != nil {
			return nil, err
		}
		data, err := wire.ReadFrame(c.r)
		var frame *wire.FrameError
		if errors.As(err, &frame) {
			code := wire.CodeInvalidRequest
			if frame.Recoverable {
				code = wire.CodeParse
			}
			c.refuse(refuse(nil, code, "%v", frame))
			if frame.Recoverable {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		m, bad := parse(data)
		if bad != nil {
			c.refuse(bad)
			continue
		}
		if session := c.o.Sessions[m.method]; first && session != nil {
			return session, &takeover{data}
		}
		if err := c.take(m); err != nil {
			return nil, err
		}
	}
}

func (c *conn) refuse(bad *invalid) {
	c.update(func(s *inFlight) { s.push(encodeError(bad.id, bad.err)) })
}

// take puts one message where it belongs. It never waits for a handler.
func (c *conn) take(m message) (err error) {
	switch {
	case m.response:
		c.update(func(s *inFlight) { s.answered(m) })
	case m.id != nil:
		ctx, cancel := context.WithCancel(c.ctx)
		m.work = c.arrive(m)
		c.update(func(s *inFlight) { s.accept(&call{message: m, ctx: ctx, cancel: cancel}) })
	case m.method == wire.MethodCancel:
		if key, ok := cancelled(m.params); ok {
			c.update(func(s *inFlight) { s.cancelAll(key) })
		}
	default:
		if m.work = c.arrive(m); m.work == nil {
			return nil
		}
		c.update(func(s *inFlight) {
			if !s.note(m) {
				err = fmt.Errorf("%d notifications wait: the peer sends faster than they can be handled", len(s.notes))
			}
		})
	}
	return err
}

// arrive says what is to be done for a message. A panic in there is the message's, as one in a handler.
func (c *conn) arrive(m message) (work Work) {
	if c.o.Arrive == nil {
		return func(ctx context.Context) (any, error) { return c.o.Handler(ctx, m.method, m.params) }
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			e := c.crash(m.method, panicked)
			work = func(context.Context) (any, error) { return nil, e }
		}
	}()
	return c.o.Arrive(m.method, m.params, m.id != nil)
}

// awaitRoom waits while the peer leaves too many answers untaken: whoever does not read is not
// read. The writer ends it, by what it wrote or by its failure.
func (c *conn) awaitRoom() error {
	var room chan struct{}
	c.update(func(s *inFlight) {
		if s.unsent >= maxUnsent && !s.closed {
			s.room = make(chan struct{})
			room = s.room
		}
	})
	if room != nil {
		<-room
	}
	if c.ctx.Err() != nil {
		return net.ErrClosed
	}
	return nil
}

// write sends replies until none is left. It runs only while there are some; one write takes all
// that have gathered.
func (c *conn) write() {
	defer c.writer.Done()
	for sent := 0; ; {
		var batch net.Buffers
		c.update(func(s *inFlight) {
			s.unsent -= sent
			batch, s.out = s.out, nil
			s.writing = len(batch) > 0
		})
		if len(batch) == 0 {
			return
		}
		n, err := batch.WriteTo(c.nc)
		if sent = int(n); err != nil {
			c.update(func(s *inFlight) { s.err, s.writing = err, false })
			return
		}
	}
}

// run calls the handler of k and queues its reply, whatever happens in there.
func (c *conn) run(k *call) {
	var reply []byte
	defer func() {
		if reply == nil { // a panic, or runtime.Goexit
			reply = encodeError(k.id, c.crash(k.method, recover()))
		}
		k.cancel()
		replied := k.replied
		write := c.change(func(s *inFlight) {
			if s.running--; k.answered {
				replied = nil
			}
			s.finish(k, reply)
		})
		if replied != nil {
			replied()
		}
		if write {
			c.write()
		}
	}()
	reply = c.answer(k)
}

func (c *conn) answer(k *call) []byte {
	result, err := k.work(k.ctx)
	if err == nil {
		var reply []byte
		if reply, err = encodeResult(k.id, result); err == nil {
			if r, ok := result.(Replied); ok {
				k.replied = r.Replied
			}
			return reply
		}
	}
	e := asWire(err, errors.Is(err, context.Canceled))
	if e.Code == wire.Internal.Code() {
		c.o.Logger.Error("request failed", "method", k.method, "error", err)
	}
	return encodeError(k.id, e)
}

// crash logs what ended a handler, with its stack, and makes the error for the peer.
func (c *conn) crash(method string, panicked any) *wire.Error {
	what := fmt.Sprint("panic: ", panicked)
	if panicked == nil {
		what = "its goroutine was ended"
	}
	c.o.Logger.Error("handler crashed", "method", method, "reason", what, "stack", string(debug.Stack()))
	return internal(method + " crashed (" + what + "): the log of ctxd has the details")
}

// runNotes works off the notifications in their order.
func (c *conn) runNotes() {
	for {
		var m message
		var ok bool
		c.update(func(s *inFlight) { m, ok = s.nextNote() })
		if !ok {
			return
		}
		c.runNote(m)
	}
}

func (c *conn) runNote(m message) {
	done := false
	defer func() {
		if done {
			return
		}
		panicked := recover()
		c.crash(m.method, panicked)
		if panicked == nil { // runtime.Goexit: this goroutine ends, another takes its place
			c.update(func(s *inFlight) { s.noting = false })
		}
	}()
	if _, err := m.work(c.ctx); err != nil {
		c.o.Logger.Debug("notification failed", "method", m.method, "error", err)
	}
	done = true
}
