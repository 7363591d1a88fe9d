package anchors

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	// minEvidence is how many letters and digits a moved block must have, as in git's --color-moved, when
	// other lines came or went with it: a short statement found elsewhere is no evidence of a move.
	minEvidence = 20
	// mostWindow is the most lines by which a place is told from others.
	mostWindow = 64
	// mostSpots is how many lines of both texts may have to do with moves, and mostForWindows how many for windows
	// of more than one: a million lines in another order take more than a second.
	mostSpots      = 1 << 20
	mostForWindows = 1 << 17
)

// findMoved returns the blocks that were deleted at one place and inserted at another. Each holds a
// window of lines that stands once in the whole old text and once in the whole new one, so that it can have
// come from nowhere else, grows from there over equal lines in both directions, and has minEvidence. A
// block that was inserted twice, or of which a copy was kept, is not proven to have moved, and is
// not mapped. Windows of 1 line are tried first, then of 2, 4 and so on: of the blocks of 8 lines of Go
// that were cut and pasted for a test, 1 in 40 has no line of its own. Blocks that could share lines at
// their edges get them by length.
//
// Where the whole difference is one block that was cut and pasted, it has moved, whatever it is.
func (d *differ) findMoved() []lineRun {
	if m, ok := d.cutAndPaste(); ok {
		d.keep(m)
		return []lineRun{{int32(m.a) + 1, int32(m.b) + 1, int32(m.n)}}
	}
	var moved []lineRun
	old, new := d.spots()
	most := mostSpots
	for k := 1; k <= mostWindow && len(old)+len(new) <= most; k *= 2 {
		most = mostForWindows
		x, y := d.old.windows(old, k), d.new.windows(new, k)
		if !slices.ContainsFunc(x, window.free) || !slices.ContainsFunc(y, window.free) || d.budget.stopped {
			break
		}
		moved = append(moved, d.claim(d.blocks(x, y, k), k)...)
	}
	return moved
}

// cutAndPaste returns the block that is all that changed.
func (d *differ) cutAndPaste() (match, bool) {
	a, n := d.old.onlyRun()
	b, m := d.new.onlyRun()
	return match{a, b, n}, n > 0 && n == m && bytes.Equal(d.old.window(a, n), d.new.window(b, m))
}

// onlyRun returns the run of changed lines; none when there are several, or none.
func (s *side) onlyRun() (first, n int) {
	first = bytes.IndexByte(s.changed, 1)
	if first < 0 {
		return 0, 0
	}
	n = bytes.LastIndexByte(s.changed, 1) + 1 - first
	if bytes.IndexByte(s.changed[first:first+n], 0) >= 0 {
		return 0, 0
	}
	return first, n
}

// A spot is a line whose content is among the changed lines of both texts.
type spot struct {
	line  int32 // from 0
	print uint64
}

// spots returns the spots of both texts, kept lines included.
func (d *differ) spots() (old, new []spot) {
	changed := 0
	for _, c := range d.old.changed {
		changed += int(c)
	}
	t := newClassTable(changed)
	shared := make([]bool, changed)
	some := false
	for i, c := range d.old.changed {
		if c != 0 && d.budget.spend(stepCost) {
			t.add(d.old.word(i))
		}
	}
	for i, c := range d.new.changed {
		if c == 0 || !d.budget.spend(stepCost) {
			continue
		}
		if class := t.find(d.new.word(i)); class >= 0 {
			shared[class], some = true, true
		}
	}
	if !some {
		return nil, nil
	}
	list := func(s *side) (all []spot) {
		for i := range s.changed {
			if !d.budget.spend(stepCost) {
				return nil
			}
			word := s.word(i)
			if class := t.find(word); class >= 0 && shared[class] {
				all = append(all, spot{int32(i), word})
			}
		}
		return all
	}
	return list(&d.old), list(&d.new)
}

// A window is k lines, from a line on, with a fingerprint of their content.
type window struct {
	line    int32
	changed bool // all of them
	print   uint64
}

func (w window) free() bool { return w.changed }

// windows returns the windows of k lines that are all spots, in order.
func (s *side) windows(spots []spot, k int) []window {
	windows := make([]window, 0, len(spots))
	top := uint64(1)
	for range k {
		top *= base
	}
	var print uint64
	together, changed := 0, 0 // spots that stand one after the other up to here, and changed ones
	for i, at := range spots {
		if i > 0 && spots[i-1].line != at.line-1 {
			together, changed, print = 0, 0, 0
		}
		together++
		if changed++; s.changed[at.line] == 0 {
			changed = 0
		}
		if print = print*base + at.print; together > k {
			print -= spots[i-k].print * top
		}
		if together >= k {
			windows = append(windows, window{line: at.line - int32(k) + 1, changed: changed >= k, print: print})
		}
	}
	return windows
}

// sighting is where windows with one fingerprint stand.
type sighting struct {
	old, new int32 // counts
	at       match
}

// blocks returns the blocks around the changed windows x that stand once in each text.
func (d *differ) blocks(x, y []window, k int) []match {
	t := newClassTable(len(x))
	seen := make([]sighting, 0, len(x))
	for _, w := range x {
		if !d.budget.spend(stepCost * k) {
			return nil
		}
		class := int(t.add(w.print))
		if class == len(seen) {
			seen = append(seen, sighting{at: match{a: int(w.line), n: k}})
		}
		if seen[class].old++; !w.changed {
			seen[class].old = 2 // a copy was kept
		}
	}
	for _, w := range y {
		if !d.budget.spend(stepCost * k) {
			return nil
		}
		if class := t.find(w.print); class >= 0 {
			if seen[class].new++; !w.changed {
				seen[class].new = 2
			}
			seen[class].at.b = int(w.line)
		}
	}
	var blocks []match
	var last match
	for _, s := range seen {
		if s.old != 1 || s.new != 1 {
			continue
		}
		// Windows come in the order of the old text, and one that lies in a block has no place but the one
		// that the block gives it: only the last block can hold it.
		if m := s.at; m.a+k <= last.a+last.n && m.a-m.b == last.a-last.b {
			continue
		}
		if last = d.grow(s.at); last.n >= k && d.budget.spend(stepCost*last.n) {
			blocks = append(blocks, last)
		}
	}
	return blocks
}

// grow returns the longest block of changed lines around m that are equal; none if those of m differ.
func (d *differ) grow(m match) match {
	for i := range m.n {
		if !d.movable(m.a+i, m.b+i) {
			return match{}
		}
	}
	for m.a > 0 && m.b > 0 && d.movable(m.a-1, m.b-1) {
		m.a, m.b, m.n = m.a-1, m.b-1, m.n+1
	}
	for m.a+m.n < len(d.old.changed) && m.b+m.n < len(d.new.changed) && d.movable(m.a+m.n, m.b+m.n) {
		m.n++
	}
	return m
}

func (d *differ) movable(a, b int) bool {
	return d.old.changed[a] != 0 && d.new.changed[b] != 0 && d.old.word(a) == d.new.word(b)
}

// claim keeps the blocks that are evidence, the longest first, as far as their lines are not taken. They were
// found by windows of k lines.
func (d *differ) claim(blocks []match, k int) []lineRun {
	slices.SortStableFunc(blocks, func(x, y match) int { return cmp.Compare(y.n, x.n) })
	var moved []lineRun
	for _, m := range blocks {
		for m.n > 0 && !d.movable(m.a, m.b) {
			m.a, m.b, m.n = m.a+1, m.b+1, m.n-1
		}
		for m.n > 0 && !d.movable(m.a+m.n-1, m.b+m.n-1) {
			m.n--
		}
		if d.evidence(m, k) {
			d.keep(m)
			moved = append(moved, lineRun{int32(m.a) + 1, int32(m.b) + 1, int32(m.n)})
		}
	}
	return moved
}

// evidence reports whether m, which a window of k lines was found in, says enough to have moved: it has
// minEvidence; half of it where it has a line that stands nowhere else and others beside it; or a letter
// or digit where it is all that was deleted at the one place and all that was inserted at the other.
// Bytes beyond ASCII count as letters.
func (d *differ) evidence(m match, k int) bool {
	need := minEvidence
	switch {
	case d.old.alone(m.a, m.n) && d.new.alone(m.b, m.n):
		need = 1
	case k == 1 && m.n > 1:
		need /= 2
	}
	for i := m.a; i < m.a+m.n; i++ {
		for _, c := range d.old.Line(i + 1) {
			if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
				if need--; need == 0 {
					return true
				}
			}
		}
	}
	return false
}

// alone reports whether the lines before and behind these n are kept.
func (s *side) alone(i, n int) bool {
	return (i == 0 || s.changed[i-1] == 0) && (i+n == len(s.changed) || s.changed[i+n] == 0)
}
