package anchors

import "sort"

// A LineMap says which line of a new text each line of an old text became. Lines count from 1, and
// 0 stands for none. No two lines of one text have the same partner, and partners have equal line
// digests. What is kept in place keeps its order; a moved block is out of order as a whole.
//
// It holds runs of lines, 12 bytes for a run, so that a map between two versions of a file of
// 1,000,000 lines that differ in ten places takes 132 bytes. An array of partners, the plain way,
// takes 8 MB; a file in which every second line changed takes 6 bytes a line here. A LineMap is
// immutable, so any number of goroutines may use it at once. Numbers outside the texts are
// harmless: such lines have no partner.
type LineMap struct {
	oldLen, newLen int
	complete       bool
	kept           []lineRun // in place: ascending in both texts
	moved          []lineRun // ascending in the old text
	arrived        []lineRun // the same as moved, ascending in the new text
}

// A lineRun is n lines that stand one after the other in both texts, from line old and line new on.
type lineRun struct{ old, new, n int32 }

func (r lineRun) oldEnd() int { return int(r.old) + int(r.n) } // the line after the run
func (r lineRun) newEnd() int { return int(r.new) + int(r.n) }

// Complete is false when stop ended the comparison: then no line is mapped, which says nothing
// about any of them.
func (m *LineMap) Complete() bool { return m.complete }

// Size is what m holds, in bytes, about.
func (m *LineMap) Size() int { return 96 + 12*(len(m.kept)+2*len(m.moved)) }

// Line returns the line of the new text that old line n became; 0 when it was deleted or rewritten.
func (m *LineMap) Line(n int) int {
	for _, runs := range [...][]lineRun{m.kept, m.moved} {
		if i := runs2old(runs, n); i < len(runs) && int(runs[i].old) <= n {
			return int(runs[i].new) + n - int(runs[i].old)
		}
	}
	return 0
}

// Back returns the line of the old text that new line n was; 0 when it was inserted.
func (m *LineMap) Back(n int) int {
	for _, runs := range [...][]lineRun{m.kept, m.arrived} {
		if i := runs2new(runs, n); i < len(runs) && int(runs[i].new) <= n {
			return int(runs[i].old) + n - int(runs[i].new)
		}
	}
	return 0
}

// runs2old returns the index of the first run that ends behind old line n.
func runs2old(runs []lineRun, n int) int {
	return sort.Search(len(runs), func(i int) bool { return runs[i].oldEnd() > n })
}

// runs2new returns the index of the first run that ends behind new line n.
func runs2new(runs []lineRun, n int) int {
	return sort.Search(len(runs), func(i int) bool { return runs[i].newEnd() > n })
}

// pieces calls yield with what is mapped of the lines of s, in the order of the old text, until it
// returns false.
func (m *LineMap) pieces(s Span, yield func(piece lineRun, moved bool) bool) {
	if s.Len() == 0 {
		return
	}
	kept, moved := m.kept[runs2old(m.kept, s.First):], m.moved[runs2old(m.moved, s.First):]
	for len(kept) > 0 || len(moved) > 0 {
		out := len(kept) == 0 || len(moved) > 0 && moved[0].old < kept[0].old
		from := &kept
		if out {
			from = &moved
		}
		r := (*from)[0]
		*from = (*from)[1:]
		if int(r.old) > s.Last {
			return
		}
		if cut := int32(max(s.First-int(r.old), 0)); cut > 0 {
			r = lineRun{r.old + cut, r.new + cut, r.n - cut}
		}
		r.n = int32(min(r.oldEnd(), s.Last+1) - int(r.old))
		if !yield(r, out) {
			return
		}
	}
}

// Span returns where s is in the new text, when all its lines became consecutive lines, in order.
func (m *LineMap) Span(s Span) (Span, bool) {
	var whole lineRun
	m.pieces(s, func(p lineRun, _ bool) bool {
		switch {
		case whole.n == 0 && int(p.old) == s.First:
			whole = p
		case whole.n > 0 && whole.oldEnd() == int(p.old) && whole.newEnd() == int(p.new):
			whole.n += p.n
		default:
			whole.n = 0
			return false
		}
		return true
	})
	if whole.n == 0 || int(whole.n) != s.Len() {
		return Span{}, false
	}
	return Span{int(whole.new), whole.newEnd() - 1}, true
}

// Survivors returns how many lines of s are in the new text, in place or moved.
func (m *LineMap) Survivors(s Span) int {
	count := 0
	m.pieces(s, func(p lineRun, _ bool) bool {
		count += int(p.n)
		return true
	})
	return count
}
