package index

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// readHoists marks the leaves that are declared for the whole function around them, whatever block they stand in: the names
// in what locals.scm calls @local.hoist, but for those in functions and classes in it, as a default value may be one. A
// namespace is to them what a function is. Leaves and scopes are in the order of the file, so that one pass is enough.
func (b *binder) readHoists(locals []localFact) {
	var patterns []span
	ends := false
	for _, l := range locals {
		switch l.role {
		case roleLocalHoist:
			patterns = append(patterns, l.at)
		case roleLocalHoistTo:
			ends = b.endHoists(l.at) || ends
		}
	}
	if ends {
		for i := range b.scopes {
			if s := &b.scopes[i]; s.block() && !s.space {
				s.fn = b.scopes[s.up].fn
			}
		}
	}
	if len(patterns) == 0 {
		return
	}
	b.markInner()
	slices.SortFunc(patterns, func(x, y span) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End)) })
	type open struct {
		end   uint32
		scope int32
	}
	var around []open
	for i := range b.leaves {
		x := &b.leaves[i]
		for len(patterns) > 0 && patterns[0].Start <= x.Start {
			around = closed(around, func(o open) bool { return o.end <= patterns[0].Start })
			around = append(around, open{patterns[0].End, b.scopeAround(patterns[0])})
			patterns = patterns[1:]
		}
		around = closed(around, func(o open) bool { return o.end <= x.Start })
		if n := len(around); n > 0 && around[n-1].scope == x.scope {
			x.hoisted = true
		}
	}
	for i := range locals {
		if l := &locals[i]; l.role == roleLocalScope {
			if at := b.leafAt(l.at.Start); at >= 0 && b.leaves[at].hoisted {
				l.role = roleLocalFunction
			}
		}
	}
}

// closed is a stack without those on its top that have ended.
func closed[T any](stack []T, ended func(T) bool) []T {
	for len(stack) > 0 && ended(stack[len(stack)-1]) {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// endHoists makes the scope of that extent the one that hoisted names are known in; false when there is none.
func (b *binder) endHoists(body span) bool {
	for i := sort.Search(len(b.scopes), func(i int) bool { return b.scopes[i].Start >= body.Start }); i < len(b.scopes) && b.scopes[i].Start == body.Start; i++ {
		if s := &b.scopes[i]; i > 0 && s.span == body {
			s.fn, s.space = int32(i), true
			return true
		}
	}
	return false
}

// hoist is the scope in which a name at a leaf is declared that stands in the scope in.
func (b *binder) hoist(leaf, in int32) int32 {
	if leaf >= 0 && b.leaves[leaf].hoisted {
		return b.function(in)
	}
	return in
}

// markInner notes where the bodies of functions begin.
func (b *binder) markInner() {
	for i := range b.scopes[1:] {
		s := &b.scopes[1+i]
		if f := &b.scopes[s.up]; s.up > 0 && s.tag == tagScope && (f.tag == tagFunction || f.tag == tagLambda) && f.End == s.End {
			f.inner = s.Start
		}
	}
}

// behindHead has the last binding, which leaf i makes, begin with the body of its function if it is hoisted there. A
// default value in the head means what has that name around the function. Rejected: to bind it in the body's
// block, as var a and a parameter a are one variable.
func (b *binder) behindHead(i int32) {
	at := &b.bindings[len(b.bindings)-1]
	if inner := b.scopes[at.scope].inner; inner > 0 && i >= 0 && b.leaves[i].hoisted {
		at.from = inner
	}
}

// alsoInHead has a binding that x shares begin with the function if x is a parameter.
func (b *binder) alsoInHead(i int32, x *leaf) {
	at := &b.bindings[i]
	if s := &b.scopes[at.scope]; at.from == s.inner && s.inner > 0 && x.Start < s.inner {
		at.from = s.Start
	}
}

// bindOwn binds the name of a function expression in its scope, below whatever else is bound there.
func (b *binder) bindOwn(i, in int32) int32 {
	s := b.scopes[in]
	b.bindings = append(b.bindings, binding{name: b.leaves[i].name, scope: in, from: s.Start, to: s.End, typ: -1, up: -1, own: true, leaf: i, last: i})
	return int32(len(b.bindings) - 1)
}

// layer orders bindings of one scope: what is on a higher one hides the others.
func (at *binding) layer() int {
	if at.own {
		return 0
	}
	return 1
}

// readBlockFunctions has the name of a function that is declared in a block of another mean nothing certain in the rest of
// that: where code is sloppy the name is known there too, as with var, and where it is strict it is what is known around.
// The file does not tell which, or not for itself: a bundler, or a type checker, may make it strict. Where something else in
// between has that name there is no question.
func (b *binder) readBlockFunctions() {
	for i := range b.f.Defs {
		d, home := &b.f.Defs[i], b.homes[i]
		if d.Kind != Function || home <= 0 || !b.scopes[home].block() || b.scopes[home].space || !bytes.HasPrefix(b.src[d.Start:d.NameStart], []byte("function")) ||
			bytes.IndexByte(b.src[d.Start:d.NameStart], '*') >= 0 { // a generator ends with its block in every mode
			continue
		}
		up := b.scopes[home].up
		in := b.function(up)
		if in == 0 || in == up || b.scopes[in].space { // of the file, of the function's own body, of a namespace
			continue
		}
		name := b.id(b.src[d.NameStart:d.NameEnd])
		free := true
		for s := up; free; s = b.scopes[s].up {
			_, taken := b.taken[scoped{name, s}]
			_, local := b.locals[scoped{name, s}]
			if free = !taken && !local; s == in {
				break
			}
		}
		if free {
			b.taken[scoped{name, in}] = int32(len(b.bindings))
			b.bindHere(b.src[d.NameStart:d.NameEnd], in, bindsOpen, 0)
			b.bindings[len(b.bindings)-1].from = max(b.scopes[in].Start, b.scopes[in].inner)
		}
	}
}
