package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Syntax is what an editor wants to know of the syntax of one text: what to select around a place, what to fold,
// how to colour. It is made anew for each question, from one more parse, and holds more than a File: ask it of files
// that are open.
type Syntax struct {
	t    *tree
	l    *language
	path string
	src  []byte
}

// ReadSyntax parses src; nil where there is nothing to parse it with. It does not panic.
func ReadSyntax(path string, src []byte) (s *Syntax) {
	f, l := open(path, src)
	if f.Status != Parsed {
		return nil
	}
	defer func() {
		if recover() != nil {
			s = nil // as in describe
		}
	}()
	t := l.parseTree(src)
	if t == nil || len(t.nodes) == 0 {
		return nil
	}
	return &Syntax{t: t, l: l, path: path, src: src}
}

// Around lists the ranges of the nodes around an offset, from the token there to the whole file; none is listed twice.
func (s *Syntax) Around(offset int) []Range {
	at := uint32(offset)
	var path []int
	for i := 0; i >= 0; i = s.child(i, at) {
		path = append(path, i)
	}
	var all []Range
	for _, i := range slices.Backward(path) {
		r := Range{s.t.nodes[i].Start, min(s.t.nodes[i].End, uint32(len(s.src)))}
		if r.Start < r.End && r.Start <= at && at <= r.End && (len(all) == 0 || all[len(all)-1] != r) {
			all = append(all, r)
		}
	}
	return all
}

// child is the child of a node that holds an offset; between two, the one that is more than punctuation. -1: none.
func (s *Syntax) child(i int, at uint32) int {
	best := -1
	for k := i + 1; k < int(s.t.next[i]); k = int(s.t.next[k]) {
		n := s.t.nodes[k]
		if n.Start > at {
			break
		}
		if at <= n.End && n.Start < n.End && (best < 0 || at < n.End && (s.t.named(k) || !s.t.named(best))) {
			best = k
		}
	}
	return best
}

// Fold is a range of lines that can be folded away, but for its first.
type Fold struct {
	Start, End uint32 // bytes; what is folded ends before the line of a closing bracket
	Kind       FoldKind
}

// FoldKind says what is folded.
type FoldKind uint8

const (
	FoldRegion FoldKind = iota
	FoldComment
	FoldImports
)

// Folds lists what can be folded, by Start: what stands between brackets on different lines, blocks, definitions, and
// comments and imports that follow each other.
func (s *Syntax) Folds(f *File) []Fold {
	var folds []Fold
	for i := range f.Defs {
		folds = append(folds, Fold{Start: f.Defs[i].SigStart, End: f.Defs[i].End})
	}
	for i := range s.t.nodes {
		n := s.t.nodes[i]
		switch kind := s.t.kind(i); {
		case isComment(kind):
			folds = s.join(folds, Fold{n.Start, n.End, FoldComment})
		case strings.Contains(kind, "import") && s.t.named(i) || kind == "use_declaration" || kind == "preproc_include":
			folds = s.join(folds, Fold{n.Start, n.End, FoldImports})
		case kind == "block" || kind == "suite":
			if p := s.t.parent[i]; p >= 0 && s.t.kind(int(p)) != "module" {
				folds = append(folds, Fold{s.t.nodes[p].Start, n.End, FoldRegion})
			}
		case n.Leaf() && closerOf(s.t.literal(i)) != "":
			if close := s.partner(i); close >= 0 {
				folds = append(folds, Fold{n.Start, s.before(s.t.nodes[close].Start), FoldRegion})
			}
		}
	}
	folds = slices.DeleteFunc(folds, func(f Fold) bool { return !s.t.newlines(f.Start, min(f.End, uint32(len(s.src)))) })
	slices.SortStableFunc(folds, func(a, b Fold) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	return folds
}

// join adds a fold to the one before it when they are of one kind and only white space stands between them.
func (s *Syntax) join(folds []Fold, next Fold) []Fold {
	for i := len(folds) - 1; i >= 0 && i >= len(folds)-4; i-- {
		last := &folds[i]
		if last.Kind != next.Kind || next.Kind == FoldRegion {
			continue
		}
		if next.Start < last.End { // within it
			return folds
		}
		if between := s.src[last.End:next.Start]; len(bytes.TrimSpace(between)) == 0 && bytes.Count(between, []byte("\n")) <= 1 {
			last.End = next.End
			return folds
		}
		break
	}
	return append(folds, next)
}

// partner is the closing bracket of an opening one among its siblings; -1: there is none.
func (s *Syntax) partner(i int) int {
	want, parent := closerOf(s.t.literal(i)), s.t.parent[i]
	if parent < 0 {
		return -1
	}
	for k := int(s.t.next[i]); k < int(s.t.next[parent]); k = int(s.t.next[k]) {
		if s.t.nodes[k].Leaf() && s.t.literal(k) == want && s.t.nodes[k].End > s.t.nodes[k].Start {
			return k
		}
	}
	return -1
}

// before is the end of the line before the one in which an offset stands, if only white space stands before it there.
func (s *Syntax) before(offset uint32) uint32 {
	head := bytes.TrimRight(s.src[:offset], " \t")
	if len(head) == 0 || head[len(head)-1] != '\n' && head[len(head)-1] != '\r' {
		return offset
	}
	return uint32(len(bytes.TrimRight(head, "\r\n")))
}
