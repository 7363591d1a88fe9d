package anchors

import (
	"cmp"
	"slices"
)

// Then returns the map from the old text of m to the new text of next, whose old text is the new one
// of m. A line is mapped where both map it, and moved where either moved it. The composition of
// complete maps is complete, though a map of the two outer texts may find more: a line that was
// deleted and came back has two lives here.
func (m *LineMap) Then(next *LineMap) *LineMap {
	c := &LineMap{oldLen: m.oldLen, newLen: next.newLen, complete: m.complete && next.complete}
	for i, runs := range [...][]lineRun{m.kept, m.moved} {
		for _, r := range runs {
			next.pieces(Span{int(r.new), r.newEnd() - 1}, func(p lineRun, moved bool) bool {
				whole := lineRun{r.old + p.old - r.new, p.new, p.n}
				if moved || i == 1 {
					c.moved = append(c.moved, whole)
				} else {
					c.kept = appendRun(c.kept, whole)
				}
				return true
			})
		}
	}
	c.order()
	return c
}

// appendRun appends r to runs, or makes the last of them longer.
func appendRun(runs []lineRun, r lineRun) []lineRun {
	if n := len(runs); n > 0 && runs[n-1].oldEnd() == int(r.old) && runs[n-1].newEnd() == int(r.new) {
		runs[n-1].n += r.n
		return runs
	}
	return append(runs, r)
}

// order makes moved and arrived of the runs in moved, which are in any order.
func (m *LineMap) order() {
	if len(m.moved) == 0 {
		return
	}
	slices.SortFunc(m.moved, func(x, y lineRun) int { return cmp.Compare(x.old, y.old) })
	joined := m.moved[:0]
	for _, r := range m.moved {
		joined = appendRun(joined, r)
	}
	m.moved = slices.Clip(joined)
	m.arrived = slices.Clone(m.moved)
	slices.SortFunc(m.arrived, func(x, y lineRun) int { return cmp.Compare(x.new, y.new) })
}
