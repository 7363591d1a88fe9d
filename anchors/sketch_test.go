package anchors

import "testing"

func TestSketch(t *testing.T) {
	table := NewTable([]byte("a\nb\nc\nb\n"))
	s := table.Sketch()
	if s.Len() != 4 {
		t.Errorf("%d lines", s.Len())
	}
	for first := -1; first <= 6; first++ {
		for last := -1; last <= 6; last++ {
			span := Span{first, last}
			sel := Selector{Span: span, Anchor: table.Digest(span).Anchor(), Anchored: true}
			want := first >= 1 && first <= last && last <= 4
			if got := s.Has(sel); got != want {
				t.Errorf("%d:%d: %v, want %v", first, last, got, want)
			}
			if s.Digest(span) != table.Digest(span) {
				t.Errorf("%d:%d has another digest", first, last)
			}
			sel.Anchor[0]++
			if s.Has(sel) {
				t.Errorf("%d:%d has another anchor", first, last)
			}
		}
	}
}
