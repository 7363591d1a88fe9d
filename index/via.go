package index

import (
	"bytes"
	"slices"
)

// macroPath is the path of the name of a macro that the file itself does not define. No identifier can be that.
const macroPath = "!"

// emit lists the references.
func (b *binder) emit() {
	if len(b.leaves) == 0 {
		return // a language without locals.scm, or an empty file
	}
	if cap(b.out) < len(b.leaves) {
		b.out = make([]use, 0, len(b.leaves)+len(b.leaves)/4)
	}
	b.findSelves()
	b.settleFields()
	for i := range b.leaves {
		x := &b.leaves[i]
		if d, ok := x.definition(); ok {
			b.declare(d)
			if x.tag != tagType || b.f.Defs[d].Kind != Field {
				b.shorthand(x)
				continue
			} // else an embedded field: the use of its type names it
		}
		if x.tag == tagSelf || x.ignore || b.importing(x.Start) {
			continue
		}
		if x.tag == tagMember && x.declares {
			b.refer(x.name, x.Start, Declaration, Via{Root: RootValue})
		} else if via, ok := b.via(int32(i), 0); ok {
			b.refer(x.name, x.Start, b.role(x), via)
		}
		b.shorthand(x)
	}
	for i := range b.f.Defs { // names that are no leaves: strings, operators
		if d, ok := b.odd[b.f.Defs[i].NameStart]; ok && d == int32(i) && b.f.Defs[i].Kind != Heading {
			b.declare(d)
		}
	}
	for i := range b.f.Imports {
		b.emitImport(int32(i))
	}
}

// refer lists one reference.
func (b *binder) refer(name int32, start uint32, role Role, via Via) {
	b.out = append(b.out, use{name, start, role, b.ways.of(via)})
}

// shorthand lists the member that {x} is besides the name.
func (b *binder) shorthand(x *leaf) {
	if x.tag == tagShorthand && !b.importing(x.Start) {
		via := Via{Root: RootValue}
		if x.part {
			via.Root = RootUnknown
		}
		b.refer(x.name, x.Start, Read, via)
	}
}

func (b *binder) declare(def int32) {
	d := &b.f.Defs[def]
	b.refer(b.id(b.src[d.NameStart:d.NameEnd]), d.NameStart, Declaration, b.declared(def))
	// Types are compared by their members there: it may be the member of another type as well.
	if b.anonymous && d.Kind.member() && d.Kind != Constructor {
		b.refer(b.id(b.src[d.NameStart:d.NameEnd]), d.NameStart, Declaration, Via{Root: RootValue})
	}
}

// emitImport lists the names within an import statement.
func (b *binder) emitImport(i int32) {
	m := &b.f.Imports[i]
	if !(m.Path == "" && b.exportsApart) && m.Name != "" && m.Name != "*" && int(m.End) <= len(b.src) && string(b.src[m.Start:m.End]) == m.Name {
		b.refer(b.id([]byte(m.Name)), m.Start, Importing, Via{Root: RootModule, Import: i})
	}
	if m.Alias != "" && m.AliasStart != m.Start && !b.declares(m.AliasStart) {
		b.refer(b.id([]byte(m.Alias)), m.AliasStart, Importing, Via{Root: RootAlias, Import: i})
	}
}

// via says in what the name of a leaf is to be looked up; false: it is a local's.
func (b *binder) via(i int32, depth int) (Via, bool) {
	x := &b.leaves[i]
	if x.member || x.tag == tagMember {
		return b.receiver(i, depth), true
	}
	if x.tag == tagWord {
		return Via{}, x.bound < 0 || b.bindings[x.bound].kind != bindsLocal
	}
	if b.tagged(x) {
		return Via{Root: RootFree, Path: tagPath}, true
	}
	if x.bound < 0 {
		if b.macroMark && b.marked(x) {
			return Via{Root: RootFree, Path: macroPath}, true
		}
		return Via{Root: RootFree}, true
	}
	switch at := &b.bindings[x.bound]; at.kind {
	case bindsDef:
		if b.bareMembers && b.inheritedBefore(x, &b.f.Defs[at.index]) {
			return Via{Root: RootFree}, true
		}
		return b.declared(at.index), true
	case bindsImport:
		if b.unsettled(at) {
			return Via{}, true
		}
		return Via{Root: RootAlias, Import: at.index}, true
	case bindsFile:
		return Via{Root: RootFile}, true
	case bindsOpen:
		return Via{}, true
	}
	return Via{}, false
}

// inheritedBefore says whether a class that inherits stands between a name and the member of an outer one that it
// seems to mean: it may be a member that the class inherits.
func (b *binder) inheritedBefore(x *leaf, d *Def) bool {
	if !d.Kind.member() && !d.Kind.value() && d.Kind != Function {
		return false
	}
	if b.heirs == nil {
		b.heirs = []span{}
		for i := range b.f.Defs {
			if c := &b.f.Defs[i]; c.inherits() {
				b.heirs = append(b.heirs, span{Start: c.Start, End: c.End})
			}
		}
	}
	for _, h := range b.heirs {
		if h.Start <= x.Start && x.Start < h.End && (d.Start < h.Start || d.Start >= h.End) {
			return true
		}
	}
	return false
}

// inherits says whether a type may have members of another: there is something between its name and its body.
func (d *Def) inherits() bool { return d.Kind.owns() && d.SigEnd > d.NameEnd+2 }

// maxChain bounds how many types and members are followed for one name.
const maxChain = 16

// receiver is what a member is looked up in: the name right before it, when there is nothing but the operator
// between the two.
func (b *binder) receiver(i int32, depth int) Via {
	x := &b.leaves[i]
	if depth > maxChain {
		return Via{}
	}
	if x.typ >= 0 {
		via := b.members(x.typ, depth+1)
		via.Key = via.Root != RootUnknown
		return via
	}
	via := Via{}
	gap := b.operatorBefore(x.Start)
	if gap > 0 {
		via = b.before(i, x.Start-gap, depth)
	}
	key := b.isKey(x) && !x.part // {key: value}
	if via.Root == RootUnknown && (key || b.ofValue(x.Start)) {
		via.Root = RootValue
	}
	return via
}

// before is what members of the name that ends at offset are looked up in; leaf i comes after it.
func (b *binder) before(i int32, offset uint32, depth int) Via {
	end := offset
	called := bytes.HasSuffix(b.src[:end], []byte("()"))
	if called {
		end -= 2 // a function has the members of its result
	}
	if i > 0 && b.leaves[i-1].End == end {
		if called && b.dynamic() && b.isObject(i-1, depth+1) {
			return Via{} // what its __call__ makes
		}
		return b.inside(i-1, depth+1)
	}
	if end = b.subscripted(offset); end == offset {
		return Via{}
	}
	if r := b.lastLeafIn(span{End: end}); r >= 0 && b.leaves[r].End == end {
		return b.inside(r, depth+1)
	}
	return Via{}
}

// isKey says whether x is a member that stands by itself: the key of an object, the attribute of a tag.
func (b *binder) isKey(x *leaf) bool {
	return b.anonymous && (x.member || x.tag == tagMember) && b.operatorBefore(x.Start) == 0
}

// ofValue says whether the operator before offset takes members of values alone.
func (b *binder) ofValue(offset uint32) bool {
	before := bytes.TrimRight(b.src[:offset], " \t\r\n")
	return slices.ContainsFunc(b.values, func(op string) bool { return bytes.HasSuffix(before, []byte(op)) })
}

// inside is where members of what leaf r stands for are looked up; RootUnknown when its type is not told.
func (b *binder) inside(r int32, depth int) Via {
	if i := b.vias[r]; i > 0 {
		return b.inner[i-1]
	}
	via := b.look(r, depth)
	b.inner = append(b.inner, via)
	b.vias[r] = int32(len(b.inner))
	return via
}

func (b *binder) look(r int32, depth int) Via {
	if depth > maxChain {
		return Via{}
	}
	x := &b.leaves[r]
	if b.isSelf(x) {
		if b.text(x) == "self" && bytes.HasPrefix(b.src[x.End:], []byte("::")) { // the module, not the object
			return Via{Root: RootFree, Path: b.text(x)}
		}
		if x.member && x.tag == tagSelf { // Outer.this
			return b.receiver(r, depth)
		}
		if x.self < 0 {
			return Via{}
		}
		via := b.within(x.self, b.selfPath(x.self))
		via.Value = b.anonymous && !b.classThis[r]
		return via
	}
	if x.member || x.tag == tagMember {
		via := b.receiver(r, depth)
		if via.Root == RootFile {
			if t, ok := b.fieldType(via.Import, join(via.Path, b.text(x))); ok {
				return b.members(t, depth+1)
			}
		}
		return b.deeper(via, x)
	}
	if x.bound < 0 {
		return Via{Root: RootFree, Path: b.text(x)}
	}
	at := &b.bindings[x.bound]
	switch at.kind {
	case bindsImport:
		if b.unsettled(at) {
			return Via{}
		}
		return Via{Root: RootImport, Import: at.index}
	case bindsDef:
		if t, ok := b.types[at.index]; ok {
			return b.members(t, depth+1)
		}
		if d := &b.f.Defs[at.index]; b.dynamic() && d.Kind.value() {
			t, ok := b.fieldType(0, d.Qualified())
			if !ok {
				return Via{}
			}
			return b.members(t, depth+1)
		}
		if m, ok := b.aliasOf(x); ok {
			return Via{Root: RootImport, Import: m}
		}
		return b.within(at.index, b.f.Defs[at.index].Qualified())
	case bindsFile, bindsOpen:
		return Via{}
	}
	if at.typ < 0 {
		return Via{}
	}
	return b.members(at.typ, depth+1)
}

// members is where members of the type that leaf t names are looked up.
func (b *binder) members(t int32, depth int) Via {
	if depth > maxChain {
		return Via{}
	}
	x := &b.leaves[t]
	if b.dynamic() && b.isSelf(x) && !b.classSelf[x.self] {
		return Via{} // x = self(): what its __call__ makes
	}
	if b.isSelf(x) || !b.dynamic() && x.tag != tagType { // a value: it has the members that its type has
		via := b.inside(t, depth)
		via.Value = via.Value || b.anonymous && via.Root != RootUnknown && via.Root != RootValue // new T()
		return via
	}
	via, ok := b.via(t, depth+1)
	m, alias := b.aliasOf(x)
	switch {
	case alias:
		return Via{Root: RootImport, Import: m, Value: b.anonymous}
	case !ok:
		return Via{} // a type parameter
	case via.Root == RootAlias:
		return Via{Root: RootImport, Import: via.Import, Value: b.dynamic() || b.anonymous}
	}
	via = b.deeper(via, x)
	via.Value = (b.dynamic() || b.anonymous) && via.Root != RootUnknown && via.Root != RootValue
	return via
}

// aliasOf is the Import that the definition takes its name from to which x is bound.
func (b *binder) aliasOf(x *leaf) (int32, bool) {
	if x.bound < 0 || b.bindings[x.bound].kind != bindsDef {
		return 0, false
	}
	m, ok := b.aliases[b.bindings[x.bound].index]
	return m, ok
}

func (b *binder) deeper(via Via, x *leaf) Via {
	if via.Root == RootUnknown || via.Root == RootValue {
		return via
	}
	via.Path = join(via.Path, b.text(x))
	via.Value = via.Value && b.dynamic()
	return via
}

func (b *binder) text(x *leaf) string { return string(b.src[x.Start:x.End]) }

func join(path, name string) string {
	switch {
	case path == "":
		return name
	case name == "":
		return path
	}
	return path + "." + name
}

// member is the qualified name of a field, and its group.
type member struct {
	group int32
	name  string
}

// fieldType is the leaf that names the type of the field with that group and qualified name.
func (b *binder) fieldType(group int32, qualified string) (int32, bool) {
	if b.types == nil && b.fields == nil {
		return 0, false
	}
	if b.fields == nil {
		b.fields = make(map[member]int32, len(b.types))
		for def, t := range b.types {
			name := member{b.group(def), b.f.Defs[def].Qualified()}
			if other, ok := b.fields[name]; !ok || t < other { // of several the first in the file
				b.fields[name] = t
			}
		}
	}
	t, ok := b.fields[member{group, qualified}]
	return t, ok
}

func (b *binder) isSelf(x *leaf) bool {
	switch {
	case x.tag == tagSelf:
		return true
	case b.dynamic():
		return x.self >= 0 // see findFirstParameters
	}
	return !x.member && slices.Contains(b.selfNames, x.name)
}

// findSelves gives every this and self the definition that it is about: the innermost method around it, or the
// type where it stands in no method.
func (b *binder) findSelves() {
	if b.dynamic() {
		b.findFirstParameters()
		return
	}
	var open []int32
	next := 0
	for i := range b.leaves {
		x := &b.leaves[i]
		for next < len(b.f.Defs) && b.f.Defs[next].Start <= x.Start {
			open = append(open, int32(next))
			next++
		}
		for len(open) > 0 && b.f.Defs[open[len(open)-1]].End <= x.Start {
			open = open[:len(open)-1]
		}
		if !b.isSelf(x) {
			continue
		}
		for k := len(open) - 1; k >= 0; k-- {
			if d := &b.f.Defs[open[k]]; d.End > x.Start && (d.Kind == Method || d.Kind == Constructor || d.Kind.owns()) {
				if n := b.functionsIn(d, x); n == 0 && !d.Kind.owns() && (k == 0 || !b.f.Defs[open[k-1]].Kind.owns()) {
					continue // { f: () => this }: of what is around it
				} else if b.ownThis && (n > 1 || n > 0 && d.Kind.owns() || d.Container == "" && !d.Kind.owns()) {
					break // of the function between, or of an object without a name
				}
				x.self = open[k]
				b.noteClassThis(int32(i), open[k:])
				break
			}
		}
	}
}

// noteClassThis notes that leaf i, which is this of the first of the definitions around it, stands for the class: in what is
// static.
func (b *binder) noteClassThis(i int32, around []int32) {
	if !b.anonymous {
		return
	}
	d := &b.f.Defs[around[0]]
	if d.Kind.owns() && len(around) > 1 {
		d = &b.f.Defs[around[1]] // the field whose value it is in
	}
	if hasWord(b.src[d.SigStart:d.NameStart], "static") {
		if b.classThis == nil {
			b.classThis = map[int32]bool{}
		}
		b.classThis[i] = true
	}
}

// functionsIn counts the functions within d around x that have a this of their own, d's own included; 1 where all share
// one.
func (b *binder) functionsIn(d *Def, x *leaf) int {
	if !b.ownThis {
		return 1
	}
	n := 0
	for at := x.scope; at > 0 && b.scopes[at].Start >= d.Start; at = b.scopes[at].up {
		if b.scopes[at].tag == tagFunction {
			n++
		}
	}
	return n
}

func (b *binder) selfPath(def int32) string {
	if d := &b.f.Defs[def]; d.Kind.owns() {
		return d.Qualified()
	} else {
		return d.Container
	}
}

// role reads what follows a name: a parenthesis calls it, an assignment writes it.
func (b *binder) role(x *leaf) Role {
	if x.write {
		return Write
	}
	rest := b.src[x.End:]
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') {
		rest = rest[1:]
	}
	switch {
	case x.export:
		return Importing
	case x.tag == tagType:
		return TypeUse
	case len(rest) > 0 && rest[0] == '(', len(rest) > 1 && rest[0] == '!' && rest[1] == '(':
		return Call
	case assigns(rest) && !b.isKey(x) && (!x.member || x.tag == tagMember || b.operatorBefore(x.Start) > 0): // not f(x=1)
		return Write
	}
	return Read
}

// assigns says whether rest starts with an assignment operator or an increment.
func assigns(rest []byte) bool {
	at := func(i int) byte {
		if i < len(rest) {
			return rest[i]
		}
		return 0
	}
	switch c := at(0); c {
	case '=':
		return at(1) != '=' && at(1) != '>' && at(1) != '~'
	case '+', '-':
		return at(1) == '=' || at(1) == c
	case '*', '/', '%', '|', '&', '^', '?':
		return at(1) == '=' || at(1) == c && at(2) == '='
	case '<', '>':
		return at(1) == c && at(2) == '='
	}
	return false
}
