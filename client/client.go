package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"ctxd/client/wire"
)

const (
	// deathLimit is how often one call survives the death of a daemon that had begun to answer it: often enough
	// for daemons that somebody kills in a loop, seldom enough for a request that is what kills them.
	deathLimit = 3
	// silenceLimit is how often one call survives a connection on which nothing was answered. The kernel keeps a
	// connection to a daemon that is dying until its listening socket is closed, and then resets it: the same death
	// once more, which the request cannot have caused. One death makes at most two such connections, the second while
	// whoever started the daemon still holds its socket.
	silenceLimit = 2 * (deathLimit + 1)
)

// Options say where the daemon is and how it is started. The zero value is what ctx uses.
type Options struct {
	// Socket is the path of the socket; "" takes CTX_SOCKET or the default (see Socket).
	Socket string
	// Daemon is the executable to start; "" takes CTXD, ctxd beside this executable, or ctxd
	// on PATH.
	Daemon string
	// Version is ours; "" is wire.Version. A daemon that is older is replaced.
	Version string
	// CloseInherited marks descriptors above 2 that this process was given close-on-exec
	// before it starts a daemon, so that the daemon does not keep a caller's pipe open. For
	// command-line tools: it changes the whole process.
	CloseInherited bool
	// OnAnchorChanged is told of changes of addresses that the connection holds (see Subscribe), one notification
	// after another, by the goroutine that reads the connection: while it runs no answer is read, and a daemon
	// that is not read from tells the last state of each address later. OnEnd is called once for each connection that
	// was made, when it has ended. Neither may make a call. Once calls neither.
	OnAnchorChanged func(wire.AnchorChanged)
	OnEnd           func(error)
	// OnWait is called, by Once and Alone only and in the caller's goroutine, when an answer has not come within Prompt: once for
	// each call, and before the wait where an earlier call on the connection has waited, or the request is a long one.
	OnWait func()

	blocking bool // the connection blocks, see dial
}

// Client makes calls on one daemon. It may be used by any number of goroutines; its requests
// share one connection, which is made again when it breaks.
type Client struct {
	options Options
	start   bool
	alone   bool // one caller, one connection without goroutines

	connecting chan struct{} // holds a token while somebody connects: a lock that can be given up
	mu         sync.Mutex
	conn       link
	closed     bool
}

// link is a connection: conn for many callers, solo for one.
type link interface {
	// call makes one request.
	call(ctx context.Context, method string, params []byte) (json.RawMessage, error)
	// greeting waits for the daemon's answer to hello.
	greeting(ctx context.Context) (wire.HelloResult, error)
	// dead says whether it has ended; close ends it, for the reason given.
	dead() bool
	close(error)
	// kept says whether keep was called: the daemon is older and stays all the same.
	kept() bool
	keep()
	// started is the process that was started for it, or nil, and whether that has answered
	// anything.
	started() (*process, bool)
}

// Dial connects to a running daemon: a *DialError when there is none.
func Dial(ctx context.Context, options Options) (*Client, error) {
	return connected(ctx, options, false)
}

// DialOrStart connects to the daemon, starting it when none is running: a *StartError when that
// does not work, with the last lines that the daemon wrote.
func DialOrStart(ctx context.Context, options Options) (*Client, error) {
	return connected(ctx, options, true)
}

// Once makes one call on a connection of its own, starting the daemon when none is running. It is
// what a short-lived program needs: see Call.
func Once(ctx context.Context, options Options, method string, params, result any) error {
	c := Alone(options)
	defer c.Close()
	return c.Call(ctx, method, params, result)
}

// Alone is a client for one goroutine, without goroutines of its own. It greets the daemon if one is running, and does not
// wait: what the caller still has to find out before its call is found out while the daemon takes the connection in. A
// call starts the daemon when none is running.
func Alone(options Options) *Client {
	c := newClient(options, true)
	c.alone, c.options.blocking = true, true
	socket, err := socketPath(options.Socket)
	if err != nil {
		return c // the call says so
	}
	if file, err := dial(socket, os.Geteuid(), true); err == nil {
		s := newSolo(file, nil, c.options)
		s.greet()
		c.conn = s
	}
	return c
}

func newClient(options Options, start bool) *Client {
	if options.Version == "" {
		options.Version = wire.Version
	}
	return &Client{options: options, start: start, connecting: make(chan struct{}, 1)}
}

func connected(ctx context.Context, options Options, start bool) (*Client, error) {
	c := newClient(options, start)
	if _, err := c.connect(ctx, false); err != nil {
		return nil, err
	}
	return c, nil
}

// Close ends the connection. Calls under way return ErrClosed.
func (c *Client) Close() error {
	c.mu.Lock()
	conn := c.conn
	c.conn, c.closed = nil, true
	c.mu.Unlock()
	if conn != nil {
		conn.close(ErrClosed)
	}
	return nil
}

// connect returns the connection, making it if there is none. Callers that need one at the same
// moment wait for the first of them, each no longer than its own context says.
func (c *Client) connect(ctx context.Context, patient bool) (link, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { <-c.connecting }()
	c.mu.Lock()
	current, closed := c.conn, c.closed
	c.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if current != nil {
		if !current.dead() {
			return current, nil
		}
		c.drop(current)
	}
	file, child, err := c.options.open(ctx, c.start, patient)
	if err != nil {
		return nil, err
	}
	var made link
	if c.alone {
		made = newSolo(file, child, c.options)
	} else {
		made = newConn(file, child, c.options)
	}
	c.mu.Lock()
	if closed = c.closed; !closed {
		c.conn = made
	}
	c.mu.Unlock()
	if closed {
		made.close(ErrClosed)
		return nil, ErrClosed
	}
	return made, nil
}

// begin takes the token of connecting, unless it returns ctx's error. Where it is free nobody asks for ctx.Done: see solo.
func (c *Client) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.connecting <- struct{}{}:
		return nil
	default:
	}
	select {
	case c.connecting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drop closes a connection and forgets it, unless another has taken its place.
func (c *Client) drop(old link) {
	c.mu.Lock()
	if c.conn == old {
		c.conn = nil
	}
	c.mu.Unlock()
	old.close(io.ErrClosedPipe)
}

// Call makes one request and decodes its answer into result, which may be nil. A refusal is a
// *wire.Error. A request that changes nothing is repeated when its daemon dies; another is not,
// once it has been sent, and ends in a *ConnError. A daemon that is stopping or older than this
// client is waited for and replaced, for as long as ctx allows.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	body, err := encode(params)
	if err != nil {
		return fmt.Errorf("%s: params: %w", method, err)
	}
	raw, err := c.exchange(ctx, method, body, repeatable(method, params))
	if err != nil {
		return err
	}
	into, asIs := result.(*json.RawMessage)
	if (asIs || result == nil) && !json.Valid(raw) { // else decoding it tells
		return &ProtocolError{Problem: "result of " + method, Err: errors.New("it is no JSON")}
	}
	if asIs {
		*into = raw
	}
	if asIs || result == nil {
		return nil
	}
	if err := wire.Unmarshal(raw, result); err != nil {
		return &ProtocolError{Problem: "result of " + method, Err: err}
	}
	return nil
}

// exchange is Call on encoded JSON: it repeats one attempt until it has an answer that counts. Once a connection
// has been lost, the request leaves only when the next daemon has answered hello: what is lost before that has not
// been asked, and what is lost after it counts as a death.
func (c *Client) exchange(ctx context.Context, method string, body []byte, repeats bool) (json.RawMessage, error) {
	var pause pause
	var losses losses
	for patient, early := false, repeats; ; {
		conn, err := c.connect(ctx, patient)
		if err != nil {
			return nil, err
		}
		raw, err := c.attempt(ctx, conn, method, body, early)
		if err == nil {
			return raw, nil
		}
		lost, broken := errors.AsType[*ConnError](err)
		switch {
		case broken:
			if errors.Is(err, ErrClosed) {
				return nil, ErrClosed
			}
			early = false
			again, err := losses.survives(conn, err)
			c.drop(conn)
			if !again || lost.Sent && !repeats {
				return nil, err
			}
		case err == errReplaced || stopping(err):
			patient = true
			c.drop(conn)
			if err := pause.wait(ctx); err != nil {
				return nil, fmt.Errorf("waiting for the daemon to stop: %w", err)
			}
		default:
			return nil, err
		}
	}
}

// losses counts the connections that one call has lost.
type losses struct {
	deaths   int // on which the daemon had answered, or whose daemon this client started and somebody killed
	silences int // on which nobody had
}

// survives counts one more, and says whether the call may be made again; the error is what to say if not.
func (l *losses) survives(conn link, cause error) (bool, error) {
	child, answered := conn.started()
	if child != nil && !answered {
		if start, ended := errors.AsType[*StartError](child.failure(cause)); ended {
			l.deaths++
			return start.Killed && l.deaths <= deathLimit, start
		}
	}
	if answered {
		l.deaths++
	} else {
		l.silences++
	}
	return l.deaths <= deathLimit && l.silences <= silenceLimit, cause
}

// errReplaced says that the daemon was older than we are and has been asked to stop.
var errReplaced = errors.New("client: the daemon is being replaced")

// attempt makes one request on one connection. An early one leaves in the same write as hello, and its
// answer counts only if the daemon turns out to be no older than we are; another waits until that is known.
func (c *Client) attempt(ctx context.Context, conn link, method string, body []byte, early bool) (json.RawMessage, error) {
	if method == wire.MethodStop { // whoever stops the daemon does not care for its age
		return conn.call(ctx, method, body)
	}
	if !early {
		if err := c.settle(ctx, conn); err != nil {
			return nil, err
		}
		return conn.call(ctx, method, body)
	}
	raw, err := conn.call(ctx, method, body)
	if _, refused := errors.AsType[*wire.Error](err); err != nil && !refused {
		return nil, err
	}
	if err := c.settle(ctx, conn); err != nil {
		return nil, err
	}
	return raw, err
}

// settle waits for the hello and asks an older daemon to stop: errReplaced when it will.
func (c *Client) settle(ctx context.Context, conn link) error {
	hello, err := conn.greeting(ctx)
	if err != nil {
		return err
	}
	if conn.kept() || !c.start || !wire.Older(hello.Version, c.options.Version) {
		return nil
	}
	params, err := encode(wire.StopParams{IfOlder: c.options.Version})
	if err != nil {
		return err
	}
	raw, err := conn.call(ctx, wire.MethodStop, params)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var result wire.StopResult
	if err == nil && json.Unmarshal(raw, &result) == nil && !result.Stopping {
		conn.keep() // it does not find itself older: asking again would never end
		return nil
	}
	return errReplaced
}

// stopping says whether a refusal means: dial again.
func stopping(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && (refusal.Code == wire.Stopping.Code() || refusal.Data != nil && refusal.Data.Error == wire.Stopping)
}

// repeatable says whether making a request twice is the same as making it once. Requests that
// are not listed are not.
func repeatable(method string, params any) bool {
	switch method {
	case wire.MethodHello, wire.MethodDef, wire.MethodRefs, wire.MethodGet, wire.MethodResolve, wire.MethodSearch, wire.MethodMap,
		wire.MethodDiag, wire.MethodStatus, wire.MethodDoctor, wire.MethodPin, wire.MethodEcho:
		return true
	case wire.MethodCheck:
		p, known := params.(wire.CheckParams)
		return known && !p.Fix
	case wire.MethodTrust:
		p, known := params.(wire.TrustParams)
		return known && p.Show
	}
	return false
}
