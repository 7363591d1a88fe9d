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

// unwritable has the capture store in a state directory refuse all bytes, until the function that it returns. To take the right to write
// away stops no superuser.
func unwritable(t *testing.T, state string) (again func()) {
	t.Helper()
	tmp := filepath.Join(state, "captures", "tmp")
	if err := os.RemoveAll(tmp); err != nil {
		t.Fatal(err)
	}
	write(t, tmp, "")
	return func() {
		t.Helper()
		if err := os.Remove(tmp); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(tmp, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// sighted counts the addresses in m.py, made from one content, of which it is on record what they are in another.
func sighted(t *testing.T, ws *Workspace, addresses []string, from, in string) (n int) {
	t.Helper()
	for _, address := range addresses {
		sel, err := parseSelector(wire.ParseAddress(address).Lines)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ws.store.Now().Sighted(ws.id, "m.py", sel.First, sel.Last, sel.Anchor, blobOf([]byte(from)), blobOf([]byte(in))); ok {
			n++
		}
	}
	return n
}

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
	again := unwritable(t, state)
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
	lines, seen := strings.Count(log.String(), "\n"), sighted(t, ws, all, first, back)
	if lines != 1 || !strings.Contains(log.String(), "captures: not written") || seen > 0 || ws.store.Now().Visited(met) {
		t.Errorf("%d lines, %d sightings:\n%s", lines, seen, log.String())
	}
	again()
	resolved()
	if n := sighted(t, ws, all, first, back); n != 3 || !ws.store.Now().Visited(met) {
		t.Errorf("%d sightings", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUnwrittenFound: an address that is found by versions that were seen between is on record as soon as that can be written, though it is
// recalled meanwhile: another daemon would not find it.
func TestUnwrittenFound(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	d, err := New(Options{StateDir: state, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	file := filepath.Join(root, "m.py")
	const first = "p\nx\nq\n"
	write(t, file, first)
	ws := use(t, d, root)
	all := []string{get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "2:2"}).Live.Address}
	resolved := func() wire.Outcome {
		t.Helper()
		res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: all})
		if err != nil {
			t.Fatal(err)
		}
		return res.Outcomes[0]
	}
	// A twin comes above, then what stood around the line goes: by the first and the last version alone it is not told which is which.
	var last string
	var again func()
	for _, last = range []string{"a\nx\nb\np\nx\nq\n", "a\nx\nb\np\nx\nr\n", "a\nx\nb\nx\nr\n"} {
		if again == nil && strings.HasPrefix(last, "a\nx\nb\nx") {
			again = unwritable(t, state)
		}
		write(t, file, last)
		settled(t, ws)
		resolved()
	}
	want := resolved()
	if want.Outcome != wire.Relocated || want.Lines[0] != 4 || sighted(t, ws, all, first, last) != 0 {
		t.Fatalf("%+v", want)
	}
	again()
	if o := resolved(); o.Outcome != want.Outcome || *o.Lines != *want.Lines || sighted(t, ws, all, first, last) != 1 {
		t.Errorf("%+v, was %+v; %d sightings", o, want, sighted(t, ws, all, first, last))
	}
}

// TestMetBeforeCollection: what was answered in bytes that nobody captured is answered so again after a collection, by a daemon that came
// to the same bytes another way.
func TestMetBeforeCollection(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	file := filepath.Join(root, "m.py")
	const block = "def b():\n    y = 2\n    return None\n\n"
	const first = "x = 0\n\n" + block + "between = 1\nbetween = 2\n" + block + "end = 3\n"
	without, below := strings.Replace(first, block, "", 1), strings.Repeat("a = 1\n", 6)
	write(t, file, first)
	ws, stop := started(t, state, root)
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "3:5"}).Live.Address
	resolved := func(text string) string {
		t.Helper()
		write(t, file, text)
		settled(t, ws)
		res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: []string{live}})
		if err != nil {
			t.Fatal(err)
		}
		return res.Outcomes[0].Outcome + " " + res.Outcomes[0].Identity
	}
	want := resolved(first + below)
	if want != wire.Verified+" "+identityProven || ws.store.Has(blobOf([]byte(first+below))) {
		t.Fatal(want)
	}
	if _, err := ws.store.GC(-1); err != nil {
		t.Fatal(err)
	}
	stop()
	ws, stop = started(t, state, root)
	defer func() { stop() }()
	for _, text := range []string{without, without + below} {
		if got := resolved(text); !strings.HasPrefix(got, wire.Lost) {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := resolved(first + below); got != want {
		t.Errorf("%s, was %s", got, want)
	}
}
