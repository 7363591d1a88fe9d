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
	"time"

	"ctxd/client/wire"
)

// solo is the connection of one caller: it writes and reads in the caller's own goroutine. What
// ctx does once per process is then done without waking another thread. Measured for a whole ctx
// def against a daemon that answers at once, on two busy cores: 1.45 times the empty program that
// dials with the goroutines of conn, 1.35 times with solo. Its descriptor blocks, and no timer runs until an answer has not
// come within Prompt: the poller, which timers need too, took 0.07 ms of 2.1 for one answer, and the timers as much again.
type solo struct {
	file     *os.File
	socket   string
	onWait   func() // Options.OnWait
	late     func() // called when Prompt is over; nil when it has been, for this call
	patient  bool   // the descriptor has no time limit any more
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

// Prompt is how long a solo waits for an answer before it listens for the end of the caller's context, which may have come meanwhile.
const Prompt = 50 * time.Millisecond

// promptBytes are written without waiting: a socket's buffer holds more, and a new one is empty.
const promptBytes = 32 << 10

func newSolo(file *os.File, child *process, options Options) *solo {
	s := &solo{file: file, socket: file.Name(), child: child, onWait: options.OnWait}
	s.r = bufio.NewReaderSize(s, 4<<10)
	s.patient = s.limit(Prompt) != nil
	hello, _ := encode(wire.HelloParams{Version: options.Version}) // a struct of one string
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
	stop := func() bool { return false }
	s.late = func() {
		s.late = nil
		stop = context.AfterFunc(ctx, s.hangUp)
		if s.onWait != nil {
			s.onWait()
		}
	}
	if s.patient || len(s.out) > promptBytes {
		s.late()
	}
	got, err := s.wait(id)
	stop()
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

// Read reads what the daemon says. The first time that nothing comes for Prompt, the timers begin.
func (s *solo) Read(p []byte) (int, error) {
	for {
		n, err := s.file.Read(p)
		if !errors.Is(err, syscall.EAGAIN) || s.patient {
			return n, err
		}
		if err := s.limit(0); err != nil {
			return 0, err
		}
		s.patient = true
		if s.late != nil {
			s.late()
		}
	}
}

// limit has reads give up after d; 0: never.
func (s *solo) limit(d time.Duration) error {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return err
	}
	limit := syscall.NsecToTimeval(int64(d))
	if failed := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptTimeval(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit)
	}); failed != nil {
		return failed
	}
	return os.NewSyscallError("setsockopt", err)
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
