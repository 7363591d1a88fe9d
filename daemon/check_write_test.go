package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ctxd/client/wire"
)

// TestCheckFixNames: a file with several names is left alone under all of them, for a rewrite would part them.
func TestCheckFixNames(t *testing.T) {
	text := "repo:m.py --lines 4:5@07407f1c\n"
	ws := newWorkspace(t, map[string]string{"m.py": "# new\n" + seedFile, "d.md": text})
	outside := filepath.Join(t.TempDir(), "outside")
	for _, name := range []string{outside, filepath.Join(ws.Root, "e.md")} {
		if err := os.Link(filepath.Join(ws.Root, "d.md"), name); err != nil {
			t.Fatal(err)
		}
	}
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Fixed != 0 || res.Counts.Unfixed != 2 || !strings.Contains(res.Addresses[0].Note, "3 names") {
		t.Errorf("%+v", res)
	}
	for _, name := range []string{outside, filepath.Join(ws.Root, "d.md"), filepath.Join(ws.Root, "e.md")} {
		if src, err := os.ReadFile(name); string(src) != text {
			t.Errorf("%s: %q, %v", name, src, err)
		}
	}
}

// TestCheckFixAttributes: what a file system keeps of a file besides its bytes stays.
func TestCheckFixAttributes(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return
	}
	ws := newWorkspace(t, map[string]string{"m.py": "# new\n" + seedFile, "d.md": "repo:m.py --lines 4:5@07407f1c\n"})
	doc := filepath.Join(ws.Root, "d.md")
	if err := unix.Setxattr(doc, "user.ctx.test", []byte("kept"), 0); err == unix.ENOTSUP {
		t.Log("this file system keeps no attributes")
	} else if err != nil {
		t.Fatal(err)
	}
	had := make([]byte, 16)
	n, _ := unix.Getxattr(doc, "user.ctx.test", had)
	if res := checked(t, ws, wire.CheckParams{Fix: true}); res.Counts.Fixed != 1 {
		t.Errorf("%+v", res)
	}
	has := make([]byte, 16)
	if m, err := unix.Getxattr(doc, "user.ctx.test", has); m != n || string(has) != string(had) {
		t.Errorf("%q, %v", has, err)
	}
}

// TestSwap: what somebody writes between the last look and the exchange is what stands there afterwards.
func TestSwap(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"nothing":  func(string) error { return nil },
		"written":  func(path string) error { return os.WriteFile(path, []byte("theirs\n"), 0o644) },
		"replaced": func(path string) error { return byRenaming(path, "theirs\n") },
		"appended": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = f.WriteString("theirs\n")
				err = errors.Join(err, f.Close())
			}
			return err
		},
		"the same bytes in another file": func(path string) error { return byRenaming(path, "was\n") },
		"mode":                           func(path string) error { return os.Chmod(path, 0o755) },
		"removed":                        os.Remove,
		"a link": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink("m.py", path)
		},
		"a directory": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.py": seedFile, "d/d.md": "was\n", "d/.ctx-1.tmp": "ours\n"})
			doc := filepath.Join(ws.Root, "d/d.md")
			was := ws.occupies(t.Context(), "d/d.md")
			if err := change(doc); err != nil {
				t.Fatal(err)
			}
			theirs, theirErr := os.Lstat(doc)
			text, _ := os.ReadFile(doc)
			err := ws.swap(t.Context(), "d/.ctx-1.tmp", "d/d.md", was, exchange)
			if name == "nothing" {
				now, _ := os.ReadFile(doc)
				if entries, _ := os.ReadDir(filepath.Dir(doc)); err != nil || string(now) != "ours\n" || len(entries) != 1 {
					t.Errorf("%q, %v, %v", now, err, entries)
				}
				return
			}
			if word(err) != wire.EditConflict {
				t.Errorf("%v", err)
			}
			now, nowErr := os.Lstat(doc)
			if (nowErr == nil) != (theirErr == nil) || nowErr == nil && !os.SameFile(now, theirs) {
				t.Errorf("%v, %v", now, nowErr)
			}
			if again, _ := os.ReadFile(doc); string(again) != string(text) {
				t.Errorf("%q, want %q", again, text)
			}
			if ours, err := os.Lstat(filepath.Join(ws.Root, "d/.ctx-1.tmp")); err == nil {
				t.Errorf("%v is left", ours)
			}
		})
	}
}

// TestSwapInterrupted: whatever happens between two exchanges, each text that somebody else wrote is there afterwards: under the name, or
// beside it, where the refusal says so. Ours is not left behind.
func TestSwapInterrupted(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		steps []func(doc string) error // before each exchange; an error takes its place
		text  string                   // of the document then; "" where it is gone
		kept  string                   // of what is left beside; "" where nothing is
		word  wire.Word
	}{
		{"no exchange", []func(string) error{fails(errors.ErrUnsupported)}, "ours\n", "", ""},
		{"the first fails", []func(string) error{fails(broken)}, "was\n", "", wire.PathDenied},
		{"written before", []func(string) error{writes("theirs\n"), nil}, "theirs\n", "", wire.EditConflict},
		{"written before and between", []func(string) error{writes("theirs\n"), replaces("newer\n"), nil}, "newer\n", "theirs\n", wire.EditConflict},
		{"the second fails", []func(string) error{writes("theirs\n"), fails(broken)}, "ours\n", "theirs\n", wire.EditConflict},
		{"the second cannot", []func(string) error{writes("theirs\n"), fails(errors.ErrUnsupported)}, "ours\n", "theirs\n", wire.EditConflict},
		{"removed between", []func(string) error{writes("theirs\n"), os.Remove}, "", "theirs\n", wire.EditConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"d/d.md": "was\n", "d/.ctx-1.tmp": "ours\n"})
			doc := filepath.Join(ws.Root, "d/d.md")
			n := 0
			err := ws.swap(t.Context(), "d/.ctx-1.tmp", "d/d.md", ws.occupies(t.Context(), "d/d.md"), func(dir *os.File, a, b string) error {
				if n++; n <= len(c.steps) && c.steps[n-1] != nil {
					if err := c.steps[n-1](doc); err != nil {
						return err
					}
				}
				return exchanged(dir, a, b)
			})
			if word(err) != c.word || err == nil && c.word != "" || err != nil && strings.Contains(err.Error(), "d/.ctx-1.tmp") != (c.kept != "") {
				t.Errorf("%v", err)
			}
			if text, _ := os.ReadFile(doc); string(text) != c.text {
				t.Errorf("%q, want %q", text, c.text)
			}
			if kept, _ := os.ReadFile(filepath.Join(ws.Root, "d/.ctx-1.tmp")); string(kept) != c.kept {
				t.Errorf("%q beside, want %q", kept, c.kept)
			}
		})
	}
}

// TestSwapEnds: somebody who replaces a file before each exchange ends it, and the last of their texts are there.
func TestSwapEnds(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"d.md": "was\n", ".ctx-1.tmp": "ours\n"})
	doc := filepath.Join(ws.Root, "d.md")
	n := 0
	err := ws.swap(t.Context(), ".ctx-1.tmp", "d.md", ws.occupies(t.Context(), "d.md"), func(dir *os.File, a, b string) error {
		n++
		if err := replaces(fmt.Sprintln("theirs", n))(doc); err != nil {
			return err
		}
		return exchanged(dir, a, b)
	})
	kept, _ := os.ReadFile(filepath.Join(ws.Root, ".ctx-1.tmp"))
	text, _ := os.ReadFile(doc)
	if word(err) != wire.EditConflict || n != maxSwaps || string(kept) != fmt.Sprintln("theirs", n) || string(text) != fmt.Sprintln("theirs", n-1) {
		t.Errorf("%v after %d: %q, and %q beside", err, n, text, kept)
	}
}

func fails(err error) func(string) error { return func(string) error { return err } }

func writes(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
}

func replaces(text string) func(string) error {
	return func(path string) error { return byRenaming(path, text) }
}

// exchanged is exchange where no system has to know it.
func exchanged(dir *os.File, a, b string) error {
	a, b = filepath.Join(dir.Name(), a), filepath.Join(dir.Name(), b)
	if _, err := os.Lstat(b); err != nil {
		return err
	}
	return errors.Join(os.Rename(a, a+"~"), os.Rename(b, a), os.Rename(a+"~", b))
}
