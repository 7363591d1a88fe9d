package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestShares(t *testing.T) {
	sum := 0
	for _, o := range operations {
		sum += o.share
	}
	if sum != 100 {
		t.Errorf("the shares are %d together", sum)
	}
	g := newGarden(t.TempDir())
	seen := map[int]bool{}
	for range 5000 {
		seen[g.choose()] = true
	}
	if len(seen) != len(operations) {
		t.Errorf("%d of %d operations are chosen", len(seen), len(operations))
	}
}

func TestIgnoredInGarden(t *testing.T) {
	g := &garden{rules: []string{"/t01/d02/", "/t03/d04/f5.go"}}
	for path, want := range map[string]bool{
		"t01/d02/f1.go": true, "t01/d02x/f1.go": false, "t03/d04/f5.go": true, "t03/d04/f5.gox": false, "x/t01/d02/f.go": false, "t01/f.go": false,
	} {
		if g.ignored(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// A garden that was worked in is as it was at first once it is planted again.
func TestReplant(t *testing.T) {
	g := newGarden(t.TempDir())
	if err := g.plant(); err != nil {
		t.Fatal(err)
	}
	first := listing(t, g.root)
	b := g.any(false)
	path := g.free()
	if err := os.Rename(filepath.Join(g.root, b.path), filepath.Join(g.root, path)); err != nil {
		t.Fatal(err)
	}
	g.move(b, path)
	g.rules = []string{"/" + path}
	if err := g.writeRules(); err != nil {
		t.Fatal(err)
	}
	if got := listing(t, g.root); got[path] == "" || got[".gitignore"] == first[".gitignore"] || !g.ignored(b.path) {
		t.Errorf("%d files", len(got))
	}
	if err := g.replant(); err != nil {
		t.Fatal(err)
	}
	again := listing(t, g.root)
	if len(first) != trees*dirs*plots+1 || len(again) != len(first) {
		t.Errorf("%d files, were %d", len(again), len(first))
	}
	for path, text := range first {
		if again[path] != text {
			t.Errorf("%s: %q, was %q", path, again[path], text)
		}
	}
}

func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, relErr := filepath.Rel(root, path)
			all[rel], err = string(mustRead(t, path)), relErr
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
