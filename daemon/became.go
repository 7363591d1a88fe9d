package daemon

import (
	"context"
	"strings"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/grep"
	"ctxd/index"
)

const (
	// maxElsewhere is how many equal regions in other files are named.
	maxElsewhere = 5
	// enoughWord is how many letters and digits a span has at least that is looked for in other files. "return nil"
	// stands in every second one.
	enoughWord = 12
)

// became says what became of a lost address, so far as it is known: what stands in its place, or where its content
// went. t is the present text of the file, nil when the file is gone.
func (ws *Workspace) became(ctx context.Context, t *Text, path string, p outcome) *wire.Became {
	o := p.origin
	if o == nil {
		if !p.never {
			return nil // minted here, and its bytes were collected: nothing is known
		}
		return &wire.Became{Kind: wire.NeverThere}
	}
	var b *wire.Became
	if t != nil {
		if b = ws.edited(ctx, t, o); b != nil && b.Surviving > 0 {
			return ws.twin(b, t, p)
		}
	}
	if ws.sync(ctx) == nil { // the other files, too, are to be those of now
		if away := ws.elsewhere(ctx, path, o, t == nil); away != nil {
			return away
		}
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
		ws.whereabouts(ctx, t, o)
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
	var was *index.Def
	for i := range then.Defs {
		d := &then.Defs[i]
		if spanOf(o.table, int(d.Start), int(d.End)) == o.span {
			was = d
			break
		}
	}
	if was == nil {
		return anchors.Span{}, "", false
	}
	now := ws.catalog.describe(ws.Root, t.Path, t.Src(), t.Blob)
	var is *index.Def
	for i := range now.Defs {
		d := &now.Defs[i]
		if d.Kind == was.Kind && d.Qualified() == was.Qualified() {
			if is != nil {
				return anchors.Span{}, "", false // which of them, nobody knows
			}
			is = d
		}
	}
	if is == nil {
		return anchors.Span{}, "", false
	}
	return spanOf(t.Table, int(is.Start), int(is.End)), is.Qualified(), true
}

// elsewhere finds the content of an origin in other files: the whole file under another name, or its lines in a
// file that was written since the address was made. Several are named and none is chosen.
func (ws *Workspace) elsewhere(ctx context.Context, path string, o *origin, gone bool) *wire.Became {
	snap := ws.cur.Load()
	var whole []*File
	if gone {
		for _, f := range snap.files {
			if f.Path != path && !f.Link && f.blob() == o.blob {
				whole = append(whole, f)
			}
		}
	}
	kind := wire.Renamed
	found, more := ws.regions(ctx, whole, o)
	if len(found) == 0 {
		kind = wire.Moved
		found, more = ws.regions(ctx, ws.holders(ctx, snap, path, o), o)
	}
	if len(found) == 0 {
		return nil
	}
	b := &wire.Became{Kind: kind, Of: o.span.Len(), Surviving: o.span.Len()}
	if len(found) == 1 && more == 0 {
		r := found[0]
		b.Path, b.PathBase64, b.Lines, b.Address = displayPath(r.text.Path), exactPath(r.text.Path), toLines(r.span).Ref(), ws.addressOf(r.text, r.span)
		return b
	}
	for _, r := range found {
		b.Candidates = append(b.Candidates, ws.addressOf(r.text, r.span))
	}
	b.More = more
	return b
}

// regions are where the content of o stands in files: the nearest one of each file, and how many more there are.
func (ws *Workspace) regions(ctx context.Context, files []*File, o *origin) (found []movedRange, more int) {
	for _, f := range files {
		t, err := ws.text(ctx, f.Path)
		if err != nil {
			continue
		}
		r := t.Table.Resolve(o.selector(), &o.known, func() bool { return ctx.Err() != nil })
		if r.Outcome == anchors.Lost {
			continue
		}
		if more += r.Copies - 1; len(found) == maxElsewhere {
			more++
			continue
		}
		found = append(found, movedRange{text: t, span: r.Span})
	}
	return found, more
}

// selector is the address of an origin's lines.
func (o *origin) selector() anchors.Selector {
	return anchors.Selector{Span: o.span, Anchor: o.known.Full.Anchor(), Anchored: true}
}

// holders are the other files that have the most telling line of an origin. A file that was not written since the
// capture had the line before: it is a copy, and nothing moved there.
func (ws *Workspace) holders(ctx context.Context, snap *Snapshot, path string, o *origin) []*File {
	ws.load(path, o)
	line := o.telling()
	if line == "" {
		return nil
	}
	set, err := grep.Compile([]string{line}, grep.Options{})
	if err != nil {
		return nil
	}
	since := int64(0)
	if o.rec != nil {
		since = time.Unix(o.rec.Time-1, 0).UnixNano()
	}
	var files []*File
	for _, f := range snap.files {
		if f.Path != path && !f.Link && f.Stat.Ctime >= since {
			files = append(files, f)
		}
	}
	s := &search{ws: ws, set: set, scope: &scope{ws: ws}}
	tallies, err := s.scan(ctx, files)
	if err != nil {
		return nil
	}
	var hold []*File
	for i, t := range tallies {
		if t.matching > 0 {
			hold = append(hold, files[i])
		}
	}
	return hold
}

// telling is the longest line of an origin, without the blanks around it; "" when all of it says too little to be
// looked for.
func (o *origin) telling() string {
	if o.table == nil {
		return ""
	}
	longest, words := "", 0
	for n := o.span.First; n <= o.span.Last; n++ {
		line := strings.TrimSpace(string(o.table.Line(n)))
		if len(line) > len(longest) {
			longest = line
		}
		for i := range len(line) {
			if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= '0' && line[i] <= '9' || line[i] >= 0x80 {
				words++
			}
		}
	}
	if words < enoughWord {
		return ""
	}
	return longest
}
