package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// move makes one change of the kinds that events tell least about.
func (w *world) move() {
	from, to := w.dir(), w.dir()
	file := filepath.Join(from, w.pick(fileNames))
	switch w.r.IntN(8) {
	case 0, 1: // a directory moves, over an empty one perhaps
		if from != w.root && to != w.root {
			_ = os.Rename(from, to)
		}
	case 2: // two directories change places
		if from != w.root && to != w.root {
			spare := filepath.Join(w.root, "spare")
			_ = os.Rename(from, spare)
			_ = os.Rename(to, from)
			_ = os.Rename(spare, to)
		}
	case 3: // removed and made again
		if from != w.root {
			_ = os.RemoveAll(from)
			_ = os.MkdirAll(filepath.Join(from, "a"), 0o755)
			_ = os.WriteFile(filepath.Join(from, "a", "f.go"), []byte(strconv.Itoa(w.r.Int())), 0o644)
		}
	case 4: // a second name for a file
		if name := filepath.Join(to, "hard"+fmt.Sprint(w.r.IntN(2))); os.Link(file, name) == nil {
			info, err := os.Stat(name)
			must(w.t, err)
			w.linked[StatInfo(info).Ino] = true
		}
	case 5: // saved by rename
		if os.WriteFile(file+"~", []byte(strconv.Itoa(w.r.Int())), 0o644) == nil {
			_ = os.Rename(file+"~", file)
		}
	case 6: // out of the tree, and written there
		out := filepath.Join(w.c.home, fmt.Sprint("out", w.r.Int()))
		if from != w.root && os.Rename(from, out) == nil {
			_ = os.WriteFile(filepath.Join(out, "f.go"), nil, 0o644)
		}
	case 7: // deep at once
		deep := filepath.Join(from, "p", "q", "r")
		_ = os.MkdirAll(deep, 0o755)
		_ = os.WriteFile(filepath.Join(deep, "f.go"), nil, 0o644)
	}
}

// same compares two entries. A second name that is made where nothing is listed changes the first
// one's ctime, and no event tells; see the package comment.
func (w *world) same(a, b Entry) bool {
	if w.linked[a.Stat.Ino] {
		a.Stat.Ctime = b.Stat.Ctime
	}
	return a == b
}

// TestFollowEqualsSweep: a tree that is followed by events holds, after any changes, what a sweep of
// a new tree finds; stat by stat.
func TestFollowEqualsSweep(t *testing.T) {
	seeds := uint64(25)
	if n, err := strconv.Atoi(os.Getenv("CTX_FOLLOW_SEEDS")); err == nil {
		seeds = uint64(n)
	}
	followed := 0
	for seed := range seeds {
		w := &world{t: t, r: rand.New(rand.NewPCG(seed, 11)), c: clean{t.TempDir()}, root: t.TempDir(), linked: map[uint64]bool{}}
		if seed%2 == 0 {
			w.c.git(t, w.root, "", "init", "-q")
		} else {
			must(t, os.MkdirAll(filepath.Join(w.root, ".git/info"), 0o755))
		}
		tree := w.c.tree(t, w.root)
		sweep(t, tree)
		for round := range 40 {
			for range 1 + w.r.IntN(4) {
				if w.r.IntN(2) == 0 {
					w.move()
				} else if os.MkdirAll(filepath.Join(w.root, ".git/info"), 0o755) == nil {
					w.step()
				}
			}
			l, err := tree.Sweep(t.Context())
			must(t, err)
			if !l.Full {
				followed++
			}
			fresh := w.c.treeWith(t, w.root, Options{NoEvents: true})
			got, want := applied(tree, l), sweep(t, fresh)
			fresh.Close()
			if !slices.EqualFunc(got.Entries, want.Entries, w.same) {
				t.Fatalf("seed %d round %d (full %v):\n%s\ngot  %v\nwant %v", seed, round, l.Full, diff(paths(got), paths(want)), got.Entries, want.Entries)
			}
		}
	}
	if followed < int(seeds)*10 {
		t.Errorf("only %d of %d listings were follow-ups: the test is too tame", followed, seeds*40)
	}
}

// TestFollowTells: a write that leaves the stat as it was is told; a tree at rest tells nothing and
// reads nothing.
func TestFollowTells(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": "12345", "a/g": "", "b/c/h": ""})
	tree := c.tree(t, root)
	if l := sweep(t, tree); !l.Full || l.Watched != 4 || l.Unwatched != 0 {
		t.Fatalf("%+v", l)
	}
	f, err := os.OpenFile(filepath.Join(root, "a/f"), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	for i := range 50 {
		_, err := f.WriteAt([]byte{byte('a' + i%26)}, 0)
		must(t, err)
		l, err := tree.Sweep(t.Context())
		must(t, err)
		if l.Full || len(l.Changed) != 1 || l.Changed[0].Path != "a/f" || l.Dirs != 1 {
			t.Fatalf("write %d: %+v", i, l)
		}
	}
	l, err := tree.Sweep(t.Context())
	must(t, err)
	if l.Full || len(l.Changed)+len(l.Gone)+l.Dirs != 0 {
		t.Errorf("at rest: %+v", l)
	}
	must(t, os.Remove(filepath.Join(root, "a/g")))
	must(t, os.RemoveAll(filepath.Join(root, "b")))
	l, err = tree.Sweep(t.Context())
	must(t, err)
	slices.Sort(l.Gone)
	if l.Full || !slices.Equal(l.Gone, []string{"a/g", "b/c/h"}) || l.Watched != 2 {
		t.Errorf("removed: %+v", l)
	}
}

// TestOverflow: when the kernel drops events, the next listing is a full one, and right.
func TestOverflow(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": "", "keep": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	for i := range 20_000 { // the queue holds 16,384 by default
		name := filepath.Join(root, "a", fmt.Sprint(i))
		must(t, os.WriteFile(name, nil, 0o644))
		if i%2 == 0 {
			must(t, os.Remove(name))
		}
	}
	l := sweep(t, tree)
	if !l.Full || len(l.Entries) != 10_002 {
		t.Fatalf("full %v, %d entries", l.Full, len(l.Entries))
	}
	must(t, os.Remove(filepath.Join(root, "keep")))
	if l := sweep(t, tree); l.Full || len(l.Entries) != 10_001 {
		t.Errorf("after the overflow: full %v, %d entries", l.Full, len(l.Entries))
	}
}
