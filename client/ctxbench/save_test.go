package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Every style leaves exactly the new text, and nothing beside it.
func TestSaves(t *testing.T) {
	for _, s := range saves {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.go")
		if err := os.WriteFile(path, []byte("one, long\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text := "two\n"
		if s.sameSize {
			text = "two, long\n"
		}
		if err := s.write(path, []byte(text)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", s.name, got, err)
		}
		names, err := os.ReadDir(dir)
		if err != nil || len(names) != 1 {
			t.Errorf("%s leaves %v, %v", s.name, names, err)
		}
		after, err := os.Stat(path)
		if err != nil || s.sameSize && after.Size() != before.Size() {
			t.Errorf("%s: %v, %v", s.name, after, err)
		}
		if s.name == "same size, mtime kept" && !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("%s: %v, was %v", s.name, after.ModTime(), before.ModTime())
		}
	}
}

// The generations of a file can be told apart, and those of the same-size styles are as long.
func TestMarkedWrites(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a", "b/c"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m, err := markIn(root)
	if err != nil || len(m.paths) != markedFiles {
		t.Fatalf("%d files, %v", len(m.paths), err)
	}
	for i := range 3 * len(m.paths) {
		path := filepath.Join(root, m.paths[i%len(m.paths)])
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		style := saves[i%len(saves)]
		o, w, err := m.next(i, style)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.carryOut(); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(path)
		if err != nil || w.name == w.before || string(after) == string(before) {
			t.Fatalf("%s: %q is not a new generation of %q (%v)", style.name, after, before, err)
		}
		if style.sameSize && len(after) != len(before) {
			t.Fatalf("%s: %d bytes, were %d", style.name, len(after), len(before))
		}
	}
}

func TestBigText(t *testing.T) {
	before, after := bigText(3, ""), bigText(3, "changed ")
	if got := len(after) - len(before); got != 3*len("changed ") {
		t.Errorf("%d bytes differ", got)
	}
	lines := 0
	for _, b := range after {
		if b == '\n' {
			lines++
		}
	}
	if lines != bigLines || bigFirst(2, 3)+bigRange-1 > bigLines {
		t.Errorf("%d lines, last range from %d", lines, bigFirst(2, 3))
	}
}
