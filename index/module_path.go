package index

import (
	"bytes"
	"slices"
	"strings"
)

// ModulePath is where an import statement of a file names a module by its path.
type ModulePath struct {
	Range         // of the path, without quotes
	Imports []int // the Imports of the file that the statement takes from it
}

// ModulePaths lists where a file writes the paths of its Imports, by Start. Paths that are not written in one piece, as in
// from . import x with white space between, are left out. It builds the file anew, as Locals does.
func ModulePaths(path string, src []byte) (all []ModulePath) {
	f, l := open(path, src)
	if f.Status != Parsed {
		return nil
	}
	defer func() {
		if recover() != nil {
			all = nil // as in describe
		}
	}()
	s := takeScratch()
	l.bound(f, path, src, budget(len(src)), s, func(b *binder) {
		next := 0
		for _, statement := range b.imports {
			first := next
			for next < len(f.Imports) && f.Imports[next].Start < statement.End {
				next++
			}
			all = append(all, b.modulePaths(statement, first, next)...)
		}
	})
	s.give()
	return all
}

// modulePaths are those of the imports from first on, before next, which one statement makes.
func (b *binder) modulePaths(statement span, first, next int) (all []ModulePath) {
	for i := first; i < next; i++ {
		m := &b.f.Imports[i]
		at, ok := b.writtenPath(statement, m)
		if !ok {
			continue
		}
		known := slices.IndexFunc(all, func(p ModulePath) bool { return p.Range == at })
		if known < 0 {
			known = len(all)
			all = append(all, ModulePath{Range: at})
		}
		all[known].Imports = append(all[known].Imports, i)
	}
	return all
}

// writtenPath is where a statement writes the path of one of its imports: at its token, else in quotes or as a word.
func (b *binder) writtenPath(statement span, m *Import) (Range, bool) {
	if m.Path == "" {
		return Range{}, false // of the file's own
	}
	start := int(m.End) - len(m.Path)
	if m.Name == "" && start >= int(statement.Start) && string(b.src[start:m.End]) == m.Path {
		return Range{Start: uint32(start), End: m.End}, true
	}
	text := b.src[statement.Start:statement.End]
	for _, quote := range []string{`"`, `'`, "`"} {
		if i := bytes.LastIndex(text, []byte(quote+m.Path+quote)); i >= 0 {
			return rangeAt(statement, i+1, len(m.Path)), true
		}
	}
	if rest, ok := bytes.CutPrefix(text, []byte("from")); ok { // from a.b import c
		path := bytes.TrimLeft(rest, " \t")
		if after, ok := bytes.CutPrefix(path, []byte(m.Path)); ok && len(after) > 0 && strings.IndexByte(" \t", after[0]) >= 0 {
			return rangeAt(statement, len(text)-len(path), len(m.Path)), true
		}
	}
	return Range{}, false
}

func rangeAt(s span, offset, size int) Range {
	return Range{Start: s.Start + uint32(offset), End: s.Start + uint32(offset+size)}
}
