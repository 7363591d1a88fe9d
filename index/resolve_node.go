package index

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// nodeManifest is what a package.json says of imports.
type nodeManifest struct {
	dir              string
	name             string
	entries          []string // files that the package as a whole may be
	exports, imports any      // as in the JSON
	needs            map[string]bool
}

func (p *nodeTree) manifest(at string) *nodeManifest {
	if m := p.manifests[at]; m != nil {
		return m
	}
	m := &nodeManifest{dir: dirOf(at), needs: map[string]bool{}}
	p.manifests[at] = m
	var text struct {
		Name                                                                  any
		Source, Types, Typings, Module, Main                                  any
		Exports, Imports                                                      any
		Dependencies, DevDependencies, PeerDependencies, OptionalDependencies any
	}
	// A field of an odd kind leaves the others readable, which one type for each would not.
	if json.Unmarshal(p.w.Read(at), &text) != nil {
		return m
	}
	m.name, _ = text.Name.(string)
	m.exports, m.imports = text.Exports, text.Imports
	for _, entry := range []any{text.Source, text.Types, text.Typings, text.Module, text.Main} {
		if s, ok := entry.(string); ok {
			m.entries = append(m.entries, s)
		}
	}
	for _, list := range []any{text.Dependencies, text.DevDependencies, text.PeerDependencies, text.OptionalDependencies} {
		if list, ok := list.(map[string]any); ok {
			for name := range list {
				m.needs[name] = true
			}
		}
	}
	return m
}

// readNames reads the names of all packages of the tree, once: a dependency does not say whether it is one of them.
func (p *nodeTree) readNames() {
	if p.named != nil {
		return
	}
	p.named = map[string][]string{}
	for _, at := range p.w.Named("package.json") {
		if m := p.manifest(at); m.name != "" && !strings.Contains("/"+at, "/node_modules/") {
			p.named[m.name] = append(p.named[m.name], m.dir)
		}
	}
}

// entry lists the files of a package, or of the module sub in it. A package names what it publishes, which in its
// own tree is often not there but made of what is: dist/x.js of src/x.ts, or all of src/index.ts.
func (p *nodeTree) entry(m *nodeManifest, sub string) []string {
	var files []string
	key := "."
	if sub != "" {
		key = "./" + sub
	}
	files = append(files, p.targets(m.dir, m.exports, key)...)
	if sub != "" {
		if files == nil {
			files = p.module(path.Join(m.dir, sub))
		}
		if files == nil {
			files = p.module(path.Join(m.dir, "src", sub))
		}
		return files
	}
	for _, e := range m.entries {
		files = append(files, p.published(m.dir, e)...)
	}
	files = append(files, p.file(path.Join(m.dir, "src/index"))...)
	for _, index := range []string{"index", "lib/index"} {
		if files == nil {
			files = p.file(path.Join(m.dir, index))
		}
	}
	return files
}

// published lists the files of a path that a manifest names.
func (p *nodeTree) published(dir, target string) []string {
	at := path.Join(dir, target)
	if files := p.file(at); files != nil {
		return files
	}
	target = strings.TrimPrefix(path.Clean(target), "/")
	first, rest, ok := strings.Cut(target, "/")
	if !ok || !slices.Contains([]string{"dist", "lib", "build", "out", "esm", "cjs", "es"}, first) {
		return nil
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, path.Ext(rest)), ".d")
	if files := p.file(path.Join(dir, "src", rest)); files != nil {
		return files
	}
	return p.file(path.Join(dir, rest))
}

// targets lists the files that "exports" or "imports" give a key: of all conditions those that exist.
func (p *nodeTree) targets(dir string, list any, key string) []string {
	byKey, ok := list.(map[string]any)
	if first := slices.Sorted(maps.Keys(byKey)); !ok || len(first) > 0 && !strings.HasPrefix(first[0], ".") && !strings.HasPrefix(first[0], "#") {
		byKey = map[string]any{".": list} // one target, or conditions alone
	}
	value, star := byKey[key], ""
	if value == nil {
		best := ""
		for pattern, v := range byKey {
			if s, ok := matchStar(pattern, key); ok && (len(pattern) > len(best) || len(pattern) == len(best) && pattern < best) {
				best, value, star = pattern, v, s
			}
		}
	}
	var files []string
	for _, target := range conditions(value, nil) {
		files = append(files, p.published(dir, strings.ReplaceAll(target, "*", star))...)
	}
	return files
}

// conditions lists all paths in a value of "exports".
func conditions(value any, list []string) []string {
	switch value := value.(type) {
	case string:
		list = append(list, value)
	case []any:
		for _, v := range value {
			list = conditions(v, list)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			list = conditions(value[key], list)
		}
	}
	return list
}

// matchStar says what the one star of a pattern stands for in name.
func matchStar(pattern, name string) (string, bool) {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok || len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return name[len(before) : len(name)-len(after)], true
}
