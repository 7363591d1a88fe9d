package index

import (
	"path"
	"slices"
	"strings"
)

var resolverPython = &resolver{find: findPython, respell: respellPython, separator: ".", dynamic: true, exports: exportsPython,
	reexports: func(f *File, m *Import) bool { return m.Export }}

// findPython resolves the dotted path of an import, relative to the package of the file where it starts with dots, else
// below the directories that a program would search: the one that holds the file's outermost package (for a script its
// own), the root of the tree and src in it. A module with a stub is both files; a directory without __init__ is a
// package without names.
//
// What none of them has is elsewhere, unless the tree has a module of that path in another place, which the
// configuration of somebody's interpreter may search.
func findPython(w World, from string, f *File, importPath string) (Place, Verdict) {
	module := strings.TrimLeft(importPath, ".")
	if up := len(importPath) - len(module); up > 0 {
		dir := dirOf(from)
		for ; up > 1; up-- {
			if dir == "" {
				return Place{}, Open // above the root
			}
			dir = dirOf(dir)
		}
		if place, ok := modulePython(w, dir, module); ok {
			return place, Bound
		}
		if module == "" || namespacePython(w, dir, f, importPath) {
			return Place{}, Bound
		}
		return Place{}, Elsewhere
	}
	if module == "__future__" {
		return Place{}, Elsewhere
	}
	roots := rootsPython(w, from)
	for _, root := range roots {
		if place, ok := modulePython(w, root, module); ok {
			return place, Bound
		}
	}
	for _, root := range roots {
		if namespacePython(w, root, f, importPath) {
			return Place{}, Bound
		}
	}
	return Place{}, elsewherePython(w, module)
}

// rootsPython lists the directories below which the file at from finds modules.
func rootsPython(w World, from string) []string {
	top := dirOf(from)
	for top != "" && initPython(w, top) {
		top = dirOf(top)
	}
	roots := []string{top}
	for _, root := range []string{"", "src"} {
		if root != top {
			roots = append(roots, root)
		}
	}
	return roots
}

func initPython(w World, dir string) bool {
	return has(w.Dir(dir), path.Join(dir, "__init__.py")) || has(w.Dir(dir), path.Join(dir, "__init__.pyi"))
}

func has(sorted []string, p string) bool {
	_, ok := slices.BinarySearch(sorted, p)
	return ok
}

// modulePython is the module of that dotted path below root: a package, else a file, else a directory with files.
func modulePython(w World, root, dotted string) (Place, bool) {
	base := path.Join(root, strings.ReplaceAll(dotted, ".", "/"))
	dir := base
	if dir == "." {
		dir = ""
	}
	inside := w.Dir(dir)
	if files := those(inside, path.Join(dir, "__init__.py"), path.Join(dir, "__init__.pyi")); files != nil {
		return Place{Files: files}, true
	}
	if dotted != "" {
		if files := those(w.Dir(dirOf(base)), base+".py", base+".pyi"); files != nil {
			return Place{Files: files}, true
		}
	}
	return Place{}, len(inDir(w, dir, ".py", ".pyi")) > 0
}

func those(sorted []string, wanted ...string) (found []string) {
	for _, p := range wanted {
		if has(sorted, p) {
			found = append(found, p)
		}
	}
	return found
}

// namespacePython says whether importPath is a directory of directories: the file imports something below it that is
// there.
func namespacePython(w World, root string, f *File, importPath string) bool {
	for i := range f.Imports {
		m := &f.Imports[i]
		below := m.Path
		if m.Path == importPath && m.Name != "" && m.Name != "*" {
			below += "." + m.Name
		}
		if !strings.HasPrefix(below, importPath+".") {
			continue
		}
		if _, ok := modulePython(w, root, strings.TrimLeft(below, ".")); ok {
			return true
		}
	}
	return false
}

// elsewherePython is Open where the tree has a module of that path that no root reaches.
func elsewherePython(w World, module string) Verdict {
	file := strings.ReplaceAll(module, ".", "/")
	for _, suffix := range []string{file + ".py", file + ".pyi", file + "/__init__.py", file + "/__init__.pyi"} {
		for _, p := range w.Named(path.Base(suffix)) {
			if p == suffix || strings.HasSuffix(p, "/"+suffix) {
				return Open
			}
		}
	}
	return Elsewhere
}

// exportsPython: import * takes what a list of names in __all__ has and, where there is no such list, what does not
// begin with an underscore.
func exportsPython(f *File, name string) bool {
	for _, r := range f.Refs("__all__") {
		for i := range f.Defs {
			d := &f.Defs[i]
			if r.Role != Declaration || d.NameStart != r.Start || d.Kind != Constant {
				continue
			}
			if len(f.Refs("__all__")) > 1 {
				return true // it is added to
			}
			for _, entry := range f.Refs(name) {
				if d.NameEnd < entry.Start && entry.End < d.End {
					return true
				}
			}
			return false
		}
		return true // made of others
	}
	return !strings.HasPrefix(name, "_")
}
