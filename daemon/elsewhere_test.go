package daemon

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// TestManyLost: addresses of a file that is gone share what is read to say where its content is, however many they are
// and after a restart, too; each names every place once.
func TestManyLost(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	file := filepath.Join(root, "big.py")
	var src bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&src, "value_%d = compute_something_of(%d)\n", i, i)
	}
	write(t, file, src.String())
	ws, stop := started(t, state, root)
	var all []string
	for i := range 400 {
		all = append(all, get(t, ws, wire.GetParams{Ref: "repo:big.py", Lines: fmt.Sprintf("%d:%d", 9*i+1, 9*i+2)}).Live.Address)
	}
	stop()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	ws, stop = started(t, state, root)
	defer func() { stop() }()
	resolve := func() []wire.Outcome {
		res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: all})
		if err != nil {
			t.Fatal(err)
		}
		return res.Outcomes
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, o := range resolve() {
		if o.Error == nil || o.Error.Became == nil || o.Error.Became.Kind != wire.Deleted {
			t.Fatalf("%+v", o)
		}
	}
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(src.Len()*len(all)/4); used > most {
		t.Errorf("%d addresses of %d bytes allocated %d bytes, want at most %d", len(all), src.Len(), used, most)
	}

	for i := range 8 {
		write(t, filepath.Join(root, fmt.Sprintf("c%d.py", i)), "# copy\n"+src.String()+strings.Repeat("#\n", i))
	}
	for i, o := range resolve() {
		b := o.Error.Became
		if b == nil || b.Kind != wire.Moved || len(b.Candidates) != maxElsewhere || b.More != 3 ||
			!strings.HasPrefix(b.Candidates[0], fmt.Sprintf("repo:c0.py --lines %d:%d@", 9*i+2, 9*i+3)) || !strings.HasPrefix(b.Candidates[4], "repo:c4.py") {
			t.Fatalf("%+v", b)
		}
	}

	write(t, filepath.Join(root, "renamed.py"), src.String())
	if _, err := ws.Map(t.Context(), wire.MapParams{}); err != nil { // it waits until the index is complete
		t.Fatal(err)
	}
	for i, o := range resolve() {
		b := o.Error.Became
		if b == nil || b.Kind != wire.Renamed || b.Path != "renamed.py" || *b.Lines != (wire.Lines{9*i + 1, 9*i + 2}) {
			t.Fatalf("%+v", b)
		}
	}
}

// TestRenamedPending: a file that was renamed is found under its new names, in one order, also where nothing or a part is parsed.
func TestRenamedPending(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"n.py": longFile, "o.py": strings.Replace(longFile, "2", "3", 1), "p.py": longFile + "\n", "q.py": longFile})
	settled(t, ws)
	warm := ws.cur.Load()
	var cold []change
	for _, f := range warm.files {
		cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
	}
	for _, snap := range []*Snapshot{warm, warm.with(cold), warm.with(cold[1:]), warm.with(cold[:1])} {
		e := newElsewhere(ws)
		e.snap = snap
		table := anchors.NewTable([]byte(longFile))
		o := &origin{blob: blobOf([]byte(longFile)), table: table, span: anchors.Span{First: 3, Last: 7}, known: table.Known(anchors.Span{First: 3, Last: 7})}
		for range 2 { // each file is read once
			if got := e.renamed(t.Context(), "m.py", o, true); len(got) != 2 || got[0].path != "n.py" || got[1].path != "q.py" || got[0].span != o.span {
				t.Errorf("%d pending: %+v", snap.pending, got)
			}
		}
	}
}
