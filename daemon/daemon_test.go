package daemon

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"ctxd/client/wire"
)

// newDaemon is a daemon with a state directory of its own, closed at the end of the test.
func newDaemon(t testing.TB) *Daemon {
	t.Helper()
	return newDaemonWith(t, UserConfig{})
}

func newDaemonWith(t testing.TB, user UserConfig) *Daemon {
	t.Helper()
	d, err := New(Options{StateDir: t.TempDir(), User: user})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// newWorkspace is a workspace over files (path → content) in a fresh directory.
func newWorkspace(t testing.TB, files map[string]string) *Workspace {
	t.Helper()
	root := t.TempDir()
	for path, content := range files {
		write(t, filepath.Join(root, path), content)
	}
	return use(t, newDaemon(t), root)
}

// use is the workspace of root, open until the test ends.
func use(t testing.TB, d *Daemon, root string) *Workspace {
	t.Helper()
	ws, _, err := d.Workspace(root)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// settled waits until ws has parsed everything.
func settled(t testing.TB, ws *Workspace) {
	t.Helper()
	for {
		if err := ws.sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ws.cur.Load().pending == 0 {
			return
		}
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// word is the error word of a refusal, "" when err is none.
func word(err error) wire.Word {
	if w, ok := err.(*wire.Error); ok && w.Data != nil {
		return w.Data.Error
	}
	return ""
}

// TestCollects: captures are collected once a day by a stamp in the state directory, not by how long
// this daemon has lived; and sooner when they are over the cap.
func TestCollects(t *testing.T) {
	d := newDaemon(t)
	now := time.Now()
	stamp := filepath.Join(d.opts.StateDir, "collected")
	stamped := func() time.Time {
		fi, err := os.Stat(stamp)
		if err != nil {
			return time.Time{}
		}
		return fi.ModTime()
	}
	d.collect(now)
	first := stamped()
	if first.IsZero() {
		t.Fatal("a state directory without a stamp was not collected")
	}
	if d.collect(now.Add(time.Hour)); !stamped().Equal(first) {
		t.Error("collected again after an hour")
	}
	if d.collect(now.Add(25 * time.Hour)); stamped().Equal(first) {
		t.Error("not collected after a day")
	}
	second := stamped()
	d.opts.User.Store.MaxBytes = -1 // anything is over it
	if d.collect(second.Add(collectFull + time.Second)); stamped().Equal(second) {
		t.Error("not collected over the cap")
	}
}

// TestUnloads: a workspace that nobody uses is unloaded, and one that is in use is not, however long
// its request takes.
func TestUnloads(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "m.py"), "def f():\n    pass\n")
	ws, release, err := d.Workspace(root)
	if err != nil {
		t.Fatal(err)
	}
	late := time.Now().Add(2 * unloadAfter)
	d.rest(late)
	if len(d.opened()) != 1 {
		t.Fatal("unloaded while in use")
	}
	if got := def(t, ws, "f"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	release()
	d.rest(late)
	if len(d.opened()) != 0 {
		t.Fatal("not unloaded")
	}
	again := use(t, d, root)
	if got := def(t, again, "f"); len(got) != 1 || again == ws {
		t.Errorf("%q", got)
	}
}

// TestStatusBesideOpening: a status asked while workspaces are opened is an answer, and no race.
func TestStatusBesideOpening(t *testing.T) {
	d := newDaemon(t)
	var clients sync.WaitGroup
	for i := range 8 {
		root := filepath.Join(t.TempDir(), strconv.Itoa(i))
		write(t, filepath.Join(root, "m.py"), "def f():\n    pass\n")
		clients.Go(func() {
			if _, release, err := d.Workspace(root); err != nil {
				t.Error(err)
			} else {
				release()
			}
		})
		clients.Go(func() {
			if _, err := d.Status(t.Context(), wire.StatusParams{}); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
}

// TestRootMoved: a directory that was moved, with a link left in its place or above, is the one that the link leads to, though
// it is open under the name of the link.
func TestRootMoved(t *testing.T) {
	d := newDaemon(t)
	for _, moved := range []string{"repo/sub", "repo"} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(top, "repo/sub")
		write(t, filepath.Join(root, "m.py"), "def f():\n    pass\n")
		if got := def(t, use(t, d, root), "f"); len(got) != 1 {
			t.Fatalf("%q", got)
		}
		elsewhere := filepath.Join(top, "elsewhere")
		if err := os.Rename(filepath.Join(top, moved), elsewhere); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(top, moved)); err != nil {
			t.Fatal(err)
		}
		want, err := filepath.EvalSymlinks(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{root, root + "/.", root + "//"} {
			ws := use(t, d, name)
			if got := def(t, ws, "f"); len(got) != 1 || ws.Root != want {
				t.Errorf("%s moved: %q is %q, want %q; f: %q", moved, name, ws.Root, want, got)
			}
		}
	}
}
