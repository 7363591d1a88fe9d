package index

import (
	"path"
	"slices"
	"strings"
)

// resolverJava binds what Java names. A type is looked for in the file of its name in any source root, by the package
// that the file states. What a type does not have itself it may inherit: that is open.
var resolverJava = &resolver{}

func init() { resolverJava.look = lookJava }

func lookJava(x *lookup, s sought, hops int) ([]Symbol, Verdict) {
	var names []string
	var found []Symbol
	verdict := Open
	switch s.via.Root {
	case RootUnknown:
		return nil, Open
	case RootImport, RootAlias, RootModule:
		m := &x.f.Imports[s.via.Import]
		if found, verdict = x.importedJava(m); s.via.Root == RootImport {
			names = strings.Split(join(s.via.Path, s.name), ".")
			if verdict != Bound {
				return nil, Open // a subclass in the tree may have the member
			}
		}
	case RootFile:
		if own := x.qualified([]string{x.from}, join(s.via.Path, s.name)); own != nil {
			return x.fitJava(own, s)
		}
		names = strings.Split(join(s.via.Path, s.name), ".")
		if found = x.qualified([]string{x.from}, names[0]); found != nil {
			names, verdict = names[1:], Bound
		}
	case RootFree:
		found, names, verdict = x.outwardJava(strings.Split(join(s.via.Path, s.name), "."), s)
	}
	if verdict != Bound {
		return nil, verdict
	}
	for _, name := range names {
		if found, verdict = x.throughJava(found, name, hops+1); verdict != Bound {
			return nil, Open
		}
	}
	return x.fitJava(found, s)
}

// importedJava is what an import statement names.
func (x *lookup) importedJava(m *Import) ([]Symbol, Verdict) {
	if m.Name == "" || m.Name == "*" {
		return nil, Open
	}
	if found := x.typeJava(m.Path, m.Name); found != nil {
		return found, Bound
	}
	pkg, outer := splitLast(m.Path)
	if pkg != "" && isTypeName(outer) { // a nested type, or what is imported static
		of, verdict := x.importedJava(&Import{Path: pkg, Name: outer})
		if verdict != Bound {
			return nil, verdict
		}
		return x.throughJava(of, m.Name, 0)
	}
	if m.Path == x.f.Module { // of this very package, where a type that is not public may stand in any file
		found := x.qualified([]string{x.from}, m.Name)
		if found == nil {
			found = x.neighbours(m.Name)
		}
		if found != nil {
			return found, Bound
		}
		return nil, Open
	}
	if isTypeName(m.Name) && len(x.w.Named(m.Name+".kt"))+len(x.w.Named(m.Name+".groovy"))+len(x.w.Named(m.Name+".scala")) == 0 {
		return nil, Elsewhere
	}
	return nil, Open
}

func isTypeName(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// typeJava lists the types of that name at the top of a package.
func (x *lookup) typeJava(pkg, name string) (found []Symbol) {
	for _, p := range x.w.Named(name + ".java") {
		if f := x.w.File(p); f != nil && f.Module == pkg {
			found = append(found, x.qualified([]string{p}, name)...)
		}
	}
	return found
}

// neighbours lists the types of that name which files of another name in the same directory have.
func (x *lookup) neighbours(name string) (found []Symbol) {
	for _, p := range inDir(x.w, dirOf(x.from), ".java") {
		if f := x.w.File(p); p != x.from && path.Base(p) != name+".java" && f != nil && f.Module == x.f.Module {
			found = append(found, x.qualified([]string{p}, name)...)
		}
	}
	return found
}

// outwardJava resolves as much of a chain of names as the scopes, the package and the imports tell, and gives the rest.
func (x *lookup) outwardJava(names []string, s sought) (found []Symbol, rest []string, verdict Verdict) {
	first := names[0]
	for _, o := range x.containers(s.at) {
		found = x.qualified([]string{x.from}, o+"."+first)
		found = slices.DeleteFunc(slices.Clone(found), func(y Symbol) bool {
			called := s.role == Call && len(names) == 1
			return called && x.def(y).Kind.value() || !called && x.def(y).Kind == Method
		})
		if len(found) > 0 {
			if !isTypeName(first) && x.passed(o, s) {
				return nil, nil, Open
			}
			return found, names[1:], Bound
		}
	}
	if found = x.qualified([]string{x.from}, first); found == nil {
		found = x.typeJava(x.f.Module, first)
	}
	if found == nil && isTypeName(first) {
		found = x.neighbours(first)
	}
	if found != nil {
		return found, names[1:], Bound
	}
	for i := range x.f.Imports {
		m := &x.f.Imports[i]
		if m.Name != "*" {
			continue
		}
		if found = x.typeJava(m.Path, first); found != nil {
			return found, names[1:], Bound
		}
		if pkg, outer := splitLast(m.Path); isTypeName(outer) {
			if of, v := x.importedJava(&Import{Path: pkg, Name: outer}); v == Bound {
				if found, v = x.throughJava(of, first, 0); v == Bound && !x.passed("", s) {
					return found, names[1:], Bound
				}
			}
		}
	}
	for i := 1; i < len(names); i++ { // a.b.C
		if found = x.typeJava(strings.Join(names[:i], "."), names[i]); found != nil {
			return found, names[i+1:], Bound
		}
	}
	return nil, nil, Open
}

// passed says whether a class that inherits stands between s.at and the container in which a name was found: the name
// may be one that it inherits.
func (x *lookup) passed(container string, s sought) bool {
	if s.role == TypeUse {
		return false
	}
	for _, o := range x.containers(s.at) {
		if o == container {
			return false
		}
		for _, c := range x.qualified([]string{x.from}, o) {
			if d := x.def(c); d.inherits() && d.Start <= s.at && s.at < d.End {
				return true
			}
		}
	}
	return false
}

// throughJava looks a member up in types, or in what fields are declared with.
func (x *lookup) throughJava(of []Symbol, name string, hops int) ([]Symbol, Verdict) {
	if hops > 2*maxHops {
		return nil, Open
	}
	for _, s := range of {
		d := x.def(s)
		if d.Kind.owns() || d.Kind == Enumerator {
			if found := x.qualified([]string{s.Path}, join(d.Qualified(), name)); found != nil {
				return found, Bound
			}
		}
		if via, ok := x.typeOf(s); ok && d.Kind.value() {
			if found, verdict := x.of(s.Path).look(sought{via, name, Read, d.Start}, hops+1); verdict == Bound {
				return found, Bound
			}
		}
	}
	return nil, Open
}

// fitJava leaves of the definitions of a name the methods where it is called, else the others: a field and a method
// may have the same.
func (x *lookup) fitJava(found []Symbol, s sought) ([]Symbol, Verdict) {
	fits := func(y Symbol) bool {
		d := x.def(y)
		switch method := d.Kind == Method || d.Kind == Constructor; s.role {
		case Call:
			return method
		case TypeUse:
			return d.Kind.owns()
		case Declaration:
			return y.Path == x.from && d.NameStart == s.at
		default:
			return !method
		}
	}
	if slices.ContainsFunc(found, fits) {
		found = slices.DeleteFunc(slices.Clone(found), func(y Symbol) bool { return !fits(y) })
		if s.role == Call {
			found = x.ofArity(found, s.at)
		}
		if len(found) == 0 {
			return nil, Open // an overload that is inherited
		}
		return found, Bound
	}
	if s.role == Call && x.def(found[0]).Kind.value() {
		return nil, Open // the method of the name of a field is inherited
	}
	return found, Bound
}
