package index

import (
	"path"
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
	// project makes a find that remembers what it read of the tree, for one Resolver; in place of find.
	project func(w World) func(from string, f *File, path string) (Place, Verdict)
	// separator goes between the path of a module and the name of a module in it; "": modules have none.
	separator string
	// reexports: what a module imports can be imported from it.
	reexports func(f *File, m *Import) bool
	// callsItself: a module says itself by which name others know it, and its path only suggests one.
	callsItself bool
	// embeds: a type has the members of the types that it embeds.
	embeds bool
	// closed: a name that neither the file's home nor its imports have is not in the tree.
	closed bool
	// enclosing: a name is also looked up in the containers around it, from the inside out.
	enclosing bool
}

// Resolver resolves the references of one tree, and remembers what it found: use one for one answer, on one state of
// the tree. Not safe for concurrent use.
type Resolver struct {
	w      World
	homes  map[string][]string
	found  map[[2]string][]Symbol // by place and qualified name
	places map[[2]string]finding  // by file and import path
	finds  map[*resolver]func(from string, f *File, path string) (Place, Verdict)
}

type finding struct {
	place   Place
	verdict Verdict
}

// NewResolver resolves in w.
func NewResolver(w World) *Resolver {
	return &Resolver{w: w, homes: map[string][]string{}, found: map[[2]string][]Symbol{}, places: map[[2]string]finding{},
		finds: map[*resolver]func(string, *File, string) (Place, Verdict){}}
}

// maxHops bounds how many imports are followed for one name: a re-export of a re-export.
const maxHops = 8

// Resolve says what the reference r to name, in the file of that path, is bound to. Definitions under several
// conditions (build tags, overloads) are all given, in the order of files and positions.
func (r *Resolver) Resolve(from string, f *File, ref Ref, name string) ([]Symbol, Verdict) {
	l := languageNamed(f.Language)
	if l == nil || l.resolver == nil {
		return r.resolveAlone(from, f, ref, name)
	}
	x := &lookup{Resolver: r, l: l, from: from, f: f}
	found, verdict := x.resolve(ref, name)
	if l.typeNames {
		found = x.ofSpace(found, ref.Role)
	}
	return found, verdict
}

func (x *lookup) resolve(ref Ref, name string) ([]Symbol, Verdict) {
	f := x.f
	switch ref.Via.Root {
	case RootFile:
		if x.l.anonymous {
			return x.grouped(ref.Via, name)
		}
		return x.members(Place{Files: x.home()}, ref.Via.Path, name, 0)
	case RootFree:
		return x.free(ref, name)
	case RootImport:
		return x.imported(&f.Imports[ref.Via.Import], ref.Via.Path, name, 0)
	case RootAlias:
		return x.alias(&f.Imports[ref.Via.Import], 0)
	case RootModule:
		place, verdict := x.find(f.Imports[ref.Via.Import].Path)
		if verdict != Bound {
			return nil, verdict
		}
		return x.in(place, name, 0)
	}
	return nil, unbound(ref)
}

// unbound is the verdict where the syntax tells nothing.
func unbound(ref Ref) Verdict {
	if ref.Via.Root == RootValue {
		return Member
	}
	return Open
}

// resolveAlone is for languages whose imports are not resolved: only what the file binds itself is bound.
func (r *Resolver) resolveAlone(from string, f *File, ref Ref, name string) ([]Symbol, Verdict) {
	if ref.Via.Root != RootFile {
		return nil, unbound(ref)
	}
	if own := r.qualified([]string{from}, join(ref.Via.Path, name)); own != nil {
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

func (x *lookup) home() []string {
	if x.l.resolver.home == nil {
		return []string{x.from}
	}
	files, ok := x.homes[x.from]
	if !ok {
		files = x.l.resolver.home(x.w, x.from, x.f)
		x.homes[x.from] = files
	}
	return files
}

func (x *lookup) find(importPath string) (Place, Verdict) {
	key := [2]string{x.from, importPath}
	known, ok := x.places[key]
	if !ok {
		known.place, known.verdict = x.search(importPath)
		known.place.Module = importPath
		x.places[key] = known
	}
	return known.place, known.verdict
}

func (x *lookup) search(importPath string) (Place, Verdict) {
	if x.l.resolver.project == nil {
		return x.l.resolver.find(x.w, x.from, x.f, importPath)
	}
	find := x.finds[x.l.resolver]
	if find == nil {
		find = x.l.resolver.project(x.w)
		x.finds[x.l.resolver] = find
	}
	return find(x.from, x.f, importPath)
}

// free looks a name up that nothing in the file binds: in its home, in the containers around it, in what it imports as
// a whole.
func (x *lookup) free(ref Ref, name string) ([]Symbol, Verdict) {
	home := Place{Files: x.home()}
	first, _, _ := strings.Cut(join(ref.Via.Path, name), ".")
	if x.l.resolver.enclosing {
		for _, outer := range x.containers(ref.Start) {
			if x.qualified(home.Files, outer+"."+first) != nil {
				return x.members(home, join(outer, ref.Via.Path), name, 0)
			}
		}
	}
	// Where home is the file alone, its scopes were asked already.
	if x.l.resolver.home != nil && x.qualified(home.Files, first) != nil {
		return x.members(home, ref.Via.Path, name, 0)
	}
	open := !x.l.resolver.closed
	for i := range x.f.Imports {
		m := &x.f.Imports[i]
		if ref.Via.Path != "" && x.l.resolver.callsItself && m.Name == "" && m.AliasStart == m.Start {
			place, verdict := x.find(m.Path)
			if verdict == Bound && x.w.File(place.Files[0]) != nil && x.w.File(place.Files[0]).Module == first {
				_, rest, _ := strings.Cut(ref.Via.Path, ".")
				return x.members(place, rest, name, 1)
			}
		}
		if m.Name != "*" || m.Alias != "" {
			continue
		}
		place, verdict := x.find(m.Path)
		if verdict == Bound {
			var found []Symbol
			if found, verdict = x.members(place, ref.Via.Path, name, 1); verdict == Bound {
				return found, Bound
			}
		}
		if verdict == Member {
			return nil, Member
		}
		open = open || verdict == Open
	}
	if open {
		return nil, Open
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
	if m.Path == "" {
		return x.passedOn(m, path, name, hops)
	}
	place, verdict := x.find(m.Path)
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
	if m.Path == "" {
		return x.passedOn(m, "", "", hops)
	}
	place, verdict := x.find(m.Path)
	if verdict == Bound && x.l.exportsApart && (m.Name == "" || m.Name == "*") && hops <= maxHops {
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
	return x.in(place, m.Name, hops+1)
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
		return x.follow(found, hops), Bound
	}
	if inside != "" && x.qualified(place.Files, inside) != nil {
		if found := x.promoted(place, inside, name, hops); found != nil {
			return found, Bound
		}
		return nil, x.memberOf(place, inside)
	}
	first, rest, deeper := strings.Cut(join(path, name), ".")
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

// memberOf is the verdict on a name that a definition of the tree does not have: inherited, or made at run time.
func (x *lookup) memberOf(place Place, inside string) Verdict {
	for _, s := range x.qualified(place.Files, inside) {
		if k := x.w.File(s.Path).Defs[s.Def].Kind; k == Module || k == Namespace || x.l.anonymous && !k.owns() {
			return Open
		}
	}
	return Member
}

// promoted looks name up in what the type embeds.
func (x *lookup) promoted(place Place, inside, name string, hops int) []Symbol {
	if !x.l.resolver.embeds || hops > maxHops {
		return nil
	}
	for _, p := range place.Files {
		f := x.w.File(p)
		if f == nil {
			continue
		}
		for i := range f.Defs {
			// An embedded field has the name of its type, and nothing behind it.
			d := &f.Defs[i]
			if d.Kind != Field || d.NameEnd != d.End || d.Container != inside || d.Name == name {
				continue
			}
			if x.qualified(place.Files, d.Name) == nil {
				continue
			}
			if found, v := x.members(place, d.Name, name, hops+1); v == Bound {
				return found
			}
		}
	}
	return nil
}

// reexported looks up what the files of a place import and pass on. Elsewhere: nothing of that name.
func (x *lookup) reexported(place Place, first, rest string, hops int) ([]Symbol, Verdict) {
	verdict := Elsewhere
	for _, p := range place.Files {
		f := x.w.File(p)
		if f == nil || f.Language != x.f.Language && !related(f.Language, x.f.Language) {
			continue
		}
		inner := &lookup{Resolver: x.Resolver, l: x.l, from: p, f: f}
		for i := range f.Imports {
			m := &f.Imports[i]
			whole := m.Alias == wholeModule && first != wholeModule
			if x.l.exportsApart && m.Name == "*" && first == "default" {
				continue // export * passes on all but that
			}
			if m.Alias != first && (m.Name != "*" || m.Alias != "") && !whole || !x.l.resolver.reexports(f, m) {
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
				if from, v = inner.find(m.Path); v == Bound {
					path, name = splitLast(join(first, rest))
					if found, v = inner.members(from, path, name, hops+1); v == Open {
						v = Elsewhere
					}
				}
			}
			if v == Bound {
				return found, Bound
			} else if v != Elsewhere {
				verdict = v
			}
		}
	}
	return nil, verdict
}

// related languages import each other's modules.
func related(a, b string) bool {
	js := func(l string) bool { return l == "javascript" || l == "typescript" || l == "tsx" || l == "svelte" }
	c := func(l string) bool { return l == "c" || l == "cpp" }
	return js(a) && js(b) || c(a) && c(b)
}

func (x *lookup) submodule(place Place, name string) (Place, bool) {
	if x.l.resolver.separator == "" || place.Module == "" {
		return Place{}, false
	}
	path := place.Module + x.l.resolver.separator + name
	if strings.HasSuffix(place.Module, x.l.resolver.separator) {
		path = place.Module + name // from . import x
	}
	sub, verdict := x.find(path)
	return sub, verdict == Bound
}

func (x *lookup) placeOf(found []Symbol) Place {
	var files []string
	for _, s := range found {
		files = append(files, s.Path)
	}
	if x.l.resolver.home != nil {
		if f := x.w.File(files[0]); f != nil {
			files = (&lookup{Resolver: x.Resolver, l: x.l, from: files[0], f: f}).home()
		}
	}
	return Place{Files: slices.Compact(files)}
}

func (x *lookup) qualifiedName(s Symbol) string { return x.w.File(s.Path).Defs[s.Def].Qualified() }

// qualified lists the definitions with that qualified name in files.
func (r *Resolver) qualified(files []string, name string) []Symbol {
	if len(files) == 0 {
		return nil
	}
	key := [2]string{strings.Join(files, "\x00"), name}
	if len(files) > 1 {
		key[0] = files[0] + "\x00" + files[len(files)-1] // sorted lists of one language: the ends and the number tell them apart
		key[0] += "\x00" + string(rune(len(files)))
	}
	found, ok := r.found[key]
	if ok {
		return found
	}
	for _, p := range files {
		f := r.w.File(p)
		if f == nil {
			continue
		}
		for i := range f.Defs {
			d := &f.Defs[i]
			if strings.HasSuffix(name, d.Name) && d.Qualified() == name && groupOf(f, d) == 0 {
				found = append(found, Symbol{p, i})
			}
		}
	}
	r.found[key] = found
	return found
}

// splitLast cuts a dotted path before its last name.
func splitLast(dotted string) (path, name string) {
	i := strings.LastIndexByte(dotted, '.')
	return dotted[:max(i, 0)], dotted[i+1:]
}

// inDir lists the files of a directory whose extension is one of those.
func inDir(w World, dir string, extensions ...string) []string {
	var files []string
	for _, p := range w.Dir(dir) {
		if slices.Contains(extensions, strings.ToLower(path.Ext(p))) {
			files = append(files, p)
		}
	}
	return files
}

// dirOf is path.Dir, with "" for the root.
func dirOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}
