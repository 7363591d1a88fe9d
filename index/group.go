package index

import "slices"

// A definition in a function or an object without a name has a qualified name that tells nothing of where it stands: two
// callbacks of one file may both define render. Such definitions are put into groups. Group 0 is what others
// can reach by the qualified name; every other group is 1 + the index of the definition at whose scope it begins, and
// is reached only by what this scope binds. RootFile's Via.Import is the group, of references and of declarations.

// readGroups fills b.groups, for the languages that have such functions and objects.
func (b *binder) readGroups() {
	if !b.anonymous {
		return
	}
	type place struct {
		name  string
		scope int32
	}
	first := map[place]int32{} // the definition with which a group begins
	b.groups = make([]int32, len(b.f.Defs))
	var open []int32
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		for len(open) > 0 && b.f.Defs[open[len(open)-1]].End <= d.Start {
			open = open[:len(open)-1]
		}
		owner := b.owner(open, d)
		open = append(open, int32(i))
		home := b.homes[i]
		inSpace := owner >= 0 && b.f.Defs[owner].Kind.space() && b.visible(i, owner)
		switch {
		case home == 0, b.exported[int32(i)]:
		case home > 0 && d.Kind != Enumerator && !inSpace:
			at := place{d.Name, home}
			if _, ok := first[at]; !ok {
				first[at] = int32(i)
			}
			b.groups[i] = 1 + first[at]
		case owner >= 0:
			b.groups[i] = b.groups[owner]
		case d.Container != "" && b.operatorBefore(d.NameStart) > 0: // f.prototype.g = function () {}
		case d.Container != "", d.Kind.member(): // of an object that is a local variable, or has no name
			b.groups[i] = 1 + int32(i)
		}
	}
}

// space kinds give what stands in them to whoever names them; functions do not.
func (k Kind) space() bool { return k == Namespace || k == Module }

// owner is the definition around d whose name is d's container; -1 for none.
func (b *binder) owner(open []int32, d *Def) int32 {
	for k := len(open) - 1; k >= 0 && d.Container != ""; k-- {
		if o := &b.f.Defs[open[k]]; o.End >= d.End && o.Qualified() == d.Container {
			return open[k]
		}
	}
	return -1
}

// rehome binds definitions where their own name stands, which some do that are not known around them: a parameter that
// is a field too, and a function expression.
func (b *binder) rehome(locals []localFact) {
	if !b.anonymous {
		return
	}
	for _, l := range locals {
		if l.role != roleLocalScope && l.role != roleLocalOwn {
			continue
		}
		i := b.leafAt(l.at.Start)
		if i < 0 || b.leaves[i].tag != tagName {
			continue
		}
		d, ok := b.leaves[i].definition()
		if !ok || b.homes[d] == b.leaves[i].scope {
			continue
		}
		in := b.leaves[i].scope
		old := slices.IndexFunc(b.bindings, func(at binding) bool { return at.kind == bindsDef && at.index == d })
		b.bindHere(b.src[l.at.Start:l.at.End], in, bindsDef, d)
		b.bindings[len(b.bindings)-1].own = l.role == roleLocalOwn
		if old >= 0 {
			b.bindings[old] = b.bindings[len(b.bindings)-1]
			b.bindings = b.bindings[:len(b.bindings)-1]
		}
		if !b.f.Defs[d].Kind.member() {
			b.homes[d] = in
		}
	}
}

func (b *binder) group(def int32) int32 {
	if b.groups == nil {
		return 0
	}
	return b.groups[def]
}

// declared is where a definition's own name is looked up.
func (b *binder) declared(def int32) Via { return b.within(def, b.f.Defs[def].Container) }

// within is a path of this file as it is known where def is.
func (b *binder) within(def int32, path string) Via {
	return Via{Root: RootFile, Import: b.group(def), Path: path}
}

// groupOf is the group of a definition of f.
func groupOf(f *File, d *Def) int32 {
	if l := languageNamed(f.Language); l == nil || !l.anonymous {
		return 0
	}
	for _, r := range f.Refs(d.Name) {
		if r.Role == Declaration && r.Start == d.NameStart && r.Via.Root == RootFile {
			return r.Via.Import
		}
	}
	return 0
}
