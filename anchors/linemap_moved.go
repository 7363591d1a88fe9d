package anchors

import (
	"bytes"
	"cmp"
	"slices"
)

// minEvidence is how many letters and digits a line must have that is said to have moved, as in git's --color-moved: a
// lone brace, a blank line or a short statement found elsewhere is no evidence of a move. A block of several lines
// with one that stands nowhere else needs half of it: nobody writes the same two lines twice by chance.
const minEvidence = 20

// A candidate is a line of the texts that may be the seed of a moved block.
type candidate struct {
	old, new int32 // where it is, from 0; only meaningful when
	is       uint8 // it is onceOld|onceNew and nothing else
}

const (
	onceOld = 1 << iota
	onceNew
	tooOften // more than once in a text, or kept in place elsewhere
)

// findMoved returns the blocks that were deleted at one place and inserted at another. Each has a line that
// stands once in the whole old text and once in the whole new one, so that it can have come from
// nowhere else, grows from there over equal lines in both directions, and has minEvidence. A block that
// was inserted twice, or of which a copy was kept, is not proven to have moved, and is not
// mapped. Where blocks could share lines at their edges, the longer one gets them.
func (d *differ) findMoved() []lineRun {
	if m, ok := d.onlyMove(); ok {
		d.keep(m)
		return []lineRun{{int32(m.a) + 1, int32(m.b) + 1, int32(m.n)}}
	}
	seeds := d.seeds()
	if len(seeds) == 0 {
		return nil
	}
	var blocks []match
	// A seed can be covered by no block but its own: each of its lines has one partner only.
	covered := make([]byte, len(d.old.changed))
	for _, s := range seeds {
		if covered[s.a] != 0 {
			continue
		}
		m := d.grow(s)
		fill(covered[m.a:m.a+m.n], 1)
		blocks = append(blocks, m)
		if !d.budget.spend(stepCost * m.n) {
			return nil
		}
	}
	slices.SortStableFunc(blocks, func(x, y match) int { return cmp.Compare(y.n, x.n) })
	var moved []lineRun
	for _, m := range blocks {
		for m.n > 0 && (d.old.changed[m.a] == 0 || d.new.changed[m.b] == 0) {
			m.a, m.b, m.n = m.a+1, m.b+1, m.n-1
		}
		for m.n > 0 && (d.old.changed[m.a+m.n-1] == 0 || d.new.changed[m.b+m.n-1] == 0) {
			m.n--
		}
		if d.evidence(m) {
			d.keep(m)
			moved = append(moved, lineRun{int32(m.a) + 1, int32(m.b) + 1, int32(m.n)})
		}
	}
	return moved
}

// onlyMove returns the one block whose move is all that the texts differ by. That it moved needs no other evidence.
func (d *differ) onlyMove() (match, bool) {
	a, n := only(d.old.changed)
	b, m := only(d.new.changed)
	ok := n > 0 && n == m && bytes.Equal(d.old.window(a, n), d.new.window(b, m))
	return match{a, b, n}, ok
}

// only is where the one run of changed lines begins, and its length; 0 when there is none or another one.
func only(changed []byte) (at, n int) {
	at = bytes.IndexByte(changed, 1)
	if at < 0 {
		return 0, 0
	}
	n = bytes.IndexByte(changed[at:], 0)
	if n < 0 {
		return at, len(changed) - at
	}
	if bytes.IndexByte(changed[at+n:], 1) >= 0 {
		return 0, 0
	}
	return at, n
}

// seeds returns the changed lines that stand once in each text, in the order of the old one.
func (d *differ) seeds() []match {
	changed := 0
	for _, c := range d.old.changed {
		changed += int(c)
	}
	t := newClassTable(changed)
	all := make([]candidate, 0, changed)
	for i, c := range d.old.changed {
		if c == 0 {
			continue
		}
		class := int(t.add(d.old.word(i)))
		if class == len(all) {
			all = append(all, candidate{old: int32(i), is: onceOld})
		} else {
			all[class].is |= tooOften
		}
		if !d.budget.spend(stepCost) {
			return nil
		}
	}
	found := false
	for i, c := range d.new.changed {
		if c == 0 || !d.budget.spend(stepCost) {
			continue
		}
		if class := t.find(d.new.word(i)); class >= 0 {
			found = true
			s := &all[class]
			if s.is&onceNew != 0 {
				s.is |= tooOften
			}
			s.new, s.is = int32(i), s.is|onceNew
		}
	}
	if !found {
		return nil
	}
	for i, c := range d.old.changed {
		if c != 0 || !d.budget.spend(stepCost) {
			continue
		}
		if class := t.find(d.old.word(i)); class >= 0 {
			all[class].is |= tooOften
		}
	}
	var seeds []match
	for _, s := range all {
		if s.is == onceOld|onceNew {
			seeds = append(seeds, match{int(s.old), int(s.new), 1})
		}
	}
	return seeds
}

// grow makes m longer in both directions, over changed lines that are equal.
func (d *differ) grow(m match) match {
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

// evidence reports whether m has enough letters and digits. Bytes beyond ASCII count as letters.
func (d *differ) evidence(m match) bool {
	count, enough := 0, minEvidence
	if m.n > 1 {
		enough /= 2
	}
	for i := m.a; i < m.a+m.n; i++ {
		for _, c := range d.old.Line(i + 1) {
			if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
				if count++; count >= enough {
					return true
				}
			}
		}
	}
	return false
}
