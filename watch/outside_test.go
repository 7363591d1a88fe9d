package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func remembering() *outside {
	return &outside{known: map[string]*outsideFile{}, remote: func(int) string { return "" }}
}

// What is remembered of a file outside the root is never older than the file.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	o := remembering()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		for range 2 {
			if got, err := o.read(path); err != nil || string(got) != want {
				t.Fatalf("read %q, %v; want %q", got, err, want)
			}
		}
	}
	if _, err := o.read(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file that is not there: %v", err)
	}
	write("[core]\n")
	expect("[core]\n")
	if o.known[path] != nil {
		t.Fatal("a file that was written a moment ago is trusted to be told by its stat")
	}
	// As if it were old: its ctime cannot be set, so what is known of it is.
	age := func() {
		t.Helper()
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o.known[path] = &outsideFile{stat: statOf(&st), data: data}
	}
	age()
	known := o.known[path]
	expect("[core]\n")
	if o.known[path] != known {
		t.Fatal("an old file was read again")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write("[user]\n") // the same size, and by touch -r the same mtime
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	expect("[user]\n")
	age()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := o.read(path); !errors.Is(err, os.ErrNotExist) || o.known[path] != nil {
		t.Fatalf("a file that was removed: %v", err)
	}
}

// A repository that is made above a root is found, whatever was remembered of the directories.
func TestGitAppears(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	o := remembering()
	if repo, _ := o.findRepository(root); repo.top == top {
		t.Fatal("there is none yet")
	}
	for dir := root; ; dir = filepath.Dir(dir) { // as if all had been seen long ago
		var st unix.Stat_t
		if err := unix.Stat(dir, &st); err != nil {
			t.Fatal(err)
		}
		o.known[dir] = &outsideFile{stat: statOf(&st)}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	before := time.Now()
	for _, name := range []string{"objects", "refs", "HEAD"} {
		if err := os.MkdirAll(filepath.Join(top, ".git", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if repo, found := o.findRepository(root); !found || repo.top != top {
		t.Fatalf("%+v, %v", repo, found)
	}
	if known := o.known[top]; known != nil && time.Unix(0, known.stat.Ctime).After(before.Add(-settled)) {
		t.Fatal("a directory that has just changed is remembered")
	}
}

// What lies on a file system that others change is looked at each time.
func TestOutsideRemote(t *testing.T) {
	for _, remote := range []string{"", "nfs"} {
		o := remembering()
		o.remote = func(int) string { return remote }
		if _, err := o.read("doc.go"); err != nil { // nobody writes this directory now
			t.Fatal(err)
		}
		var st unix.Stat_t
		if err := unix.Stat(".", &st); err != nil {
			t.Fatal(err)
		}
		if !o.lacksGit(".", &st) {
			t.Fatal("it has a .git")
		}
		if want := map[string]int{"": 2}[remote]; len(o.known) != want {
			t.Errorf("%q: %d are remembered, want %d", remote, len(o.known), want)
		}
	}
}
