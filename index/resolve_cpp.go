package index

import "strings"

// used turns what is looked up in a using, or in an alias of a namespace, into a look-up of the whole name.
func (x *lookup) used(s sought) sought {
	m := &x.f.Imports[s.via.Import]
	path := strings.ReplaceAll(strings.TrimPrefix(m.Path, "::"), "::", ".")
	switch s.via.Root {
	case RootAlias:
		if m.Name == "" { // of a namespace
			path, s.name = splitLast(path)
		} else {
			s.name = m.Name
		}
	case RootImport:
		if m.Name != "" {
			path = join(path, m.Name)
		}
		if s.via.Path != "" {
			path = join(path, s.via.Path)
		}
	}
	s.via = Via{Root: RootFree, Path: path}
	return s
}

// lookCPlusPlus looks a name up by the scopes around it, from the inside out: in the namespaces and the classes, at the
// top, and at last in the namespaces that the file uses. p is the path without the word that says it names a type.
func (x *lookup) lookCPlusPlus(s sought, p string, tagged bool, hops int) ([]Symbol, Verdict) {
	if s.via.Root == RootFile {
		if own := x.qualified(x.home(), join(p, s.name)); own != nil {
			return x.fitting(own, tagged)
		}
	}
	names := strings.Split(join(p, s.name), ".")
	found, inherited := x.outward(names[0], s, tagged)
	for i, name := range names[1:] {
		if len(found) == 0 {
			return nil, Open
		}
		next, verdict := x.throughC(found, name, hops+1)
		if verdict != Bound {
			return nil, verdict
		}
		if found = next; i == len(names)-2 {
			return x.fitting(found, tagged)
		}
	}
	if len(found) == 0 || inherited && x.hidden(found) || s.role == Call && x.overloaded(found) {
		return nil, Open
	}
	return x.fitting(found, tagged && len(names) == 1)
}

// outward is what the first name of a chain means at s.at, and whether it was passed by a class that may inherit
// another of that name.
func (x *lookup) outward(name string, s sought, tagged bool) (found []Symbol, inherited bool) {
	home := x.home()
	seek := func(outer string) []Symbol {
		if found := x.qualified(home, join(outer, name)); found != nil {
			if fit, verdict := x.fitting(found, tagged); verdict == Bound {
				return fit
			}
		}
		return x.enumerators(outer, name)
	}
	var outer []string
	if s.via.Root == RootFile && s.via.Path != "" {
		outer = append(outer, "")
	} else {
		outer = append(x.containers(s.at), "")
	}
	for _, o := range outer {
		if found := seek(o); found != nil {
			return found, inherited && s.role != TypeUse
		}
		inherited = inherited || o != "" && x.inherits(o)
	}
	for i := range x.f.Imports {
		if m := &x.f.Imports[i]; m.Name == "*" && strings.HasPrefix(m.Path, "::") {
			path := strings.ReplaceAll(m.Path[2:], "::", ".")
			for _, o := range outer { // using namespace detail, in namespace fmt
				if found := seek(join(o, path)); found != nil {
					return found, inherited && s.role != TypeUse
				}
			}
		}
	}
	return nil, inherited
}

// inherits says whether a container is, or may be, a class with bases: something stands between its name and its body,
// or it is not defined in what the file includes.
func (x *lookup) inherits(container string) bool {
	of := x.qualified(x.home(), container)
	for _, s := range of {
		if x.def(s).inherits() {
			return true
		}
	}
	return len(of) == 0
}

// enumerators are those of that name in the enums of a container, which are known outside of them. Scoped ones are
// not: what stands before their name is longer than "enum ".
func (x *lookup) enumerators(outer, name string) (found []Symbol) {
	for _, p := range x.home() {
		for _, s := range x.named(p, name) {
			d := x.def(s)
			if up, _ := splitLast(d.Container); d.Kind != Enumerator || up != outer || d.Container == "" {
				continue
			}
			for _, e := range x.qualified([]string{p}, d.Container) {
				if e := x.def(e); e.Kind == Enum && e.Start <= d.Start && d.End <= e.End && (e.NameStart < e.SigStart+8 || e.NameStart > e.SigEnd) {
					found = append(found, s)
				}
			}
		}
	}
	return found
}

// fitting leaves out constructors, whose name means the class, and of types with struct before them what is none.
func (x *lookup) fitting(found []Symbol, tagged bool) ([]Symbol, Verdict) {
	var kept []Symbol
	for _, s := range found {
		switch d := x.def(s); {
		case d.Kind == Constructor, tagged && !d.Kind.owns():
		default:
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 || x.declaredOnly(kept) || x.macros(kept) && x.contradict(kept) {
		return nil, Open
	}
	return kept, Bound
}

// hidden says whether a member that a class inherits would hide what was found outside of it. Types are taken for what
// they seem: a base seldom has one of the same name.
func (x *lookup) hidden(found []Symbol) bool {
	for _, s := range found {
		if d := x.def(s); d.Kind == Function || d.Kind == Variable || d.Kind == Constant || d.Kind == Enumerator {
			return true
		}
	}
	return false
}

// overloaded says whether other namespaces have a function of the same name: by its arguments a call may mean that one.
func (x *lookup) overloaded(found []Symbol) bool {
	if x.def(found[0]).Kind != Function {
		return false
	}
	for _, p := range x.home() {
		for _, s := range x.named(p, x.def(found[0]).Name) {
			if d := x.def(s); d.Kind == Function && d.Container != x.def(found[0]).Container {
				return true
			}
		}
	}
	return false
}

func (x *lookup) macros(found []Symbol) bool {
	for _, s := range found {
		if x.def(s).Kind != Macro {
			return false
		}
	}
	return true
}
