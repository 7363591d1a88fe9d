package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ctxd/client/wire"
)

// patience ends a test that hangs; no test depends on its length.
const patience = 30 * time.Second

// running is a server under test.
type running struct {
	*Server
	t    *testing.T
	path string
	stop context.CancelFunc
	done chan error // what Serve returned
}

// serveAt runs a server with handler on a real socket in a new directory.
func serveAt(t *testing.T, o ServerOptions, adjust func(*Server)) *running {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "ctxd.sock")
	l, lock, err := Listen(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	o.Listener, o.Lock = l, lock
	ctx, stop := context.WithCancel(context.Background())
	r := &running{NewServer(o), t, o.Path, stop, make(chan error, 1)}
	if adjust != nil {
		adjust(r.Server)
	}
	ended := make(chan struct{})
	go func() {
		r.done <- r.Serve(ctx)
		lock.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return r
}

// end waits for Serve.
func (r *running) end() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		r.t.Fatal("the server does not end")
		return nil
	}
}

// caller is a client's end of one connection.
type caller struct {
	t  *testing.T
	nc net.Conn
	r  *bufio.Reader
}

func (r *running) dial() *caller {
	r.t.Helper()
	nc, err := net.Dial("unix", r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	return &caller{r.t, nc, bufio.NewReader(nc)}
}

func (c *caller) send(method, params string) {
	c.t.Helper()
	msg := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	if _, err := c.nc.Write(wire.AppendFrame(nil, []byte(msg))); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads one reply into result, or returns its error.
func (c *caller) answer(result any) *wire.Error {
	c.t.Helper()
	data, err := wire.ReadFrame(c.r)
	if err != nil {
		c.t.Fatalf("no answer: %v", err)
	}
	var reply struct {
		Result json.RawMessage
		Error  *wire.Error
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		c.t.Fatal(err)
	}
	if reply.Error == nil && result != nil {
		if err := json.Unmarshal(reply.Result, result); err != nil {
			c.t.Fatal(err)
		}
	}
	return reply.Error
}

func (c *caller) call(method, params string, result any) *wire.Error {
	c.t.Helper()
	c.send(method, params)
	return c.answer(result)
}

// mustEcho proves that the connection is served.
func (c *caller) mustEcho() {
	c.t.Helper()
	var got []int
	if err := c.call(wire.MethodEcho, "[7]", &got); err != nil || len(got) != 1 || got[0] != 7 {
		c.t.Fatalf("echo: %v, %v", got, err)
	}
}

// mustEnd waits for the end of the connection.
func (c *caller) mustEnd() {
	c.t.Helper()
	data, err := wire.ReadFrame(c.r)
	var ne net.Error
	if err == nil || errors.As(err, &ne) && ne.Timeout() {
		c.t.Fatalf("got %q, %v; want the end", data, err)
	}
}

// gate is a handler that tells when it is entered and waits to be released.
type gate struct{ entered, release chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}, 100), make(chan struct{})} }

func (g *gate) handle(_ context.Context, method string, params json.RawMessage) (any, error) {
	if method == "deaf" {
		g.entered <- struct{}{}
		<-g.release
	}
	return method, nil
}

func TestServerMethods(t *testing.T) {
	g := newGate()
	r := serveAt(t, ServerOptions{Handler: g.handle}, nil)
	a, b := r.dial(), r.dial()
	a.mustEcho()
	var method string
	if err := a.call("ctx/def", "{}", &method); err != nil || method != "ctx/def" {
		t.Errorf("the handler was not called: %q, %v", method, err)
	}
	var hello wire.HelloResult
	if err := a.call(wire.MethodHello, `{"version":"0.0.1"}`, &hello); err != nil {
		t.Fatal(err)
	}
	if want := (wire.HelloResult{Version: wire.Version, PID: os.Getpid()}); hello != want {
		t.Errorf("hello: got %+v, want %+v", hello, want)
	}
	if err := a.call(wire.MethodHello, `{"version":5}`, nil); err == nil || err.Code != -32602 {
		t.Errorf("hello with a bad parameter: %v", err)
	}
	if err := a.call(wire.MethodStop, `{"ifOlder":5}`, nil); err == nil || err.Code != -32602 {
		t.Errorf("stop with a bad parameter: %v", err)
	}

	b.send("deaf", "{}")
	<-g.entered
	if err := a.call(wire.MethodHello, "{}", &hello); err != nil || hello.Busy != 1 {
		t.Errorf("busy seen from another connection: %+v, %v; want 1", hello, err)
	}
	if err := b.call(wire.MethodHello, "{}", &hello); err != nil || hello.Busy != 0 {
		t.Errorf("busy seen from the busy connection: %+v, %v; want 0", hello, err)
	}
	if c, n := r.Counts(); c != 2 || n != 1 {
		t.Errorf("counts: %d connections, %d requests; want 2, 1", c, n)
	}
	close(g.release)
	b.answer(nil)
}

// Stop: what is under way ends, what is new is refused, then nothing is left.
func TestStopDrains(t *testing.T) {
	for _, how := range []string{"request", "signal"} {
		t.Run(how, func(t *testing.T) {
			g, stopped := newGate(), make(chan struct{})
			r := serveAt(t, ServerOptions{Handler: g.handle, OnStop: func() { close(stopped) }}, func(s *Server) {
				s.drainFor, s.flushFor = time.Hour, time.Hour // nothing here may need the limits
			})
			a, b, idle := r.dial(), r.dial(), r.dial()
			a.send("deaf", "{}")
			<-g.entered
			b.mustEcho()
			idle.mustEcho()
			var result wire.StopResult
			if how == "signal" {
				r.stop()
			} else if err := b.call(wire.MethodStop, "{}", &result); err != nil || !result.Stopping {
				t.Fatalf("stop: %+v, %v", result, err)
			}
			<-stopped
			for _, c := range []*caller{a, b, r.dial()} {
				for _, method := range []string{"ctx/def", wire.MethodHello, wire.MethodEcho} {
					err := c.call(method, "{}", nil)
					if err == nil || err.Data == nil || err.Data.Error != wire.Stopping || err.Code != -32024 {
						t.Fatalf("%s while it stops: %+v, want the word stopping", method, err)
					}
				}
			}
			if err := b.call(wire.MethodStop, "{}", &result); err != nil || !result.Stopping {
				t.Errorf("stop, again: %+v, %v", result, err)
			}
			select {
			case err := <-r.done:
				t.Fatalf("it ended with a request under way: %v", err)
			default:
			}
			close(g.release)
			var method string
			if err := a.answer(&method); err != nil || method != "deaf" {
				t.Errorf("the request under way: %q, %v", method, err)
			}
			idle.mustEnd()
			if err := r.end(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(r.path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket is left: %v", err)
			}
			if _, err := os.Lstat(wire.LockPath(r.path)); err != nil {
				t.Errorf("the lock file is gone: %v", err)
			}
		})
	}
}

// A handler that never returns, and a peer that never reads, delay the end for a bounded time.
// CASES P2.
func TestDrainIsBounded(t *testing.T) {
	g := newGate()
	defer close(g.release)
	big := strings.Repeat("x", 4<<20)
	made := make(chan struct{}, 1)
	r := serveAt(t, ServerOptions{Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if method == "big" {
			made <- struct{}{}
			return big, nil
		}
		return g.handle(ctx, method, params)
	}}, func(s *Server) { s.drainFor, s.flushFor = 20*time.Millisecond, 20*time.Millisecond })
	a, b := r.dial(), r.dial()
	a.send("deaf", "{}")
	<-g.entered
	b.send("big", "{}")
	<-made
	r.stop()
	if err := r.end(); err != nil {
		t.Error(err)
	}
	a.mustEnd()
}

// CASES D7.
func TestStopIfOlder(t *testing.T) {
	r := serveAt(t, ServerOptions{}, nil)
	c := r.dial()
	for _, version := range []string{wire.Version, "0.0.1", "0.1.0-rc.1", "devel", "1.2"} {
		var result wire.StopResult
		if err := c.call(wire.MethodStop, `{"ifOlder":"`+version+`"}`, &result); err != nil || result.Stopping {
			t.Errorf("if older than %s: %+v, %v", version, result, err)
		}
	}
	c.mustEcho()
	var result wire.StopResult
	if err := c.call(wire.MethodStop, `{"ifOlder":"99.0.0"}`, &result); err != nil || !result.Stopping {
		t.Errorf("if older than 99.0.0: %+v, %v", result, err)
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// Another user's connection is closed before a byte is read; so is one whose user is not known.
// CASES S3.
func TestPeerIsChecked(t *testing.T) {
	var other atomic.Bool
	var fails atomic.Bool
	r := serveAt(t, ServerOptions{}, func(s *Server) {
		s.peerUID = func(nc net.Conn) (int, error) {
			uid, err := peerUID(nc)
			if uid != os.Geteuid() || err != nil {
				t.Errorf("peerUID: %d, %v", uid, err)
			}
			if other.Load() {
				uid++
			}
			if fails.Load() {
				err = errors.New("unknown")
			}
			return uid, err
		}
	})
	ours := r.dial()
	ours.mustEcho()
	other.Store(true)
	r.dial().mustEnd()
	other.Store(false)
	fails.Store(true)
	r.dial().mustEnd()
	fails.Store(false)
	r.dial().mustEcho()
	ours.mustEcho()
}

// D10: a socket that vanished or was replaced comes back, with its mode; connections go on.
func TestSocketIsPutBack(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { os.Remove(path) },
		"replaced by a stale socket": func(t *testing.T, path string) {
			os.Remove(path)
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err == nil {
				err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
				syscall.Close(fd)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"removed with its directory": func(t *testing.T, path string) { os.RemoveAll(filepath.Dir(path)) },
		"lock file removed":          func(t *testing.T, path string) { os.Remove(wire.LockPath(path)); os.Remove(path) },
	} {
		t.Run(name, func(t *testing.T) {
			r := serveAt(t, ServerOptions{}, nil)
			before := r.dial()
			before.mustEcho()
			spoil(t, r.path)
			var nc net.Conn
			waitFor(t, "the socket is served again", func() (err error) {
				nc, err = net.Dial("unix", r.path)
				return err
			})
			nc.Close()
			r.dial().mustEcho()
			before.mustEcho()
			if info, err := os.Lstat(r.path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the new socket: %v, %v", info, err)
			}
			var locked *LockedError
			if _, lock, err := Listen(r.path); !errors.As(err, &locked) {
				lock.Close()
				t.Errorf("a second daemon may start: %v", err)
			}
			r.stop()
			if err := r.end(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(r.path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the new socket is left: %v", err)
			}
		})
	}
}

// D10: where the socket cannot be put back the daemon ends, says why, and leaves what is there.
func TestStepsDown(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string) error{
		"a file is in its place": func(t *testing.T, path string) error {
			os.Remove(path)
			write(t, path, "mine")
			return &InUseError{}
		},
		"another process serves in its place": func(t *testing.T, path string) error {
			os.Remove(path)
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return &InUseError{}
		},
		"another daemon has the lock": func(t *testing.T, path string) error {
			os.Remove(wire.LockPath(path))
			os.Remove(path)
			l, lock, err := Listen(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close(); lock.Close() })
			return &LockedError{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := serveAt(t, ServerOptions{}, nil)
			c := r.dial()
			c.mustEcho()
			want := spoil(t, r.path)
			err := r.end()
			if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", want) {
				t.Errorf("got %v, want a %T", err, want)
			}
			c.mustEnd()
			if _, err := os.Lstat(r.path); err != nil {
				t.Errorf("what was in the way is gone: %v", err)
			}
		})
	}
}

// The idle exit for real.
func TestIdleExitFreesEverything(t *testing.T) {
	r := serveAt(t, ServerOptions{IdleTimeout: time.Millisecond}, nil)
	if err := r.end(); err != nil {
		t.Error(err)
	}
	waitFor(t, "the lock is free", func() error {
		l, lock, err := Listen(r.path)
		if err == nil {
			l.Close()
			lock.Close()
		}
		return err
	})
}

// Whatever one connection does, another is served (the ways are those of package rpc's tests).
// CASES L1.
func TestConnectionsAreApart(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := serveAt(t, ServerOptions{Handler: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		switch method {
		case "error":
			return nil, errors.New("x")
		case "panic":
			panic("x")
		case "never":
			<-never
		}
		return nil, nil
	}}, func(s *Server) { s.drainFor = 20 * time.Millisecond })
	a := r.dial()
	for range 20 {
		b := r.dial()
		b.send("never", "{}")
		for _, method := range []string{"error", "panic"} {
			if err := b.call(method, "{}", nil); err == nil || err.Code != -32603 {
				t.Errorf("%s: %v", method, err)
			}
		}
		b.mustEcho()
		b.nc.Write([]byte("Content-Length: -1\r\n\r\n"))
		b.nc.Close()
		a.mustEcho()
	}
	waitFor(t, "the lost connections are gone", func() error {
		if c, _ := r.Counts(); c != 1 {
			return fmt.Errorf("%d connections", c)
		}
		return nil
	})
}

// waitFor waits for a state that nothing announces.
func waitFor(t *testing.T, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s: %v", what, err)
		}
		time.Sleep(time.Millisecond)
	}
}
