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

// writtenPath is where a statement writes the path of one of its imports: at its own token, else where the words of the
// statement say that the path follows. It is not searched for: comments and attributes may hold the same text.
func (b *binder) writtenPath(statement span, m *Import) (Range, bool) {
	if m.Path == "" {
		return Range{}, false // of the file's own
	}
	switch start := int(m.End) - len(m.Path); {
	case m.Name == "*" && string(b.src[m.Start:m.End]) == m.Path, // an include's is its token
		m.Name == "" && start >= int(statement.Start) && string(b.src[start:m.End]) == m.Path:
		return Range{Start: uint32(start), End: m.End}, true
	}
	text := b.src[statement.Start:statement.End]
	if rest, ok := bytes.CutPrefix(text, []byte("from")); ok { // from a.b import c
		path := bytes.TrimLeft(rest, " \t")
		if after, ok := bytes.CutPrefix(path, []byte(m.Path)); ok && len(after) > 0 && strings.IndexByte(" \t", after[0]) >= 0 {
			return rangeAt(statement, len(text)-len(path), len(m.Path)), true
		}
	}
	if at, ok := specifierECMAScript(text); ok && string(text[at.Start:at.End]) == m.Path {
		return rangeAt(statement, int(at.Start), len(m.Path)), true
	}
	return Range{}, false
}

// specifierECMAScript is the string behind from, or in the parentheses of require and import, in an import statement.
func specifierECMAScript(statement []byte) (Range, bool) {
	s := &wordScan{src: statement}
	from, called := false, 0 // called: the words require and ( that stand before
	for s.next(); s.kind != scanEnd; s.next() {
		switch {
		case s.kind == scanString && (from || called == 2):
			return Range{Start: s.start, End: s.end}, true
		case s.word("require"), s.word("import"):
			from, called = false, 1
		case s.symbol('(') && called == 1:
			from, called = false, 2
		default:
			from, called = s.word("from"), 0
		}
	}
	return Range{}, false
}

func rangeAt(s span, offset, size int) Range {
	return Range{Start: s.Start + uint32(offset), End: s.Start + uint32(offset+size)}
}
