package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"syscall"
	"time"

	"ctxd/client/wire"
)

// solo is the connection of one caller: it writes and reads in the caller's own goroutine, on a
// descriptor that blocks, and leaves the timing to the socket. What ctx does once per process is
// then done without the poller and without waking another thread.
type solo struct {
	fd       int
	socket   string
	child    *process
	until    time.Time // when the call under way ends; zero: never, or by its context
	r        *bufio.Reader
	out      []byte // frames not sent yet
	lastID   int32
	hello    *answer
	result   any // what the caller will decode the answer into, or nil
	answered bool
	keeps    bool
	err      error // why it has ended
}

func newSolo(end *endpoint, child *process, version string, result any) *solo {
	s := &solo{fd: end.fd, socket: end.socket, child: child, result: result, err: syscall.SetNonblock(end.fd, false)}
	s.r = bufio.NewReaderSize(s, 16<<10)
	hello, _ := encode(wire.HelloParams{Version: version}) // a struct of one string
	s.enqueue(wire.MethodHello, hello)
	return s
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
	if d, ok := ctx.(*Deadline); ok {
		s.until = d.at
	} else {
		defer s.cutBy(ctx)()
	}
	got, err := s.wait(id)
	if err == nil {
		return got, nil
	}
	s.err = err
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	return answer{}, &ConnError{Socket: s.socket, Method: method, Sent: true, Err: err}
}

// cutBy shuts the connection down when ctx ends. The caller calls what it returns before the
// descriptor is closed: its number may soon be another file's.
func (s *solo) cutBy(ctx context.Context) (release func()) {
	s.until = time.Time{}
	down := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		syscall.Shutdown(s.fd, syscall.SHUT_RDWR)
		close(down)
	})
	return func() {
		if !stop() {
			<-down
		}
	}
}

func (s *solo) wait(id int32) (answer, error) {
	if len(s.out) > 0 {
		// When writing ends in an error, what the daemon said before it closed is read all
		// the same.
		err := s.write(s.out)
		if s.out = nil; errors.Is(err, os.ErrDeadlineExceeded) {
			return answer{}, err
		}
		s.prepare()
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

// prepare has the decoder look at the types of the answer, once, while the daemon works on it:
// in a new process that takes longer than the decoding.
func (s *solo) prepare() {
	decodeAnswer([]byte("{}"))
	if t := reflect.TypeOf(s.result); t != nil && t.Kind() == reflect.Pointer {
		json.Unmarshal([]byte("{}"), reflect.New(t.Elem()).Interface()) // the types within are looked at too
	}
	s.result = nil
}

func (s *solo) write(b []byte) error {
	for len(b) > 0 {
		n, err := s.timed(syscall.SO_SNDTIMEO, syscall.Write, b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// Read reads what is there, or waits for it until the call under way ends.
func (s *solo) Read(b []byte) (int, error) {
	n, err := s.timed(syscall.SO_RCVTIMEO, syscall.Read, b)
	if n == 0 && err == nil && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

// timed makes a system call that the socket itself ends after the time that is left.
func (s *solo) timed(limit int, call func(int, []byte) (int, error), b []byte) (int, error) {
	for {
		if !s.until.IsZero() {
			left := time.Until(s.until)
			if left <= 0 {
				return 0, os.ErrDeadlineExceeded
			}
			// Rounded up: no time at all would mean for ever.
			tv := syscall.NsecToTimeval(int64(left.Truncate(time.Microsecond) + time.Microsecond))
			if err := syscall.SetsockoptTimeval(s.fd, syscall.SOL_SOCKET, limit, &tv); err != nil {
				return 0, os.NewSyscallError("setsockopt", err)
			}
		}
		n, err := call(s.fd, b)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR, syscall.EAGAIN: // EAGAIN: the time is up
		default:
			return 0, err
		}
	}
}

func (s *solo) close(error) { syscall.Close(s.fd) }
func (s *solo) dead() bool  { return s.err != nil }
func (s *solo) kept() bool  { return s.keeps }
func (s *solo) keep()       { s.keeps = true }

func (s *solo) started() (*process, bool) { return s.child, s.answered }
