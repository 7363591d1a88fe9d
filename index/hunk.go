package index

import (
	"bytes"
	"slices"
)

// hunk is one changed run of lines: what stands in [start, end) of the text now stood in [baseStart, baseEnd) of
// the base. Offsets are bytes at the beginnings of lines; a side may be empty.
type hunk struct{ start, end, baseStart, baseEnd uint32 }

const (
	// maxEdits bounds the search for the smallest set of changed lines: beyond it everything between the
	// first and the last change is one hunk.
	maxEdits = 800
	// maxHunks: the two that are nearest to each other become one until there are no more than these, for
	// each is judged by a parse.
	maxHunks = 16
)

// diff lists the changed lines, in order.
func diff(base, now []byte) []hunk {
	a, b := splitLines(base), splitLines(now)
	head := 0
	for head < len(a) && head < len(b) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	midA, midB := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(midA) == 0 && len(midB) == 0 {
		return nil
	}
	var hunks []hunk
	at := func(lines [][]byte, n int) (offset uint32) {
		for _, l := range lines[:n] {
			offset += uint32(len(l))
		}
		return offset
	}
	for _, e := range edits(midA, midB) {
		hunks = append(hunks, hunk{at(b, head+e[2]), at(b, head+e[3]), at(a, head+e[0]), at(a, head+e[1])})
	}
	for len(hunks) > maxHunks {
		nearest := 1
		for i := 2; i < len(hunks); i++ {
			if hunks[i].start-hunks[i-1].end < hunks[nearest].start-hunks[nearest-1].end {
				nearest = i
			}
		}
		hunks[nearest-1].end, hunks[nearest-1].baseEnd = hunks[nearest].end, hunks[nearest].baseEnd
		hunks = slices.Delete(hunks, nearest, nearest+1)
	}
	return hunks
}

// splitLines are the lines with their terminators.
func splitLines(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

// edits is the shortest edit script from a to b as [fromA, toA, fromB, toB) runs of lines, by the greedy method
// of Myers (1986).
func edits(a, b [][]byte) [][4]int {
	s := script{a: a, b: b}
	reach := []int{0}
	for d := 0; d <= min(maxEdits, len(a)+len(b)); d++ {
		for i, x := range reach {
			if x == nowhere {
				continue
			}
			for y := x - diagonal(d, i); x < len(a) && y < len(b) && bytes.Equal(a[x], b[y]); y++ {
				x++
			}
			reach[i] = x
			if x == len(a) && x-diagonal(d, i) == len(b) {
				return s.runs(d, i)
			}
		}
		s.trace = append(s.trace, reach)
		reach = make([]int, d+2)
		for i := range reach {
			reach[i], _ = s.step(d+1, i)
		}
	}
	return [][4]int{{0, len(a), 0, len(b)}}
}

// script is a search for an edit script: trace[d][i] is how far in a the best path of d edits gets on
// diagonal(d, i), after the equal lines that follow the last edit.
type script struct {
	a, b  [][]byte
	trace [][]int
}

const nowhere = -1

func diagonal(d, i int) int { return 2*i - d }

// step is where the d-th edit leads to on diagonal(d, i), and whether it deletes a line of a.
func (s *script) step(d, i int) (x int, deletes bool) {
	x, before := nowhere, s.trace[d-1]
	if i > 0 && before[i-1] != nowhere && before[i-1] < len(s.a) {
		x, deletes = before[i-1]+1, true
	}
	if i < d && before[i] != nowhere && before[i]-diagonal(d-1, i) < len(s.b) && before[i] >= x {
		x, deletes = before[i], false
	}
	return x, deletes
}

// runs goes back over the path that ends on diagonal(d, i).
func (s *script) runs(d, i int) [][4]int {
	var runs [][4]int
	for ; d > 0; d-- {
		toX, deletes := s.step(d, i)
		toY := toX - diagonal(d, i)
		fromX, fromY := toX, toY
		if deletes {
			fromX--
			i--
		} else {
			fromY--
		}
		if n := len(runs); n > 0 && runs[n-1][0] == toX && runs[n-1][2] == toY {
			runs[n-1][0], runs[n-1][2] = fromX, fromY
		} else {
			runs = append(runs, [4]int{fromX, toX, fromY, toY})
		}
	}
	slices.Reverse(runs)
	return runs
}

// without is the text in which the hunks are as they were in base.
func without(text, base []byte, hunks []hunk) []byte {
	var out []byte
	at := uint32(0)
	for _, h := range hunks {
		out = append(append(out, text[at:h.start]...), base[h.baseStart:h.baseEnd]...)
		at = h.end
	}
	return append(out, text[at:]...)
}

// unmapped is where an offset of the text without hunks is with them: within one that was taken back it is where that begins.
func unmapped(hunks []hunk, at uint32) uint32 {
	shift := 0 // from with to without
	for _, h := range hunks {
		start := int(h.start) + shift
		taken := int(h.baseEnd - h.baseStart)
		if int(at) < start {
			break
		} else if int(at) < start+taken {
			return h.start
		}
		shift += taken - int(h.end-h.start)
	}
	return uint32(int(at) - shift)
}

// mapped is where the range of base stands now: what lies within a hunk grows to the whole of it.
func mapped(hunks []hunk, start, end uint32) (from, to uint32) {
	from, to = start, end
	for _, h := range hunks {
		if h.baseEnd <= start {
			from = start - h.baseEnd + h.end
		} else if h.baseStart <= start {
			from = h.start
		}
		if h.baseEnd <= end {
			to = end - h.baseEnd + h.end
		} else if h.baseStart < end {
			to = h.end
		}
	}
	return from, max(from, to)
}
