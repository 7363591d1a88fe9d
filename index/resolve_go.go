package index

import (
	"bufio"
	"bytes"
	"path"
	"slices"
	"strings"
)

var resolverGo = &resolver{home: homeGo, find: findGo, callsItself: true, single: []string{"init"}, embeds: true, closed: true}

// homeGo lists the files of the same package: in the directory, with the same package clause. Build constraints are not
// looked at: all variants are home.
func homeGo(w World, from string, f *File) []string {
	var files []string
	for _, p := range inDir(w, dirOf(from), ".go") {
		// An external test's package is not the one that it tests, and knows nothing of it without import.
		if other := w.File(p); p == from || other != nil && other.Module == f.Module {
			files = append(files, p)
		}
	}
	return files
}

// findGo resolves an import path: in the modules of the tree (go.mod anywhere), in vendor directories around
// the file, and in the standard library where the tree holds it (module std). Without a go.mod nothing is certain.
func findGo(w World, from string, f *File, importPath string) (Place, Verdict) {
	place, verdict := remembered(w, dirOf(from)+"\x00"+importPath, func() located {
		place, v := packageOf(w, dirOf(from), importPath)
		return located{place, v}
	}).get()
	if verdict == Bound && strings.HasSuffix(from, "_test.go") && dirOf(place.Files[0]) == dirOf(from) {
		// An external test sees what the package's own tests export to it.
		for _, p := range inDir(w, dirOf(from), ".go") {
			if other := w.File(p); strings.HasSuffix(p, "_test.go") && other != nil && other.Module != f.Module {
				place.Files = append(slices.Clip(place.Files), p)
			}
		}
		slices.Sort(place.Files)
	}
	return place, verdict
}

func (f located) get() (Place, Verdict) { return f.place, f.verdict }

// packageOf is the package that files of a directory import by that path.
func packageOf(w World, dir, importPath string) (Place, Verdict) {
	if importPath == "C" || importPath == "unsafe" && len(w.Named("unsafe.go")) == 0 {
		return Place{}, Elsewhere
	}
	if strings.HasPrefix(importPath, ".") {
		return packageGo(w, path.Join(dir, importPath))
	}
	for up := dir; ; up = dirOf(up) {
		if vendored := path.Join(up, "vendor", importPath); len(w.Dir(vendored)) > 0 { // few are, and all are asked for
			if place, v := packageGo(w, vendored); v == Bound {
				return place, v
			}
		}
		if up == "" {
			break
		}
	}
	best := moduleGo{}
	modules := remembered(w, "go.mod", func() []moduleGo { return modulesGo(w) })
	for _, m := range modules {
		if first, _, _ := strings.Cut(importPath, "/"); m.path == "std" && !strings.Contains(first, ".") {
			if place, v := packageGo(w, path.Join(m.dir, importPath)); v == Bound {
				return place, v
			}
		}
		if (importPath == m.path || strings.HasPrefix(importPath, m.path+"/")) && len(m.path) > len(best.path) {
			best = m
		}
	}
	if best.path != "" {
		if place, v := packageGo(w, path.Join(best.dir, strings.TrimPrefix(strings.TrimPrefix(importPath, best.path), "/"))); v == Bound {
			return place, v
		}
	}
	if len(modules) == 0 {
		return Place{}, Open
	}
	return Place{}, Elsewhere
}

// packageGo is the package in a directory, tests left out: nobody imports them.
func packageGo(w World, dir string) (Place, Verdict) {
	if dir == "." {
		dir = ""
	}
	return remembered(w, "package\x00"+dir, func() located {
		var files []string
		for _, p := range inDir(w, dir, ".go") {
			if !strings.HasSuffix(p, "_test.go") {
				files = append(files, p)
			}
		}
		if len(files) == 0 {
			return located{verdict: Elsewhere}
		}
		return located{Place{Files: files}, Bound}
	}).get()
}

// moduleGo is a module of the tree.
type moduleGo struct{ path, dir string }

func modulesGo(w World) (modules []moduleGo) {
	for _, mod := range w.Named("go.mod") {
		lines := bufio.NewScanner(bytes.NewReader(w.Read(mod)))
		for lines.Scan() {
			if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == "module" {
				modules = append(modules, moduleGo{strings.Trim(fields[1], "\"`"), dirOf(mod)})
				break
			}
		}
	}
	return modules
}
