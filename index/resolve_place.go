package index

import (
	"path"
	"slices"
	"strings"
)

// of is the look-up of another file's references, which is there.
func (x *lookup) of(file string) *lookup {
	inner := &lookup{Resolver: x.Resolver, l: x.l, from: file, f: x.w.File(file)}
	if l := languageNamed(inner.f.Language); l != nil && l.resolver != nil {
		inner.l = l
	}
	return inner
}

func (x *lookup) home() []string {
	if x.l.resolver.home == nil && !x.l.resolver.includes {
		return []string{x.from}
	}
	files, ok := x.homes[x.from]
	if !ok {
		if x.l.resolver.includes {
			files = x.included()
		} else {
			files = x.l.resolver.home(x.w, x.from, x.f)
		}
		x.homes[x.from] = files
	}
	return files
}

// maxIncluded bounds the files that one file includes, directly or not.
const maxIncluded = 8192

// included lists the file, what it includes, what that includes, and so on, sorted.
func (x *lookup) included() []string {
	seen := map[string]bool{x.from: true}
	files := []string{x.from}
	for next := 0; next < len(files) && len(files) < maxIncluded; next++ {
		for _, p := range x.includes(files[next]) {
			if !seen[p] {
				seen[p] = true
				files = append(files, p)
			}
		}
	}
	slices.Sort(files)
	return files
}

// includes lists what a file includes itself.
func (x *lookup) includes(file string) []string {
	files, ok := x.direct[file]
	if ok {
		return files
	}
	if f := x.w.File(file); f != nil && (f.Language == x.f.Language || related(f.Language, x.f.Language)) {
		inner := &lookup{Resolver: x.Resolver, l: x.l, from: file, f: f}
		for i := range f.Imports {
			if m := &f.Imports[i]; m.Name == "*" {
				if place, verdict := inner.find(m.Path); verdict == Bound {
					files = append(files, place.Files...)
				}
			}
		}
	}
	x.direct[file] = files
	return files
}

func (x *lookup) find(importPath string) (Place, Verdict) {
	key := [2]string{x.from, importPath}
	known, ok := x.places[key]
	if !ok {
		known.place, known.verdict = x.l.resolver.find(x.w, x.from, x.f, importPath)
		if files := x.ambient[importPath]; known.verdict != Bound && files != nil && x.l.exportsApart {
			known = located{Place{Files: files, Container: importPath}, Bound}
		}
		known.place.Module = importPath
		x.places[key] = known
	}
	return known.place, known.verdict
}

// memberOf is the verdict on a name that a definition of the tree does not have: inherited, or made at run time.
func (x *lookup) memberOf(place Place, inside string) Verdict {
	for _, s := range x.qualified(place.Files, inside) {
		if k := x.w.File(s.Path).Defs[s.Def].Kind; k == Module || k == Namespace || x.l.resolver.dynamic && k.value() || x.l.anonymous && !k.owns() { // which may hold a module
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

// related languages import each other's modules.
func related(a, b string) bool {
	js := func(l string) bool {
		return l == "javascript" || l == "typescript" || l == "tsx" || l == "svelte" || l == "vue"
	}
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

// through looks name up in what definitions define: among the members of a type, or of the type that something is
// declared with.
func (x *lookup) through(of []Symbol, name string, hops int) ([]Symbol, Verdict) {
	if hops > maxHops {
		return nil, Open
	}
	for _, s := range of {
		inner := x.of(s.Path)
		f := inner.f
		if found := x.qualified(inner.home(), join(f.Defs[s.Def].Qualified(), name)); found != nil {
			return found, Bound
		}
		if via, ok := x.typeOf(s); ok {
			if found, verdict := inner.look(sought{via, name, Read, f.Defs[s.Def].Start}, hops+1); verdict == Bound {
				return found, Bound
			}
		}
	}
	return nil, Open
}

// qualified lists the definitions with that qualified name in files.
func (r *Resolver) qualified(files []string, name string) (all []Symbol) {
	for _, p := range files {
		key := [2]string{p, name}
		found, ok := r.found[key]
		if !ok {
			if f := r.w.File(p); f != nil {
				for i := range f.Defs {
					d := &f.Defs[i]
					if strings.HasSuffix(name, d.Name) && d.Qualified() == name && groupOf(f, d) == 0 {
						found = append(found, Symbol{p, i})
					}
				}
			}
			r.found[key] = found
		}
		if all = append(all, found...); len(all) == len(found) {
			all = slices.Clip(found)
		}
	}
	return all
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
