package daemon

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// TestUnwritten: where the capture store cannot be written addresses are answered all the same, and the log has a line, not one for each
// address and answer. When it can be again, what is answered is remembered.
func TestUnwritten(t *testing.T) {
	var log bytes.Buffer
	state, root := t.TempDir(), t.TempDir()
	d, err := New(Options{StateDir: state, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "m.py")
	const block = "def b():\n    y = 2\n    return None\n\n"
	const first = "x = 0\n\n" + block + "between = 1\nbetween = 2\n" + block + "end = 3\n"
	write(t, file, first)
	ws := use(t, d, root)
	var all []string
	for _, lines := range []string{"1:1", "3:5", "3:4", "4:5"} {
		all = append(all, get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: lines}).Live.Address)
	}
	without := strings.Replace(first, block, "", 1)
	write(t, file, without)
	settled(t, ws)
	resolved := func() []wire.Outcome {
		t.Helper()
		res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: all})
		if err != nil {
			t.Fatal(err)
		}
		return res.Outcomes
	}
	resolved()
	above := strings.Repeat("import a\n", 6)
	write(t, file, above+without)
	settled(t, ws)
	resolved()
	back := above + first
	write(t, file, back) // it comes back: by the direct map it is there, and it was seen to go
	settled(t, ws)
	store := filepath.Join(state, "captures")
	tmp := filepath.Join(store, "tmp") // to take the right to write away stops no superuser
	if err := os.RemoveAll(tmp); err != nil {
		t.Fatal(err)
	}
	write(t, tmp, "")
	sighted := func() (n int) {
		for _, address := range all {
			sel, err := parseSelector(wire.ParseAddress(address).Lines)
			if err != nil {
				t.Fatal(err)
			}
			from, in := blobOf([]byte(first)), blobOf([]byte(back))
			if _, ok := ws.store.Now().Sighted(ws.id, "m.py", sel.First, sel.Last, sel.Anchor, from, in); ok {
				n++
			}
		}
		return n
	}
	want := resolved()
	for i, o := range want {
		if i == 0 && o.Outcome != wire.Relocated || i > 0 && (o.Outcome != wire.Lost || o.Error.Error != wire.AnchorStale) {
			t.Errorf("%s: %+v", all[i], o)
		}
	}
	for range 3 {
		for i, o := range resolved() {
			if o.Outcome != want[i].Outcome || o.Lines != nil && *o.Lines != *want[i].Lines {
				t.Errorf("%s: %+v, was %+v", all[i], o, want[i])
			}
		}
	}
	met := captures.Visit{Root: ws.id, Path: "m.py", In: blobOf([]byte(back))}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "captures: not written") || sighted() > 0 || ws.store.Now().Visited(met) {
		t.Errorf("%d lines, %d sightings:\n%s", n, sighted(), log.String())
	}
	if err := os.Remove(tmp); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	resolved()
	if n := sighted(); n != 3 || !ws.store.Now().Visited(met) {
		t.Errorf("%d sightings", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
