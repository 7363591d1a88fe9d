package daemon

import (
	"context"
	"unicode"
	"unicode/utf8"

	"ctxd/client/wire"
	"ctxd/index"
)

// pastTheEnd are the calls that show what there is, for a place behind the last line.
func pastTheEnd(path string, total int) []string {
	ref := wire.RepoRef(path)
	if total == 0 {
		return []string{"ctx map " + ref}
	}
	return []string{"ctx map " + ref, lastLines(ref, total)}
}

// defsAt finds the definitions that a position is about. A column (in bytes, from 1) on an identifier
// means what that name is defined as: the definition itself where it is its name, what a use is bound to, and every
// definition of the name where that is not known. Where there are none, and for a line alone, it is the innermost
// definition around the position, decorators included.
func (ws *Workspace) defsAt(ctx context.Context, snap *Snapshot, q query) ([]hit, error) {
	t, err := ws.text(ctx, q.at.path)
	if err != nil {
		return nil, err
	}
	if total := t.Table.Len(); q.at.line > total {
		return nil, refusePath(wire.AnchorNotFound, q.at.path, pastTheEnd(q.at.path, total), "%s selects nothing: the content has %d lines", q.printed(), total)
	}
	if q.at.col > 0 {
		facts, problem := ws.facts(ctx, snap, t)
		if err := ws.undefinable(q.at.path, t, facts, problem); err != nil {
			return nil, err
		}
		offset := q.at.offset(t)
		if i := nameAt(facts, uint32(offset)); i >= 0 {
			return ws.defsInFile(ctx, snap, q.at.path, func(t *Text, f *index.File) []int { return q.at.named(t, f) })
		}
		if name := identifierAt(t.Src(), offset); name != "" {
			if hits, err := ws.boundAt(ctx, snap, q, t, facts, name); err != nil || len(hits) > 0 {
				return hits, err
			}
			if _, hits, err := ws.defsNamed(ctx, snap, name); err != nil || len(hits) > 0 {
				return hits, err
			}
		}
	}
	return ws.defsInFile(ctx, snap, q.at.path, func(t *Text, f *index.File) []int { return q.at.around(t, f) })
}

// boundAt is what the name at a position is bound to; nil when that is not known.
func (ws *Workspace) boundAt(ctx context.Context, snap *Snapshot, q query, t *Text, facts *index.File, name string) ([]hit, error) {
	offset := q.at.offset(t)
	ref := refAt(facts, name, uint32(offset))
	if ref == nil {
		return localAt(q.at, t, offset), nil
	}
	s := &refSearch{ws: ws, ctx: ctx}
	if err := s.look(snap, t); err != nil {
		return nil, err
	}
	found, verdict := s.resolver.Resolve(t.Path, facts, *ref, name)
	if verdict == index.Elsewhere && ref.Via.Root != index.RootFree && !s.world.torn {
		return nil, refusePath(wire.NotFound, t.Path, nil, "%s at %s is bound to something outside the workspace", quote(name), q.printed())
	}
	return s.declared(t, facts, *ref, name, found)
}

// localAt is the place where the local variable at offset is declared.
func localAt(at *place, t *Text, offset int) []hit {
	for _, r := range index.Locals(t.Path, t.Src(), offset) {
		if r.Role != index.Declaration {
			continue
		}
		name := string(t.Src()[r.Start:r.End])
		d := index.Def{Name: name, Kind: index.Variable, Start: r.Start, End: r.End, NameStart: r.Start, NameEnd: r.End, SigStart: r.Start, SigEnd: r.End}
		facts := &index.File{Defs: []index.Def{d}}
		return []hit{{path: t.Path, blob: t.Blob, facts: facts, def: 0, again: func(t *Text, f *index.File) []int { return at.around(t, f) }}}
	}
	return nil
}

// nameAt is the index of the definition whose name covers offset, or ends there; -1 when none does.
func nameAt(facts *index.File, offset uint32) int {
	best := -1
	for i := range facts.Defs {
		if d := &facts.Defs[i]; d.NameStart <= offset && (offset < d.NameEnd || offset == d.NameEnd && best < 0) {
			best = i
		}
	}
	return best
}

// refAt is the reference to name that covers offset, or ends there; nil when none does.
func refAt(facts *index.File, name string, offset uint32) *index.Ref {
	for _, ref := range facts.Refs(name) {
		if ref.Start <= offset && offset <= ref.End {
			return &ref
		}
	}
	return nil
}

// named is the definition whose name covers the place.
func (p *place) named(t *Text, f *index.File) []int {
	if p.line > t.Table.Len() {
		return nil
	}
	if i := nameAt(f, uint32(p.offset(t))); i >= 0 {
		return []int{i}
	}
	return nil
}

// offset is the byte that the place means, within its line.
func (p *place) offset(t *Text) int {
	return t.Table.LineStart(p.line) + min(max(p.col-1, 0), len(t.Table.Line(p.line)))
}

// around is the innermost definition around the place.
func (p *place) around(t *Text, f *index.File) []int {
	if p.line > t.Table.Len() {
		return nil
	}
	offset := uint32(p.offset(t))
	best := -1
	for i := range f.Defs {
		d := &f.Defs[i]
		span := spanOf(t.Table, int(d.Start), int(d.End))
		if span.First <= p.line && p.line <= span.Last && (p.col == 0 || d.Start <= offset && offset <= d.End) {
			best = i // Defs are sorted by start: the last one that fits is the innermost
		}
	}
	if best < 0 {
		return nil
	}
	return []int{best}
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
