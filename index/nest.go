package index

import (
	"bytes"
	"cmp"
	"slices"
)

// frame is a definition or scope that is open at the place that the sweep has reached.
type frame struct {
	span
	path  text // dotted name of the frame, "" outside all names
	local bool // values inside are dropped
	owns  bool // functions inside are methods, variables are fields
	def   int  // index in sweep.defs, or -1
	owner int  // index in the stack of the innermost frame that owns, itself included, or -1
}

// sweep goes over the nodes from left to right with the stack of those that are open.
type sweep struct {
	*collected
	table   table
	stack   []frame
	defs    []Def
	names   []text // of defs, by index
	parents []text
	hoisted map[hoisted]bool
	whole   bool // nothing was left out for its depth
}

// hoisted names a member that was found in a function; its first assignment is its definition.
type hoisted struct{ container, name string }

// nest turns the nodes into f.Defs and says whether all of them found room: names of containers may
// take four times the file's size, which only nesting beyond all use exceeds.
func (c *collected) nest(f *File) bool {
	c.order()
	s := &sweep{collected: c, whole: true}
	s.table.limit = 4*len(c.src) + 1<<16
	docs := c.docstrings
	for i := range c.nodes {
		n := &c.nodes[i]
		for len(docs) > 0 && docs[0].Start < n.Start {
			s.docstring(docs[0])
			docs = docs[1:]
		}
		s.close(n.span)
		s.enter(n)
	}
	for _, d := range docs {
		s.docstring(d)
	}
	names := s.table.String()
	for i := range s.defs {
		s.defs[i].Name = s.names[i].of(names)
		s.defs[i].Container = s.parents[i].of(names)
	}
	slices.SortStableFunc(s.defs, func(a, b Def) int { return cmp.Compare(a.Start, b.Start) })
	f.Defs = slices.Clip(s.defs)
	return s.whole
}

// close drops the frames that end before n starts. A definition of the very same extent is a sibling
// (var a, b = 1, 2), so it is dropped too.
func (s *sweep) close(n span) {
	for len(s.stack) > 0 {
		f := s.stack[len(s.stack)-1]
		if f.End > n.Start && (f.span != n || f.def < 0) {
			return
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}

func (s *sweep) push(f frame) {
	f.owner = -1
	if n := len(s.stack); n > 0 {
		f.owner = s.stack[n-1].owner
	}
	if f.owns {
		f.owner = len(s.stack)
	}
	s.stack = append(s.stack, f)
}

// enclosing is the innermost open frame; the file itself when there is none.
func (s *sweep) enclosing() frame {
	if n := len(s.stack); n > 0 {
		return s.stack[n-1]
	}
	return frame{def: -1, owner: -1}
}

func (s *sweep) enter(n *node) {
	up := s.enclosing()
	if n.hoist {
		if up.owner < 0 || s.isStatic(up.owner+1) {
			return
		}
		up = s.stack[up.owner]
	}
	parent, ok := s.qualify(up.path, n)
	if !ok {
		s.whole = false
		return
	}
	if n.kind == 0 {
		if n.name.End > n.name.Start {
			parent, ok = s.table.join(parent, plain(s.src[n.name.Start:n.name.End]))
			s.whole = s.whole && ok
		}
		s.push(frame{span: n.span, path: parent, local: n.local, owns: !n.local, def: -1})
		return
	}
	dropped := up.local && (n.kind.value() || n.leaf && n.kind.local())
	f := frame{span: n.span, local: up.local, def: -1}
	switch {
	case n.kind.local():
		f.local = true
	case n.kind.owns():
		f.local, f.owns = false, true
	}
	if dropped && s.keep && n.kind.value() && !bytes.HasPrefix(s.src[n.Start:], []byte("extern")) {
		s.locals = append(s.locals, localFact{role: roleLocalDefinition, at: n.name})
	}
	if !dropped {
		dropped = n.hoist && s.known(parent, n)
	}
	name := s.src[n.name.Start:n.name.End]
	path, ok := s.table.join(parent, string(name))
	if !ok {
		s.whole = false
		return
	}
	f.path = path
	if !dropped {
		f.def = len(s.defs)
		s.add(n, up, parent, path.last(len(name)))
	}
	if !n.kind.value() && !n.leaf || n.scope {
		s.push(f)
	}
}

// qualify appends the explicit container of n to the path of what encloses it.
func (s *sweep) qualify(path text, n *node) (text, bool) {
	ok := true
	for _, c := range s.containers[n.container[0]:n.container[1]] {
		if path, ok = s.table.join(path, plain(s.src[c.Start:c.End])); !ok {
			return path, false
		}
	}
	return path, true
}

// isStatic says whether the frame at a height of the stack is of a method that has no object.
func (s *sweep) isStatic(height int) bool {
	if height >= len(s.stack) || s.stack[height].def < 0 {
		return false
	}
	d := &s.defs[s.stack[height].def]
	return methodKind(s.src[d.Start:d.SigStart], "") == "staticmethod"
}

func (s *sweep) known(parent text, n *node) bool {
	key := hoisted{parent.in(&s.table), string(s.src[n.name.Start:n.name.End])}
	if s.hoisted == nil {
		s.hoisted = map[hoisted]bool{}
	}
	known := s.hoisted[key]
	s.hoisted[key] = true
	return known
}

func (s *sweep) add(n *node, up frame, parent, name text) {
	kind := n.kind
	if up.owns {
		switch kind {
		case Function:
			kind = Method
		case Variable:
			kind = Field
		}
	}
	d := Def{Kind: kind, Start: n.Start, End: n.End, NameStart: n.name.Start, NameEnd: n.name.End,
		SigStart: n.sigStart, SigEnd: s.signature(n), DocStart: n.doc.Start, DocEnd: n.doc.End}
	s.defs = append(s.defs, d)
	s.names = append(s.names, name)
	s.parents = append(s.parents, parent)
}

// docstring gives a doc found on its own to the innermost definition around it.
func (s *sweep) docstring(doc span) {
	s.close(span{Start: doc.Start, End: doc.Start})
	for i := len(s.stack) - 1; i >= 0; i-- {
		if f := s.stack[i]; f.def >= 0 {
			s.defs[f.def].DocStart, s.defs[f.def].DocEnd = doc.Start, doc.End
			return
		}
	}
}
