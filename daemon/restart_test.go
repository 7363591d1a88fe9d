package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxd/client/wire"
	"ctxd/daemon/facts"
	"ctxd/index"
)

// live is the life of one daemon, in which ask is done; it says how many files were parsed.
func live(t *testing.T, state, root string, ask func(ws *Workspace)) int64 {
	t.Helper()
	d, err := New(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	ask(use(t, d, root))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return d.parser.built.Load()
}

// TestEditedWhileDown: what is edited while no daemon runs is seen by the next one, however it was saved and whatever
// times it was given, and by the one after that; what was not is not parsed again. CASES F11, F15.
func TestEditedWhileDown(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	const files = 60 // more than are looked at one by one
	path := func(i int) string { return filepath.Join(root, fmt.Sprintf("m%02d.py", i)) }
	for i := range files {
		write(t, path(i), fmt.Sprintf("def a_%02d():\n    pass\n", i))
	}
	live := func(ask func(ws *Workspace)) int64 { return live(t, state, root, ask) }
	live(func(ws *Workspace) { remembersAll(t, ws) })
	edits := 0
	for style, save := range saves {
		for _, restore := range []bool{false, true} {
			before, err := os.Stat(path(edits))
			if err != nil {
				t.Fatal(err)
			}
			if err := save(path(edits), fmt.Sprintf("def b_%02d():\n    pass\n", edits)); err != nil { // of the same size
				t.Fatal(style, err)
			}
			if restore {
				if err := os.Chtimes(path(edits), before.ModTime(), before.ModTime()); err != nil {
					t.Fatal(err)
				}
			}
			edits++
		}
	}
	// Two files change places, one becomes a link, one comes and one goes.
	for _, err := range []error{
		os.Rename(path(20), path(20)+".tmp"), os.Rename(path(21), path(20)), os.Rename(path(20)+".tmp", path(21)),
		os.Remove(path(22)), os.Symlink("m23.py", path(22)), os.Remove(path(24)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, path(70), "def a_70():\n    pass\n")
	for restart := range 2 {
		built := live(func(ws *Workspace) {
			for i := range edits {
				if a, b := def(t, ws, fmt.Sprintf("a_%02d", i)), def(t, ws, fmt.Sprintf("b_%02d", i)); a != nil || len(b) != 1 {
					t.Errorf("restart %d: edited file %d: before %q, now %q", restart, i, a, b)
				}
			}
			for name, want := range map[string]string{"a_20": "m21.py", "a_21": "m20.py", "a_22": "", "a_23": "m23.py", "a_24": "", "a_30": "m30.py", "a_70": "m70.py"} {
				if got := def(t, ws, name); want == "" && got != nil || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
					t.Errorf("restart %d: %s: %q, want it in %q", restart, name, got, want)
				}
			}
			remembersAll(t, ws)
		})
		if want := int64(edits+3) * int64(1-restart); built != want { // the edited, those that changed places (other modules), the new one
			t.Errorf("restart %d: %d parses, want %d", restart, built, want)
		}
	}
}

// remembersAll waits until every file is old enough to go into the manifest.
func remembersAll(t *testing.T, ws *Workspace) {
	t.Helper()
	settled(t, ws)
	waitFor(t, "the files are old enough to be remembered", func() error {
		ws.ripen(t.Context())
		for _, f := range ws.cur.Load().files {
			if f.Racy {
				return errors.New(f.Path + " is racy")
			}
		}
		return nil
	})
}

// TestReadingKeepsManifest: a daemon that never looked at the tree leaves what the one before it wrote, and one
// that did needs no parse.
func TestReadingKeepsManifest(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	for i := range 30 {
		write(t, filepath.Join(root, fmt.Sprintf("m%d.py", i)), fmt.Sprintf("def n_%d():\n    pass\n", i))
	}
	live := func(ask func(ws *Workspace)) int64 { return live(t, state, root, ask) }
	rows := func() int {
		r, _ := facts.LoadManifest(filepath.Join(state, "facts"), root, index.Version())
		return len(r)
	}
	live(func(ws *Workspace) { remembersAll(t, ws) })
	if rows() != 30 {
		t.Fatalf("%d rows", rows())
	}
	live(func(ws *Workspace) { get(t, ws, wire.GetParams{Ref: "repo:m1.py"}) })
	if rows() != 30 {
		t.Errorf("after a session of reads: %d rows", rows())
	}
	if built := live(func(ws *Workspace) { settled(t, ws); def(t, ws, "n_7") }); built != 0 {
		t.Errorf("%d parses after a restart", built)
	}
}
