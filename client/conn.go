package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"sync"

	"ctxd/client/wire"
)

// conn is one connection: requests go out in the order they were made, answers come in any
// order and are told apart by id. Two goroutines serve it, and end when it is closed.
type conn struct {
	file   *os.File
	socket string
	child  *process // the daemon that was started for it, or nil
	told   Options  // who is told of what

	wake    chan struct{} // the writer has something to do
	done    chan struct{} // closed when the connection has ended; err is set before
	greeted chan struct{} // closed when the answer to hello is there
	serving sync.WaitGroup

	mu       sync.Mutex
	out      []byte // frames that the writer has not taken yet
	lastID   int32
	pending  map[int32]chan answer
	err      error
	answered bool // anything came in
	hello    answer
	keeps    bool // older than us, and not to be replaced
}

// newConn serves file. The hello is queued, not sent: it leaves with the first request.
func newConn(file *os.File, child *process, o Options) *conn {
	c := &conn{
		file: file, socket: file.Name(), child: child, told: o,
		wake: make(chan struct{}, 1), done: make(chan struct{}), greeted: make(chan struct{}),
		pending: map[int32]chan answer{},
	}
	hello, _ := encode(wire.HelloParams{Version: o.Version}) // a struct of one string
	id, reply := c.enqueue(wire.MethodHello, hello)
	c.serving.Go(c.write)
	c.serving.Go(c.read)
	c.serving.Go(func() { c.greet(id, reply) })
	return c
}

// greet keeps the answer to hello for whoever asks.
func (c *conn) greet(id int32, reply chan answer) {
	select {
	case c.hello = <-reply:
		close(c.greeted)
		return
	case <-c.done:
		c.forget(id)
	}
	select {
	case c.hello = <-reply: // it came just before the end
		close(c.greeted)
	default:
	}
}

// call makes one request. Cancelling ctx sends $/cancelRequest and returns at once.
func (c *conn) call(ctx context.Context, method string, params []byte) (json.RawMessage, error) {
	id, reply := c.enqueue(method, params)
	c.kick()
	select {
	case got := <-reply:
		return got.result, got.failure()
	case <-ctx.Done():
		c.forget(id)
		c.cancel(id)
		return nil, ctx.Err()
	case <-c.done:
		c.forget(id)
		select {
		case got := <-reply: // it came just before the end
			return got.result, got.failure()
		default:
		}
		return nil, &ConnError{Socket: c.socket, Method: method, Sent: true, Err: c.err}
	}
}

// greeting waits for the daemon's answer to hello, sending ours if nothing else has.
func (c *conn) greeting(ctx context.Context) (wire.HelloResult, error) {
	c.kick()
	var hello wire.HelloResult
	select {
	case <-c.greeted:
	case <-ctx.Done():
		return hello, ctx.Err()
	case <-c.done:
		return hello, &ConnError{Socket: c.socket, Method: wire.MethodHello, Err: c.err}
	}
	return c.hello.greeting()
}

// enqueue puts a request into the writer's buffer. Ids stay within 31 bits, which is what every
// JSON-RPC library reads back as it was.
func (c *conn) enqueue(method string, params []byte) (int32, chan answer) {
	reply := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.lastID = c.lastID%math.MaxInt32 + 1
		if _, taken := c.pending[c.lastID]; !taken {
			break
		}
	}
	c.pending[c.lastID] = reply
	c.out = appendRequest(c.out, c.lastID, method, params)
	return c.lastID, reply
}

// cancel tells the daemon that nobody waits for an answer any more.
func (c *conn) cancel(id int32) {
	c.mu.Lock()
	c.out = appendRequest(c.out, 0, wire.MethodCancel, []byte(`{"id":`+strconv.Itoa(int(id))+`}`))
	c.mu.Unlock()
	c.kick()
}

func (c *conn) forget(id int32) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
}

func (c *conn) kick() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends what is queued, all of it in one write: a goroutine of its own, and not the
// caller under a lock, so that a caller whose context ends never waits for a daemon that does
// not read.
func (c *conn) write() {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		if len(out) == 0 {
			continue
		}
		if _, err := c.file.Write(out); err != nil {
			// The answer, or the reason, may still be on its way in: a daemon that
			// refuses a connection says so and closes. The reader ends the connection.
			return
		}
	}
}

// read delivers answers until the connection ends.
func (c *conn) read() {
	r := bufio.NewReaderSize(c.file, 32<<10)
	for {
		message, err := wire.ReadFrame(r)
		if err == nil {
			err = c.deliver(message)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			c.end(err)
			if c.told.OnEnd != nil {
				c.told.OnEnd(c.err)
			}
			return
		}
	}
}

// deliver hands one message to the request that it answers. An answer that nobody waits for is
// dropped: its request was cancelled.
func (c *conn) deliver(message []byte) error {
	id, got, err := decodeAnswer(message)
	if err != nil {
		return err
	}
	if id == 0 {
		return c.tell(got.method, got.params)
	}
	c.mu.Lock()
	reply := c.pending[id]
	delete(c.pending, id)
	c.answered = true
	c.mu.Unlock()
	if reply != nil {
		reply <- got // one slot, one answer
	}
	return nil
}

// tell hands on what the daemon says unasked. What this client does not know is passed over.
func (c *conn) tell(method string, params json.RawMessage) error {
	if method != wire.MethodAnchorChanged || c.told.OnAnchorChanged == nil {
		return nil
	}
	var changed wire.AnchorChanged
	if err := json.Unmarshal(params, &changed); err != nil {
		return &ProtocolError{Problem: "parameters of " + method, Err: err}
	}
	c.told.OnAnchorChanged(changed)
	return nil
}

// end records why the connection ended, the first time, and lets everybody go.
func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
	}
}

// close ends the connection and its goroutines.
func (c *conn) close(err error) {
	c.end(err)
	c.file.Close()
	c.serving.Wait()
}

// dead says whether the connection has ended.
func (c *conn) dead() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *conn) kept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keeps
}

func (c *conn) keep() {
	c.mu.Lock()
	c.keeps = true
	c.mu.Unlock()
}

func (c *conn) started() (*process, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.child, c.answered
}
