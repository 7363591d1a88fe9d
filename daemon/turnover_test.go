package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxd/client/wire"
	"ctxd/watch"
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
			_, err = upToDate(t.Context(), ws, false, func(snap *Snapshot) (*wire.DefResult, error) {
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
			_, err := upToDate(t.Context(), ws, false, func(snap *Snapshot) (*wire.DefResult, error) {
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
				return nil, &missError{snap, query{symbol: "moved"}}
			})
			if err != nil {
				t.Errorf("after %d looks: %v", looks, err)
			}
		})
	}
}

// TestTurnover: what comes and goes unparsed may hide a name only if it was written before the look.
func TestTurnover(t *testing.T) {
	began := time.Now()
	old, young := &File{Path: "m.py"}, &File{Path: "n.py", Stat: watch.Stat{Mtime: began.UnixNano()}}
	forged := &File{Path: "o.py", Stat: watch.Stat{Mtime: began.Add(time.Hour).UnixNano()}}
	failed := &File{Path: "p.py", Racy: true, Facts: unreadable("it is gone")}
	for _, c := range []struct {
		what          string
		during, after change
		hid           bool
	}{
		{"was pending and is written again", change{old, old}, change{old, young}, false},
		{"pending, gone during the look", change{old: old}, change{}, true},
		{"pending, gone after the look", change{}, change{old: old}, true},
		{"could not be read, gone after the look", change{}, change{old: failed}, true},
		{"could not be read, came after the look", change{}, change{new: failed}, true},
		{"came during the look", change{new: old}, change{}, false},
		{"came after the look", change{}, change{new: old}, true},
		{"came after the look, and is new", change{}, change{new: young}, false},
		{"came after the look, with a time in the future", change{}, change{new: forged}, true},
	} {
		ws := newWorkspace(t, nil)
		g := glance{began: began, before: ws.turnover.Load()}
		for _, step := range []change{c.during, c.after} {
			if step != (change{}) {
				ws.turn([]change{step}, false)
			}
			if g.after == nil {
				g.after = ws.turnover.Load()
			}
		}
		if got := g.hid("moved"); got != c.hid {
			t.Errorf("%s: %v", c.what, got)
		}
		if (glance{began: began, before: ws.turnover.Load(), after: ws.turnover.Load()}).hid("moved") {
			t.Errorf("%s: an answer that begins later is spoiled, too", c.what)
		}
	}
}
