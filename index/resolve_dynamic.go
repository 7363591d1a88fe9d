package index

import (
	"cmp"
	"slices"
	"strings"
)

// others adds what a name of the file may mean besides what it was found to be: the file may define it and import it
// too, or import it from several places, each where the other fails.
func (x *lookup) others(ref Ref, name string, found []Symbol, verdict Verdict) ([]Symbol, Verdict) {
	via := ref.Via
	first, rest := "", ""
	own := int32(-1)
	switch via.Root {
	case RootFile:
		first, rest, _ = strings.Cut(join(via.Path, name), ".")
	case RootAlias, RootImport:
		own = via.Import
		if !x.f.Imports[own].Export {
			return found, verdict
		}
		first = x.f.Imports[own].Alias
		if via.Root == RootImport {
			rest = join(via.Path, name)
		}
	default:
		return found, verdict
	}
	more := false
	for i := range x.f.Imports {
		m := &x.f.Imports[i]
		if m.Alias != first || !m.Export || own >= 0 && m.Path == x.f.Imports[own].Path && m.Name == x.f.Imports[own].Name {
			continue
		}
		var also []Symbol
		var v Verdict
		if rest == "" {
			also, v = x.alias(m, 0)
		} else {
			path, last := splitLast(rest)
			also, v = x.imported(m, path, last, 0)
		}
		switch {
		case v == Open || verdict == Open:
			return nil, Open
		case v == Bound:
			found, verdict, more = append(slices.Clip(found), also...), Bound, true
		}
	}
	if more {
		found = sortedSymbols(found)
	}
	return found, verdict
}

// imports adds to what the files of a place define by a name what they import by it.
func (x *lookup) imports(place Place, name string, found []Symbol, hops int) ([]Symbol, Verdict) {
	own := len(found)
	for _, p := range place.Files {
		f := x.w.File(p)
		if f == nil {
			continue
		}
		inner := &lookup{Resolver: x.Resolver, l: x.l, from: p, f: f}
		for i := range f.Imports {
			if m := &f.Imports[i]; m.Alias == name && m.Export && f.Language == x.f.Language {
				also, v := inner.alias(m, hops+1)
				if v == Open {
					return nil, Open
				}
				found = append(slices.Clip(found), also...)
			}
		}
	}
	if len(found) > own {
		found = sortedSymbols(found)
	}
	return found, Bound
}

// importedIn is what the body of a class imports by a name, which makes it a member.
func (x *lookup) importedIn(classes []Symbol, name string, hops int) ([]Symbol, Verdict) {
	for _, s := range classes {
		inner := x.of(s.Path)
		d := x.def(s)
		for i := range inner.f.Imports {
			m := &inner.f.Imports[i]
			if m.Alias != name || m.Start < d.Start || m.Start >= d.End {
				continue
			}
			if around := inner.containers(m.Start); len(around) == 0 || around[0] != d.Qualified() {
				continue
			}
			if found, verdict := inner.alias(m, hops); verdict == Bound {
				return found, Bound
			}
		}
	}
	return nil, Open
}

// importsAs says whether a file of a place gives that name to what it imports.
func (x *lookup) importsAs(place Place, name string) bool {
	for _, p := range place.Files {
		if f := x.w.File(p); f != nil && slices.ContainsFunc(f.Imports, func(m Import) bool { return m.Alias == name && m.Export }) {
			return true
		}
	}
	return false
}

// sortedSymbols is found in the order of files and positions, each once.
func sortedSymbols(found []Symbol) []Symbol {
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b Symbol) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Def, b.Def)) })
	return slices.Compact(found)
}

// takes says whether an import of all that a place has may take that name. It does where one of the files says so.
func (x *lookup) takes(place Place, name string) bool {
	exports := x.l.resolver.exports
	if exports == nil || len(place.Files) == 0 {
		return true
	}
	for _, p := range place.Files {
		if f := x.w.File(p); f == nil || exports(f, name) {
			return true
		}
	}
	return false
}

// functions says whether a qualified name is that of functions, of which one member would be a local.
func (r *Resolver) functions(files []string, qualified string) bool {
	found := r.qualified(files, qualified)
	for _, s := range found {
		if k := r.w.File(s.Path).Defs[s.Def].Kind; !k.local() {
			return false
		}
	}
	return found != nil
}
