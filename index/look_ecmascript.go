package index

import (
	"slices"
	"strings"
)

// lookECMAScript looks up what a scope of the file, or an import, tells. What nothing binds may be a global of another file.
func lookECMAScript(x *lookup, s sought, hops int) (found []Symbol, verdict Verdict) {
	switch s.via.Root {
	case RootFile:
		found, verdict = x.grouped(s.via, s.name, hops)
	case RootImport:
		found, verdict = x.imported(&x.f.Imports[s.via.Import], s.via.Path, s.name, hops)
	case RootAlias:
		found, verdict = x.alias(&x.f.Imports[s.via.Import], hops)
	case RootModule:
		var place Place
		if place, verdict = x.find(x.f.Imports[s.via.Import].Path); verdict == Bound {
			found, verdict = x.in(place, s.name, hops)
		}
	default:
		verdict = unbound(s.via)
	}
	if x.l.typeNames {
		found = x.ofSpace(found, s.role)
	}
	return x.ofStatic(found, s), verdict
}

// ofStatic keeps, of static members and others of one name, those that a class has, or those that its objects have.
func (x *lookup) ofStatic(found []Symbol, s sought) []Symbol {
	if len(found) < 2 || s.via.Path == "" && s.via.Root != RootImport {
		return found
	}
	static := s.via.Root != RootUnknown && !s.via.Value
	var kept []Symbol
	for _, y := range found {
		if s.role == Declaration && y.Path == x.from && x.def(y).NameStart == s.at {
			static = x.isStatic(y)
		}
	}
	for _, y := range found {
		if x.isStatic(y) == static {
			kept = append(kept, y)
		}
	}
	if kept == nil {
		return found
	}
	return kept
}

// isStatic says whether a member is its class's own.
func (x *lookup) isStatic(s Symbol) bool {
	d := x.def(s)
	if d.Container == "" || !d.Kind.member() {
		return false
	}
	src := x.w.Read(s.Path)
	return int(d.NameStart) <= len(src) && hasWord(src[d.SigStart:d.NameStart], "static")
}

// grouped looks name up in the file itself, among the definitions of a group.
func (x *lookup) grouped(v Via, name string, hops int) ([]Symbol, Verdict) {
	if found := x.inGroup(v.Import, join(v.Path, name)); found != nil {
		return x.follow(found, hops), Bound
	}
	if of := x.inGroup(v.Import, v.Path); of != nil {
		if found, verdict := x.through(of, name, hops+1); verdict == Bound {
			return found, Bound
		}
		if v.Import == 0 {
			return nil, x.memberOf(Place{Files: []string{x.from}}, v.Path)
		}
	} else if up, last := splitLast(v.Path); up != "" {
		if of, verdict := x.grouped(Via{Import: v.Import, Path: up}, last, hops+1); verdict == Bound && hops <= maxHops {
			return x.through(of, name, hops+1)
		}
	}
	return nil, Open
}

// inGroup lists the definitions of the file with that qualified name in that group.
func (x *lookup) inGroup(group int32, qualified string) (found []Symbol) {
	for i := range x.f.Defs {
		if d := &x.f.Defs[i]; strings.HasSuffix(qualified, d.Name) && d.Qualified() == qualified && groupOf(x.f, d) == group {
			found = append(found, Symbol{x.from, i})
		}
	}
	return found
}

// passedOn looks name up in the member path of what an export of this very file names; that itself, when name is "".
func (x *lookup) passedOn(m *Import, path, name string, hops int) ([]Symbol, Verdict) {
	if hops > maxHops {
		return nil, Open
	}
	if own := x.qualified([]string{x.from}, m.Name); own != nil {
		if name == "" {
			return x.follow(own, hops), Bound
		}
		return x.members(Place{Files: []string{x.from}}, join(m.Name, path), name, hops+1)
	}
	for i := range x.f.Imports {
		taken := &x.f.Imports[i]
		if taken.Path == "" || taken.Export || taken.Alias != m.Name {
			continue
		}
		if name == "" {
			return x.alias(taken, hops+1)
		}
		return x.imported(taken, path, name, hops+1)
	}
	return nil, Open
}

// follow adds to definitions what they are another name or part of: const f = require("./f"), and what stands in
// declare module "./f".
func (x *lookup) follow(found []Symbol, hops int) []Symbol {
	if !x.l.exportsApart || hops > maxHops {
		return found
	}
	all := found[:len(found):len(found)]
	for _, s := range found {
		f := x.w.File(s.Path)
		d := &f.Defs[s.Def]
		inner := &lookup{Resolver: x.Resolver, l: x.l, from: s.Path, f: f}
		if d.Container != "" {
			all = append(all, inner.augmented(d, hops+1)...)
		}
		for i := range f.Imports {
			m := &f.Imports[i]
			if m.Path == "" || m.Alias == "" || m.AliasStart != d.NameStart {
				continue
			}
			if more, verdict := inner.alias(m, hops+1); verdict == Bound {
				all = append(all, more...)
			}
		}
	}
	return all
}

// augmented lists what a definition in declare module "x" is a part of.
func (x *lookup) augmented(d *Def, hops int) []Symbol {
	for i := range x.f.Defs {
		m := &x.f.Defs[i]
		if m.Start > d.Start {
			break
		}
		path, ok := strings.CutPrefix("."+d.Container, "."+m.Qualified())
		if m.Kind != Module || m.End < d.End || !ok {
			continue
		}
		place, verdict := x.find(m.Name)
		if verdict != Bound || slices.Contains(place.Files, x.from) {
			return nil
		}
		found, _ := x.members(place, strings.TrimPrefix(path, "."), d.Name, hops)
		return found
	}
	return nil
}

// ofSpace keeps the types for a reference to a type, and the values for one to a value, where there are both.
func (x *lookup) ofSpace(found []Symbol, role Role) []Symbol {
	if len(found) < 2 || role == Importing || role == Declaration {
		return found
	}
	var kept []Symbol
	for _, s := range found {
		k := x.w.File(s.Path).Defs[s.Def].Kind
		if role == TypeUse && k.typeName() || role != TypeUse && k.valueName() {
			kept = append(kept, s)
		}
	}
	if kept == nil {
		return found
	}
	return kept
}
