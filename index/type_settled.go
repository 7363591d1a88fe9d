package index

import (
	"slices"
	"sort"
	"strings"
)

// Reassigned says whether a file may give the name that is defined at an offset another meaning than this definition: T of
// class T: pass; T = make(). It is asked of JavaScript, TypeScript and Python, where classes and functions are variables, and
// true where the file cannot be read.
func Reassigned(path string, src []byte, offset int) (is bool) {
	f, l := open(path, src)
	if l == nil || l.resolver != resolverECMAScript && l.resolver != resolverPython {
		return false
	}
	if f.Status != Parsed {
		return true
	}
	defer func() {
		if recover() != nil {
			is = true // as in describe
		}
	}()
	s := takeScratch()
	l.bound(f, path, src, budget(len(src)), s, func(b *binder) {
		b.findSelves()
		if i := b.leafAt(uint32(offset)); i >= 0 {
			is = b.reassigned(&b.leaves[i])
		}
	})
	s.give()
	return is
}

// reassigned says whether what x names may have got its value elsewhere than where it is defined. In Python typings agree on
// that for variables; for classes and functions, and across functions, it is read here.
func (b *binder) reassigned(x *leaf) bool {
	switch b.resolver {
	case resolverPython:
		return b.reassignedPython(x)
	case resolverECMAScript:
		return b.reassignedECMAScript(x)
	}
	return false
}

// meaning is what names share that stand for one thing: a name in a scope.
func (b *binder) meaning(x *leaf) (scoped, bool) {
	if def, ok := x.definition(); ok {
		return scoped{x.name, b.homes[def]}, b.homes[def] >= 0
	}
	if x.bound < 0 || x.member {
		return scoped{}, false
	}
	return scoped{x.name, b.bindings[x.bound].scope}, true
}

func (b *binder) reassignedPython(x *leaf) bool {
	def, defined := x.definition()
	key, known := b.meaning(x)
	if known {
		in := b.scopes[key.scope].span
		for other := range b.outside {
			if at := b.scopes[other.scope].span; other.name == key.name && !b.global[other] && in.Start <= at.Start && at.End <= in.End {
				return true // nonlocal x
			}
		}
		if b.mixed[key] || !b.boundAlike(key) {
			return true
		}
		if !defined && b.bindings[x.bound].kind == bindsDef {
			def, defined = b.bindings[x.bound].index, true
		}
	}
	if !defined {
		return false
	}
	if b.f.Defs[def].Kind.value() {
		return false
	}
	name := b.f.Defs[def].Qualified()
	for _, g := range b.guesses {
		if g.def >= 0 && b.f.Defs[g.def].Qualified() == name {
			return true
		}
		if field := &b.leaves[g.leaf]; g.def < 0 && b.text(field) == b.f.Defs[def].Name && b.f.Defs[def].Kind == Method {
			return true // self.f = g
		}
	}
	return false
}

// boundAlike says whether a name is bound by imports alone, by values alone or by neither: not by class T: pass and T = make()
// or import T, where the syntax does not tell which holds.
func (b *binder) boundAlike(key scoped) bool {
	kinds := map[string]bool{}
	for i := range b.bindings {
		switch at := &b.bindings[i]; {
		case at.name != key.name || at.scope != key.scope:
		case at.kind == bindsImport:
			kinds["import"] = true
		case at.kind == bindsDef && b.f.Defs[at.index].Kind.value():
			kinds["value"] = true
		default:
			kinds["other"] = true
		}
	}
	return len(kinds) < 2
}

// reassignedECMAScript looks for other places that give it a value: an assignment, also one that takes something apart, a
// loop, x++, a second declaration. null and undefined fit every type.
func (b *binder) reassignedECMAScript(x *leaf) bool {
	key, known := b.meaning(x)
	def, defined := x.definition()
	field := defined && (x.tag == tagMember || b.f.Defs[def].Kind.member())
	if !known && !field {
		return false
	}
	own := b.declaration(x)
	t := b.tree()
	if t == nil {
		return true
	}
	hoisted := t.hoisted(t.nodeAt(own))
	for i := range b.leaves {
		y := &b.leaves[i]
		if y.name != x.name || y.Start == own {
			continue
		}
		n := t.at(y.span)
		if field && (y.member || y.tag == tagMember) {
			if n >= 0 && t.kind(int(t.parent[n])) == "member_expression" && t.assigned(int(t.parent[n])) {
				return true
			}
			continue
		}
		k, ok := b.meaning(y)
		if !known || !ok || k != key && !(b.function(k.scope) == b.function(key.scope) && (hoisted || t.hoisted(n))) {
			continue
		}
		if n < 0 || t.assigned(n) {
			return true
		}
	}
	return false
}

// declaration is where the name begins that declares what x names.
func (b *binder) declaration(x *leaf) uint32 {
	if def, ok := x.definition(); ok {
		return b.f.Defs[def].NameStart
	}
	if x.bound < 0 || x.member {
		return x.Start
	}
	switch at := &b.bindings[x.bound]; at.kind {
	case bindsDef:
		return b.f.Defs[at.index].NameStart
	case bindsLocal:
		return b.leaves[at.leaf].Start
	case bindsImport:
		return b.f.Imports[at.index].AliasStart
	}
	return x.Start
}

// tree is the syntax tree of the file; nil when it cannot be had.
func (b *binder) tree() *tree {
	if b.parsed == nil {
		b.parsed = b.parseTree(b.src)
	}
	return b.parsed
}

// declaredBy says whether the type that is named there is one that every value has, as TypeScript's x: T.
func (b *binder) declaredBy(named *leaf) bool {
	if b.resolver != resolverECMAScript {
		return false
	}
	t := b.tree()
	if t == nil {
		return false
	}
	for n := t.at(named.span); n >= 0; n = int(t.parent[n]) {
		switch t.kind(n) {
		case "type_annotation":
			return true
		case "variable_declarator", "public_field_definition", "field_definition", "assignment_expression":
			return false
		}
	}
	return false
}

// inArray says whether the name of a variable is declared as that of an array, by what stands behind it: T x[].
func (b *binder) inArray(x *leaf) bool {
	if b.resolver != resolverC && b.resolver != resolverJava {
		return false
	}
	t := b.tree()
	if t == nil {
		return true
	}
	n := t.nodeAt(b.declaration(x))
	if n < 0 {
		return true
	}
	for n = int(t.parent[n]); n >= 0; n = int(t.parent[n]) {
		kind := t.kind(n)
		if kind == "array_declarator" || slices.ContainsFunc(t.children(n), func(c int) bool { return t.kind(c) == "dimensions" }) {
			return true
		}
		if !strings.HasSuffix(kind, "declarator") {
			return false
		}
	}
	return false
}

// thisPlace is the type of this where its function declares it, this: T; own says that it does. False where it stands in a
// class and belongs to what is around that: in a computed name, an annotation, what the class extends.
func (b *binder) thisPlace(x *leaf) (at Range, own, ok bool) {
	t := b.tree()
	if t == nil {
		return Range{}, false, false
	}
	n := t.at(x.span)
	if n < 0 {
		return Range{}, false, false
	}
	for n = int(t.parent[n]); n >= 0; n = int(t.parent[n]) {
		switch t.kind(n) {
		case "computed_property_name":
			if t.kind(int(t.parent[n])) != "pair" {
				return Range{}, false, false
			}
		case "decorator", "class_heritage", "function_type", "constructor_type":
			return Range{}, false, false
		case "function_declaration", "function_expression", "generator_function", "generator_function_declaration", "method_definition",
			"function_signature", "method_signature", "abstract_method_signature", "call_signature":
			return t.thisParameter(n)
		case "class_body", "class_static_block":
			return Range{}, false, true
		}
	}
	return Range{}, false, true
}

// thisParameter is the name of the type in the parameter this: T of a function; own is false where it has none, and ok
// where the type has no one name.
func (t *tree) thisParameter(function int) (at Range, own, ok bool) {
	for _, list := range t.children(function) {
		if t.kind(list) != "formal_parameters" {
			continue
		}
		for _, p := range t.children(list) {
			parts := t.children(p)
			if len(parts) == 0 || t.kind(parts[0]) != "this" {
				continue
			}
			if len(parts) == 2 && t.kind(parts[1]) == "type_annotation" {
				named := t.children(parts[1])
				last := named[len(named)-1]
				if t.kind(last) == "generic_type" {
					last = t.children(last)[0]
				}
				if t.kind(last) == "nested_type_identifier" {
					parts := t.children(last)
					last = parts[len(parts)-1]
				}
				if t.kind(last) == "type_identifier" {
					return Range{Start: t.nodes[last].Start, End: t.nodes[last].End}, true, true
				}
			}
			return Range{}, true, false
		}
	}
	return Range{}, false, true
}

// at is the token with that extent; -1: there is none.
func (t *tree) at(s span) int {
	if n := t.nodeAt(s.Start); n >= 0 && t.nodes[n].End == s.End {
		return n
	}
	return -1
}

// nodeAt is the token that begins at an offset; -1: there is none.
func (t *tree) nodeAt(offset uint32) int {
	for n := sort.Search(len(t.nodes), func(i int) bool { return t.nodes[i].Start >= offset }); n < len(t.nodes) && t.nodes[n].Start == offset; n++ {
		if t.nodes[n].Leaf() && t.nodes[n].End > offset {
			return n
		}
	}
	return -1
}

// hoisted says whether a name is declared there by var, for all of the function and not for the block.
func (t *tree) hoisted(n int) bool {
	if n < 0 {
		return false
	}
	for n := int(t.parent[n]); n >= 0; n = int(t.parent[n]) {
		switch t.kind(n) {
		case "variable_declaration":
			return true
		case "for_in_statement":
			return slices.ContainsFunc(t.children(n), func(c int) bool { return t.literal(c) == "var" })
		case "variable_declarator", "array_pattern", "object_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern", "rest_pattern":
		default:
			return false
		}
	}
	return false
}

// assigned says whether a node of JavaScript is what gets a value, or a part of a pattern that does.
func (t *tree) assigned(n int) bool {
	for child, n := n, int(t.parent[n]); n >= 0; child, n = n, int(t.parent[n]) {
		parts := t.children(n)
		switch t.kind(n) {
		case "update_expression":
			return true
		case "assignment_expression", "augmented_assignment_expression", "variable_declarator":
			if parts[0] != child {
				return false
			}
			last := parts[len(parts)-1]
			none := t.kind(n) == "assignment_expression" && (t.kind(last) == "null" || t.kind(last) == "undefined")
			return !none
		case "for_in_statement":
			of := slices.IndexFunc(parts, func(p int) bool { return t.literal(p) == "of" || t.literal(p) == "in" })
			return slices.Index(parts, child) < of
		case "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression", "type_assertion",
			"array_pattern", "object_pattern", "pair_pattern", "assignment_pattern", "object_assignment_pattern", "rest_pattern",
			"array", "object", "pair", "spread_element":
		default:
			return false
		}
	}
	return false
}
