package lsp

import (
	"cmp"
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"ctxd/index"
)

// syntax is a document with its syntax tree; the tree is nil where there is nothing to parse it with.
func (at *moment) syntax(ctx context.Context, uri string) (*file, *index.File, *index.Syntax, *mapper, error) {
	f, facts, m, err := at.described(ctx, uri)
	if f == nil || err != nil {
		return nil, nil, nil, nil, nothing(err)
	}
	name := f.path
	if f.folder == nil {
		name = tail(f.doc.path, "/")
	}
	return f, facts, index.ReadSyntax(name, m.src), m, nil
}

func (at *moment) foldingRange(ctx context.Context, p docID) (any, error) {
	f, facts, s, m, err := at.syntax(ctx, p.uri())
	if f == nil || err != nil || s == nil {
		if f != nil {
			f.close()
		}
		return []protocol.FoldingRange{}, err
	}
	defer f.close()
	kinds := map[index.FoldKind]protocol.FoldingRangeKind{index.FoldComment: protocol.CommentFoldingRange, index.FoldImports: protocol.ImportsFoldingRange}
	out := []protocol.FoldingRange{}
	for _, fold := range s.Folds(facts) {
		start, end := m.lineAt(int(fold.Start)), m.lineAt(int(fold.End))
		for end > start && m.starts[end] >= int(fold.End) { // it ends with a line
			end--
		}
		if end > start {
			out = append(out, protocol.FoldingRange{StartLine: uint32(start), EndLine: uint32(end), Kind: kinds[fold.Kind]})
		}
	}
	// One for each line: the longest.
	slices.SortStableFunc(out, func(a, b protocol.FoldingRange) int {
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(b.EndLine, a.EndLine))
	})
	return slices.CompactFunc(out, func(a, b protocol.FoldingRange) bool { return a.StartLine == b.StartLine }), nil
}

type selectionParams struct {
	docID
	Positions []protocol.Position `json:"positions"`
}

func (p *selectionParams) check() error {
	if p.Positions == nil {
		return invalid("positions are missing")
	}
	return p.docID.check()
}

// selectionRange gives for each position the ranges of the syntax around it, from the token outwards.
func (at *moment) selectionRange(ctx context.Context, p selectionParams) (any, error) {
	f, _, s, m, err := at.syntax(ctx, p.uri())
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, nil
	}
	defer f.close()
	out := make([]protocol.SelectionRange, 0, len(p.Positions))
	for _, pos := range p.Positions {
		offset := m.offsetOf(pos)
		var around []index.Range
		if s != nil {
			around = s.Around(offset)
		}
		if whole := (index.Range{End: uint32(len(m.src))}); len(around) == 0 || around[len(around)-1] != whole {
			around = append(around, whole)
		}
		var outer *protocol.SelectionRange
		for _, r := range slices.Backward(around) {
			if int(r.Start) <= offset && offset <= int(r.End) {
				outer = &protocol.SelectionRange{Range: m.span(int(r.Start), int(r.End)), Parent: outer}
			}
		}
		if outer == nil {
			outer = &protocol.SelectionRange{Range: m.span(offset, offset)}
		}
		out = append(out, *outer)
	}
	return out, nil
}

// tokenTypes is the legend: by index.TokenKind.
var tokenTypes = []string{
	index.TokenComment: "comment", index.TokenKeyword: "keyword", index.TokenString: "string", index.TokenNumber: "number",
	index.TokenNamespace: "namespace", index.TokenType: "type", index.TokenClass: "class", index.TokenStruct: "struct",
	index.TokenInterface: "interface", index.TokenEnum: "enum", index.TokenEnumMember: "enumMember",
	index.TokenFunction: "function", index.TokenMethod: "method", index.TokenProperty: "property",
	index.TokenVariable: "variable", index.TokenParameter: "parameter", index.TokenMacro: "macro",
}

var tokenModifiers = []string{"declaration", "modification"}

func (at *moment) tokensFull(ctx context.Context, p docID) (any, error) {
	return at.tokens(ctx, p.uri(), nil)
}

func (at *moment) tokensRange(ctx context.Context, p docRange) (any, error) {
	return at.tokens(ctx, p.uri(), p.Range)
}

// tokens encodes the tokens of a document, or of a range of it, as LSP wants them: five numbers each, relative to the
// one before. A token of several lines is one for each line.
func (at *moment) tokens(ctx context.Context, uri string, within *protocol.Range) (any, error) {
	f, facts, s, m, err := at.syntax(ctx, uri)
	if f == nil || err != nil || s == nil {
		if f != nil {
			f.close()
		}
		return protocol.SemanticTokens{Data: []uint32{}}, err
	}
	defer f.close()
	from, to := 0, len(m.src)
	if within != nil {
		var ok bool
		if from, to, ok = m.bytesOf(*within); !ok {
			return nil, invalid("the range ends before it starts")
		}
	}
	data := []uint32{}
	var last protocol.Position
	for _, t := range s.Tokens(facts) {
		if int(t.End) <= from || int(t.Start) >= to {
			continue
		}
		for line := m.lineAt(int(t.Start)); line < len(m.starts) && m.starts[line] < int(t.End); line++ {
			start, end := m.position(max(int(t.Start), m.starts[line])), m.position(min(int(t.End), m.end(line)))
			if start.Line != end.Line || start.Character >= end.Character {
				continue
			}
			modifiers := uint32(0)
			if t.Declares {
				modifiers |= 1
			}
			if t.Writes {
				modifiers |= 2
			}
			character := start.Character
			if start.Line == last.Line {
				character -= last.Character
			}
			data = append(data, start.Line-last.Line, character, end.Character-start.Character, uint32(t.Kind), modifiers)
			last = start
		}
	}
	return protocol.SemanticTokens{Data: data}, nil
}
