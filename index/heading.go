package index

import (
	"cmp"
	"slices"
)

// sections stretches each heading, a definition with a @level, to the next heading of the same or a
// higher level. The grammar's own sections do not serve: it opens none for underlined headings.
func (c *collected) sections() {
	var open []*node // by level, ascending
	var headings []*node
	for i := range c.nodes {
		if n := &c.nodes[i]; n.level > 0 && n.kind != 0 {
			headings = append(headings, n)
		}
	}
	if headings == nil {
		return
	}
	slices.SortFunc(headings, func(a, b *node) int { return cmp.Compare(a.Start, b.Start) })
	closeAll := func(level uint8, at uint32) {
		for len(open) > 0 && open[len(open)-1].level >= level {
			n := open[len(open)-1]
			n.End = max(c.trimEnd(span{Start: n.Start, End: at}), n.name.End)
			open = open[:len(open)-1]
		}
	}
	for _, h := range headings {
		at := h.Start
		for at > 0 && c.src[at-1] != '\n' && c.src[at-1] != '\r' { // the marker of a list or quote
			at--
		}
		closeAll(h.level, at)
		open = append(open, h)
	}
	closeAll(0, uint32(len(c.src)))
}
