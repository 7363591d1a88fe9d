package daemon

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"ctxd/client/wire"
)

// listings are the questions whose answers are lists, each with the number of its rows that are in the file that moves.
var listings = map[string]func(t *testing.T, ws *Workspace) (int, error){
	"refs": func(t *testing.T, ws *Workspace) (int, error) {
		res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "moved"})
		if err != nil {
			return 0, err
		}
		return res.Total - 1, nil // the definition is in m.py
	},
	"uses": func(t *testing.T, ws *Workspace) (int, error) {
		res, err := ws.UsesAt(t.Context(), "m.py", 4, "")
		if err != nil {
			return 0, err
		}
		return len(res.Sites) - 1, nil
	},
	"search": func(t *testing.T, ws *Workspace) (int, error) {
		res, err := ws.Search(t.Context(), wire.SearchParams{Patterns: []string{"moved"}})
		if err != nil {
			return 0, err
		}
		return res.Total - 1, nil
	},
	"map": func(t *testing.T, ws *Workspace) (int, error) {
		res, err := ws.Map(t.Context(), wire.MapParams{})
		if err != nil {
			return 0, err
		}
		return res.Total.Symbols - 1, nil
	},
	"check": func(t *testing.T, ws *Workspace) (int, error) {
		res, err := ws.Check(t.Context(), wire.CheckParams{})
		if err != nil {
			return 0, err
		}
		return res.Total - 1, nil
	},
}

// moving has a file with a row for each of these questions, and one that is never moved.
var moving = map[string]string{
	"m.py":     "def moved():  # repo:m.py --lines 1:1@07407f1c\n    pass\n",
	"a/use.py": "from m import moved\ndef use():  # repo:m.py --lines 1:1@07407f1c\n    moved()\n",
	"z/x.txt":  "",
}

// TestMovedDuringLook: a file that was under one name before the look at the tree and under the other after it, so that
// the look could see it under neither, is in the list: a list with rows is doubted like an empty one.
func TestMovedDuringLook(t *testing.T) {
	var hook atomic.Pointer[func()]
	slowly = func() {
		if h := hook.Load(); h != nil {
			(*h)()
		}
	}
	t.Cleanup(func() { slowly = func() {} }) // behind the ends of the daemons
	for what, ask := range listings {
		t.Run(what, func(t *testing.T) {
			ws := newWorkspace(t, moving)
			settled(t, ws)
			want, err := ask(t, ws)
			if err != nil || want < 1 {
				t.Fatalf("%d rows before, %v", want, err)
			}
			// The file is nowhere while the tree is looked at, and back when m.py is read for the answer, as it is because it
			// was written.
			aside := filepath.Join(t.TempDir(), "use.py")
			write(t, filepath.Join(ws.Root, "m.py"), moving["m.py"]+"\n")
			must(t, os.Rename(filepath.Join(ws.Root, "a/use.py"), aside))
			var back atomic.Bool
			moveBack := func() {
				if ws.cur.Load().file("a/use.py") == nil && back.CompareAndSwap(false, true) {
					if err := os.Rename(aside, filepath.Join(ws.Root, "z/use.py")); err != nil {
						t.Error(err)
					}
				}
			}
			hook.Store(&moveBack)
			got, err := ask(t, ws)
			hook.Store(nil)
			if err != nil || !back.Load() || got != want {
				t.Errorf("%d rows, want %d; %v (moved: %v)", got, want, err, back.Load())
			}
		})
	}
}

// TestAlwaysMoving: while one file is endlessly renamed between two directories, no list is without it.
func TestAlwaysMoving(t *testing.T) {
	for what, ask := range listings {
		if what == "uses" {
			continue // it asks about a place in a file that has a name
		}
		t.Run(what, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{
				"a/m.py": moving["m.py"] + "moved()\n" + moving["m.py"], "z/x.txt": "",
			})
			settled(t, ws)
			want, err := ask(t, ws)
			if err != nil || want < 1 {
				t.Fatalf("%d rows before, %v", want, err)
			}
			stop := rename(t, filepath.Join(ws.Root, "a/m.py"), filepath.Join(ws.Root, "z/m.py"))
			missed := 0
			for range 50 {
				// It may be there under both names. That all moves too fast is an answer that says so.
				if got, err := ask(t, ws); err != nil && word(err) != wire.EditConflict || err == nil && got < want {
					missed++
				}
			}
			stop()
			if missed > 0 { // it is the only one with a row, and that there is none is doubted for as long as anything happens
				t.Errorf("missed %d of 50 times", missed)
			}
		})
	}
}

// TestUnsettled: where something goes on in the tree during every look, the answer that something has no place says that it may
// have one; where nothing does it does not.
func TestUnsettled(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a/m.txt": "x\n"})
	settled(t, ws)
	for _, step := range []struct {
		ctx  context.Context
		want string
	}{
		{t.Context(), "events"},
		{restless{t.Context(), ws}, "events" + wire.Unsettled},
		{t.Context(), "events"},
	} {
		res, err := ws.Search(step.ctx, wire.SearchParams{Patterns: []string{"absent"}})
		must(t, err)
		if res.Total != 0 || res.Coverage.Freshness != step.want {
			t.Errorf("%d rows, %q, want %q", res.Total, res.Coverage.Freshness, step.want)
		}
	}
}

// restless is a context for questions about a tree in which something has gone on whenever it is asked for its end. (A goroutine
// that renamed a file all the time was not always scheduled between two looks, 40 times in a row, on busy processors.)
type restless struct {
	context.Context
	ws *Workspace
}

func (r restless) Err() error {
	r.ws.stirs.Add(1)
	return r.Context.Err()
}

// rename renames a file to another name and back, without end until stop is called.
func rename(t *testing.T, from, to string) (stop func()) {
	stopped, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stopped:
				done <- nil
				return
			default:
			}
			if err := os.Rename(from, to); err != nil {
				done <- err
				return
			}
			from, to = to, from
		}
	}()
	return func() {
		close(stopped)
		must(t, <-done)
	}
}
