package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"ctxd/client/wire"
)

// newDaemon is a daemon with a state directory of its own, closed at the end of the test.
func newDaemon(t testing.TB) *Daemon {
	t.Helper()
	d, err := New(Options{StateDir: t.TempDir()})
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
	ws, err := newDaemon(t).Workspace(root)
	if err != nil {
		t.Fatal(err)
	}
	return ws
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
