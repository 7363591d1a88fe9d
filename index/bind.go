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

	scopes    []scope
	leaves    []leaf
	bindings  []binding
	names     nameTable
	head      []int32          // by name: the binding that holds now, the others behind it in up; -1 for none
	imports   []span           // the import statements
	taken     map[scoped]int32 // by name and scope: the last binding of a definition or an import
	mixed     map[scoped]bool  // those of them that are assigned to as well
	locals    map[scoped]int32 // the binding of a local that is known in all of a scope
	outside   map[scoped]bool  // names that a scope declares to belong to an outer one
	global    map[scoped]bool  // those of them that are the file's
	types     map[int32]int32  // by Def: the leaf of its type
	fields    map[member]int32 // by name, the same; made when it is first asked for
	selfNames []int32          // ids of selves
	classSelf map[int32]bool   // by Def: its first parameter is the class
	guesses   []guess          // what assignments tell of the types of definitions and fields
	heirs     []span           // types that inherit; made when it is first asked for
	vias      []int32          // by leaf, of those that something is looked up in: its index in inner plus 1
	inner     []Via
	apart     []span          // patterns on the left of an assignment
	homes     []int32         // by Def: the scope that knows its name, -1 for none
	groups    []int32         // by Def, see group.go
	exported  map[int32]bool  // Defs that others know by their name alone, though it is a member
	aliases   map[int32]int32 // by Def: the Import that it takes its name from: const x = require("x")
	ambient   bool            // a file of declarations
	classThis map[int32]bool  // by leaf: it is this, and the class itself

	parsed    *tree            // made when it is first asked for
	lastAsked int              // see leafAt
	odd       map[uint32]int32 // by NameStart: the Def whose name is no leaf

	out  []use
	ways wayTable
	// What sweep takes.
	order []int32
	// What encode takes.
	sorted []use
	places []byte
}

// scope is a range of the source in which names are known; up is the one around it, -1 for the file's.
type scope struct {
	span
	tag uint8
	up  int32
	fn  int32 // the innermost scope around it, itself included, that is no mere block, or the body of a namespace
	// space: it is the body of a namespace, in which hoisted names end, as in a function.
	space bool
	// inner is where the body of a function begins, if it declares names for the whole function: its head, with the default
	// values of parameters, does not know them. 0: it has none.
	inner uint32
	// body is where the head ends, in which names are looked up around the scope: default values, base classes. 0: it
	// has none.
	body uint32
	// iterable is, of a comprehension, what its first clause goes over: names in it are looked up around the scope. Empty
	// for every other scope.
	iterable span
}

// block says that it is no more than a block of the function around it.
func (s *scope) block() bool {
	return s.tag == tagScope || s.tag == tagParameters || s.tag == tagMembers
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
	hoisted  bool  // what it declares is the whole function's
	name     int32 // id
	scope    int32 // innermost
	bound    int32 // index of a binding; -1: none
	typ      int32 // leaf that names the type of what it is a member of; -1
	self     int32 // Def whose members this and self reach; -1
	own      int32 // index of the binding that it makes; -1
	def      int32 // Def whose name it is, so that no local has it, plus 1; 0
}

// binding gives a name a meaning from a place on, to the end of a scope.
type binding struct {
	name, scope int32
	from, to    uint32
	kind        bindingKind
	isType      bool   // a local: of a type
	index       int32  // of a Def or an Import
	typ         int32  // leaf that names its type; -1
	up          int32  // the binding that it hides; -1
	head        bool   // known in the head of its scope, too
	own         bool   // the name of a function expression, which everything else in its scope hides
	leaf        int32  // of a local: where it is defined first
	before      typing // of a local: what the places before last tell of its type
	last        int32
	lastTyping  typing
}

type bindingKind uint8

const (
	bindsLocal bindingKind = iota
	bindsDef
	bindsImport
	bindsFile // a name of the file without a definition: the variable of a loop
	bindsOpen // the syntax does not tell what the name means there
)

type scoped struct{ name, scope int32 }

// use is a reference on its way into File.refs.
type use struct {
	name  int32
	start uint32
	role  Role
	via   *way
}

// newBinder gives the scratch's binder.
func newBinder(l *language, src []byte, f *File, marks []sitter.Mark, s *scratch) *binder {
	b := &s.binder
	*b = binder{language: l, src: src, f: f, scopes: b.scopes[:0], leaves: b.leaves[:0], bindings: b.bindings[:0], names: b.names, head: b.head[:0],
		taken: reused(b.taken), mixed: reused(b.mixed), locals: reused(b.locals), vias: b.vias, inner: b.inner[:0], order: b.order, out: b.out[:0], ways: b.ways, sorted: b.sorted, places: b.places}
	b.ways.reset()
	b.scopes = append(b.scopes, scope{span: span{End: uint32(len(src)) + 1}, tag: tagFunction, up: -1})
	if cap(b.leaves) < len(marks) { // grown by appending, they were a third of all garbage
		b.leaves = make([]leaf, 0, len(marks)+len(marks)/4)
	}
	open := int32(0)
	quotes := quotes{}
	for _, m := range marks {
		at := span{Start: m.Start, End: m.End}
		for b.scopes[open].End <= at.Start {
			open = b.scopes[open].up
		}
		switch {
		case m.Tag <= tagClass:
			s := scope{span: at, tag: uint8(m.Tag), up: open, fn: int32(len(b.scopes))}
			if s.block() {
				s.fn = b.scopes[open].fn
			}
			open = int32(len(b.scopes))
			b.scopes = append(b.scopes, s)
		case m.Tag == tagBody || m.Tag == tagHead:
			b.endHead(open, at, m.Tag)
		case m.Tag == tagClause:
			b.beginClauses(open, at)
		case m.Tag == tagTypes:
			quotes.types = max(quotes.types, at.End)
		case m.Tag == tagText:
			if quotes.hold(at) {
				b.addWords(at, open, quotes.types)
			}
		case at.End > at.Start: // the parser makes up what it misses, without extent
			for at.Start+1 < at.End && isSpace(src[at.Start]) { // Lua's names have the white space before them
				at.Start++
			}
			if !wholeWord(src, int(at.Start), int(at.End)) {
				continue
			}
			x := leaf{span: at, tag: uint8(m.Tag), scope: open, bound: -1, typ: -1, self: -1, own: -1}
			if x.tag == tagName && at.Start < quotes.types {
				x.tag = tagType
			}
			b.leaves = append(b.leaves, x)
			if l.quoting != nil && at.Start >= quotes.values {
				quotes.follow(l.quoting(src, at, at.Start < quotes.names))
			}
		}
	}
	return b
}

// bind fills f.Imports, and finds what each leaf is bound to.
func (b *binder) bind(locals []localFact) {
	if len(b.leaves) == 0 {
		b.readImports(locals) // a header may be nothing but includes
		return
	}
	b.addKeys(locals)
	b.readHoists(locals)
	for i := range b.leaves {
		b.leaves[i].name = b.id(b.src[b.leaves[i].Start:b.leaves[i].End])
	}
	b.vias = resized(b.vias, len(b.leaves))
	b.markDefs()
	for _, s := range b.selves {
		if id, ok := b.names.lookup([]byte(s)); ok {
			b.selfNames = append(b.selfNames, id)
		}
	}
	b.readImports(locals)
	b.readDefs()
	b.mergeBlocks()
	b.readLocals(locals)
	if b.anonymous {
		b.readBlockFunctions()
	}
	b.readGroups()
	b.settle()
	b.sweep()
}

// addKeys adds the leaves that the walk does not mark, for most nodes of their kind name nothing: x["name"].
func (b *binder) addKeys(locals []localFact) {
	before := len(b.leaves)
	for _, l := range locals {
		if l.role == roleLocalKey {
			b.leaves = append(b.leaves, leaf{span: l.at, tag: tagMember, bound: -1, typ: -1, self: -1, own: -1})
		}
	}
	if len(b.leaves) > before {
		slices.SortFunc(b.leaves, func(x, y leaf) int { return cmp.Compare(x.Start, y.Start) })
		b.leaves = slices.CompactFunc(b.leaves, func(x, y leaf) bool { return x.Start == y.Start })
	}
}

func (b *binder) id(name []byte) int32 {
	id, fresh := b.names.id(name)
	if fresh {
		b.head = append(b.head, -1)
	}
	return id
}

// definition is the Def whose name it is.
func (x *leaf) definition() (int32, bool) { return x.def - 1, x.def > 0 }

// defAt is the definition whose name starts at offset.
func (b *binder) defAt(offset uint32) (int32, bool) {
	if i := b.leafAt(offset); i >= 0 {
		return b.leaves[i].definition()
	}
	d, ok := b.odd[offset]
	return d, ok
}

// markDefs notes of each leaf which definition it names; of two at one place the last.
func (b *binder) markDefs() {
	for i := range b.f.Defs {
		start := b.f.Defs[i].NameStart
		if at := b.leafAt(start); at >= 0 {
			b.leaves[at].def = int32(i) + 1
			continue
		}
		if b.odd == nil {
			b.odd = map[uint32]int32{}
		}
		b.odd[start] = int32(i)
	}
}

// leafAt is the index of the leaf that starts at offset, -1 when none does. Who asks mostly goes forward by a few: the last
// answer is where the search begins.
func (b *binder) leafAt(offset uint32) int32 {
	from, to := 0, len(b.leaves)
	if at := b.lastAsked; at < to && b.leaves[at].Start < offset {
		from = at + 1
		for step := 4; from+step < to; step *= 4 {
			if b.leaves[from+step].Start >= offset {
				to = from + step + 1
				break
			}
			from += step
		}
	}
	for from < to { // the first that starts at or behind offset
		if half := int(uint(from+to) >> 1); b.leaves[half].Start < offset {
			from = half + 1
		} else {
			to = half
		}
	}
	if from == len(b.leaves) || b.leaves[from].Start != offset {
		return -1
	}
	b.lastAsked = max(0, from-1)
	return int32(from)
}

// lastLeafIn is the last leaf of a node: the name at the end of a qualified type.
func (b *binder) lastLeafIn(node span) int32 {
	i := sort.Search(len(b.leaves), func(i int) bool { return b.leaves[i].Start >= node.End }) - 1
	if i < 0 || b.leaves[i].Start < node.Start || node.End <= node.Start {
		return -1
	}
	return int32(i)
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
	return b.scopes[at].fn
}

func (b *binder) readImports(locals []localFact) {
	if b.language.imports == nil {
		return
	}
	for _, l := range locals {
		if l.role != roleImport || len(b.imports) > 0 && l.at.Start < b.imports[len(b.imports)-1].End {
			continue
		}
		read := b.language.imports(b.src[l.at.Start:l.at.End])
		if len(read) == 0 { // its names are references like others
			continue
		}
		b.imports = append(b.imports, l.at)
		for _, i := range read {
			i.Start, i.End, i.AliasStart = i.Start+l.at.Start, i.End+l.at.Start, i.AliasStart+l.at.Start
			in := b.hoist(b.leafAt(i.AliasStart), b.scopeAround(l.at))
			i.Export = i.Export || b.dynamic() && in == 0
			b.f.Imports = append(b.f.Imports, i)
			if i.Alias != "" && !(i.Export && b.exportsApart) {
				b.bindHere([]byte(i.Alias), in, bindsImport, int32(len(b.f.Imports)-1))
				b.behindHead(b.leafAt(i.AliasStart))
				if b.dynamic() && b.scopes[in].tag == tagClass {
					b.bindings[len(b.bindings)-1].from = l.at.End
				}
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
		at := b.leafAt(d.NameStart)
		in := b.hoist(at, b.scopeAround(span{Start: d.Start, End: d.End}))
		if d.Kind.member() && !b.bareMembers && b.scopes[in].tag != tagClass || d.Kind == Heading ||
			b.scopes[in].tag == tagMembers || d.Kind == Constructor && b.bareMembers { // of the name of its type, which is what the name means
			continue
		}
		if b.anonymous && at >= 0 && b.leaves[at].tag == tagMember && d.Kind != Enumerator {
			continue // exports.f = function () {}: that makes no name f
		}
		b.homes[i] = in
		b.bindHere(b.src[d.NameStart:d.NameEnd], in, bindsDef, int32(i))
		b.behindHead(at)
		if b.dynamic() && b.scopes[in].tag == tagClass { // codec = codec: in a class what is not yet bound is the file's
			b.bindings[len(b.bindings)-1].from = d.End
		}
	}
}

// member kinds are reached through their type, unless the language says otherwise.
func (k Kind) member() bool {
	return k == Method || k == Field || k == Property || k == Constructor
}

func (b *binder) readLocals(locals []localFact) {
	b.rehome(locals)
	b.outside = map[scoped]bool{}
	for i := range b.bindings {
		if !b.bindings[i].own {
			b.taken[scoped{b.bindings[i].name, b.bindings[i].scope}] = int32(i)
		}
	}
	b.readOutside(locals)
	b.readExports(locals)
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
		case l.typing > l.at.End && b.language.typing != nil:
			var named span
			if named, l.rank = b.language.typing(b.src, span{Start: l.at.End, End: l.typing}); named.End > named.Start {
				typ = b.lastLeafIn(named)
			}
		}
		switch l.role {
		case roleLocalWrite:
			x.write = true
		case roleLocalIgnore:
			x.ignore = true
		case roleLocalAsType:
			x.tag = tagType
		case roleLocalBare:
			x.tag, x.write = tagName, true
		case roleLocalPart:
			x.part = true
		case roleLocalMember, roleLocalKey:
			x.member = true
			if typ >= 0 { // another pattern may know more
				x.typ = typ
			}
		case roleLocalField:
			x.write = true
			b.guesses = append(b.guesses, guess{def: -1, leaf: i, typing: typing{typ, l.rank}})
		case roleLocalDefinition, roleLocalScope, roleLocalFunction, roleLocalHead, roleLocalOwn:
			x.part = true
			if b.takenApart(l.at.Start) {
				x.write = true
				continue
			}
			if d, ok := x.definition(); ok { // a definition of the file, with the type that its pattern tells
				switch {
				case l.shape && b.assigned(x, l.typ) && b.hasType(d): // what is declared holds before what is assigned
				case l.shape, l.rank == rankDeclared:
					b.setType(d, typ)
				case b.dynamic():
					b.guesses = append(b.guesses, guess{def: d, leaf: i, typing: typing{typ, l.rank}})
				}
				continue
			}
			if x.tag == tagMember { // a field of a type without a name
				x.declares = true
				continue
			}
			b.bindLocal(i, l, typ)
		}
	}
}

// readOutside notes which names of a function are said to be those of an outer one or of the file, and what is taken apart.
func (b *binder) readOutside(locals []localFact) {
	for _, l := range locals {
		if l.role == roleLocalAssigned {
			b.apart = append(b.apart, l.at)
		}
		if l.role != roleLocalOuter && l.role != roleLocalOuterFile {
			continue
		}
		if i := b.leafAt(l.at.Start); i >= 0 {
			key := scoped{b.leaves[i].name, b.function(b.leaves[i].scope)}
			b.outside[key] = true
			if l.role == roleLocalOuterFile {
				if b.global == nil {
					b.global = map[scoped]bool{}
				}
				b.global[key] = true
			}
		}
	}
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

func (b *binder) hasType(def int32) bool {
	_, ok := b.types[def]
	return ok
}

// assigned says whether node is a value given to x, and not its type.
func (b *binder) assigned(x *leaf, node span) bool {
	return node.Start >= x.End && bytes.IndexByte(b.src[x.End:node.Start], '=') >= 0
}

func (b *binder) bindLocal(i int32, l localFact, typ int32) {
	x := &b.leaves[i]
	if x.own >= 0 { // of several patterns the first with a type tells it
		if at := &b.bindings[x.own]; at.typ < 0 {
			at.typ = typ
		}
		return
	}
	in := x.scope
	if l.role == roleLocalFunction {
		in = b.function(in)
	}
	if up := b.scopes[in].up; b.scopes[in].tag == tagParameters && up > 0 && b.scopes[up].tag == tagFunction {
		in = up
	}
	if b.outside[scoped{x.name, in}] {
		in = 0
	}
	if in == 0 { // of the file, and yet no definition: nobody's local, others may know it
		if b.dynamic() {
			b.bindFile(i, typing{typ, l.rank})
		}
		return
	}
	x.declares = true
	if l.role == roleLocalOwn {
		x.bound = b.bindOwn(i, in)
		return
	}
	if l.role != roleLocalDefinition {
		b.bindWhole(i, in, typing{typ, l.rank}, l.role == roleLocalHead)
		return
	}
	x.own = int32(len(b.bindings))
	x.bound = x.own // it stands before the place from which it is known
	b.bindings = append(b.bindings, binding{name: x.name, scope: in, from: max(l.statement, x.End), to: b.scopes[in].End, typ: typ, up: -1, leaf: i})
}

// takenApart says whether an offset lies in a pattern that is assigned to: [a, b] = [b, a] declares nothing.
func (b *binder) takenApart(offset uint32) bool {
	for _, s := range b.apart {
		if s.Start <= offset && offset < s.End {
			return true
		}
	}
	return false
}

// bindFile notes that leaf i is a name of the file, which may have a definition elsewhere, and is assigned to.
func (b *binder) bindFile(i int32, t typing) {
	key := scoped{b.leaves[i].name, 0}
	known, ok := b.taken[key]
	switch {
	case !ok:
		b.taken[key] = int32(len(b.bindings))
		b.bindHere(b.src[b.leaves[i].Start:b.leaves[i].End], 0, bindsFile, 0)
	case b.bindings[known].kind == bindsDef:
		b.guesses = append(b.guesses, guess{def: b.bindings[known].index, leaf: i, typing: t})
	case b.bindings[known].kind == bindsImport:
		b.mixed[key] = true
	}
}

// bindWhole binds leaf i in the whole of a scope. What a definition or an import binds there as well is theirs.
func (b *binder) bindWhole(i, in int32, t typing, head bool) {
	x := &b.leaves[i]
	key := scoped{x.name, in}
	isType := b.typeNames && x.tag == tagType
	if isType {
		key.name = -1 - key.name // types and values share no name
	}
	if known, ok := b.taken[key]; ok {
		b.mixed[key] = true
		x.bound = known
		b.alsoInHead(known, x)
		return
	}
	at, ok := b.locals[key]
	if !ok {
		at = int32(len(b.bindings))
		b.locals[key] = at
		s := b.scopes[in]
		from := s.Start
		if b.dynamic() && s.tag == tagClass && !head {
			from = x.End // before it is bound the name of a class is the file's: see classBody
		}
		b.bindings = append(b.bindings, binding{name: x.name, scope: in, from: from, to: s.End, isType: isType, typ: -1, up: -1, head: head, leaf: i, last: i})
		b.behindHead(i)
	}
	x.bound = at
	b.alsoInHead(at, x)
	b.bindings[at].tell(b, i, t)
}

// importing says whether an offset lies in an import statement.
func (b *binder) importing(offset uint32) bool {
	i := sort.Search(len(b.imports), func(i int) bool { return b.imports[i].End > offset })
	return i < len(b.imports) && b.imports[i].Start <= offset
}

// maxHeads bounds how many heads of functions in heads of functions are left for one name.
const maxHeads = 64
