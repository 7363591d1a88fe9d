package anchors

import (
	"bytes"
	"math"
	"slices"
)

// MapLines maps the lines of old to those of new by their digests, as git's histogram diff does with
// the indent heuristic, and finds blocks that moved besides. What is mapped:
//
//   - Lines in place: common lines in the same order, longest runs with the rarest lines first, then
//     what lies before and behind them (linemap_histogram.go). Where no common line is rare, a shortest
//     edit script (linemap_myers.go).
//   - Where a hunk of deleted or inserted lines could as well be said to stand some lines higher or
//     lower, it stands where the indentation breaks (linemap_slide.go): which of two twins is the new
//     one is decided by that.
//   - Blocks out of order, when they can be nothing else (linemap_moved.go).
//
// Time is linear in the lines for a given number of hunks, and limited for any pair of texts: past a
// limit on its steps it goes on with coarser methods, whose maps are as true but may keep fewer
// lines. stop, when it is not nil, is asked about every 0.5 ms; when it returns true the map is empty and
// not Complete. The texts are not kept.
//
// Two lines of one digest are one line here. Who needs to be sure compares the bytes.
func MapLines(old, new *Table, stop func() bool) *LineMap {
	if max(old.Len(), new.Len()) >= math.MaxInt32 { // 2^31 lines are 2 GiB of terminators at least
		return &LineMap{oldLen: old.Len(), newLen: new.Len()}
	}
	return newDiffer(old, new, stop).lineMap()
}

func newDiffer(old, new *Table, stop func() bool) *differ {
	return &differ{
		old: side{old, make([]byte, old.Len())}, new: side{new, make([]byte, new.Len())},
		budget: budget{stop: stop},
	}
}

func (d *differ) lineMap() *LineMap {
	m := &LineMap{oldLen: d.old.Len(), newLen: d.new.Len()}
	head := equalHead(d.old.digests, d.new.digests)
	tail := equalTail(d.old.digests[head*lineBytes:], d.new.digests[head*lineBytes:])
	middle := region{head, m.oldLen - tail, head, m.newLen - tail}
	d.change(middle)
	d.align(middle)
	d.slide(head)
	kept, moved := d.runs(), d.findMoved()
	if d.budget.stopped {
		return m
	}
	m.kept, m.moved, m.complete = kept, moved, true
	m.order()
	return m
}

// A side is one of the two texts while they are compared. Lines count from 0 here.
type side struct {
	*Table
	changed []byte // by line: 1 when it is not kept in place
}

// A differ compares two texts. The lines that are not changed are paired in order, so both sides
// have equally many of them at any time.
type differ struct {
	old, new side
	budget   budget
}

// A region is old[a:aEnd] beside new[b:bEnd].
type region struct{ a, aEnd, b, bEnd int }

func (r region) empty() bool { return r.a >= r.aEnd || r.b >= r.bEnd }

// A match is n equal lines from old[a] and new[b] on.
type match struct{ a, b, n int }

// change marks all lines of r changed.
func (d *differ) change(r region) {
	fill(d.old.changed[r.a:r.aEnd], 1)
	fill(d.new.changed[r.b:r.bEnd], 1)
}

// keep marks the lines of m kept.
func (d *differ) keep(m match) {
	fill(d.old.changed[m.a:m.a+m.n], 0)
	fill(d.new.changed[m.b:m.b+m.n], 0)
}

func fill(s []byte, v byte) {
	for i := range s {
		s[i] = v
	}
}

// align keeps the common lines of r, whose ends differ.
func (d *differ) align(r region) {
	if r.empty() {
		return
	}
	t := newClassTable(r.aEnd - r.a)
	h := &histogram{differ: d, at: r, limit: histogramSteps(r)}
	h.oldClass, h.newClass = make([]int32, r.aEnd-r.a), make([]int32, r.bEnd-r.b)
	for i := range h.oldClass {
		h.oldClass[i] = t.add(d.old.word(r.a + i))
		if !d.budget.spend(stepCost) {
			return
		}
	}
	h.link(len(t.words))
	// Most lines follow the one that they followed in the old text, which is looked at first: it takes a
	// tenth of the time of the table.
	follow := 0
	for i := range h.newClass {
		word := d.new.word(r.b + i)
		if follow < len(h.oldClass) && d.old.word(r.a+follow) == word {
			h.newClass[i] = h.oldClass[follow]
		} else if h.newClass[i] = t.find(word); h.newClass[i] >= 0 {
			follow = int(h.first[h.newClass[i]])
		}
		follow++
		if !d.budget.spend(stepCost) {
			return
		}
	}
	h.run()
}

// runs returns the kept lines.
func (d *differ) runs() []lineRun {
	var runs []lineRun
	a, b := 0, 0
	for {
		for a < len(d.old.changed) && d.old.changed[a] != 0 {
			a++
		}
		for b < len(d.new.changed) && d.new.changed[b] != 0 {
			b++
		}
		n := bothKept(d.old.changed[a:], d.new.changed[b:])
		if n == 0 {
			return slices.Clip(runs)
		}
		runs = appendRun(runs, lineRun{int32(a) + 1, int32(b) + 1, int32(n)})
		a, b = a+n, b+n
	}
}

// bothKept returns how many lines x and y both begin with that are not changed; not more than a
// few, for looking to the end of one where the other has many hunks takes quadratic time.
func bothKept(x, y []byte) int {
	const most = 1024
	x, y = x[:min(len(x), most)], y[:min(len(y), most)]
	n := len(x)
	if i := bytes.IndexByte(x, 1); i >= 0 {
		n = i
	}
	n = min(n, len(y))
	if i := bytes.IndexByte(y[:n], 1); i >= 0 {
		n = i
	}
	return n
}

// equalHead returns how many line digests x and y have in common at their beginning.
func equalHead(x, y []byte) int {
	const block = 512 * lineBytes
	n, i := min(len(x), len(y)), 0
	for i+block <= n && bytes.Equal(x[i:i+block], y[i:i+block]) {
		i += block
	}
	for i < n && bytes.Equal(x[i:i+lineBytes], y[i:i+lineBytes]) {
		i += lineBytes
	}
	return i / lineBytes
}

// equalTail is equalHead at the end.
func equalTail(x, y []byte) int {
	const block = 512 * lineBytes
	n, i := min(len(x), len(y)), 0
	x, y = x[len(x)-n:], y[len(y)-n:]
	for i+block <= n && bytes.Equal(x[n-i-block:n-i], y[n-i-block:n-i]) {
		i += block
	}
	for i < n && bytes.Equal(x[n-i-lineBytes:n-i], y[n-i-lineBytes:n-i]) {
		i += lineBytes
	}
	return i / lineBytes
}
