package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func modTime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// serve has a writer carry orders out.
func serve(t *testing.T, orders ...order) []report {
	t.Helper()
	var in, out bytes.Buffer
	for _, o := range orders {
		if err := json.NewEncoder(&in).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := serveWrites(&in, &out); err != nil {
		t.Fatal(err)
	}
	reports := make([]report, len(orders))
	dec := json.NewDecoder(&out)
	for i := range reports {
		if err := dec.Decode(&reports[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reports
}

func TestChanged(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "func F() {}\n\nfunc (t *T) G() { func() {}() }\n", "func F_c7() {}\n\nfunc (t *T) G_c7() { func() {}() }\n"},
		{"a.go", "type T int\n", "type T int\n       "},
		{"a.c", "int f(void);\n", "int f(void);\n       "},
		{"empty", "", "       "},
	} {
		if got := string(changed(c.path, []byte(c.text), 7)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := string(changed(c.path, []byte(c.text), 0)); got != c.text {
			t.Errorf("copy 0: %q", got)
		}
	}
}

// A grown tree has as many files as were asked for, and no content twice.
func TestGrow(t *testing.T) {
	from := t.TempDir()
	for path, text := range map[string]string{"a/a.go": "package a\n\nfunc A() {}\n", "b.txt": "b\n", ".git/HEAD": "ref\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{root: from, tmp: t.TempDir(), files: 7, out: io.Discard}
	if err := b.grow(context.Background()); err != nil {
		t.Fatal(err)
	}
	contents := map[string]bool{}
	files := 0
	if err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
			contents[string(mustRead(t, path))] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if files != 7 || len(contents) != 7 || b.root == from {
		t.Errorf("%d files with %d contents in %s", files, len(contents), b.root)
	}
	if err := b.room(1 << 60); err == nil {
		t.Error("there is room for an exabyte")
	}
	if err := (&bench{root: t.TempDir(), tmp: t.TempDir(), files: 1}).grow(context.Background()); err == nil {
		t.Error("a tree grew of nothing")
	}
}
