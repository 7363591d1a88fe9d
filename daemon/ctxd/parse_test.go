package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The floor reads what the daemon would index: known languages, not what is ignored, binary or a link.
func TestParse(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n", "sub/b.py": "x = 1\n", "script": "#!/usr/bin/env python3\n", "plain": "text\n", "c.txt": "x\n",
		"ignored.go": "package ignored\n", ".gitignore": "ignored.go\n", "binary.go": "package b\x00\n", ".git/HEAD": "ref: refs/heads/main\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.go", filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := parse(context.Background(), dir, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "3 files, 39 bytes, "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " s\n") {
		t.Errorf("%q, want %q and the seconds", got, want)
	}
	if err := parse(context.Background(), filepath.Join(dir, "nowhere"), &out); err == nil {
		t.Error("no error for a directory that is not there")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := parse(ctx, dir, &out); err == nil {
		t.Error("no error for a call that was given up")
	}
}
