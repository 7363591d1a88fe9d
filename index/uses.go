package index

import "iter"

// Use is how often a file uses one name in one way.
type Use struct {
	Name   uint32 // NameHash of it
	Via    int    // index into the Vias of the file
	Places int    // declarations are none
}

// NameHash is what Uses knows of a name: two names share one once in 4,000,000,000 pairs.
func NameHash(name string) uint32 { return hashOf(name) }

// Uses counts the references of the file by name and Via, in an order of its own that is always the same. It makes
// no Ref: all files of the Go library, 4 million references, are counted in less than 0.1 s.
func (f *File) Uses() ([]Via, iter.Seq[Use]) {
	r := refReader{rest: f.refs}
	if f.refs == "" {
		return nil, func(func(Use) bool) {}
	}
	r.take(r.number())
	vias := r.vias()
	r.take(r.number()) // the types of definitions
	for i := range vias {
		switch vias[i].Root {
		case RootImport, RootAlias, RootModule:
			if int(vias[i].Import) >= len(f.Imports) || vias[i].Import < 0 {
				vias[i] = Via{} // a damaged cache, see refReader
			}
		}
	}
	return vias, func(yield func(Use) bool) {
		r := r
		counts := make([]int, len(vias))
		var used []int
		for n := r.number(); n > 0 && !r.bad; n-- {
			hash, _, places := r.name()
			p := refReader{rest: places}
			for len(p.rest) > 0 {
				p.number()
				what := p.number()
				via := int(what >> 3)
				if p.bad || via >= len(vias) {
					break
				}
				if Role(what&7) == Declaration {
					continue
				}
				if counts[via] == 0 {
					used = append(used, via)
				}
				counts[via]++
			}
			for _, via := range used {
				n := counts[via]
				counts[via] = 0
				if !yield(Use{Name: hash, Via: via, Places: n}) {
					return
				}
			}
			used = used[:0]
		}
	}
}

// Home lists the files whose top-level names a file knows without import, itself included.
func (r *Resolver) Home(from string, f *File) []string {
	l := languageNamed(f.Language)
	if l == nil || l.resolver == nil {
		return []string{from}
	}
	return (&lookup{Resolver: r, l: l, from: from, f: f}).home()
}

// Module is the place that the path of an import in a file names.
func (r *Resolver) Module(from string, f *File, importPath string) (Place, Verdict) {
	l := languageNamed(f.Language)
	if l == nil || l.resolver == nil || l.resolver.find == nil {
		return Place{}, Open
	}
	return (&lookup{Resolver: r, l: l, from: from, f: f}).find(importPath)
}

// Resolves says whether the imports of a language are resolved, so that a name which a file neither defines nor
// imports is not just any definition of that name.
func Resolves(language string) bool {
	l := languageNamed(language)
	return l != nil && l.resolver != nil
}
