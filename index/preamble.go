package index

import "sort"

// widen gives each definition its full range (wrappers such as export or template, and the
// decorators in front), the start of its signature and its doc comment.
func (c *collected) widen() {
	for i := range c.pieces {
		c.pieces[i].Start = c.trimStart(c.pieces[i].span)
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.kind == 0 {
			continue
		}
		c.wrap(n)
		n.Start = c.afterComments(n.Start, n.name.Start)
		p := c.preamble(n.Start)
		if n.Start = p.start; !n.docstring {
			n.doc = p.doc
		}
		n.sigStart = c.afterDecorators(n.Start, n.name.Start)
	}
}

// afterComments is where a definition starts whose node starts with white space or with its doc comment, as
// the nodes of Lua do: behind them.
func (c *collected) afterComments(at, name uint32) uint32 {
	at = c.trimStart(span{Start: at, End: name})
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start >= at })
	for ; i < len(c.pieces) && !c.pieces[i].decorator && c.pieces[i].Start == at && c.pieces[i].End <= name; i++ {
		at = c.trimStart(span{Start: c.pieces[i].End, End: name})
	}
	return at
}

// wrap widens n to its wrapper, and to the wrapper of that.
func (c *collected) wrap(n *node) {
	for at := n.inner; ; {
		i := sort.Search(len(c.wrappers), func(i int) bool {
			w := c.wrappers[i].inner
			return w.Start > at.Start || w.Start == at.Start && w.End <= at.End
		})
		if i == len(c.wrappers) || c.wrappers[i].inner != at || c.wrappers[i].outer == at {
			return
		}
		at = c.wrappers[i].outer
		n.Start, n.End = min(n.Start, at.Start), max(n.End, at.End)
	}
}

// preamble is what stands right above a definition.
type preamble struct {
	of    uint32 // start of the definition's node
	start uint32 // with the decorators
	doc   span   // doc comment, empty for none
	known bool
}

// preamble walks up from at over the decorators and comments right above it. Decorators become part
// of the definition; the topmost run of comments, each on a line of its own with no empty line after
// it, is its documentation. The last answer is remembered: one statement may define many names.
func (c *collected) preamble(at uint32) preamble {
	if c.above.known && c.above.of == at {
		return c.above
	}
	found := preamble{of: at, start: at, known: true}
	next := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start >= at })
	top := at    // of the definition and what was found to belong to it
	run := false // the piece below is a comment of the run that goes on
	for i := next - 1; i >= 0; i-- {
		p := c.pieces[i]
		p.End = c.trimEnd(p.span)
		if p.End > top { // inside the piece below
			continue
		}
		breaks, blank := c.gap(p.End, top)
		if !blank || breaks > 1 && !p.decorator {
			break
		}
		if p.decorator {
			found.start, run = p.Start, false
		} else {
			if !c.opensLine(p.Start) {
				break
			}
			if !run {
				found.doc.End = p.End
			}
			found.doc.Start, run = p.Start, true
		}
		top = p.Start
	}
	c.above = found
	return found
}

// afterDecorators is where the signature starts: behind the decorators, and the comments between
// them, that stand at the start of the definition.
func (c *collected) afterDecorators(at, name uint32) uint32 {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start >= at })
	start := at
	for ; i < len(c.pieces) && c.pieces[i].End <= name; i++ {
		p := c.pieces[i]
		if p.Start < start { // inside the piece before
			continue
		}
		if _, blank := c.gap(start, p.Start); !blank || !p.decorator && start == at {
			break
		}
		start = p.End
	}
	for start < name && isSpace(c.src[start]) {
		start++
	}
	return start
}

// reach is how much white space in bytes is looked over. Beyond it, many definitions after the same
// megabyte of nothing would each cost that megabyte.
const reach = 4096

// gap counts the line breaks between two offsets and says whether there is nothing but white space.
func (c *collected) gap(from, to uint32) (breaks int, blank bool) {
	if to-from > reach {
		return 0, false
	}
	for i := from; i < to; i++ {
		switch b := c.src[i]; {
		case b == '\n' && i > from && c.src[i-1] == '\r':
		case b == '\n' || b == '\r':
			breaks++
		case !isSpace(b):
			return breaks, false
		}
	}
	return breaks, true
}

// opensLine says whether nothing but white space stands before at in its line.
func (c *collected) opensLine(at uint32) bool {
	for start := at; at > 0; at-- {
		switch b := c.src[at-1]; {
		case start-at > reach:
			return false
		case b == '\n' || b == '\r':
			return true
		case !isSpace(b):
			return at == 3 && string(c.src[:3]) == "\ufeff"
		}
	}
	return true
}

func (c *collected) trimStart(s span) uint32 {
	for s.Start < s.End && isSpace(c.src[s.Start]) {
		s.Start++
	}
	return s.Start
}

func (c *collected) trimEnd(s span) uint32 {
	for s.End > s.Start && isSpace(c.src[s.End-1]) {
		s.End--
	}
	return s.End
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
