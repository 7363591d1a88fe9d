package index

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// grammar is how the language's texts are judged.
func (l *language) grammar() grammar {
	if l.name == "go" {
		return goGrammar{l}
	}
	return treeGrammar{l}
}

// treeGrammar judges by the language's tree-sitter grammar, and by rules for what that takes and the language
// does not.
type treeGrammar struct{ l *language }

func (treeGrammar) source() string          { return TreeSitter }
func (treeGrammar) exact() bool             { return false }
func (g treeGrammar) tree(src []byte) *tree { return g.l.parseTree(src) }

func (g treeGrammar) read(src []byte) ([]finding, bool) {
	t := g.l.parseTree(src)
	if t == nil {
		return nil, false
	}
	var all []finding
	c := g.l.name == "c" || g.l.name == "cpp"
	for _, i := range t.errors() {
		if c && t.emptyDeclaration(i) {
			continue
		}
		all = append(all, finding{Fault: Fault{Start: t.nodes[i].Start, End: t.nodes[i].End}})
	}
	if len(all) == 0 {
		if i := t.unbalanced(); i >= 0 {
			all = append(all, finding{Fault: t.fault(i, "")})
		}
	}
	if rules := strictRules[g.l.name]; rules != nil {
		for _, f := range rules(t) {
			all = append(all, finding{f, true})
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int { return int(a.Start) - int(b.Start) })
	return all, true
}

func (g treeGrammar) first(src []byte) (Fault, bool) {
	q, err := g.l.load()
	if err != nil {
		return Fault{}, false
	}
	at, ok := q.language.FirstError(g.l.sanitized(src), budget(len(src)))
	return Fault{Start: uint32(at), End: uint32(at)}, ok
}

// goGrammar judges by Go's own parser.
type goGrammar struct{ l *language }

func (goGrammar) source() string          { return GoParser }
func (goGrammar) exact() bool             { return true }
func (g goGrammar) tree(src []byte) *tree { return g.l.parseTree(src) }

func (g goGrammar) read(src []byte) ([]finding, bool) {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution|parser.ParseComments)
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil, err == nil
	}
	var all []finding
	for _, e := range list {
		at := uint32(min(max(e.Pos.Offset, 0), len(src)))
		all = append(all, finding{Fault: Fault{at, at, e.Msg}})
	}
	return all, true
}

func (g goGrammar) first(src []byte) (Fault, bool) {
	all, ok := g.read(src)
	if !ok || len(all) == 0 {
		return Fault{}, false
	}
	return all[0].Fault, true
}
