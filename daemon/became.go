package daemon

import (
	"context"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

// became says what became of a lost address, so far as it is known: what stands in its place, or where its content
// went. t is the present text of the file, nil when the file is gone.
func (ws *Workspace) became(ctx context.Context, t *Text, path string, p outcome, away *elsewhere) *wire.Became {
	o := p.origin
	if o == nil {
		if !p.never {
			return nil // its bytes were collected, or were committed where nobody can look: nothing is known
		}
		return &wire.Became{Kind: wire.NeverThere}
	}
	if t != nil && len(t.Src()) > bigFile {
		return nil // a map between two texts of 27 MB takes 0.3 s, with the table of the first: more than the refusal may
	}
	var b *wire.Became
	if t != nil {
		if b = ws.edited(ctx, t, o); b != nil && b.Surviving > 0 {
			return ws.twin(b, t, p)
		}
	}
	there, known := away.find(ctx, path, o, t == nil)
	if there != nil || !known {
		return there
	}
	if b == nil {
		b = &wire.Became{Kind: wire.Deleted, Of: o.span.Len()}
	}
	return ws.twin(b, t, p)
}

// twin names an equal region that is provably another one.
func (ws *Workspace) twin(b *wire.Became, t *Text, p outcome) *wire.Became {
	if p.twin.Len() > 0 {
		b.Twin = ws.addressOf(t, p.twin)
	}
	return b
}

// addressOf mints the live address of a region.
func (ws *Workspace) addressOf(t *Text, span anchors.Span) string {
	minted, _ := ws.mint(t, span)
	return minted[0].live.Address
}

// edited is what stands in t where the lines were; nil when nothing does. A definition became what the definition of
// its name is now.
func (ws *Workspace) edited(ctx context.Context, t *Text, o *origin) *wire.Became {
	if o.lines == nil {
		steps, _ := ws.descent(ctx, t, o)
		o.lines = steps.lines
	}
	if o.lines == nil {
		return nil
	}
	b := &wire.Became{Kind: wire.Edited, Surviving: o.lines.Survivors(o.span), Of: o.span.Len()}
	now := o.lines.Successor(o.span)
	if def, name, ok := ws.successor(t, o); ok {
		now, b.Symbol = def, name
	}
	if now.Len() < 1 {
		return nil
	}
	b.Path, b.PathBase64, b.Lines = displayPath(t.Path), exactPath(t.Path), toLines(now).Ref()
	// Other lines may be made to have the digits of the lost ones: an address for them would be the lost address.
	if now != o.span || t.Table.Digest(now).Anchor() != o.known.Full.Anchor() {
		b.Address = ws.addressOf(t, now)
	}
	return b
}

// successor is the present range of the definition that an origin's lines were: the one definition of that name and kind.
func (ws *Workspace) successor(t *Text, o *origin) (anchors.Span, string, bool) {
	if len(t.Src()) > maxParse || ws.load(t.Path, o) == nil || len(o.table.Source()) > maxParse {
		return anchors.Span{}, "", false
	}
	then := ws.catalog.describe(ws.Root, t.Path, o.table.Source(), o.blob)
	was := definitionAt(o.table, &then.File, o.span)
	if was == nil || oneNamed(&then.File, was) != was {
		return anchors.Span{}, "", false
	}
	is := oneNamed(&ws.catalog.describe(ws.Root, t.Path, t.Src(), t.Blob).File, was)
	if is == nil {
		return anchors.Span{}, "", false
	}
	return spanOf(t.Table, int(is.Start), int(is.End)), is.Qualified(), true
}

// definitionAt is the definition that is just the lines of span; nil when there is none.
func definitionAt(t *anchors.Table, f *index.File, span anchors.Span) *index.Def {
	for i := range f.Defs {
		if d := &f.Defs[i]; spanOf(t, int(d.Start), int(d.End)) == span {
			return d
		}
	}
	return nil
}

// oneNamed is the one definition of the name and kind of like; nil when there is none or another one: which of them
// would be meant, nobody knows.
func oneNamed(f *index.File, like *index.Def) (one *index.Def) {
	for i := range f.Defs {
		if d := &f.Defs[i]; d.Kind == like.Kind && d.Qualified() == like.Qualified() {
			if one != nil {
				return nil
			}
			one = d
		}
	}
	return one
}
