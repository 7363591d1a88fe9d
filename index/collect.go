package index

import (
	"cmp"
	"slices"

	"ctxd/index/internal/sitter"
)

// span is a range of bytes in the source, End excluded.
type span = sitter.Span

// node is a definition or a scope on its way to becoming a Def.
type node struct {
	span                // with decorators and wrappers, once widened
	inner     span      // the captured node itself
	name      span      // empty for an anonymous scope
	container [2]uint32 // index range in collected.containers
	kind      Kind      // 0 for a scope
	pattern   uint32    // the lower of two patterns wins
	body      uint32    // start of the body, or sitter.None
	doc       span      // docstring or doc comment
	sigStart  uint32    // after the decorators
	level     uint8     // of a heading
	local     bool      // a scope whose inside is nobody else's
	scope     bool      // encloses others though its kind does not
	hoist     bool      // belongs to the enclosing type, not to the function it stands in
	leaf      bool      // encloses nothing; a function, then a prototype, is dropped where it is local
	docstring bool      // doc was found inside
}

// piece is a comment or a decorator.
type piece struct {
	span
	decorator bool
}

// wrapper widens the definition whose node is inner to outer.
type wrapper struct{ inner, outer span }

// collected is what the captures of one file say, each list in the order of the file.
type collected struct {
	src        []byte
	nodes      []node
	pieces     []piece
	wrappers   []wrapper
	docstrings []span
	containers []span
	locals     []localFact
	module     string
	keep       bool     // local values become locals, see language.valuesAreLocal
	line       span     // see lineEnd
	above      preamble // see preamble
}

// collect sorts the captures of all matches by what they mean. What it gives is the scratch's.
func (q *query) collect(src []byte, captures []sitter.Capture, s *scratch) *collected {
	c := &s.collected
	*c = collected{src: src, nodes: c.nodes[:0], pieces: c.pieces[:0], wrappers: c.wrappers[:0], docstrings: c.docstrings[:0],
		containers: c.containers[:0], locals: c.locals[:0]}
	for len(captures) > 0 {
		n := 1
		for n < len(captures) && captures[n].Match == captures[0].Match {
			n++
		}
		match := captures[:n]
		captures = captures[n:]
		if q.passes(src, match) {
			q.add(c, match)
		}
	}
	c.dedupe()
	byStart := func(a, b span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) }
	slices.SortFunc(c.pieces, func(a, b piece) int { return byStart(a.span, b.span) })
	slices.SortFunc(c.wrappers, func(a, b wrapper) int { return byStart(a.inner, b.inner) })
	slices.SortFunc(c.docstrings, byStart)
	return c
}

func (q *query) passes(src []byte, match []sitter.Capture) bool {
	for _, test := range q.tests[match[0].Pattern] {
		if !test(src, match) {
			return false
		}
	}
	return true
}

// add reads one match.
func (q *query) add(c *collected, match []sitter.Capture) {
	n := node{pattern: match[0].Pattern, body: sitter.None}
	first := uint32(len(c.containers))
	var outer, inner, doc span
	var local localFact
	named, node := false, false
	for _, x := range match {
		m, at := q.meanings[x.ID], span{Start: x.Start, End: x.End}
		switch m.role {
		case roleDefinition:
			n.kind, n.inner, node = m.kind, at, true
			if n.body == sitter.None {
				n.body = x.Body
			}
		case roleScope, roleLocal:
			if n.kind == 0 {
				n.inner = at
			}
			n.scope, n.local, node = true, m.role == roleLocal, true
		case roleName:
			n.name, named = at, true
		case roleContainer:
			c.containers = append(c.containers, at)
		case roleBody:
			n.body = at.Start
		case roleLevel:
			n.level = m.level
		case roleLeaf:
			n.leaf = true
		case roleHoist:
			n.hoist = true
		case roleDoc:
			doc = at
		case roleOuter:
			outer = at
		case roleInner:
			inner = at
		case roleComment, roleDecorator:
			c.pieces = append(c.pieces, piece{at, m.role == roleDecorator})
		case roleModule:
			if c.module == "" {
				c.module = plain(c.src[at.Start:at.End])
			}
		default:
			local.take(m.role, at)
		}
	}
	if local.role != 0 {
		c.locals = append(c.locals, local)
	}
	if outer.End > 0 {
		if inner.End == 0 {
			inner = n.inner
		}
		c.wrappers = append(c.wrappers, wrapper{inner, outer})
	}
	switch {
	case !node:
		if doc.End > 0 {
			c.docstrings = append(c.docstrings, doc)
		}
		return
	case n.kind != 0 && !named:
		return
	}
	n.span, n.sigStart = n.inner, n.inner.Start
	n.doc, n.docstring = doc, doc.End > 0
	n.container = [2]uint32{first, uint32(len(c.containers))}
	if n.kind != 0 {
		n.name = c.trimName(n.name, n.kind)
		if n.name.Start >= n.name.End { // a name that the parser missed and made up, or "# #"
			return
		}
		n.End = max(c.trimEnd(n.span), n.name.End)
	}
	c.nodes = append(c.nodes, n)
}

// dedupe keeps, of the definitions that share a name's place, the one whose pattern stands first in
// the query. Nodes end up by start, the longer first: an enclosing node before what it encloses.
func (c *collected) dedupe() {
	slices.SortFunc(c.nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.name.Start, b.name.Start), cmp.Compare(a.name.End, b.name.End),
			cmp.Compare(min(a.kind, 1), min(b.kind, 1)), cmp.Compare(a.pattern, b.pattern), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	kept := c.nodes[:0]
	for _, n := range c.nodes {
		if n.kind != 0 && len(kept) > 0 {
			if last := &kept[len(kept)-1]; last.kind != 0 && last.name == n.name {
				if !last.docstring {
					last.doc, last.docstring = n.doc, n.docstring
				}
				continue
			}
		}
		kept = append(kept, n)
	}
	c.nodes = kept
}

// order sorts the nodes for nesting, scopes before definitions of the same extent.
func (c *collected) order() {
	slices.SortFunc(c.nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End),
			cmp.Compare(min(a.kind, 1), min(b.kind, 1)), cmp.Compare(a.name.Start, b.name.Start),
			cmp.Compare(a.pattern, b.pattern))
	})
}
