package captures

import (
	"slices"
	"testing"
)

// TestSightings: what was answered is there for its address and version, newest first, also for another store on the directory, and is
// no span, no snapshot and no capture. It goes with the bytes of the version that was asked about.
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
	if err := s.See(a, other, b); err != nil {
		t.Fatal(err)
	}
	if err := s.Visit(r.Root, r.Path, in); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*Store{s, open(t, dir, Options{})} {
		now := store.Now()
		if got := now.Sightings(r.Root, r.Path, 4, 5, r.Anchor, from); !slices.Equal(got, []Sighting{b, a}) {
			t.Errorf("%+v", got)
		}
		if got := now.Sightings(r.Root, r.Path, 4, 6, r.Anchor, from); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		if got := now.Captures(r.Root, r.Path, 4, 5, r.Anchor); len(got) != 1 || got[0].Blob != from {
			t.Errorf("%+v", got)
		}
		if !now.Visited(r.Root, r.Path, in) || now.Visited(r.Root, r.Path, later) || now.Visited(r.Root, "n.py", in) || now.Visited("w2", r.Path, in) {
			t.Error("visits")
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
	if got := s.Now().Sightings(r.Root, r.Path, 4, 5, r.Anchor, from); !slices.Equal(got, []Sighting{b}) {
		t.Errorf("%+v", got)
	}
	if s.Now().Visited(r.Root, r.Path, in) {
		t.Error("a visit outlived its bytes")
	}
}
