package daemon

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"ctxd/client/wire"
)

// TestCatalogShares: what one worktree has parsed, no other one parses again, and each answers with its
// own files.
func TestCatalogShares(t *testing.T) {
	d := newDaemon(t)
	files := map[string]string{"a.py": "def one():\n    pass\n", "b.py": "def two():\n    pass\n", "same/b.py": "def two():\n    pass\n"}
	var roots [3]*Workspace
	for i := range roots {
		root := t.TempDir()
		for path, text := range files {
			write(t, filepath.Join(root, path), text)
		}
		if i == 2 {
			write(t, filepath.Join(root, "a.py"), "def other():\n    pass\n")
		}
		roots[i] = use(t, d, root)
		settled(t, roots[i])
	}
	// a.py, b.py, same/b.py (another module), and the a.py that differs.
	if built := d.parser.built.Load(); built != 4 {
		t.Errorf("%d contents were parsed, want 4", built)
	}
	for i, ws := range roots {
		res, err := ws.Def(t.Context(), wire.DefParams{Target: "two"})
		if err != nil || len(res.Definitions) != 2 {
			t.Fatalf("two in worktree %d: %v %+v", i, err, res)
		}
		_, one := ws.Def(t.Context(), wire.DefParams{Target: "one"})
		_, other := ws.Def(t.Context(), wire.DefParams{Target: "other"})
		if (one == nil) != (i < 2) || (other == nil) != (i == 2) {
			t.Errorf("worktree %d answers with another's definitions: one: %v, other: %v", i, one, other)
		}
	}
}

// TestCatalogForgets: contents that no snapshot holds any more leave nothing behind when the daemon rests.
func TestCatalogForgets(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"keep.py": "def keep():\n    pass\n"})
	for i := range 300 {
		write(t, filepath.Join(ws.Root, "m.py"), fmt.Sprintf("def name_%d():\n    pass\n\ndef keep():\n    return %d\n", i, i))
		if err := ws.sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := ws.catalog
	c.rest()       // until then the last ones to depart are kept
	for range 50 { // a collection finds what is dead, cleanups run a while after it
		runtime.GC()
		if c.live.Load() == 2 {
			break
		}
		runtime.Gosched()
	}
	c.prune()
	names := map[string]int{}
	for i := range c.shards {
		for name, proposals := range c.shards[i].m {
			names[name] = len(proposals)
		}
	}
	if len(names) != 2 || names["keep"] != 2 || names["name_299"] != 1 || len(c.known) > 3 {
		t.Errorf("names %v, %d known contents, %d living; want keep twice, name_299 once, and their 2 contents", names, len(c.known), c.live.Load())
	}
	for i := range c.shards {
		for name, proposals := range c.shards[i].m {
			for _, p := range proposals {
				if p.facts.Value() == nil {
					t.Errorf("%s still has a dead proposal", name)
				}
			}
		}
	}
	if res, err := ws.Def(t.Context(), wire.DefParams{Target: "keep"}); err != nil || len(res.Definitions) != 2 {
		t.Errorf("keep: %v %+v", err, res)
	}
}

// TestDepartedSmall: facts take memory however little they describe, so that those of small files that have departed are bounded, too.
func TestDepartedSmall(t *testing.T) {
	c := &catalog{}
	for i := range 3 * keptLately / leastFacts {
		c.depart([]*File{{Path: "m.py", Facts: &Facts{id: int64(i) + 1}}, {Path: "pending.py"}})
	}
	if n := len(c.lately); n == 0 || n > keptLately/leastFacts {
		t.Errorf("%d are kept", n)
	}
}
