package captures

import (
	"fmt"
	"slices"
	"testing"
)

// TestSightings: what was answered is there for its address and version, newest first, also for another store on the directory, and is
// no span, no snapshot and no capture. It lasts as long as the bytes of the version that was asked about, and without them until it is old.
func TestSightings(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	from, in, later := put(t, s, "one\n"), put(t, s, "two\n"), put(t, s, "three\n")
	r := rec(from, "m.py", 4, 5)
	mint(t, s, r)
	before := s.Stats().Spans
	a := Sighting{Root: r.Root, Path: r.Path, First: 4, Last: 5, Anchor: r.Anchor, From: from, In: in, At: 1 << 31, Proven: true}
	b := a
	b.In, b.At, b.Proven = later, 0, false
	other := a
	other.From = later
	if err := s.See([]Sighting{a, other, b}, []Visit{{r.Root, r.Path, in}}); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*Store{s, open(t, dir, Options{})} {
		now := store.Now()
		if got := slices.Collect(now.Sightings(r.Root, r.Path, 4, 5, r.Anchor, from)); !slices.Equal(got, []Sighting{b, a}) {
			t.Errorf("%+v", got)
		}
		if got := slices.Collect(now.Sightings(r.Root, r.Path, 4, 6, r.Anchor, from)); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		if got := now.Captures(r.Root, r.Path, 4, 5, r.Anchor); len(got) != 1 || got[0].Blob != from {
			t.Errorf("%+v", got)
		}
		if !now.Visited(Visit{r.Root, r.Path, in}) || now.Visited(Visit{r.Root, r.Path, later}) || now.Visited(Visit{r.Root, "n.py", in}) || now.Visited(Visit{"w2", r.Path, in}) {
			t.Error("visits")
		}
		for _, want := range []Sighting{a, b, other} {
			if got, ok := now.Sighted(r.Root, r.Path, 4, 5, r.Anchor, want.From, want.In); !ok || got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		for _, not := range []struct {
			last     int
			from, in BlobID
		}{{5, in, in}, {5, from, from}, {6, from, in}} {
			if got, ok := now.Sighted(r.Root, r.Path, 4, not.last, r.Anchor, not.from, not.in); ok {
				t.Errorf("%+v", got)
			}
		}
		if recs, err := store.Span(SpanID(in, 4, 5)); err == nil {
			t.Errorf("a sighting is a span: %+v", recs)
		}
		if _, _, err := store.Snapshot(SnapshotID(r.Path, in)); err == nil {
			t.Error("a sighting is a snapshot")
		}
		if n := store.Stats().Spans; n != before {
			t.Errorf("%d spans, were %d", n, before)
		}
	}
	age(t, s, in, DefaultRetention+1)
	if _, err := s.GC(-1); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(s.Now().Sightings(r.Root, r.Path, 4, 5, r.Anchor, from)); s.Has(in) || !slices.Equal(got, []Sighting{b, a}) {
		t.Errorf("%+v", got)
	}
	if !s.Now().Visited(Visit{r.Root, r.Path, in}) {
		t.Error("a visit did not outlive bytes that were collected the same day")
	}
	if _, err := s.GC(0); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(s.Now().Sightings(r.Root, r.Path, 4, 5, r.Anchor, from)); !slices.Equal(got, []Sighting{b}) {
		t.Errorf("%+v", got)
	}
	if s.Now().Visited(Visit{r.Root, r.Path, in}) {
		t.Error("a visit outlived its bytes")
	}
}

// TestSightingsBounded: collection leaves the newest sightings of an address, and all visits.
func TestSightingsBounded(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	from := put(t, s, "one\n")
	r := rec(from, "m.py", 4, 5)
	mint(t, s, r)
	var all []Sighting
	var visits []Visit
	for n := range keepSightings + 5 {
		in := put(t, s, fmt.Sprint("version ", n))
		a := Sighting{Root: r.Root, Path: r.Path, First: 4, Last: 5, Anchor: r.Anchor, From: from, In: in, At: n + 1}
		if err := s.See([]Sighting{a}, []Visit{{r.Root, r.Path, in}}); err != nil {
			t.Fatal(err)
		}
		all, visits = append(all, a), append(visits, Visit{r.Root, r.Path, in})
	}
	if err := s.See(all[:1], nil); err != nil { // once more: it is the newest now
		t.Fatal(err)
	}
	if _, err := s.GC(-1); err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(all[6:]), all[0])
	slices.Reverse(want)
	if got := slices.Collect(s.Now().Sightings(r.Root, r.Path, 4, 5, r.Anchor, from)); !slices.Equal(got, want) {
		t.Errorf("%d: %+v", len(got), got)
	}
	for _, v := range visits {
		if !s.Now().Visited(v) {
			t.Errorf("%+v is forgotten", v)
		}
	}
}

// TestSightingsAreNoSpans: a short span id that a sighting has, too, is not ambiguous by it.
func TestSightingsAreNoSpans(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	blob := put(t, s, "one\n")
	minted, lines := map[string]int{}, map[string]int{}
	var recs []Record
	for n := range 10_000 {
		r := rec(blob, "m.py", n, n)
		recs = append(recs, r)
		minted[r.Span()[:minPrefix]]++
		lines[r.Span()[:minPrefix]] = n
	}
	mint(t, s, recs...)
	var sightings []Sighting
	for n := 10_000; n < 20_000; n++ {
		if minted[SpanID(blob, n, n)[:minPrefix]] == 1 {
			sightings = append(sightings, Sighting{Root: recs[0].Root, Path: "m.py", First: n, Last: n, From: blob, In: blob, At: 1})
		}
	}
	if err := s.See(sightings, nil); err != nil || len(sightings) == 0 {
		t.Fatal(err, "no two ids share 6 digits")
	}
	for _, a := range sightings {
		id := SpanID(blob, a.First, a.Last)
		if got, err := s.Span(id[:minPrefix]); err != nil || len(got) != 1 || got[0].First != lines[id[:minPrefix]] {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
		if _, err := s.Span(id); err == nil {
			t.Errorf("%s: a sighting is a span", id)
		}
	}
}
