package client

import (
	"bufio"
	"bytes"
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
	kept     bool // older than us, and not to be replaced
}

// answer is what came back for one request.
type answer struct {
	result json.RawMessage
	err    *wire.Error
}

// newConn serves file. The hello is queued, not sent: it leaves with the first request.
func newConn(file *os.File, child *process, version string) *conn {
	c := &conn{
		file: file, socket: file.Name(), child: child,
		wake: make(chan struct{}, 1), done: make(chan struct{}), greeted: make(chan struct{}),
		pending: map[int32]chan answer{},
	}
	hello, _ := encode(wire.HelloParams{Version: version}) // a struct of one string
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
		if got.err != nil {
			return nil, got.err
		}
		return got.result, nil
	case <-ctx.Done():
		c.forget(id)
		c.cancel(id)
		return nil, ctx.Err()
	case <-c.done:
		c.forget(id)
		select {
		case got := <-reply: // it came just before the end
			if got.err != nil {
				return nil, got.err
			}
			return got.result, nil
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
	if c.hello.err != nil {
		return hello, c.hello.err
	}
	if err := json.Unmarshal(c.hello.result, &hello); err != nil {
		return hello, &ProtocolError{Problem: wire.MethodHello, Err: err}
	}
	return hello, nil
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
	message := make([]byte, 0, len(params)+80)
	message = append(message, `{"jsonrpc":"2.0","id":`...)
	message = strconv.AppendInt(message, int64(c.lastID), 10)
	c.frame(message, method, params)
	return c.lastID, reply
}

// cancel tells the daemon that nobody waits for an answer any more.
func (c *conn) cancel(id int32) {
	c.mu.Lock()
	c.frame([]byte(`{"jsonrpc":"2.0"`), wire.MethodCancel, []byte(`{"id":`+strconv.Itoa(int(id))+`}`))
	c.mu.Unlock()
	c.kick()
}

// frame completes a message and appends it to the buffer; c.mu is held.
func (c *conn) frame(message []byte, method string, params []byte) {
	message = append(message, `,"method":"`...)
	message = append(message, method...)
	message = append(message, `","params":`...)
	message = append(append(message, params...), '}')
	c.out = wire.AppendFrame(c.out, message)
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
			return
		}
	}
}

// deliver hands one message to the request that it answers. An answer that nobody waits for is
// dropped: its request was cancelled. So are notifications.
func (c *conn) deliver(message []byte) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return &ProtocolError{Problem: "not a JSON-RPC message", Err: err}
	}
	if m.Method != "" {
		return nil
	}
	var got answer
	if len(m.Error) > 0 && !bytes.Equal(m.Error, []byte("null")) {
		got.err = decodeError(m.Error)
	} else {
		got.result = m.Result
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 32)
	if err != nil {
		// An error for a message that the daemon could not read has no id: somebody here
		// waits for that answer, and would wait for ever.
		return &ProtocolError{Problem: "an answer without an id", Err: got.failure()}
	}
	c.mu.Lock()
	reply := c.pending[int32(id)]
	delete(c.pending, int32(id))
	c.answered = true
	c.mu.Unlock()
	if reply != nil {
		reply <- got // one slot, one answer
	}
	return nil
}

// failure is the answer's error as an error, nil when there is none.
func (a answer) failure() error {
	if a.err == nil {
		return nil
	}
	return a.err
}

// decodeError reads a JSON-RPC error; data of another shape than ours is left out.
func decodeError(raw []byte) *wire.Error {
	var full wire.Error
	if json.Unmarshal(raw, &full) == nil {
		return &full
	}
	var bare struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &bare) != nil {
		return &wire.Error{Code: wire.Internal.Code(), Message: string(raw)}
	}
	return &wire.Error{Code: bare.Code, Message: bare.Message}
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

// encode is JSON without the escapes for HTML; v without fields is {}.
func encode(v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
