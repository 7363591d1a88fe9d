package index

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"ctxd/index/internal/sitter"
)

// binder finds out what the names of one file are bound to, in one pass over its scopes from left to right. The
// rules are those of tree-sitter's local queries (scope, definition, reference), with the additions that
// languages/README.md lists.
type binder struct {
	*language
	src []byte
	f   *File

	scopes   []scope
	leaves   []leaf
	bindings []binding
	ids      map[string]int32 // of the names
	head     []int32          // by name: the binding that holds now, the others behind it in up; -1 for none
	imports  []span           // the import statements
	outside  map[scoped]bool  // names that a scope declares to belong to an outer one
	types    map[int32]int32  // by Def: the leaf of its type
	fields   map[member]int32 // by name, the same; made when it is first asked for
	vias     map[int32]Via    // by leaf, of those that something is looked up in
	taken    []span           // patterns on the left of an assignment
	homes    []int32          // by Def: the scope that knows its name, -1 for none
	groups   []int32          // by Def, see group.go
	exported map[int32]bool   // Defs that others know by their name alone, though it is a member
	aliases  map[int32]int32  // by Def: the Import that it takes its name from: const x = require("x")

	out []use
}

// scope is a range of the source in which names are known; up is the one around it, -1 for the file's.
type scope struct {
	span
	tag uint8
	up  int32
}

// leaf is a node that names something.
type leaf struct {
	span
	tag    uint8
	member bool // looked up in what stands before it, or in typ
	write  bool // as a query says
	ignore bool // it names nothing that others know
	any    bool // a type or a value
	export bool // it stands in a list of exported names
	part   bool // a member of what is taken apart, which may be a module
	// declares: it gives a local its name
	declares bool
	name     int32 // id
	scope    int32 // innermost
	bound    int32 // index of a binding; -1: none
	typ      int32 // leaf that names the type of what it is a member of; -1
	self     int32 // Def whose members this and self reach; -1
}

// binding gives a name a meaning from a place on, to the end of a scope.
type binding struct {
	name, scope int32
	from, to    uint32
	kind        bindingKind
	isType      bool  // a local: of a type
	index       int32 // of a Def or an Import
	typ         int32 // leaf that names its type; -1
	up          int32 // the binding that it hides; -1
}

type bindingKind uint8

const (
	bindsLocal bindingKind = iota
	bindsDef
	bindsImport
)

type scoped struct{ name, scope int32 }

// use is a reference on its way into File.refs.
type use struct {
	name  int32
	start uint32
	role  Role
	via   Via
}

func newBinder(l *language, src []byte, f *File, marks []sitter.Mark) *binder {
	b := &binder{language: l, src: src, f: f, ids: map[string]int32{}, vias: map[int32]Via{}}
	b.scopes = append(b.scopes, scope{span: span{End: uint32(len(src)) + 1}, tag: tagFunction, up: -1})
	open := int32(0)
	for _, m := range marks {
		at := span{Start: m.Start, End: m.End}
		for b.scopes[open].End <= at.Start {
			open = b.scopes[open].up
		}
		switch {
		case m.Tag <= tagClass:
			b.scopes = append(b.scopes, scope{at, uint8(m.Tag), open})
			open = int32(len(b.scopes) - 1)
		case at.End > at.Start: // the parser makes up what it misses, without extent
			b.leaves = append(b.leaves, leaf{span: at, tag: uint8(m.Tag), scope: open, bound: -1, typ: -1, self: -1})
		}
	}
	return b
}

// bind fills f.Imports, and finds what each leaf is bound to.
func (b *binder) bind(locals []localFact) {
	if len(b.leaves) == 0 {
		return
	}
	b.addKeys(locals)
	for i := range b.leaves {
		b.leaves[i].name = b.id(b.src[b.leaves[i].Start:b.leaves[i].End])
	}
	b.readImports(locals)
	b.readDefs()
	b.readLocals(locals)
	b.readGroups()
	b.sweep()
}

// addKeys adds the leaves that the walk does not mark, for most nodes of their kind name nothing: x["name"].
func (b *binder) addKeys(locals []localFact) {
	before := len(b.leaves)
	for _, l := range locals {
		if l.role == roleLocalKey {
			b.leaves = append(b.leaves, leaf{span: l.at, tag: tagMember, bound: -1, typ: -1, self: -1})
		}
	}
	if len(b.leaves) > before {
		slices.SortFunc(b.leaves, func(x, y leaf) int { return cmp.Compare(x.Start, y.Start) })
		b.leaves = slices.CompactFunc(b.leaves, func(x, y leaf) bool { return x.Start == y.Start })
	}
}

func (b *binder) id(name []byte) int32 {
	id, ok := b.ids[string(name)]
	if !ok {
		id = int32(len(b.ids))
		b.ids[string(name)] = id
		b.head = append(b.head, -1)
	}
	return id
}

// leafAt is the index of the leaf that starts at offset, -1 when none does.
func (b *binder) leafAt(offset uint32) int32 {
	i, ok := slices.BinarySearchFunc(b.leaves, offset, func(l leaf, at uint32) int { return cmp.Compare(l.Start, at) })
	if !ok {
		return -1
	}
	return int32(i)
}

// lastLeafIn is the last leaf of a node: the name at the end of a qualified type.
func (b *binder) lastLeafIn(node span) int32 {
	i := sort.Search(len(b.leaves), func(i int) bool { return b.leaves[i].Start >= node.End }) - 1
	if i < 0 || b.leaves[i].Start < node.Start {
		return -1
	}
	return int32(i)
}

// shaped is the leaf that names the type of x, when node is a plain one (T, *a.T, T[int]) or a value that begins with
// it (T{}, &a.T{}), else -1. That is read off the text: a pattern for each form costs three times as much. A value
// belongs to x only if it is the first name before it.
func (b *binder) shaped(x *leaf, node span) int32 {
	text := b.src[node.Start:node.End]
	path := bytes.TrimLeft(text, "*& ")
	n := 0
	for n < len(path) && (isWord(path[n]) || path[n] == '.') {
		n++
	}
	rest := pastArguments(path[n:])
	value := len(rest) > 0 && rest[0] == '{'
	if n == 0 || len(rest) > 0 && !value {
		return -1
	}
	if between := b.src[x.End:node.Start]; bytes.ContainsRune(between, '=') {
		before := bytes.TrimRight(b.src[:x.Start], " \t\r\n")
		if !value || bytes.ContainsRune(between, ',') || bytes.HasSuffix(before, []byte(",")) {
			return -1
		}
	} else if value {
		return -1 // struct{…}
	}
	start := node.Start + uint32(len(text)-len(path))
	return b.lastLeafIn(span{Start: start, End: start + uint32(n)})
}

// pastArguments is text without the type arguments that it begins with.
func pastArguments(text []byte) []byte {
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '<':
			depth++
		case ']', '>':
			depth--
		}
		if depth <= 0 {
			if i > 0 || c == ']' {
				return text[i+1:]
			}
			return text
		}
	}
	return text[len(text):]
}

// scopeAround is the innermost scope that holds a range and is not the range's own.
func (b *binder) scopeAround(r span) int32 {
	i := sort.Search(len(b.scopes), func(i int) bool { return b.scopes[i].Start > r.Start }) - 1
	at := int32(i)
	for at > 0 && (b.scopes[at].End < r.End || b.scopes[at].Start >= r.Start && b.scopes[at].End <= r.End || b.scopes[at].End <= r.Start) {
		at = b.scopes[at].up
	}
	return at
}

// function is the innermost scope around at, itself included, that is no mere block.
func (b *binder) function(at int32) int32 {
	for b.scopes[at].tag == tagScope {
		at = b.scopes[at].up
	}
	return at
}

func (b *binder) readImports(locals []localFact) {
	if b.language.imports == nil {
		return
	}
	for _, l := range locals {
		if l.role != roleImport || len(b.imports) > 0 && l.at.Start < b.imports[len(b.imports)-1].End {
			continue
		}
		list := b.language.imports(b.src[l.at.Start:l.at.End])
		if len(list) == 0 {
			continue // it cannot be read: its names are names like others
		}
		b.imports = append(b.imports, l.at)
		for _, i := range list {
			i.Start, i.End, i.AliasStart = i.Start+l.at.Start, i.End+l.at.Start, i.AliasStart+l.at.Start
			b.f.Imports = append(b.f.Imports, i)
			if i.Alias != "" && !(i.Export && b.exportsApart) {
				b.bindHere([]byte(i.Alias), b.scopeAround(l.at), bindsImport, int32(len(b.f.Imports)-1))
			}
		}
	}
}

// bindHere binds a name in the whole of a scope.
func (b *binder) bindHere(name []byte, in int32, kind bindingKind, index int32) {
	s := b.scopes[in]
	b.bindings = append(b.bindings, binding{name: b.id(name), scope: in, from: s.Start, to: s.End, kind: kind, index: index, typ: -1, up: -1})
}

// readDefs binds the names of definitions where they are known without a prefix: everywhere in the scope around
// them, members only where the language looks for them there.
func (b *binder) readDefs() {
	b.homes = make([]int32, len(b.f.Defs))
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		b.homes[i] = -1
		in := b.scopeAround(span{Start: d.Start, End: d.End})
		if d.Kind.member() && !b.bareMembers && b.scopes[in].tag != tagClass || d.Kind == Heading {
			continue
		}
		if at := b.leafAt(d.NameStart); at >= 0 && b.leaves[at].tag == tagMember && !b.bareMembers && d.Kind != Enumerator {
			continue // exports.f = function () {}: that makes no name f
		}
		b.homes[i] = in
		b.bindHere(b.src[d.NameStart:d.NameEnd], in, bindsDef, int32(i))
	}
}

// member kinds are reached through their type, unless the language says otherwise.
func (k Kind) member() bool {
	return k == Method || k == Field || k == Property || k == Constructor
}

func (b *binder) readLocals(locals []localFact) {
	b.outside = map[scoped]bool{}
	for _, l := range locals {
		if l.role == roleLocalAssigned {
			b.taken = append(b.taken, l.at)
		}
		if i := b.leafAt(l.at.Start); l.role == roleLocalOuter && i >= 0 {
			b.outside[scoped{b.leaves[i].name, b.function(b.leaves[i].scope)}] = true
		}
	}
	defs := b.defStarts()
	b.readExports(locals, defs)
	for _, l := range locals {
		i := b.leafAt(l.at.Start)
		if i < 0 || l.role == roleImport || b.importing(l.at.Start) {
			continue
		}
		x := &b.leaves[i]
		typ := int32(-1)
		switch {
		case l.shape:
			typ = b.shaped(x, l.typ)
		case l.typ.End > 0:
			typ = b.lastLeafIn(l.typ)
		}
		switch l.role {
		case roleLocalWrite:
			x.write = true
		case roleLocalIgnore:
			x.ignore = true
		case roleLocalMember, roleLocalKey:
			x.member = true
			if typ >= 0 { // another pattern may know more
				x.typ = typ
			}
		case roleLocalPart:
			x.part = true
		case roleLocalDefinition, roleLocalScope, roleLocalFunction:
			x.part = true
			d, ok := defs[l.at.Start]
			switch {
			case b.assigned(l.at.Start):
				x.write = true
			case ok: // a definition of the file, with the type that its pattern tells
				b.setType(d, typ)
				if l.role == roleLocalScope && x.tag == tagName && x.bound < 0 && b.homes[d] != x.scope {
					b.rehome(x, d)
				}
			case x.tag != tagMember:
				b.bindLocal(i, l, typ)
			}
		}
	}
}

func (b *binder) defStarts() map[uint32]int32 {
	starts := make(map[uint32]int32, len(b.f.Defs))
	for i := range b.f.Defs {
		starts[b.f.Defs[i].NameStart] = int32(i)
	}
	return starts
}

func (b *binder) setType(def, typ int32) {
	if typ < 0 {
		return
	}
	if b.types == nil {
		b.types = map[int32]int32{}
	}
	b.types[def] = typ
}

func (b *binder) bindLocal(i int32, l localFact, typ int32) {
	x := &b.leaves[i]
	in := x.scope
	if l.role == roleLocalFunction {
		in = b.function(in)
	}
	if b.outside[scoped{x.name, in}] {
		return
	}
	if in == 0 { // of the file, and yet no definition: nobody's local, others may know it
		return
	}
	x.declares = true
	from := b.scopes[in].Start
	if l.role == roleLocalDefinition {
		from = max(l.statement, x.End)
	}
	if x.bound >= 0 { // another pattern found it: the first with a type, and the widest scope
		at := &b.bindings[x.bound]
		if at.typ < 0 {
			at.typ = typ
		}
		if b.scopes[in].Start < b.scopes[at.scope].Start {
			at.scope, at.from, at.to = in, from, b.scopes[in].End
		}
		return
	}
	x.bound = int32(len(b.bindings)) // also where it stands before the place from which it is known
	b.bindings = append(b.bindings, binding{name: x.name, scope: in, from: from, to: b.scopes[in].End, isType: x.tag == tagType, typ: typ, up: -1})
}

// rehome binds a definition where its own name stands: a parameter that is a field too, and a function expression,
// whose name is known in itself and nowhere else.
func (b *binder) rehome(x *leaf, def int32) {
	for i := range b.bindings {
		if at := &b.bindings[i]; at.kind == bindsDef && at.index == def {
			s := b.scopes[x.scope]
			at.scope, at.from, at.to = x.scope, s.Start, s.End
			b.homes[def] = x.scope
			return
		}
	}
	b.bindHere(b.src[x.Start:x.End], x.scope, bindsDef, def)
}

// assigned says whether an offset lies in a pattern that is assigned to: [a, b] = [b, a] declares nothing.
func (b *binder) assigned(offset uint32) bool {
	for _, s := range b.taken {
		if s.Start <= offset && offset < s.End {
			return true
		}
	}
	return false
}

// importing says whether an offset lies in an import statement.
func (b *binder) importing(offset uint32) bool {
	i := sort.Search(len(b.imports), func(i int) bool { return b.imports[i].End > offset })
	return i < len(b.imports) && b.imports[i].Start <= offset
}

// sweep binds the leaves.
func (b *binder) sweep() {
	order := make([]int32, len(b.bindings))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.bindings[x].from, b.bindings[y].from), cmp.Compare(b.bindings[y].to, b.bindings[x].to))
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
		if x.bound < 0 && !x.member && x.tag < tagMember {
			x.bound = b.lookup(x)
		}
	}
}

func (b *binder) lookup(x *leaf) int32 {
	for i := b.head[x.name]; i >= 0; i = b.bindings[i].up {
		at := &b.bindings[i]
		if at.to <= x.Start {
			continue
		}
		if b.scopes[at.scope].tag == tagClass && b.function(x.scope) != at.scope {
			continue
		}
		if b.typeNames && !b.sameSpace(x, at) {
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
	case x.tag == tagType:
		return b.f.Defs[at.index].Kind.typeName()
	}
	return b.f.Defs[at.index].Kind.valueName()
}

// operatorBefore is the length, with the white space around it, of the operator before offset that makes the name
// there a member; 0 when there is none.
func (b *binder) operatorBefore(offset uint32) uint32 {
	end := int(offset)
	for end > 0 && isSpace(b.src[end-1]) {
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
		for start > 0 && isSpace(b.src[start-1]) {
			start--
		}
		return offset - uint32(start)
	}
	return 0
}

var dot = []string{"."}
