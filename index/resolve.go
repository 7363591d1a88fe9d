package index

import (
	"slices"
	"strings"
)

// World is the tree in which imports are resolved. Paths are relative to its root, with slashes. What it answers
// must be the same however much of the tree has been parsed before: it parses what it is asked for.
type World interface {
	// File describes a file; nil when there is none, or when it was not parsed.
	File(path string) *File
	// Dir lists the paths of the files directly in a directory ("" is the root), sorted.
	Dir(dir string) []string
	// Named lists the paths of all files with that base name, sorted.
	Named(base string) []string
	// Read gives the bytes of a small configuration file (go.mod, tsconfig.json); nil when it cannot be read.
	Read(path string) []byte
}

// Place is where names are looked up: in a container ("" is the top level) of files that share their names.
type Place struct {
	Files     []string // sorted
	Container string
	Module    string // how an import in the same file would name it, "" when it cannot be imported from
}

// Symbol is one definition: an index into the Defs of a file.
type Symbol struct {
	Path string
	Def  int
}

// Verdict says what a reference was found to be.
type Verdict uint8

const (
	Open      Verdict = iota // the syntax and the imports do not tell
	Bound                    // to the symbols that are given
	Member                   // as Open, but it is certain that it is a member of a type
	Elsewhere                // to something that is not in the tree, or that has no name there
)

// resolver is what a language adds to the rules that hold for all.
type resolver struct {
	// home lists the files whose top-level names a file knows without import, itself included, sorted; nil: only itself.
	home func(w World, from string, f *File) []string
	// find resolves the path of an import in file from. Elsewhere: it is certain that the tree does not have it.
	find func(w World, from string, f *File, path string) (Place, Verdict)
	// separator goes between the path of a module and the name of a module in it; "": modules have none.
	separator string
	// reexports: what a module imports can be imported from it.
	reexports func(f *File, m *Import) bool
	// callsItself: a module says itself by which name others know it, and its path only suggests one.
	callsItself bool
	// single are names whose definitions have nothing to do with each other: init.
	single []string
	// embeds: a type has the members of the types that it embeds.
	embeds bool
	// closed: a name that neither the file's home nor its imports have is not in the tree.
	closed bool
	// dynamic: names are bound as the program runs. A name that nothing in the file binds is not in the tree, but a module
	// may have members that no definition tells of; a file's own names and its imports may both be what a name means
	// (try: import, except: def); a variable may hold a value of a subtype; functions have no members.
	dynamic bool
	// exports says whether an import of everything (*) takes that name from a file; nil: it takes each.
	exports func(f *File, name string) bool
	// includes: the home of a file is what it includes, and what that includes: its imports of all names.
	includes bool
	// look, where it is not nil, takes the place of the rules that hold for all.
	look func(x *lookup, s sought, hops int) ([]Symbol, Verdict)
	// respell lists how the path of an import may be written anew, the best first, when it names the file old in file from,
	// and names fresh in file now of w; nil: it is not. See Respellings, which looks whether it does.
	respell func(w World, from, now, old, fresh, spelled string) []string
	// enclosing: a name is also looked up in the containers around it, from the inside out.
	enclosing bool
}

// Resolver resolves the references of one tree, and remembers what it found: use one for one answer, on one state of
// the tree. Not safe for concurrent use.
type Resolver struct {
	w      World
	homes  map[string][]string
	direct map[string][]string    // what a file includes itself
	found  map[[2]string][]Symbol // by file and qualified name
	bare   map[[2]string][]Symbol // by file and name
	places map[[2]string]located  // by file and import path
	types  map[Symbol]typed       // what members of a definition are looked up in
	// answers of languages in which it does not matter where in a file something is sought.
	answers map[inFile]answer
	arities map[Symbol]arity    // of functions of C++
	ambient map[string][]string // by name of a module: the files that declare it, see Declares
}

type inFile struct {
	path string
	sought
}

type typed struct {
	via Via
	ok  bool
}

// typeOf is File.TypeOf, which reads a list, remembered.
func (r *Resolver) typeOf(s Symbol) (Via, bool) {
	t, ok := r.types[s]
	if !ok {
		t.via, t.ok = r.w.File(s.Path).TypeOf(s.Def)
		r.types[s] = t
	}
	return t.via, t.ok
}

type answer struct {
	found   []Symbol
	verdict Verdict
}

type located struct {
	place   Place
	verdict Verdict
}

// memory is a World in which resolvers keep what they have read.
type memory struct {
	World
	kept map[string]any
}

// remembered is what make makes, once for each Resolver.
func remembered[T any](w World, key string, make func() T) T {
	m, ok := w.(*memory)
	if !ok {
		return make()
	}
	if known, ok := m.kept[key]; ok {
		return known.(T)
	}
	made := make()
	m.kept[key] = made
	return made
}

// NewResolver resolves in w.
func NewResolver(w World) *Resolver {
	return &Resolver{w: &memory{w, map[string]any{}}, homes: map[string][]string{}, direct: map[string][]string{},
		found: map[[2]string][]Symbol{}, bare: map[[2]string][]Symbol{}, types: map[Symbol]typed{}, answers: map[inFile]answer{},
		places: map[[2]string]located{}}
}

// maxHops bounds how many imports are followed for one name: a re-export of a re-export.
const maxHops = 8

// Resolve says what the reference r to name, in the file of that path, is bound to. Definitions under several
// conditions (build tags, overloads) are all given, in the order of files and positions.
func (r *Resolver) Resolve(from string, f *File, ref Ref, name string) ([]Symbol, Verdict) {
	found, verdict := r.resolve(from, f, ref, name)
	if ref.Via.Key && verdict != Bound {
		return nil, Open
	}
	return found, verdict
}

func (r *Resolver) resolve(from string, f *File, ref Ref, name string) ([]Symbol, Verdict) {
	l := languageNamed(f.Language)
	if l == nil || l.resolver == nil {
		return r.resolveAlone(from, f, ref, name)
	}
	if ref.Role == Declaration {
		if ref.Via.Root == RootValue && !l.anonymous {
			return nil, Elsewhere // a field of a type without a name: nobody's but its file's
		}
		if slices.Contains(l.resolver.single, name) {
			return r.declared(from, f, ref), Bound
		}
	}
	x := &lookup{Resolver: r, l: l, from: from, f: f}
	found, verdict := x.look(sought{ref.Via, name, ref.Role, ref.Start}, 0)
	if l.resolver.dynamic && ref.Role != Declaration {
		found, verdict = x.others(ref, name, found, verdict)
	}
	if ref.Via.Value && l.resolver.dynamic && verdict == Elsewhere {
		verdict = Open
	}
	return found, verdict
}

// sought is what is looked up: a name in a via, for a role, at an offset.
type sought struct {
	via  Via
	name string
	role Role
	at   uint32
}

func (x *lookup) look(s sought, hops int) ([]Symbol, Verdict) {
	if hops > maxHops {
		return nil, Open
	}
	if x.l.resolver.look != nil {
		return x.l.resolver.look(x, s, hops)
	}
	switch s.via.Root {
	case RootFile:
		return x.members(Place{Files: x.home()}, s.via.Path, s.name, hops)
	case RootFree:
		return x.free(s, hops)
	case RootImport:
		return x.imported(&x.f.Imports[s.via.Import], s.via.Path, s.name, hops)
	case RootAlias:
		return x.alias(&x.f.Imports[s.via.Import], hops)
	case RootModule:
		place, verdict := x.find(x.f.Imports[s.via.Import].Path)
		if verdict != Bound {
			return nil, verdict
		}
		return x.inOrBelow(place, s.name, hops)
	}
	return nil, unbound(s.via)
}

// declared is the definition that a declaration names.
func (r *Resolver) declared(from string, f *File, ref Ref) []Symbol {
	for i := range f.Defs {
		if f.Defs[i].NameStart == ref.Start {
			return []Symbol{{from, i}}
		}
	}
	return nil
}

// unbound is the verdict where the syntax tells nothing.
func unbound(via Via) Verdict {
	if via.Root == RootValue {
		return Member
	}
	return Open
}

// inOrBelow is in, but a module of a module is no definition.
func (x *lookup) inOrBelow(place Place, name string, hops int) ([]Symbol, Verdict) {
	found, verdict := x.in(place, name, hops)
	if verdict != Bound {
		if _, ok := x.submodule(place, name); ok {
			return nil, Elsewhere
		}
	}
	return found, verdict
}

// resolveAlone is for languages whose imports are not resolved: only what the file binds itself is bound.
func (r *Resolver) resolveAlone(from string, f *File, ref Ref, name string) ([]Symbol, Verdict) {
	if ref.Via.Root != RootFile {
		return nil, unbound(ref.Via)
	}
	if own := r.qualified([]string{from}, join(ref.Via.Path, name)); own != nil {
		if ref.Role == Declaration && r.Overloaded(own) {
			own = r.declared(from, f, ref)
		}
		return own, Bound
	}
	return nil, Open
}

// lookup resolves references of one file.
type lookup struct {
	*Resolver
	l    *language
	from string
	f    *File
}

// free looks a name up that nothing in the file binds: in its home, in the containers around it, in what it imports as
// a whole.
func (x *lookup) free(s sought, hops int) ([]Symbol, Verdict) {
	name := s.name
	if hops > maxHops {
		return nil, Open
	}
	home := Place{Files: x.home()}
	first, _, _ := strings.Cut(join(s.via.Path, name), ".")
	if x.l.resolver.enclosing {
		for _, outer := range x.containers(s.at) {
			if x.qualified(home.Files, outer+"."+first) != nil {
				return x.members(home, join(outer, s.via.Path), name, hops+1)
			}
		}
	}
	if x.qualified(home.Files, first) != nil {
		return x.members(home, s.via.Path, name, hops+1)
	}
	open := !x.l.resolver.closed && !x.l.resolver.dynamic
	for i := range x.f.Imports {
		m := &x.f.Imports[i]
		if s.via.Path != "" && x.l.resolver.callsItself && m.Name == "" && m.AliasStart == m.Start {
			place, verdict := x.find(m.Path)
			if verdict == Bound && x.w.File(place.Files[0]) != nil && x.w.File(place.Files[0]).Module == first {
				_, rest, _ := strings.Cut(s.via.Path, ".")
				return x.members(place, rest, name, hops+1)
			}
		}
		if m.Name != "*" || m.Alias != "" {
			continue
		}
		place, verdict := x.find(m.Path)
		if verdict == Bound {
			if !x.takes(place, first) {
				continue
			}
			var found []Symbol
			if found, verdict = x.members(place, s.via.Path, name, hops+1); verdict == Bound {
				return found, Bound
			}
		}
		if verdict == Member {
			return nil, Member
		}
		open = open || verdict == Open
	}
	switch {
	case open:
		return nil, Open
	case s.via.Path != "":
		return nil, Member // of what is not in the tree: super().f, err.Error
	}
	return nil, Elsewhere
}

// containers are the names of the definitions around an offset, the innermost first: a.b.c, a.b, a.
func (x *lookup) containers(at uint32) []string {
	inner := ""
	for i := range x.f.Defs {
		d := &x.f.Defs[i]
		if d.Start > at {
			break
		}
		if at < d.End && !d.Kind.value() {
			inner = d.Qualified()
		}
	}
	var all []string
	for inner != "" {
		all = append(all, inner)
		inner = inner[:max(0, strings.LastIndexByte(inner, '.'))]
	}
	return all
}

// imported looks name up in the member path of what m binds.
func (x *lookup) imported(m *Import, path, name string, hops int) ([]Symbol, Verdict) {
	if m.Path == "" && x.l.exportsApart {
		return x.passedOn(m, path, name, hops)
	}
	place, verdict := x.find(m.Path)
	if verdict == Elsewhere && path != "" {
		return nil, Member // of a type that is not in the tree, and may be an interface that one of the tree has
	}
	if verdict == Elsewhere || hops > maxHops {
		return nil, verdict
	}
	if m.Name == "" || m.Name == "*" {
		if verdict != Bound {
			return nil, verdict
		}
		return x.members(place, path, name, hops)
	}
	if verdict == Bound {
		if found, v := x.in(place, m.Name, hops+1); v == Bound {
			return x.members(x.placeOf(found), join(x.qualifiedName(found[0]), path), name, hops+1)
		} else if sub, ok := x.submodule(place, m.Name); ok {
			return x.members(sub, path, name, hops+1)
		} else if x.l.exportsApart { // export * as name from "x" is a module, too
			return x.members(place, join(m.Name, path), name, hops+1)
		} else {
			return nil, v
		}
	}
	return nil, verdict
}

// alias is what m itself binds.
func (x *lookup) alias(m *Import, hops int) ([]Symbol, Verdict) {
	if m.Path == "" && x.l.exportsApart {
		return x.passedOn(m, "", "", hops)
	}
	place, verdict := x.find(m.Path)
	if verdict == Bound && x.l.exportsApart && m.Name == "" && hops <= maxHops {
		if found, v := x.in(place, wholeModule, hops+1); v == Bound {
			return found, v
		}
	}
	if verdict != Bound || m.Name == "" || m.Name == "*" || hops > maxHops {
		if verdict == Bound {
			verdict = Elsewhere // a module: no definition
		}
		return nil, verdict
	}
	return x.inOrBelow(place, m.Name, hops+1)
}

// in looks name up directly in a place, and in what it re-exports.
func (x *lookup) in(place Place, name string, hops int) ([]Symbol, Verdict) {
	return x.members(place, "", name, hops)
}

// members looks name up in the member path of a place.
func (x *lookup) members(place Place, path, name string, hops int) ([]Symbol, Verdict) {
	if hops > maxHops {
		return nil, Open
	}
	inside := join(place.Container, path)
	if found := x.qualified(place.Files, join(inside, name)); found != nil {
		if x.l.resolver.dynamic && inside != "" && x.functions(place.Files, inside) {
			return nil, Open // the result of a call, whatever that is
		}
		if x.l.resolver.dynamic && inside == "" {
			return x.imports(place, name, found, hops)
		}
		return x.follow(found, hops), Bound
	}
	if inside != "" {
		if of := x.qualified(place.Files, inside); of != nil {
			if found, verdict := x.through(of, name, hops+1); verdict == Bound {
				return found, Bound
			}
			if found := x.promoted(place, inside, name, hops); found != nil {
				return found, Bound
			}
			if x.l.resolver.dynamic {
				if found, verdict := x.importedIn(of, name, hops+1); verdict == Bound {
					return found, Bound
				}
			}
			return nil, x.memberOf(place, inside)
		}
		if up, last := splitLast(path); up != "" {
			if of, verdict := x.members(place, up, last, hops+1); verdict == Bound {
				return x.through(of, name, hops+1)
			}
		}
	}
	first, rest, deeper := strings.Cut(join(path, name), ".")
	if x.l.resolver.dynamic && deeper && place.Container == "" && !x.importsAs(place, first) {
		// A module below a package is its attribute, whatever import * of another one may take.
		if sub, ok := x.submodule(place, first); ok {
			path, name := splitLast(rest)
			return x.members(sub, path, name, hops+1)
		}
	}
	if place.Container == "" && x.l.resolver.reexports != nil {
		if found, verdict := x.reexported(place, first, rest, hops); verdict == Bound {
			return found, Bound
		} else if verdict != Elsewhere {
			return nil, verdict
		}
	}
	if deeper && place.Module != "" && place.Container == "" {
		if sub, ok := x.submodule(place, first); ok {
			path, name := splitLast(rest)
			return x.members(sub, path, name, hops+1)
		}
	}
	if inside == "" && x.l.resolver.closed {
		return nil, Elsewhere
	}
	return nil, Open
}

// reexported looks up what the files of a place import and pass on. Elsewhere: nothing of that name.
func (x *lookup) reexported(place Place, first, rest string, hops int) ([]Symbol, Verdict) {
	verdict := Elsewhere
	var all []Symbol // where one import after the other may be the one that counts
	for _, p := range place.Files {
		f := x.w.File(p)
		if f == nil || f.Language != x.f.Language && !related(f.Language, x.f.Language) {
			continue
		}
		inner := &lookup{Resolver: x.Resolver, l: x.l, from: p, f: f}
		for i := range f.Imports {
			m := &f.Imports[i]
			whole := m.Alias == wholeModule && first != wholeModule
			if m.Alias != first && (m.Name != "*" || m.Alias != "") && !whole || !x.l.resolver.reexports(f, m) ||
				x.l.exportsApart && m.Name == "*" && first == "default" { // which export * does not pass on
				continue
			}
			var found []Symbol
			v := Elsewhere
			path, name := splitLast(rest)
			switch {
			case whole && first == "default" && rest == "": // import x from "./x", of what is exported as a whole
				found, v = inner.alias(m, hops+1)
			case whole && first == "default":
				found, v = inner.imported(m, path, name, hops+1)
			case whole:
				path, name = splitLast(join(first, rest))
				if found, v = inner.imported(m, path, name, hops+1); v == Open {
					v = Elsewhere
				}
			case m.Alias == first && rest == "":
				found, v = inner.alias(m, hops+1)
			case m.Alias == first:
				found, v = inner.imported(m, path, name, hops+1)
			default: // all of a module
				var from Place
				if from, v = inner.find(m.Path); v == Bound && !inner.takes(from, first) {
					v = Elsewhere
				} else if v == Bound {
					path, name = splitLast(join(first, rest))
					if found, v = inner.members(from, path, name, hops+1); v == Open {
						v = Elsewhere
					}
				}
			}
			switch {
			case v == Bound && !x.l.resolver.dynamic:
				return found, Bound
			case v == Bound:
				all = append(all, found...)
			case v != Elsewhere:
				verdict = v
			}
		}
	}
	if all != nil {
		return sortedSymbols(all), Bound
	}
	return nil, verdict
}
