package index

import "bytes"

// TypePlace finds where in a file the type of what stands at offset is named: of a variable, a parameter, a field, or the
// first result of a function. It is the name in x T, x = T{}, x: T, x = T() and, of x = f(), the function's, which is
// called; false where the syntax does not show a type that way, and where it shows several: see reassigned. It builds the
// file anew, as Locals does.
func TypePlace(path string, src []byte, offset int) (at Range, called, ok bool) {
	f, l := open(path, src)
	if f.Status != Parsed {
		return Range{}, false, false
	}
	defer func() {
		if recover() != nil {
			at, called, ok = Range{}, false, false // as in describe
		}
	}()
	s := takeScratch()
	l.bound(f, path, src, budget(len(src)), s, func(b *binder) { at, called, ok = b.typePlace(offset) })
	s.give()
	return at, called, ok
}

func (b *binder) typePlace(offset int) (at Range, called, ok bool) {
	b.findSelves()
	b.settleFields()
	i := -1
	for k := range b.leaves {
		if x := &b.leaves[k]; int(x.Start) <= offset && offset <= int(x.End) {
			i = k
		}
	}
	if i < 0 {
		return Range{}, false, false
	}
	x := &b.leaves[i]
	if b.isSelf(x) && !x.member {
		return b.selfPlace(x)
	}
	t := b.typeOf(x)
	if t < 0 || t == int32(i) || b.inArray(x) {
		return Range{}, false, false
	}
	named := &b.leaves[t]
	if !b.declaredBy(named) && b.reassigned(x) || b.reassigned(named) {
		return Range{}, false, false
	}
	if b.isSelf(named) && !named.member {
		return b.selfPlace(named)
	}
	called, whole := b.form(named)
	return Range{Start: named.Start, End: named.End}, called, whole || named.tag == tagType
}

// typeOf is the leaf that names the type of what x is the name of, in this file; -1: none does.
func (b *binder) typeOf(x *leaf) int32 {
	def, ok := x.definition()
	if !ok && x.bound >= 0 && !x.member {
		switch at := &b.bindings[x.bound]; at.kind {
		case bindsLocal:
			return b.first(at).typ
		case bindsDef:
			def, ok = at.index, true
		}
	}
	if !ok {
		return -1
	}
	if t, told := b.types[def]; told {
		return t
	}
	d := &b.f.Defs[def]
	switch {
	case !b.dynamic():
	case d.Kind.value():
		if t, told := b.fieldType(0, d.Qualified()); told {
			return t
		}
	case d.Kind == Function || d.Kind == Method:
		return b.resultPython(d)
	}
	return -1
}

// resultPython is the leaf of the type behind the arrow of a function; -1 where there is none, and where a call gives
// something else: of a coroutine, of a function with decorators.
func (b *binder) resultPython(d *Def) int32 {
	head := b.src[d.NameEnd:d.SigEnd]
	arrow := bytes.LastIndex(head, []byte("->"))
	if arrow < 0 || d.Start != d.SigStart || bytes.HasPrefix(b.src[d.SigStart:], []byte("async")) {
		return -1
	}
	result := span{Start: d.NameEnd + uint32(arrow) + 2, End: d.NameEnd + uint32(len(bytes.TrimRight(head, ": \t\r\n")))}
	if result.End <= result.Start {
		return -1
	}
	return b.lastLeafIn(typePython(b.src, result))
}

// form says how the value that begins with x goes on: whether x is called. False where it is indexed, so that the value is
// no more than a part of it.
func (b *binder) form(x *leaf) (called, ok bool) {
	rest := b.src[x.End:]
	bracket := len(rest) > 0 && (rest[0] == '[' || rest[0] == '<') // type arguments, or an index
	if bracket {
		rest = pastArguments(rest)
	}
	if len(rest) > 0 && rest[0] == '(' {
		return true, true
	}
	return false, !bracket || len(rest) > 0 && rest[0] == '{'
}

// first is the binding that a local has its type from: in x, y := f() Go gives an x of the same scope a value and no type.
func (b *binder) first(at *binding) *binding {
	if b.name != "go" {
		return at
	}
	outer := b.scopes[at.scope].up // of parameters, which are in the scope of the body
	if outer >= 0 && b.scopes[outer].tag != tagFunction {
		outer = -1
	}
	for i := range b.bindings {
		if k := &b.bindings[i]; k.name == at.name && k.kind == bindsLocal && (k.scope == at.scope || k.scope == outer && outer > 0) && k.from < at.from {
			at = k
		}
	}
	return at
}

// selfPlace is the name of the type whose object x is: this, self.
func (b *binder) selfPlace(x *leaf) (at Range, called, ok bool) {
	if b.resolver == resolverECMAScript {
		if at, own, ok := b.thisPlace(x); own || !ok {
			return at, false, ok
		}
	}
	if x.self < 0 {
		return Range{}, false, false
	}
	name := b.selfPath(x.self)
	for i := range b.f.Defs {
		if d := &b.f.Defs[i]; d.Kind.owns() && d.Qualified() == name {
			return Range{Start: d.NameStart, End: d.NameEnd}, false, true
		}
	}
	return Range{}, false, false
}
