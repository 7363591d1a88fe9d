package daemon

import (
	"context"
	"unicode"
	"unicode/utf8"

	"ctxd/client/wire"
	"ctxd/index"
)

// defsAt finds the definitions that a position is about. A line means the innermost definition
// around it, decorators included. A column on an identifier means that name: the definition it
// names when it stands in one's header, else every definition of the name.
func (ws *Workspace) defsAt(ctx context.Context, snap *Snapshot, q query) ([]hit, error) {
	t, err := ws.text(ctx, q.at.path)
	if err != nil {
		return nil, err
	}
	total := t.Table.Len()
	if q.at.line > total {
		return nil, refusePath(wire.AnchorNotFound, q.at.path, nil, "%s selects nothing: the content has %d lines", q.printed(), total)
	}
	facts, problem := ws.facts(t)
	if err := ws.undefinable(q.at.path, t, facts, problem); err != nil {
		return nil, err
	}
	start := t.Table.LineStart(q.at.line)
	offset := start
	if q.at.col > 0 {
		offset += min(q.at.col-1, len(t.Table.Line(q.at.line)))
		if name := identifierAt(t.Src(), offset); name != "" && !definesAt(facts, offset) {
			return ws.defsNamed(ctx, snap, name)
		}
	}
	line := q.at.line
	around := func(f *index.File, t *Text) []int {
		best := -1
		for i := range f.Defs {
			d := &f.Defs[i]
			span := spanOf(t.Table, int(d.Start), int(d.End))
			if span.First <= line && line <= span.Last && (q.at.col == 0 || d.Start <= uint32(offset) && uint32(offset) <= d.End) {
				best = i // Defs are sorted by start: the last one that fits is the innermost
			}
		}
		if best < 0 {
			return nil
		}
		return []int{best}
	}
	return hitsIn(t, facts, around(facts, t), func(f *index.File) []int { return nil }), nil
}

// definesAt says whether offset lies in a definition's header before or in its name: on the name
// itself, its keyword, or a decorator.
func definesAt(facts *index.File, offset int) bool {
	for i := range facts.Defs {
		d := &facts.Defs[i]
		if d.Start <= uint32(offset) && uint32(offset) <= d.NameEnd {
			return true
		}
	}
	return false
}

// identifierAt is the identifier that covers offset or ends there.
func identifierAt(src []byte, offset int) string {
	word := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	start, end := offset, offset
	for start > 0 {
		r, n := utf8.DecodeLastRune(src[:start])
		if !word(r) {
			break
		}
		start -= n
	}
	for end < len(src) {
		r, n := utf8.DecodeRune(src[end:])
		if !word(r) {
			break
		}
		end += n
	}
	return string(src[start:end])
}
