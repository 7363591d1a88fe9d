package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxd/client/wire"
)

// request is one message that a fake daemon got.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// handler answers a request; with reply it may do so later, from any goroutine. A result that is
// a *wire.Error is sent as an error.
type handler func(r request, reply func(any))

// serveFake answers connections until the listener is closed, then waits for those that are left.
func serveFake(ln net.Listener, handle handler) {
	var all sync.WaitGroup
	for {
		c, err := ln.Accept()
		if err != nil {
			all.Wait()
			return
		}
		all.Go(func() { serveConn(c, handle) })
	}
}

func serveConn(c net.Conn, handle handler) {
	defer c.Close()
	var writing sync.Mutex
	r := bufio.NewReader(c)
	for {
		message, err := wire.ReadFrame(r)
		if err != nil {
			return
		}
		var q request
		if json.Unmarshal(message, &q) != nil {
			return
		}
		handle(q, func(result any) {
			answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
			if refusal, ok := result.(*wire.Error); ok {
				answer["error"] = refusal
			} else {
				answer["result"] = result
			}
			body, err := json.Marshal(answer)
			if err != nil {
				panic(err)
			}
			writing.Lock()
			defer writing.Unlock()
			c.Write(wire.AppendFrame(nil, body))
		})
	}
}

// fake runs a daemon inside the test and returns its socket.
func fake(t *testing.T, handle handler) string {
	t.Helper()
	socket := filepath.Join(shortDir(t), "ctxd.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveFake(ln, handle)
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return socket
}

// polite answers hello and stop like any daemon, and leaves the rest to next.
func polite(version string, next handler) handler {
	return func(q request, reply func(any)) {
		switch q.Method {
		case wire.MethodHello:
			reply(wire.HelloResult{Version: version, PID: os.Getpid()})
		case wire.MethodEcho:
			reply(q.Params)
		default:
			if next != nil {
				next(q, reply)
			}
		}
	}
}

// shortDir is a directory with a short name, so that sockets fit in it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestMain lets the test binary be a daemon or a client of its own.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("CTX_TEST_ROLE"); mode {
	case "":
		os.Exit(m.Run())
	case "client":
		os.Exit(clientRole())
	default:
		os.Exit(daemonRole(mode))
	}
}

// daemonRole is ctxd in small. Each start leaves a line in the journal.
func daemonRole(mode string) int {
	time.AfterFunc(2*time.Minute, func() { os.Exit(9) }) // an orphan of a failed test
	var socket, state string
	var inherit bool
	flag.StringVar(&socket, "socket", "", "")
	flag.StringVar(&state, "state", "", "")
	flag.BoolVar(&inherit, "inherit", false, "")
	flag.Parse()
	journal(fmt.Sprintf("start %d", os.Getpid()))
	if mode == "die" {
		for i := range 20 {
			fmt.Fprintf(os.Stderr, "reason %d\n", i)
		}
		return 3
	}
	if _, err := os.Stat(os.Getenv("CTX_TEST_JOURNAL") + ".killed"); mode == "killed" && err != nil {
		os.WriteFile(os.Getenv("CTX_TEST_JOURNAL")+".killed", nil, 0o600)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if mode == "slow" {
		time.Sleep(300 * time.Millisecond) // slow to start is what is being played
	}
	if err := syscall.Flock(4, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		journal("no lock: " + err.Error())
		return 4
	}
	ln, err := net.FileListener(os.NewFile(3, socket))
	if err != nil {
		journal("no listener: " + err.Error())
		return 5
	}
	version := os.Getenv("CTX_TEST_VERSION")
	serveFake(ln, polite(version, func(q request, reply func(any)) {
		switch q.Method {
		case wire.MethodStop:
			journal("stop " + string(q.Params))
			reply(wire.StopResult{Stopping: true})
			os.Remove(socket)
			os.Exit(0)
		case wire.MethodDef, wire.MethodGC: // kill -9 in mid-request, once
			if _, err := os.Stat(os.Getenv("CTX_TEST_JOURNAL") + ".killed"); err != nil {
				os.WriteFile(os.Getenv("CTX_TEST_JOURNAL")+".killed", nil, 0o600)
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			reply(wire.DefResult{Target: "again"})
		case wire.MethodStatus:
			wd, _ := os.Getwd()
			sid, _, _ := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
			_, inherited := os.Stat("/proc/self/fd/77")
			reply(map[string]any{"pid": os.Getpid(), "wd": wd, "leader": int(sid) == os.Getpid(), "leaked": inherited == nil, "state": state})
		}
	}))
	return 0
}

func journal(line string) {
	f, err := os.OpenFile(os.Getenv("CTX_TEST_JOURNAL"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, line)
		f.Close()
	}
}

// clientRole makes one call and says what came of it.
func clientRole() int {
	os.Unsetenv("CTX_TEST_ROLE")
	os.Setenv("CTX_TEST_ROLE", os.Getenv("CTX_TEST_DAEMON"))
	c, err := DialOrStart(timeout(nil), Options{})
	if err == nil {
		var got json.RawMessage
		got, err = c.Echo(timeout(nil), map[string]int{"n": 7})
		if err == nil && string(got) != `{"n":7}` {
			err = errors.New("echo: " + string(got))
		}
	}
	if err != nil {
		io.WriteString(os.Stderr, err.Error()+"\n")
		return 1
	}
	return 0
}

// world is a private environment in which the test binary is the daemon.
type world struct {
	dir     string
	journal string
	socket  string
}

func newWorld(t *testing.T, mode, version string) world {
	t.Helper()
	dir := shortDir(t)
	w := world{dir: dir, journal: filepath.Join(dir, "journal"), socket: filepath.Join(dir, "r", "ctx", "ctxd.sock")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"CTX_SOCKET": "", "XDG_RUNTIME_DIR": filepath.Join(dir, "r"), "CTX_STATE_HOME": filepath.Join(dir, "state"),
		"TMPDIR": dir, "CTXD": self, "CTX_TEST_ROLE": mode, "CTX_TEST_VERSION": version, "CTX_TEST_JOURNAL": w.journal,
		"GORACE": "atexit_sleep_ms=0", // else each daemon takes a second to end
	} {
		t.Setenv(name, value)
	}
	t.Cleanup(func() {
		c, err := Dial(timeout(nil), Options{}) // the context of t has ended by now
		if err == nil {
			c.Stop(timeout(nil), wire.StopParams{})
			c.Close()
		}
	})
	return w
}

// starts counts the daemons that were started.
func (w world) lines(t *testing.T, prefix string) []string {
	t.Helper()
	text, err := os.ReadFile(w.journal)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, prefix) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
