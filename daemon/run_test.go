package daemon

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxd/client/wire"
)

// A whole life: started by hand, asked, stopped; nothing but the lock file and the state is left.
func TestRun(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	r := &running{t: t, path: filepath.Join(dir, "run", "ctxd.sock"), done: make(chan error, 1)}
	o := RunOptions{Socket: r.path, StateDir: filepath.Join(dir, "state")}
	go func() { r.done <- Run(context.Background(), o) }()
	waitFor(t, "it listens", func() error {
		nc, err := net.Dial("unix", r.path)
		if err == nil {
			nc.Close()
		}
		return err
	})
	c := r.dial()
	var status wire.StatusResult
	if err := c.call(wire.MethodStatus, "{}", &status); err != nil || status.PID != os.Getpid() || status.Socket != r.path || status.State != o.StateDir {
		t.Errorf("status: %+v, %v", status, err)
	}
	if err := c.call("ctx/nothing", "{}", nil); err == nil || err.Code != wire.CodeMethodNotFound {
		t.Errorf("an unknown method: %v", err)
	}
	var locked *LockedError
	if err := Run(context.Background(), o); !errors.As(err, &locked) {
		t.Errorf("a second daemon: %v, want a *LockedError", err)
	}
	c.mustEcho()
	if err := c.call(wire.MethodStop, "{}", nil); err != nil {
		t.Error(err)
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(r.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	log, err := os.ReadFile(filepath.Join(o.StateDir, "ctxd.log"))
	if err != nil || !bytes.Contains(log, []byte("stopping")) {
		t.Errorf("the log: %q, %v", log, err)
	}
}

// D9: a start that fails has a reason, and leaves neither socket nor lock in the way of the next.
func TestRunFails(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	socket, file := filepath.Join(dir, "ctxd.sock"), filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Run(context.Background(), RunOptions{Socket: socket, StateDir: filepath.Join(file, "state")})
	if err == nil || !strings.Contains(err.Error(), "state directory") || !strings.Contains(err.Error(), "CTX_STATE_HOME") {
		t.Errorf("no state directory: %v", err)
	}
	if _, err := os.Lstat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if err := Run(context.Background(), RunOptions{}); err == nil || !strings.Contains(err.Error(), "--socket") {
		t.Errorf("no socket: %v", err)
	}
	idle := time.Millisecond
	if err := Run(context.Background(), RunOptions{Socket: socket, StateDir: filepath.Join(dir, "state"), Idle: &idle}); err != nil {
		t.Errorf("the next start: %v", err)
	}
}

func TestFindState(t *testing.T) {
	home := t.TempDir()
	for _, test := range []struct{ option, ctx, xdg, want string }{
		{"", "", "", "home/.local/state/ctx"},
		{"", "", "relative", "home/.local/state/ctx"},
		{"", "", "xdg", "xdg/ctx"},
		{"", "own", "xdg", "own"},
		{"option", "own", "xdg", "option"},
	} {
		at := func(name string) string {
			if name == "" || name == "relative" {
				return name
			}
			return filepath.Join(home, name)
		}
		t.Setenv("HOME", filepath.Join(home, "home"))
		t.Setenv("CTX_STATE_HOME", at(test.ctx))
		t.Setenv("XDG_STATE_HOME", at(test.xdg))
		o := RunOptions{StateDir: at(test.option)}
		if err := o.findState(); err != nil || o.StateDir != filepath.Join(home, test.want) {
			t.Errorf("%+v: %s, %v", test, o.StateDir, err)
		}
		if info, err := os.Stat(o.StateDir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%+v: %v, %v", test, info, err)
		}
	}
}
