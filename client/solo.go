package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"ctxd/client/wire"
)

// solo is the connection of one caller: it writes and reads in the caller's own goroutine. What
// ctx does once per process is then done without waking another thread. Measured for a whole ctx
// def against a daemon that answers at once, on two busy cores: 1.45 times the empty program that
// dials with the goroutines of conn, 1.35 times with solo. Its descriptor blocks: to set up the poller for one answer
// took 0.07 ms of 2.1.
type solo struct {
	file     *os.File
	socket   string
	child    *process
	r        *bufio.Reader
	out      []byte // frames not sent yet
	unsent   bool   // nothing was taken of what was written last: the daemon had hung up
	lastID   int32
	hello    *answer
	answered bool
	keeps    bool
	err      error // why it has ended
}

func newSolo(file *os.File, child *process, version string) *solo {
	s := &solo{file: file, socket: file.Name(), child: child, r: bufio.NewReaderSize(file, 16<<10)}
	hello, _ := encode(wire.HelloParams{Version: version}) // a struct of one string
	s.enqueue(wire.MethodHello, hello)
	return s
}

// greet sends hello now. Otherwise it leaves with the first request.
func (s *solo) greet() {
	_, s.err = s.file.Write(s.out)
	s.out = nil
}

// helloID is the id of the first request of every connection.
const helloID = 1

func (s *solo) enqueue(method string, params []byte) int32 {
	s.lastID = s.lastID%math.MaxInt32 + 1
	s.out = appendRequest(s.out, s.lastID, method, params)
	return s.lastID
}

func (s *solo) call(ctx context.Context, method string, params []byte) (json.RawMessage, error) {
	got, err := s.exchange(ctx, method, s.enqueue(method, params))
	if err != nil {
		return nil, err
	}
	return got.result, got.failure()
}

func (s *solo) greeting(ctx context.Context) (wire.HelloResult, error) {
	if s.hello == nil {
		if _, err := s.exchange(ctx, wire.MethodHello, helloID); err != nil {
			return wire.HelloResult{}, err
		}
	}
	return s.hello.greeting()
}

// exchange sends what is queued and reads until the answer to id is there. The end of ctx cuts it
// short and the connection with it: the daemon takes that for the end of whatever was asked.
func (s *solo) exchange(ctx context.Context, method string, id int32) (answer, error) {
	if s.err != nil {
		return answer{}, &ConnError{Socket: s.socket, Method: method, Err: s.err}
	}
	stop := context.AfterFunc(ctx, s.hangUp)
	defer stop()
	got, err := s.wait(id)
	if err == nil {
		return got, nil
	}
	s.err = err
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	// A request that waits for the hello, or for which nobody was there, has not been sent: it may be made again,
	// whatever it is.
	return answer{}, &ConnError{Socket: s.socket, Method: method, Sent: id != helloID && !s.unsent, Err: err}
}

func (s *solo) wait(id int32) (answer, error) {
	if len(s.out) > 0 {
		// When writing ends in an error, what the daemon said before it closed is read all
		// the same.
		n, _ := s.file.Write(s.out)
		s.out, s.unsent = nil, n == 0
	}
	for {
		message, err := wire.ReadFrame(s.r)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return answer{}, err
		}
		to, got, err := decodeAnswer(message)
		if err != nil {
			return answer{}, err
		}
		s.answered = s.answered || to != 0
		if to == helloID {
			s.hello = &got
		}
		if to == id {
			return got, nil
		}
	}
}

// hangUp ends the connection in both directions, and with it a read or a write that waits in the kernel. Another goroutine
// may call it.
func (s *solo) hangUp() {
	if raw, err := s.file.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
	}
}

func (s *solo) close(error) { s.file.Close() }
func (s *solo) dead() bool  { return s.err != nil }
func (s *solo) kept() bool  { return s.keeps }
func (s *solo) keep()       { s.keeps = true }

func (s *solo) started() (*process, bool) { return s.child, s.answered }
