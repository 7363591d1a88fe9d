package index

import (
	"bytes"
	"cmp"
	"slices"
)

// sweep binds the leaves.
func (b *binder) sweep() {
	b.order = resized(b.order, len(b.bindings))
	order := b.order
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.bindings[x].from, b.bindings[y].from), cmp.Compare(b.bindings[y].to, b.bindings[x].to),
			cmp.Compare(b.bindings[x].scope, b.bindings[y].scope), cmp.Compare(b.bindings[x].layer(), b.bindings[y].layer()))
	})
	var open []int32 // bindings in force, the last on top
	for i := range b.leaves {
		x := &b.leaves[i]
		for len(open) > 0 && b.bindings[open[len(open)-1]].to <= x.Start {
			last := &b.bindings[open[len(open)-1]]
			b.head[last.name] = last.up
			open = open[:len(open)-1]
		}
		for len(order) > 0 && b.bindings[order[0]].from <= x.Start {
			if now := &b.bindings[order[0]]; now.to > x.Start {
				now.up = b.head[now.name]
				b.head[now.name] = order[0]
				open = append(open, order[0])
			}
			order = order[1:]
		}
		if !x.member && x.tag != tagMember {
			x.member = b.operatorBefore(x.Start) > 0
		}
		if x.bound < 0 && !x.member && x.tag != tagMember && x.tag != tagSelf && !b.tagged(x) {
			if x.bound = b.lookup(x); x.bound >= 0 && x.def > 0 && b.bindings[x.bound].kind == bindsLocal {
				x.bound = -1 // of a function around it, in whose class it is defined
			}
		}
	}
}

// isGlobal says whether a function around x, inside of the scope of a binding or that one itself, declares the name of x to
// be the file's.
func (b *binder) isGlobal(x *leaf, bound int32) bool {
	bound = b.function(bound)
	for in := b.function(x.scope); in > 0; in = b.function(b.scopes[in].up) {
		if b.global[scoped{x.name, in}] {
			return true
		}
		if in == bound {
			return false
		}
	}
	return false
}

func (b *binder) lookup(x *leaf) int32 {
	in := b.function(x.scope)
	for heads := 0; x.Start < b.scopes[in].body && heads < maxHeads; heads++ {
		in = b.function(b.scopes[in].up)
	}
	ownClass := b.classBody(x, in)
	for i := b.head[x.name]; i >= 0; i = b.bindings[i].up {
		at := &b.bindings[i]
		if at.to <= x.Start || b.methodsApart && x.tag == tagName && b.wrongKind(at, x) ||
			b.macroMark && at.kind == bindsLocal && b.heads(x) ||
			b.macroMark && at.kind != bindsImport && b.marked(x) != (at.kind == bindsDef && b.f.Defs[at.index].Kind == Macro) {
			continue
		}
		if b.global != nil && at.scope != 0 && b.isGlobal(x, at.scope) {
			continue
		}
		if b.typeNames && !b.sameSpace(x, at) {
			continue
		}
		if ownClass && at.scope != in && at.scope != 0 {
			continue
		}
		if s := &b.scopes[at.scope]; !at.head && (s.tag == tagClass && (in != at.scope || b.comprehended(x, in)) || x.Start < s.body ||
			s.iterable.Start <= x.Start && x.Start < s.iterable.End) {
			continue
		}
		return i
	}
	return -1
}

// sameSpace says whether a binding is of the kind that x asks for, types or values, where those have names of their own.
func (b *binder) sameSpace(x *leaf, at *binding) bool {
	switch {
	case at.kind == bindsImport || x.any:
		return true
	case at.kind == bindsLocal:
		return at.isType == (x.tag == tagType)
	case at.kind == bindsOpen:
		return x.tag != tagType
	case x.tag == tagType:
		return b.f.Defs[at.index].Kind.typeName()
	}
	return b.f.Defs[at.index].Kind.valueName()
}

// heads says whether a name is that of a module, by the :: behind it and its small letters: no variable's, though one has
// the same. Type parameters are written with a capital.
func (b *binder) heads(x *leaf) bool {
	c := b.src[x.Start]
	return c >= 'a' && c <= 'z' && bytes.HasPrefix(b.src[x.End:], []byte("::"))
}

// marked says whether a name is that of a macro, by the ! behind it.
func (b *binder) marked(x *leaf) bool {
	rest := b.src[x.End:]
	return len(rest) > 0 && rest[0] == '!' && (len(rest) == 1 || rest[1] != '=')
}

// wrongKind says whether a name is called and the binding is of a variable, or the other way round.
func (b *binder) wrongKind(at *binding, x *leaf) bool {
	called := b.role(x) == Call
	switch at.kind {
	case bindsLocal:
		return called
	case bindsDef:
		kind := b.f.Defs[at.index].Kind
		return called && kind.value() || !called && kind == Method
	}
	return false
}

// operatorBefore is the length, with the white space around it, of the operator before offset that makes the name
// there a member; 0 when there is none.
func (b *binder) operatorBefore(offset uint32) uint32 {
	end := int(offset)
	for end > 0 && (isSpace(b.src[end-1]) || b.src[end-1] == '\\' && b.src[end] == '\n') {
		end--
	}
	operators := b.operators
	if operators == nil {
		operators = dot
	}
	for _, op := range operators {
		start := end - len(op)
		if start < 0 || string(b.src[start:end]) != op {
			continue
		}
		if start > 0 && op[0] == '.' && b.src[start-1] == '.' { // a range, or what is left out
			return 0
		}
		if bytes.IndexByte(b.src[end:offset], '\n') >= 0 && commented(b.src[:start]) {
			return 0 // the full stop at the end of a comment
		}
		for start > 0 && isSpace(b.src[start-1]) {
			start--
		}
		return offset - uint32(start)
	}
	return 0
}

// commented says whether the last line of text holds the start of a comment, in any language; "http://" is one too.
func commented(text []byte) bool {
	line := bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])
	return bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*")) || bytes.Contains(line, []byte("#")) ||
		bytes.HasPrefix(line, []byte("*")) || bytes.Contains(line, []byte("--"))
}

var dot = []string{"."}
