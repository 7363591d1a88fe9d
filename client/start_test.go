package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxd/client/wire"
)

func started(t *testing.T) *Client {
	t.Helper()
	c, err := DialOrStart(timeout(t), Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestStart(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	c := started(t)
	if got, err := c.Echo(timeout(t), 1); err != nil || string(got) != "1" {
		t.Fatalf("%s, %v", got, err)
	}
	var state struct {
		PID    int
		WD     string
		Leader bool
	}
	if err := c.Call(timeout(t), wire.MethodStatus, nil, &state); err != nil {
		t.Fatal(err)
	}
	if state.WD != "/" || !state.Leader || state.PID == os.Getpid() {
		t.Errorf("the daemon is not detached: %+v", state)
	}
	if info, err := os.Stat(w.socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket %v, %v", info, err)
	}
	if lock, err := tryLock(wire.LockPath(w.socket)); err != nil || lock != nil {
		t.Errorf("the daemon does not hold the lock: %v, %v", lock, err)
	}
	// Stop, and the lock is free.
	if r, err := c.Stop(timeout(t), wire.StopParams{}); err != nil || !r.Stopping {
		t.Errorf("%+v, %v", r, err)
	}
	if err := Gone(timeout(t), Options{}, state.PID); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(wire.LockPath(w.socket)); err != nil {
		t.Errorf("the lock file was removed: %v", err)
	}
}

// Fifty processes find no daemon at the same moment: one is started, all are answered.
// CASES D7.
func TestFiftyStarters(t *testing.T) {
	w := newWorld(t, "client", "1.2.3")
	t.Setenv("CTX_TEST_DAEMON", "slow")
	self := os.Getenv("CTXD")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if out, err := exec.Command(self).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if starts := w.lines(t, "start"); len(starts) != 1 {
		t.Errorf("%d daemons were started", len(starts))
	}
	if bad := w.lines(t, "no "); len(bad) != 0 {
		t.Error(bad)
	}
}

// A daemon that ends before it answers is reported with its last words, at once.
// CASES D9.
func TestDaemonDiesAtStart(t *testing.T) {
	w := newWorld(t, "die", "1.2.3")
	c, err := DialOrStart(timeout(t), Options{})
	if err == nil {
		_, err = c.Echo(timeout(t), 1)
		c.Close()
	}
	start, ok := errors.AsType[*StartError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	lines := strings.Split(start.Stderr, "\n")
	if len(lines) != 10 || lines[0] != "reason 10" || lines[9] != "reason 19" {
		t.Errorf("stderr %q", start.Stderr)
	}
	if !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
	// The lock is free, and the stale socket is in nobody's way.
	t.Setenv("CTX_TEST_ROLE", "serve")
	if got, err := started(t).Echo(timeout(t), 2); err != nil || string(got) != "2" {
		t.Errorf("%s, %v", got, err)
	}
	if n := len(w.lines(t, "start")); n < 2 {
		t.Errorf("%d starts", n)
	}
}

// A daemon that is killed while it starts is started again; one that is killed each time is not.
func TestDaemonIsKilledAtStart(t *testing.T) {
	w := newWorld(t, "killed", "1.2.3")
	if got, err := started(t).Echo(timeout(t), 1); err != nil || string(got) != "1" {
		t.Errorf("%s, %v", got, err)
	}
	if n := len(w.lines(t, "start")); n != 2 {
		t.Errorf("%d starts", n)
	}
	w = newWorld(t, "killed", "1.2.3")
	t.Setenv("CTX_TEST_JOURNAL", filepath.Join(w.dir, "none", "journal")) // it forgets that it was killed
	err := Once(timeout(t), Options{}, wire.MethodEcho, 1, nil)
	if start, ok := errors.AsType[*StartError](err); !ok || !start.Killed {
		t.Errorf("error %v", err)
	}
}

// CASES D1: whatever a dead daemon left behind, the next one starts.
func TestLeftovers(t *testing.T) {
	for name, lock := range map[string]string{
		"empty lock": "", "own pid": "self", "pid 1": "1\n", "no number": "xyz\x00",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "serve", "1.2.3")
			if err := os.MkdirAll(filepath.Dir(w.socket), 0o700); err != nil {
				t.Fatal(err)
			}
			ln, err := net.Listen("unix", w.socket)
			if err != nil {
				t.Fatal(err)
			}
			ln.(*net.UnixListener).SetUnlinkOnClose(false)
			ln.Close()
			if err := os.WriteFile(wire.LockPath(w.socket), []byte(lock), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := started(t).Echo(timeout(t), 1); err != nil || string(got) != "1" {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// The daemon is killed in the middle of a request.
func TestKilledDaemon(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	c := started(t)
	if _, err := c.Echo(timeout(t), 1); err != nil {
		t.Fatal(err)
	}
	r, err := c.Def(timeout(t), wire.DefParams{})
	if err != nil || r.Target != "again" {
		t.Errorf("a request that may be repeated: %+v, %v", r, err)
	}
	if n := len(w.lines(t, "start")); n != 2 {
		t.Errorf("%d starts", n)
	}
	os.Remove(w.journal + ".killed")
	_, err = c.GC(timeout(t), wire.GCParams{})
	lost, ok := errors.AsType[*ConnError](err)
	if !ok || !lost.Sent || lost.Method != wire.MethodGC {
		t.Errorf("a request that may not be repeated: %v", err)
	}
	if got, err := c.Echo(timeout(t), 2); err != nil || string(got) != "2" {
		t.Errorf("the call after: %s, %v", got, err)
	}
}

// A client replaces an older daemon, whichever kind of call it makes, and goes on with a newer.
func TestVersions(t *testing.T) {
	for _, method := range []string{wire.MethodEcho, wire.MethodStatus} {
		w := newWorld(t, "serve", "1.2.2-rc.1")
		old, err := DialOrStart(timeout(t), Options{Version: "1.2.2-rc.1"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.Echo(timeout(t), 1); err != nil {
			t.Fatal(err)
		}
		t.Setenv("CTX_TEST_VERSION", "1.2.4")
		if err := started(t).Call(timeout(t), method, 1, nil); err != nil {
			t.Fatal(err)
		}
		if n := len(w.lines(t, "start")); n != 2 {
			t.Errorf("%s: %d starts", method, n)
		}
		if stops := w.lines(t, "stop"); len(stops) != 1 || stops[0] != `stop {"ifOlder":"1.2.3"}` {
			t.Errorf("%s: %q", method, stops)
		}
		// The client that was there before is older than the new daemon, and is served.
		if got, err := old.Echo(timeout(t), 2); err != nil || string(got) != "2" {
			t.Errorf("%s: %s, %v", method, got, err)
		}
		if n := len(w.lines(t, "start")); n != 2 {
			t.Errorf("%s: %d starts", method, n)
		}
		old.Close()
	}
}

// A daemon that does not find itself older stays.
func TestOlderDaemonThatStays(t *testing.T) {
	asked := make(chan request, 10)
	socket := fake(t, polite("1.0.0", func(q request, reply func(any)) {
		asked <- q
		reply(wire.StopResult{})
	}))
	c, err := DialOrStart(timeout(t), Options{Socket: socket, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		if got, err := c.Echo(timeout(t), 1); err != nil || string(got) != "1" {
			t.Errorf("%s, %v", got, err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("it was asked to stop %d times", len(asked))
	}
}

// An older daemon that is busy is waited for as long as the context allows.
func TestDrainIsBounded(t *testing.T) {
	socket := fake(t, polite("1.0.0", func(q request, reply func(any)) { reply(wire.StopResult{Stopping: true}) }))
	c, err := DialOrStart(timeout(t), Options{Socket: socket, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Echo(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A lock that is held by a process that does not listen is waited for, then named.
func TestLockHeldWithoutSocket(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	if err := os.MkdirAll(filepath.Dir(w.socket), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := tryLock(wire.LockPath(w.socket))
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := DialOrStart(ctx, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	lock.Close()
	if got, err := started(t).Echo(timeout(t), 1); err != nil || string(got) != "1" {
		t.Errorf("%s, %v", got, err)
	}
}

// CASES D6, D9.
func TestCannotStart(t *testing.T) {
	for name, tt := range map[string]struct {
		set  func(t *testing.T, w world)
		want string
	}{
		"no ctxd": {func(t *testing.T, w world) { t.Setenv("CTXD", ""); t.Setenv("PATH", w.dir) }, "no ctxd in"},
		"not executable": {func(t *testing.T, w world) {
			path := filepath.Join(w.dir, "ctxd")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("CTXD", path)
		}, "permission denied"},
		"no such ctxd": {func(t *testing.T, w world) { t.Setenv("CTXD", filepath.Join(w.dir, "nothing")) }, "no such file"},
		"file in the way": {func(t *testing.T, w world) {
			t.Setenv("CTX_SOCKET", filepath.Join(w.dir, "precious.sock"))
			if err := os.WriteFile(os.Getenv("CTX_SOCKET"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a socket"},
		"no sockets here": {func(t *testing.T, w world) { t.Setenv("CTX_SOCKET", "/proc/ctxd.sock") }, "/proc/ctxd.lock"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "serve", "1.2.3")
			tt.set(t, w)
			_, err := DialOrStart(timeout(t), Options{})
			start, ok := errors.AsType[*StartError](err)
			if !ok || !strings.Contains(start.Error(), tt.want) {
				t.Fatalf("error %v", err)
			}
			if text, err := os.ReadFile(filepath.Join(w.dir, "precious.sock")); err == nil && string(text) != "mine" {
				t.Error("the file was overwritten")
			}
			if name == "no sockets here" {
				return
			}
			socket, err := Socket()
			if err != nil {
				t.Fatal(err)
			}
			if lock, err := tryLock(wire.LockPath(socket)); err != nil || lock == nil {
				t.Errorf("the lock was left behind: %v", err)
			} else {
				lock.Close()
			}
		})
	}
}

// A descriptor that this process was given does not live on in the daemon.
func TestInheritedDescriptorsAreClosed(t *testing.T) {
	newWorld(t, "serve", "1.2.3")
	if err := syscall.Dup3(2, 77, 0); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(77)
	c, err := DialOrStart(timeout(t), Options{Version: "1.2.3", CloseInherited: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var state json.RawMessage
	if err := c.Call(timeout(t), wire.MethodStatus, nil, &state); err != nil || !strings.Contains(string(state), `"leaked":false`) {
		t.Errorf("%s, %v", state, err)
	}
}

// Without a state directory there is no daemon, and the refusal names the directory.
func TestStateDirectoryCannotBeMade(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	t.Setenv("CTX_STATE_HOME", filepath.Join(w.dir, "journal", "x"))
	journal("start 0") // a file where the directory would be
	_, err := DialOrStart(timeout(t), Options{Version: "1.2.3"})
	if _, state := errors.AsType[*StateError](err); !state || !strings.Contains(err.Error(), filepath.Join(w.dir, "journal")) {
		t.Errorf("%v", err)
	}
}

// The daemon is told where its state is; it runs in another directory than we do.
func TestDaemonIsToldItsState(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	var got struct {
		State string `json:"state"`
	}
	if err := started(t).Call(timeout(t), wire.MethodStatus, nil, &got); err != nil || got.State != filepath.Join(w.dir, "state") {
		t.Errorf("%+v, %v", got, err)
	}
}

// A relative state directory would be one in the caller's worktree: no daemon is started for it,
// and nothing is made.
func TestRelativeStateDirectory(t *testing.T) {
	w := newWorld(t, "serve", "1.2.3")
	t.Chdir(w.dir)
	t.Setenv("CTX_STATE_HOME", "relstate")
	_, err := DialOrStart(timeout(t), Options{})
	_, start := errors.AsType[*StartError](err)
	if _, state := errors.AsType[*StateError](err); !start || !state || !strings.Contains(err.Error(), `"relstate"`) {
		t.Errorf("%v", err)
	}
	for _, path := range []string{"relstate", w.socket, w.journal} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}
