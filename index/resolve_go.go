package index

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

var resolverGo = &resolver{home: homeGo, find: findGo, callsItself: true, embeds: true, closed: true}

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
	if importPath == "C" || importPath == "unsafe" && len(w.Named("unsafe.go")) == 0 {
		return Place{}, Elsewhere
	}
	if strings.HasPrefix(importPath, ".") {
		return packageGo(w, path.Join(dirOf(from), importPath))
	}
	for dir := dirOf(from); ; dir = dirOf(dir) {
		if place, v := packageGo(w, path.Join(dir, "vendor", importPath)); v == Bound {
			return place, v
		}
		if dir == "" {
			break
		}
	}
	best, module := "", ""
	modules := w.Named("go.mod")
	for _, mod := range modules {
		name := moduleGo(w.Read(mod))
		dir := dirOf(mod)
		if first, _, _ := strings.Cut(importPath, "/"); name == "std" && !strings.Contains(first, ".") {
			if place, v := packageGo(w, path.Join(dir, importPath)); v == Bound {
				return place, v
			}
		}
		if name != "" && (importPath == name || strings.HasPrefix(importPath, name+"/")) && len(name) > len(module) {
			best, module = dir, name
		}
	}
	if module != "" {
		if place, v := packageGo(w, path.Join(best, strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))); v == Bound {
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
	var files []string
	for _, p := range inDir(w, dir, ".go") {
		if !strings.HasSuffix(p, "_test.go") {
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		return Place{}, Elsewhere
	}
	return Place{Files: files}, Bound
}

// moduleGo is the module path in a go.mod.
func moduleGo(mod []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(mod))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}
