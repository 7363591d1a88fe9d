package index

import (
	"bufio"
	"bytes"
	"path"
	"slices"
	"strings"
)

// resolverRust binds what Rust names, by the tree of modules: mod, use, crate, self, super, the crates of the tree by
// their Cargo.toml. Methods that an impl in another file adds to a type are open.
var resolverRust = &resolver{}

func init() { resolverRust.look = lookRust }

// module is a file, or an inline module in it by its dotted path.
type module struct{ file, inner string }

// target is what a path names: a module, definitions, or both; nothing.
type target struct {
	module *module
	found  []Symbol
}

func (t target) empty() bool { return t.module == nil && len(t.found) == 0 }

func lookRust(x *lookup, s sought, hops int) ([]Symbol, Verdict) {
	r := &rust{lookup: x, asking: map[string]bool{}}
	here := r.moduleAt(x.from, x.f, s.at)
	var to target
	var names []string
	switch s.via.Root {
	case RootUnknown:
		return nil, Open
	case RootAlias, RootImport, RootModule:
		m := &x.f.Imports[s.via.Import]
		if r.foreign(m.Path, m.Name) {
			if s.via.Root == RootImport {
				return nil, Open // a type of the tree may have it by a trait
			}
			return nil, Elsewhere
		}
		if to = r.imported(x.from, x.f, m, hops); s.via.Root == RootImport {
			names = strings.Split(join(s.via.Path, s.name), ".")
		}
	case RootFile:
		if own := x.qualified([]string{x.from}, join(s.via.Path, s.name)); own != nil {
			return r.fit(own, s)
		}
		to, names = target{module: &module{x.from, ""}}, strings.Split(join(s.via.Path, s.name), ".")
	case RootFree:
		if s.via.Path == macroPath {
			return r.fit(r.macro(here, s.name), s)
		}
		names = strings.Split(join(s.via.Path, s.name), ".")
		to = r.first(here, names[0], hops)
		names = names[1:]
	}
	for _, name := range names {
		if to.empty() {
			return nil, Open
		}
		to = r.step(to, name, hops)
	}
	return r.fit(to.found, s)
}

// rust walks the modules for one reference.
type rust struct {
	*lookup
	asking map[string]bool // what is being looked up: a circle of uses ends there
}

// foreign says whether a path begins with a crate of Rust itself that is not in the tree.
func (r *rust) foreign(p, name string) bool {
	first, _, _ := strings.Cut(join2(strings.TrimPrefix(p, "::"), name), "::")
	return (first == "std" || first == "core" || first == "alloc") && r.crate(first) == ""
}

// first is what the first name of a path means in a module.
func (r *rust) first(here module, name string, hops int) target {
	switch name {
	case "crate":
		root := here
		for range 64 {
			up, ok := r.parent(root)
			if !ok {
				break
			}
			root = up
		}
		return target{module: &root}
	case "self":
		return target{module: &here}
	case "super":
		if up, ok := r.parent(here); ok {
			return target{module: &up}
		}
		return target{}
	}
	if to := r.step(target{module: &here}, name, hops); !to.empty() {
		return to
	}
	if root := r.crate(name); root != "" {
		return target{module: &module{root, ""}}
	}
	return target{}
}

// step is what a name means in a target.
func (r *rust) step(to target, name string, hops int) target {
	if name == "super" && to.module != nil {
		if up, ok := r.parent(*to.module); ok {
			return target{module: &up}
		}
		return target{}
	}
	if to.module != nil {
		if next := r.item(*to.module, name, hops); !next.empty() {
			return next
		}
	}
	for _, s := range to.found {
		d := r.def(s)
		if found := r.qualified([]string{s.Path}, join(d.Qualified(), name)); found != nil && d.Kind != Module {
			return target{found: found}
		}
		if via, ok := r.typeOf(s); ok && hops < maxHops {
			if found, verdict := r.of(s.Path).look(sought{via, name, Read, d.Start}, hops+1); verdict == Bound {
				return target{found: found}
			}
		}
	}
	return target{}
}

// item is what a module has by that name: a definition, a module, what it uses.
func (r *rust) item(m module, name string, hops int) target {
	key := m.file + "\x00" + m.inner + "\x00" + name
	f := r.w.File(m.file)
	if f == nil || hops > 2*maxHops || r.asking[key] {
		return target{}
	}
	r.asking[key] = true
	defer delete(r.asking, key)
	to := target{found: r.qualified([]string{m.file}, join(m.inner, name))}
	for _, s := range to.found {
		if d := r.def(s); d.Kind == Module {
			to.module = r.child(m, name, d.End > d.SigEnd+1)
		}
	}
	if len(to.found) > 0 {
		return to
	}
	var all []*Import
	for i := range f.Imports {
		switch u := &f.Imports[i]; {
		case u.Name != "*" && u.Alias != name, r.moduleAt(m.file, f, u.Start) != m:
		case u.Name == "*":
			all = append(all, u)
		default:
			if to = r.imported(m.file, f, u, hops+1); !to.empty() {
				return to
			}
		}
	}
	for _, u := range all {
		if to = r.step(r.path(m, u.Path, hops+1), name, hops+1); !to.empty() {
			return to
		}
	}
	if child := r.child(m, name, false); child != nil { // declared in a macro, perhaps
		return target{module: child}
	}
	return target{}
}

// imported is what a use gives a name to.
func (r *rust) imported(file string, f *File, u *Import, hops int) target {
	m := r.moduleAt(file, f, u.Start)
	if u.Path == "" {
		return r.first(m, u.Name, hops)
	}
	return r.step(r.path(m, u.Path, hops), u.Name, hops)
}

// path follows a::b::c from a module.
func (r *rust) path(m module, p string, hops int) target {
	names := strings.Split(strings.TrimPrefix(p, "::"), "::")
	var to target
	if strings.HasPrefix(p, "::") {
		if root := r.crate(names[0]); root != "" {
			to = target{module: &module{root, ""}}
		} else if names[0] == "" {
			return target{}
		}
	} else {
		to = r.first(m, names[0], hops)
	}
	for _, name := range names[1:] {
		if to.empty() {
			break
		}
		to = r.step(to, name, hops)
	}
	return to
}

// moduleAt is the innermost module around an offset.
func (r *rust) moduleAt(file string, f *File, at uint32) module {
	m := module{file, ""}
	for i := range f.Defs {
		d := &f.Defs[i]
		if d.Start > at {
			break
		}
		if d.Kind == Module && at < d.End && at > d.NameEnd {
			m.inner = d.Qualified()
		}
	}
	return m
}

// child is the module of that name in a module: inline, or a file.
func (r *rust) child(m module, name string, inline bool) *module {
	if inline {
		return &module{m.file, join(m.inner, name)}
	}
	dir := dirOf(m.file)
	if base := strings.TrimSuffix(path.Base(m.file), ".rs"); !rootName(base) && !r.isRoot(m.file) {
		dir = path.Join(dir, base)
	}
	if m.inner != "" {
		dir = path.Join(dir, strings.ReplaceAll(m.inner, ".", "/"))
	}
	for _, p := range []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
		if r.w.File(p) != nil {
			return &module{p, ""}
		}
	}
	return nil
}

func rootName(base string) bool { return base == "mod" || base == "lib" || base == "main" }

// isRoot says whether a file is a crate of its own: in src/bin, tests, examples, benches beside a Cargo.toml, build.rs.
func (r *rust) isRoot(file string) bool {
	dir := dirOf(file)
	switch path.Base(dir) {
	case "tests", "examples", "benches":
		return slices.Contains(r.w.Dir(dirOf(dir)), path.Join(dirOf(dir), "Cargo.toml"))
	case "bin":
		return path.Base(dirOf(dir)) == "src"
	}
	return path.Base(file) == "build.rs"
}

// parent is the module around a module; false for the root of a crate.
func (r *rust) parent(m module) (module, bool) {
	if m.inner != "" {
		up, _ := splitLast(m.inner)
		return module{m.file, up}, true
	}
	base, dir := path.Base(m.file), dirOf(m.file)
	if base == "lib.rs" || base == "main.rs" || r.isRoot(m.file) || dir == "" {
		return module{}, false
	}
	var files []string
	if base == "mod.rs" {
		dir, base = dirOf(dir), path.Base(dir)
	}
	files = append(files, path.Join(dir, "mod.rs"), path.Join(dir, "lib.rs"), path.Join(dir, "main.rs"))
	if dir != "" {
		files = append(files, dir+".rs")
	}
	for _, p := range files {
		if r.w.File(p) != nil && p != m.file {
			return module{p, ""}, true
		}
	}
	return module{}, false
}

// crate is the root file of the library of that name in the tree, "" when there is none.
func (r *rust) crate(name string) string {
	key := "crate " + name
	files, ok := r.direct[key]
	if !ok {
		for _, p := range r.w.Named("Cargo.toml") {
			if strings.ReplaceAll(crateName(r.w.Read(p)), "-", "_") != name {
				continue
			}
			if root := path.Join(dirOf(p), "src/lib.rs"); r.w.File(root) != nil {
				files = append(files, root)
			}
		}
		r.direct[key] = files
	}
	if len(files) != 1 { // of two of one name nobody knows which
		return ""
	}
	return files[0]
}

// crateName is the name in [lib], else in [package], of a Cargo.toml.
func crateName(toml []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(toml))
	section, name := "", ""
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "name" || section != "[package]" && section != "[lib]" {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimSpace(value), "#")
		if value = strings.Trim(strings.TrimSpace(value), `"'`); section == "[lib]" || name == "" {
			name = value
		}
	}
	return name
}

// macro finds a macro_rules: in the module, what it uses, in the modules around it, or near the root of the crate, from
// where macros reach all that comes behind.
func (r *rust) macro(m module, name string) []Symbol {
	only := func(found []Symbol) (macros []Symbol) {
		for _, s := range found {
			if r.def(s).Kind == Macro {
				macros = append(macros, s)
			}
		}
		return macros
	}
	for at := m; ; {
		if found := only(r.item(at, name, 0).found); found != nil {
			return found
		}
		up, ok := r.parent(at)
		if !ok {
			m = at
			break
		}
		at = up
	}
	return only(r.below(m, name, 2))
}

// below lists the definitions of a name in the modules in a module, and in those in them.
func (r *rust) below(m module, name string, depth int) (found []Symbol) {
	f := r.w.File(m.file)
	if f == nil || depth == 0 {
		return nil
	}
	for i := range f.Defs {
		d := &f.Defs[i]
		if d.Kind != Module || d.Container != m.inner {
			continue
		}
		if child := r.child(m, d.Name, d.End > d.SigEnd+1); child != nil {
			found = append(found, r.qualified([]string{child.file}, join(child.inner, name))...)
			found = append(found, r.below(*child, name, depth-1)...)
		}
	}
	return found
}

// fit leaves what fits the role: what is called is no field, where there is a method or a function, and the other way round;
// types are no functions.
func (r *rust) fit(found []Symbol, s sought) ([]Symbol, Verdict) {
	if len(found) == 0 {
		return nil, Open
	}
	fits := func(y Symbol) bool {
		d := r.def(y)
		switch {
		case s.role == Declaration:
			return y.Path == r.from && d.NameStart == s.at
		case s.via.Path == macroPath:
			return d.Kind == Macro
		case d.Kind == Macro:
			return s.role == Importing
		case s.role == Call:
			return d.Kind != Field && d.Kind != Module
		case s.role == TypeUse:
			return d.Kind.owns() || d.Kind == Enumerator
		case s.role == Importing:
			return true
		}
		return d.Kind != Method && d.Kind != Function
	}
	if slices.ContainsFunc(found, fits) {
		return slices.DeleteFunc(slices.Clone(found), func(y Symbol) bool { return !fits(y) }), Bound
	}
	if d := r.def(found[0]); s.role == Call && d.Kind == Field || s.via.Path == macroPath {
		return nil, Open
	}
	return found, Bound
}
