package daemon

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// forgetful is a workspace that keeps no facts on disk.
func forgetful(t *testing.T, files map[string]string) *Workspace {
	t.Helper()
	user := ParseUserConfig("", nil)
	user.Facts.MaxBytes = 0
	root := t.TempDir()
	for path, text := range files {
		write(t, filepath.Join(root, path), text)
	}
	return use(t, newDaemonWith(t, user), root)
}

// TestNearIsComplete: of more names than a refusal suggests, a cold one suggests those that a warm one does:
// the same in other cases, longer ones, shorter ones, headings that go on after the word, words beyond ASCII.
func TestNearIsComplete(t *testing.T) {
	names := []string{"alph", "alpha", "Alpha", "ALPHA_", "alpha1", "alpha_bet", "alphabet", "alphabets", "alphaé", "alphanumeric", "alpine"}
	files := map[string]string{"heads.md": "# Alpha 2\n\n# alpha\n\n# alph et\n", "type.go": "package p\n\ntype T struct{}\n\nfunc (T) ALPHA() {}\n"}
	for i, name := range names {
		files[fmt.Sprintf("f%d.py", i)] = fmt.Sprintf("def %s():\n    return alphax(alph, %s)\n", name, names[(i+3)%len(names)])
		files[fmt.Sprintf("g%d.go", i)] = fmt.Sprintf("package p\n\nfunc %s() { alphax(alph) }\n", names[(i+5)%len(names)])
		files[fmt.Sprintf("h%d.js", i)] = fmt.Sprintf("function %s$() { alphax() }\n", name)
	}
	ws := forgetful(t, files)
	settled(t, ws)
	warm := ws.cur.Load()
	suggested := func(target string) string {
		_, err := ws.Def(t.Context(), wire.DefParams{Target: target, Common: wire.Common{NoSync: true}})
		if err == nil {
			t.Fatalf("%s is defined", target)
		}
		return strings.Join(err.(*wire.Error).Data.Suggestions, "\n")
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	several := 0
	for _, target := range []string{"alp", "alphA", "alphaB", "T.alphA", "alphabe", "alphaÉ_", "alphax", "x.alpha.alphabeT", "al", "alphabetic", "q"} {
		ws.cur.Store(warm)
		want := suggested(target)
		if strings.Count(want, "\n") == nearMost-1 {
			several++
		}
		for range 25 {
			var cold []change
			share := rnd.IntN(8)
			for _, f := range warm.files {
				if rnd.IntN(7) < share {
					cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
				}
			}
			ws.cur.Store(warm.with(cold))
			got := ""
			forgetting(ws.catalog, func() { got = suggested(target) })
			if got != want {
				t.Errorf("%s, %d pending:\ncold:\n%s\nwarm:\n%s", target, len(cold), got, want)
			}
		}
	}
	if several < 4 {
		t.Errorf("only %d targets have %d similar names", several, nearMost)
	}
}

// TestNearStops: a refusal does not parse what cannot be suggested: of a hundred files with words that resemble what was
// asked for, those with the shortest ones.
func TestNearStops(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("f%d.py", i)] = fmt.Sprintf("def name%s():\n    pass\n", strings.Repeat("x", 1+i))
	}
	ws := forgetful(t, files)
	settled(t, ws)
	warm := ws.cur.Load()
	var cold []change
	for _, f := range warm.files {
		cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
	}
	ws.cur.Store(warm.with(cold))
	forgetting(ws.catalog, func() {
		snap, err := ws.settleNear(t.Context(), "name")
		if err != nil {
			t.Fatal(err)
		}
		if near := snap.near("name"); len(near) != nearMost || !slices.IsSortedFunc(near, begins) || near[0] != "namex" || snap.pending < 90 {
			t.Errorf("%q, %d pending", near, snap.pending)
		}
	})
}
