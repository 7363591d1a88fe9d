package index

import (
	"path"
	"slices"
	"strings"
)

var resolverECMAScript = &resolver{find: findECMAScript, respell: respellECMAScript, reexports: func(_ *File, m *Import) bool { return m.Export }}

func init() { resolverECMAScript.look = lookECMAScript } // which asks for languages, of which it is part

// nodeTree is what one Resolver knows of a tree of JavaScript and TypeScript.
type nodeTree struct {
	w         World
	dirs      map[string][]string
	configs   map[string]*pathConfig
	manifests map[string]*nodeManifest
	named     map[string][]string // by the name of a package: the directories of those that are called so
}

func findECMAScript(w World, from string, _ *File, name string) (Place, Verdict) {
	tree := remembered(w, "node", func() *nodeTree {
		return &nodeTree{w: w, dirs: map[string][]string{}, configs: map[string]*pathConfig{}, manifests: map[string]*nodeManifest{}}
	})
	return tree.find(from, name)
}

// find resolves as the compilers do: a relative path to a file or a directory's index, in all spellings of the
// extension; else the paths and baseUrl of the configurations around the file; else the packages of the tree by
// their name. What node itself has, and what a package.json says to be installed, is elsewhere; where a bundler
// may have names of its own nothing is certain.
func (p *nodeTree) find(from, name string) (Place, Verdict) {
	dir := dirOf(from)
	switch {
	case strings.HasPrefix(name, "."):
		if last := path.Base(name); strings.HasSuffix(name, "/") || last == "." || last == ".." { // a file of that name is not meant
			return p.place(p.directory(path.Join(dir, name)))
		}
		return p.place(p.module(path.Join(dir, name)))
	case strings.HasPrefix(name, "/"), strings.Contains(name, ":") && !strings.HasPrefix(name, "node:"):
		return Place{}, Open
	case strings.HasPrefix(name, "#"):
		if m := p.around(dir, func(m *nodeManifest) bool { return m.imports != nil }); m != nil {
			if files := p.targets(m.dir, m.imports, name); files != nil {
				return p.place(files)
			}
		}
	}
	if files := p.configured(dir, name); files != nil {
		return p.place(files)
	}
	pkg, sub := splitPackage(name)
	p.readNames()
	switch dirs := p.named[pkg]; {
	case len(dirs) > 1:
		return Place{}, Open // copies: which one is installed is not told
	case len(dirs) == 1:
		return p.place(p.entry(p.manifest(path.Join(dirs[0], "package.json")), sub))
	}
	installed := func(m *nodeManifest) bool { return m.needs[pkg] }
	if strings.HasPrefix(name, "node:") || nodeModules[pkg] || p.around(dir, installed) != nil {
		return Place{}, Elsewhere
	}
	return Place{}, Open
}

func (p *nodeTree) place(files []string) (Place, Verdict) {
	if len(files) == 0 {
		return Place{}, Open // generated, or of a kind that is not known here
	}
	slices.Sort(files)
	return Place{Files: slices.Compact(files)}, Bound
}

// moduleExtensions are those that a path may leave out, the first that exists.
var moduleExtensions = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".svelte", ".vue"}

// compiledFrom are the extensions that a compiled file's was, in the compiler's order.
var compiledFrom = map[string][]string{".js": {".ts", ".tsx", ".d.ts"}, ".mjs": {".mts", ".d.mts"}, ".cjs": {".cts", ".d.cts"}, ".jsx": {".tsx", ".d.ts"}}

// module lists the files of the module at a path: one, or a declaration and the file that it declares.
func (p *nodeTree) module(at string) []string {
	if files := p.file(at); files != nil {
		return files
	}
	return p.directory(at)
}

// directory lists the files of the module that a directory is.
func (p *nodeTree) directory(at string) []string {
	if p.exists(path.Join(at, "package.json")) {
		if files := p.entry(p.manifest(path.Join(at, "package.json")), ""); files != nil {
			return files
		}
	}
	return p.file(path.Join(at, "index"))
}

func (p *nodeTree) file(at string) []string {
	if at == "." || strings.HasPrefix(at, "..") {
		return nil
	}
	ext := path.Ext(at)
	base := strings.TrimSuffix(at, ext)
	for _, e := range compiledFrom[ext] {
		if p.exists(base + e) {
			return p.withSource(base+e, at)
		}
	}
	if p.exists(at) {
		return []string{at}
	}
	for _, e := range moduleExtensions {
		if p.exists(at + e) {
			return p.withSource(at+e, at+".js")
		}
	}
	return nil
}

// withSource is a file and, when it only declares, what it declares.
func (p *nodeTree) withSource(file, code string) []string {
	if strings.Contains(path.Base(file), ".d.") && p.exists(code) {
		return []string{file, code}
	}
	return []string{file}
}

func (p *nodeTree) exists(file string) bool {
	dir := dirOf(file)
	list, ok := p.dirs[dir]
	if !ok {
		list = p.w.Dir(dir)
		p.dirs[dir] = list
	}
	_, found := slices.BinarySearch(list, file)
	return found
}

// around is the first manifest, from a directory outwards, of which that is true.
func (p *nodeTree) around(dir string, is func(*nodeManifest) bool) *nodeManifest {
	for ; ; dir = dirOf(dir) {
		if at := path.Join(dir, "package.json"); p.exists(at) {
			if m := p.manifest(at); is(m) {
				return m
			}
		}
		if dir == "" {
			return nil
		}
	}
}

// splitPackage cuts a bare path behind the name of the package: @scope/name/sub.
func splitPackage(name string) (pkg, sub string) {
	from := 0
	if strings.HasPrefix(name, "@") {
		from = strings.IndexByte(name, '/') + 1
	}
	if i := strings.IndexByte(name[from:], '/'); i >= 0 {
		return name[:from+i], name[from+i+1:]
	}
	return name, ""
}

// nodeModules are the modules that node itself has.
var nodeModules = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`assert async_hooks buffer child_process cluster console constants crypto dgram
		diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode
		querystring readline repl stream string_decoder sys timers tls tty url util v8 vm wasi worker_threads zlib`) {
		nodeModules[name] = true
	}
}
