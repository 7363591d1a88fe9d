package index

// A definition in a function or an object without a name has a qualified name that tells nothing of where it stands: two
// callbacks of one file may both define render. Such definitions are put into groups. Group 0 is what others
// can reach by the qualified name; every other group is 1 + the index of the definition at whose scope it begins, and
// is reached only by what this scope binds. RootFile's Via.Import is the group, of references and of declarations.

// readGroups fills b.groups, for the languages that have such functions and objects.
func (b *binder) readGroups() {
	if !b.anonymous {
		return
	}
	type name struct{ container, name string }
	type place struct {
		name
		scope int32
	}
	const several = -2
	first := map[place]int32{} // the definition with which a group would begin
	scopes := map[name]int32{}
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		n := name{d.Container, d.Name}
		if b.homes[i] < 0 || d.Kind == Enumerator {
			continue
		}
		if _, ok := first[place{n, b.homes[i]}]; !ok {
			first[place{n, b.homes[i]}] = int32(i)
		}
		if at, ok := scopes[n]; ok && at != b.homes[i] {
			scopes[n] = several
		} else {
			scopes[n] = b.homes[i]
		}
	}
	b.groups = make([]int32, len(b.f.Defs))
	var open []int32
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		for len(open) > 0 && b.f.Defs[open[len(open)-1]].End <= d.Start {
			open = open[:len(open)-1]
		}
		n := name{d.Container, d.Name}
		bare := b.homes[i] >= 0 && d.Kind != Enumerator
		switch {
		case bare && b.homes[i] == 0, b.exported[int32(i)]:
		case bare && (d.Container == "" || scopes[n] == several):
			b.groups[i] = 1 + first[place{n, b.homes[i]}]
		case d.Container != "":
			b.groups[i] = b.ownerGroup(open, int32(i))
		case d.Kind.member():
			b.groups[i] = 1 + int32(i)
		}
		open = append(open, int32(i))
	}
}

// ownerGroup is the group of the definition whose name is d's container.
func (b *binder) ownerGroup(open []int32, i int32) int32 {
	d := &b.f.Defs[i]
	for k := len(open) - 1; k >= 0; k-- {
		if o := &b.f.Defs[open[k]]; o.End >= d.End && o.Qualified() == d.Container {
			return b.groups[open[k]]
		}
	}
	if at := b.leafAt(d.NameStart); at >= 0 && b.operatorBefore(d.NameStart) > 0 {
		return 0 // f.prototype.g = function () {}
	}
	return 1 + i // of an object that is a local variable
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
