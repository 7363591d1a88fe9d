package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxd/client/wire"
)

// TestUnknownWhileOthersChange: how often a name is looked for that no snapshot has, while the tree changes during
// each look. What cannot have hidden it must not have it looked for again.
func TestUnknownWhileOthersChange(t *testing.T) {
	for _, c := range []struct {
		what, target string
		change       func(ws *Workspace, path string) error
		looks        int
	}{
		{"a file that never had it is written", "moved", func(ws *Workspace, path string) error {
			return os.WriteFile(filepath.Join(ws.Root, "other.py"), []byte("def another():\n    pass\n"), 0o644)
		}, 1},
		{"a file that never had it is removed", "moved", func(ws *Workspace, path string) error {
			return os.Remove(filepath.Join(ws.Root, "other.py"))
		}, 1},
		{"the file that had it is removed", "moved", func(ws *Workspace, path string) error { return os.Remove(path) }, 2},
		{"by its dotted name", "Box::moved", func(ws *Workspace, path string) error { return os.Remove(path) }, 2},
		{"the file that had it is written", "moved", func(ws *Workspace, path string) error {
			return os.WriteFile(path, []byte("# nothing\n"), 0o644)
		}, 2},
		{"a path, and something else is written", "m.py:absent", func(ws *Workspace, path string) error {
			return os.WriteFile(filepath.Join(ws.Root, "other.py"), []byte("def another():\n    pass\n"), 0o644)
		}, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.py": "class Box:\n    def moved(self):\n        pass\n", "other.py": "def other():\n    pass\n"})
			settled(t, ws)
			q, err := ws.target(wire.DefParams{Target: c.target})
			if err != nil {
				t.Fatal(err)
			}
			looks := 0
			_, err = upToDate(t.Context(), ws, asking{}, func(snap *Snapshot) (*wire.DefResult, error) {
				if looks++; looks == 1 {
					if err := c.change(ws, filepath.Join(ws.Root, "m.py")); err != nil {
						t.Fatal(err)
					}
				}
				return nil, &missError{snap, q}
			})
			if word(err) != wire.NotFound || looks != c.looks {
				t.Errorf("%d looks and %v, want %d", looks, err, c.looks)
			}
		})
	}
}

// TestExchanged: a name that stands in one of two files at every moment is looked for again when they were exchanged
// between the reads of the two, so that it was seen in neither.
func TestExchanged(t *testing.T) {
	with, without := []byte("def moved():\n    pass\n"), []byte("def other():\n    pass\n")
	for _, pending := range []bool{true, false} {
		t.Run(map[bool]string{true: "pending", false: "indexed"}[pending], func(t *testing.T) {
			files := map[string]string{"a.py": string(without), "b.py": string(with)}
			if pending {
				for i := range inlineFiles {
					files[fmt.Sprintf("f%d.py", i)] = string(without)
				}
			}
			ws := newWorkspace(t, files)
			if pending {
				defer ws.courtesy.end(time.Now()) // nothing but the request reads
				ws.courtesy.begin(time.Now())
			} else {
				settled(t, ws)
			}
			if err := ws.sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, b, outside := filepath.Join(ws.Root, "a.py"), filepath.Join(ws.Root, "b.py"), filepath.Join(t.TempDir(), "b.py")
			looks := 0
			_, err := upToDate(t.Context(), ws, asking{}, func(snap *Snapshot) (*wire.DefResult, error) {
				if looks++; looks > 1 {
					return ws.def(t.Context(), snap, wire.DefParams{Target: "moved"})
				}
				// a.py is read, they are exchanged, b.py is read: as sift and newsOf do.
				if !pending {
					base := ws.cur.Load()
					f := *base.file("b.py")
					f.Facts = base.file("a.py").Facts
					ws.land(t.Context(), landing{changes: []change{{base.file("b.py"), &f}}, done: make(chan struct{})})
				}
				for _, move := range [][2]string{{a, outside}, {b, a}, {outside, b}} {
					if err := os.Rename(move[0], move[1]); err != nil {
						t.Fatal(err)
					}
				}
				return nil, missing(snap, "moved")
			})
			if err != nil {
				t.Errorf("after %d looks: %v", looks, err)
			}
		})
	}
}

// TestTurnover: what may have hidden a name, of what came and went unparsed during the look and after it.
func TestTurnover(t *testing.T) {
	moved := sought{symbol: "moved"}
	with, without := &File{Path: "with.py"}, &File{Path: "without.py"}
	absent, failed := &File{Path: "absent.py"}, &File{Path: "failed.py", Racy: true, Facts: unreadable("it is gone")}
	for _, c := range []struct {
		what          string
		during, after change
		doubtful, hid bool
	}{
		{"nothing", change{}, change{}, false, false},
		{"gone during the look", change{old: absent}, change{}, true, false},
		{"gone after the look", change{}, change{old: absent}, true, true},
		{"could not be read, gone after the look", change{}, change{old: failed}, true, true},
		{"could not be read, came after the look", change{}, change{new: failed}, false, true},
		{"came during the look", change{new: with}, change{}, false, false},
		{"came after the look, with the name", change{}, change{new: with}, false, true},
		{"came after the look, without", change{}, change{new: without}, false, false},
		{"came after the look, and is gone", change{}, change{new: absent}, false, true},
		{"was pending and is written again, with the name", change{with, with}, change{with, with}, false, true},
		{"was pending and is written again, without", change{without, without}, change{without, without}, false, false},
	} {
		ws := newWorkspace(t, map[string]string{"with.py": "def moved():\n    pass\n", "without.py": "def other():\n    pass\n"})
		g := glance{before: ws.turnover.Load()}
		for _, step := range []change{c.during, c.after} {
			if step != (change{}) { // nothing else looks at this tree
				if step.new != nil && ws.cur.Load().file(step.new.Path) == nil {
					ws.cur.Store(ws.cur.Load().with([]change{{new: step.new}}))
				}
				ws.noteTurnover([]change{step}, false, false)
			}
			if g.after == nil {
				g.after = ws.turnover.Load()
			}
		}
		if doubtful, hid := g.doubtful(moved), ws.hid(t.Context(), g, moved); doubtful != c.doubtful || hid != c.hid {
			t.Errorf("%s: doubtful %v, hid %v", c.what, doubtful, hid)
		}
		now := glance{before: ws.turnover.Load(), after: ws.turnover.Load()}
		if now.doubtful(moved) || ws.hid(t.Context(), now, moved) {
			t.Errorf("%s: an answer that begins later is spoiled, too", c.what)
		}
	}
}

// TestNeverSettled: where a name keeps moving, nobody is told that it is unknown.
func TestNeverSettled(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def moved():\n    pass\n"})
	settled(t, ws)
	from, to := filepath.Join(ws.Root, "m.py"), filepath.Join(ws.Root, "n.py")
	_, err := upToDate(t.Context(), ws, asking{}, func(snap *Snapshot) (*wire.DefResult, error) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		from, to = to, from
		return nil, missing(snap, "moved")
	})
	if !errors.Is(err, errMoved) {
		t.Error(err)
	}
}

// TestOneOfTwoHidden: of two definitions, one was missed because its file moved during the look.
func TestOneOfTwoHidden(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def moved():\n    pass\n", "n.py": "def moved():\n    pass\n"})
	settled(t, ws)
	looks := 0
	res, err := upToDate(t.Context(), ws, asking{sought: sought{symbol: "moved"}}, func(snap *Snapshot) (*wire.DefResult, error) {
		if looks++; looks > 1 {
			return ws.def(t.Context(), snap, wire.DefParams{Target: "moved"})
		}
		if err := os.Rename(filepath.Join(ws.Root, "m.py"), filepath.Join(ws.Root, "o.py")); err != nil {
			t.Fatal(err)
		}
		return &wire.DefResult{Definitions: make([]wire.Definition, 1)}, ws.sync(t.Context())
	})
	if err != nil || len(res.Definitions) != 2 || looks != 2 {
		t.Errorf("%d looks: %v %+v", looks, err, res)
	}
}

// TestUnknownWithoutEvents: where each look is at the whole tree, a name that is nowhere is unknown at the second look, and
// one that moves is not.
func TestUnknownWithoutEvents(t *testing.T) {
	user := ParseUserConfig("", nil)
	user.Watch.MaxWatches = 1
	root := t.TempDir()
	for i := range 300 { // more than are followed one by one
		write(t, filepath.Join(root, fmt.Sprintf("d%03d/m.py", i)), "def f():\n    pass\n")
	}
	write(t, filepath.Join(root, "a/m.py"), "def always():\n    pass\n")
	ws := use(t, newDaemonWith(t, user), root)
	settled(t, ws)
	before := ws.sweeps.Load()
	if _, err := ws.Def(t.Context(), wire.DefParams{Target: "nowhere"}); word(err) != wire.NotFound {
		t.Error(err)
	}
	if n := ws.sweeps.Load() - before; n < 1 || n > 3 {
		t.Errorf("%d looks at the whole tree", n)
	}
	from, to := filepath.Join(root, "a"), filepath.Join(root, "zz")
	for i := range 20 {
		moved := make(chan error)
		go func() { moved <- os.Rename(from, to) }()
		res, err := ws.Def(t.Context(), wire.DefParams{Target: "always"})
		if err := <-moved; err != nil {
			t.Fatal(err)
		}
		from, to = to, from
		if err != nil || len(res.Definitions) != 1 {
			t.Fatalf("question %d: %v %+v", i, err, res)
		}
	}
}
