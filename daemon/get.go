package daemon

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// headerReserve is what the header of an answer may take of its token budget, in bytes.
const headerReserve = 256

// view is the text that a read is made of: a file of the worktree, or captured bytes.
type view struct {
	ref  string // as it is printed
	path string
	text *Text
	live bool // addresses are minted: the text is the worktree's
}

// Get reads one region of a file, a snapshot, a blob or a captured span.
func (ws *Workspace) Get(ctx context.Context, p wire.GetParams) (*wire.GetResult, error) {
	if err := bounded(p.Ref + p.Symbol); err != nil {
		return nil, err
	}
	a := wire.ParseAddress(p.Ref)
	for _, f := range []struct{ param, given *string }{{&p.Lines, &a.Lines}, {&p.Span, &a.Span}, {&p.Bytes, &a.Bytes}, {&p.Symbol, &a.Symbol}} {
		if *f.param == "" {
			*f.param = *f.given
		} else if *f.given != "" && *f.given != *f.param {
			return nil, refuse(wire.InvalidRequest, nil, "two different selectors were given: %s and %s", quote(*f.given), quote(*f.param))
		}
	}
	if strings.Contains(p.Bytes, "@") {
		return nil, refuse(wire.AnchorInvalid, nil, "invalid span '%s': --bytes takes A:B and no anchor; an anchor belongs to --lines", displayPath(p.Bytes))
	}
	if (p.Span != "" || p.Bytes != "") && strings.Contains(p.Lines, "@") {
		return nil, refuse(wire.AnchorInvalid, nil, "an anchored --lines cannot be combined with --span or --bytes: each names a region of its own; give one")
	}
	if p.Symbol != "" && strings.Contains(p.Lines, "@") {
		return nil, refuse(wire.AnchorInvalid, nil, "--symbol and an anchored --lines cannot be combined: give --symbol to look the range up now, or the anchored range to verify a range you already hold")
	}
	if v, err := ws.captured(a.Ref); v != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return ws.getCaptured(ctx, *v, p)
	}
	if p.Span != "" {
		return ws.getSpan(ctx, a.Ref, p)
	}
	res, err := ws.getFile(ctx, a.Ref, p)
	return res, ws.refused(ctx, err, newElsewhere(ws))
}

// getFile reads the worktree.
func (ws *Workspace) getFile(ctx context.Context, ref string, p wire.GetParams) (*wire.GetResult, error) {
	if err := ws.look(); err != nil {
		return nil, err
	}
	at, t, err := ws.open(ctx, ref, p.Dir)
	if at.path == "" {
		return nil, err
	}
	if at.line > 0 {
		if p.Lines != "" || p.Bytes != "" || p.Symbol != "" {
			return nil, refuse(wire.InvalidRequest, nil, "two different selectors were given: line %d in %s, and a flag", at.line, quote(ref))
		}
		p.Lines = fmt.Sprintf("%d:%d", at.line, at.last)
	}
	if err != nil {
		if sel, e := anchors.ParseSelector(p.Lines); e == nil && sel.Anchored {
			return nil, ws.lostFile(ctx, err, at.path, sel, ws.store.Now())
		}
		return nil, err
	}
	if strings.Contains(p.Lines, "@") {
		t = ws.refilled(ctx, t, time.Now().Add(refill))
	}
	return ws.readView(ctx, view{ref: wire.RepoRef(at.path), path: at.path, text: t, live: true}, p)
}

// open finds the file that ref names, and reads it. The place is known even where the read is refused.
// The whole of ref is tried first, without asking whether it exists: nearly always it does.
func (ws *Workspace) open(ctx context.Context, ref, dir string) (place, *Text, error) {
	if err := bounded(ref); err != nil {
		return place{}, nil, err
	}
	path, err := ws.path(ref, dir)
	if err != nil {
		return place{}, nil, err
	}
	t, err := ws.text(ctx, path)
	if refusal(err) != wire.NotFound {
		return place{path: path}, t, err
	}
	at, e := ws.locate(ref, dir, false)
	if e != nil {
		return place{}, nil, e
	}
	if at.path == path {
		if bare := withoutPosition(ref); bare != ref { // not "m.py%3A3"
			if p, e := ws.path(bare, dir); e == nil {
				err = ws.readRefusal(p, fs.ErrNotExist)
			}
		}
		return at, nil, err
	}
	t, err = ws.text(ctx, at.path)
	return at, t, err
}

// readView reads what the selector of p says: a symbol before bytes before lines before the head of
// the text.
func (ws *Workspace) readView(ctx context.Context, v view, p wire.GetParams) (*wire.GetResult, error) {
	if p.Symbol != "" {
		def, err := ws.symbolIn(ctx, v, p.Symbol)
		if err != nil {
			return nil, err
		}
		span := spanOf(v.text.Table, int(def.Start), int(def.End))
		res, err := ws.region(v, span, p.Hashlines)
		if err == nil {
			res.Symbol, res.Region = p.Symbol, &wire.Lines{span.First, span.Last}
		}
		return res, err
	}
	if p.Bytes != "" {
		return ws.byteRange(v, p.Bytes)
	}
	if isBinary(v.text.Src()) {
		return nil, refusePath(wire.BinaryContent, v.path, []string{fmt.Sprintf("ctx get %s --bytes 1:%d", v.ref, min(256, len(v.text.Src())))},
			"%s: binary content: use --bytes A:B for exact slices", v.ref)
	}
	if p.Lines == "" {
		return ws.region(v, anchors.Span{First: 1, Last: v.text.Table.Len()}, p.Hashlines)
	}
	sel, err := parseSelector(p.Lines)
	if err != nil {
		return nil, err
	}
	if !sel.Anchored {
		total := v.text.Table.Len()
		if total == 0 {
			return nil, refusePath(wire.AnchorNotFound, v.path, []string{"ctx get " + v.ref}, "--lines %s selects nothing: the content is empty", sel)
		}
		if sel.First > total {
			return nil, refusePath(wire.AnchorNotFound, v.path, []string{"ctx get " + v.ref, lastLines(v.ref, total)},
				"--lines %s selects nothing: the content has %d lines. Use --lines 1:%d or omit --lines.", sel, total, total)
		}
		return ws.region(v, anchors.Span{First: sel.First, Last: min(sel.Last, total)}, p.Hashlines)
	}
	in := ws.recollection()
	defer in.record()
	f, err := ws.find(ctx, v, sel, in)
	if err != nil {
		return nil, err
	}
	if f.Outcome == anchors.Lost {
		return nil, ws.lostIn(v, sel, f)
	}
	res, err := ws.region(v, f.Span, p.Hashlines)
	if err != nil {
		return nil, err
	}
	res.Outcome, res.Anchor = wire.Verified, sel.Anchor.String()
	if f.Outcome == anchors.Relocated {
		res.Outcome, res.From = wire.Relocated, &wire.Lines{sel.First, sel.Last}
	}
	res.Identity, res.Checked, res.Copies, res.Windows = f.identity, f.Checked.String(), f.Copies, f.Windows
	return res, nil
}

// find finds what sel addresses in v. Captured bytes never change, so that the content is all there is to find.
func (ws *Workspace) find(ctx context.Context, v view, sel anchors.Selector, in *recollection) (outcome, error) {
	if v.live {
		return ws.follow(ctx, v.text, sel, in)
	}
	return ws.content(ctx, v.text, sel, ws.captures(in.Lookup, v.path, sel))
}

// lostIn is the refusal of an anchor that is not in v.
func (ws *Workspace) lostIn(v view, sel anchors.Selector, p outcome) error {
	if v.live {
		return &lostError{path: v.path, sel: sel, text: v.text, outcome: p}
	}
	err := refusePath(wire.AnchorStale, v.path, []string{fmt.Sprintf("ctx get %s --lines %d:%d", v.ref, sel.First, sel.Last)},
		"anchor @%s not found in %s: these captured bytes never change, so the address belongs to another text", sel.Anchor, v.ref)
	err.Data.Outcome, err.Data.Anchor = wire.Lost, sel.Anchor.String()
	err.Data.Lines = &wire.Lines{sel.First, sel.Last}
	return err
}

// region answers with span, cut to the budgets of the workspace. What is cut off gets an address
// that goes on exactly where the answer ends.
func (ws *Workspace) region(v view, span anchors.Span, hashlines bool) (*wire.GetResult, error) {
	t := v.text.Table
	res := &wire.GetResult{
		Ref: v.ref, Path: displayPath(v.path), PathBase64: exactPath(v.path),
		Snapshot: snapshotOf(v.path, v.text.Blob), Blob: v.text.Blob.String(), Total: t.Len(), Text: []string{},
	}
	if t.Len() == 0 {
		return res, nil
	}
	shown, width := ws.cut(t, span, hashlines)
	start, end := t.Content(shown)
	res.Lines, res.Bytes = toLines(shown), wire.Bytes{start, end}
	if width >= 0 { // one line, longer than the budget: cut inside
		return ws.partLine(v, res, span, width)
	}
	res.Text, res.TextBase64 = lines(t, shown)
	if hashlines {
		for n := shown.First; n <= shown.Last; n++ {
			res.Tags = append(res.Tags, t.Tag(n))
		}
	}
	rest := anchors.Span{First: shown.Last + 1, Last: span.Last}
	if !v.live {
		res.Selector = fmt.Sprintf("--lines %d:%d", shown.First, shown.Last)
		if rest.First <= rest.Last {
			res.Next = fmt.Sprintf("%s --lines %d:%d", v.ref, rest.First, rest.Last)
		}
		return res, nil
	}
	spans := []anchors.Span{shown}
	if rest.First <= rest.Last {
		spans = append(spans, rest)
	}
	minted, note := ws.mint(v.text, spans...)
	res.Captured, res.Live, res.Note = minted[0].captured, minted[0].live, note
	res.Selector = fmt.Sprintf("--lines %d:%d@%s", shown.First, shown.Last, res.Live.Anchor)
	if len(minted) > 1 {
		res.Next = minted[1].live.Address
	}
	return res, nil
}

// cut is the longest head of span within the line budget and the token budget, measured as it is
// rendered. width >= 0 says that not even the first line fits, and how many of its bytes do.
func (ws *Workspace) cut(t *anchors.Table, span anchors.Span, hashlines bool) (shown anchors.Span, width int) {
	b := ws.config.Load().Budgets
	room := max(4*b.ResultTokens-headerReserve, headerReserve)
	last := min(span.Last, span.First+b.MaxInlineLines-1)
	used := 0
	for n := span.First; n <= last; n++ {
		prefix := len("L: \n") + len(strconv.Itoa(n))
		if hashlines {
			prefix += len("78|")
		}
		if used += prefix + len(t.Line(n)); used > room {
			if n == span.First {
				return anchors.Span{First: n, Last: n}, max(room-prefix, 1)
			}
			return anchors.Span{First: span.First, Last: n - 1}, -1
		}
	}
	return anchors.Span{First: span.First, Last: last}, -1
}

// partLine shows the first width bytes of a line that is longer than the whole budget, and goes on
// by bytes.
func (ws *Workspace) partLine(v view, res *wire.GetResult, span anchors.Span, width int) (*wire.GetResult, error) {
	t := v.text.Table
	start, end := t.Content(span)
	part := t.Line(span.First)[:width]
	for len(part) > 1 && part[len(part)-1]&0xC0 == 0x80 { // not inside a character
		part = part[:len(part)-1]
	}
	if len(part) > 1 && part[len(part)-1] >= 0xC0 {
		part = part[:len(part)-1]
	}
	res.Text = []string{display(part)}
	res.TextBase64 = base64.StdEncoding.EncodeToString(part)
	res.Bytes = wire.Bytes{start, start + len(part)}
	res.Truncated = &wire.Truncated{Shown: len(part) / 4, Of: (end - start) / 4}
	res.Selector = fmt.Sprintf("--lines %d:%d", span.First, span.First)
	res.Next = fmt.Sprintf("%s --bytes %d:%d", v.ref, start+len(part)+1, end)
	if v.live {
		minted, note := ws.mint(v.text, anchors.Span{First: span.First, Last: span.First})
		res.Captured, res.Live, res.Note = minted[0].captured, minted[0].live, note
		res.Selector += "@" + res.Live.Anchor
	}
	return res, nil
}

// lastLines is a call that reads the end of a text of total lines, which is not empty.
func lastLines(ref string, total int) string {
	return fmt.Sprintf("ctx get %s --lines %d:%d", ref, max(1, total-9), total)
}

// byteRange answers with exact bytes; sel counts from 1, both ends included.
func (ws *Workspace) byteRange(v view, sel string) (*wire.GetResult, error) {
	s, err := anchors.ParseSelector(sel)
	if err != nil {
		return nil, refuse(wire.AnchorInvalid, nil, "%v", err)
	}
	src := v.text.Src()
	if s.First > len(src) {
		return nil, refusePath(wire.AnchorNotFound, v.path, []string{"ctx get " + v.ref},
			"--bytes %s selects nothing: the content has %d bytes. Use --bytes 1:%d or omit --bytes.", s, len(src), len(src))
	}
	b := ws.config.Load().Budgets
	end := min(s.Last, len(src))
	most := min(b.MaxInlineBytes, max(4*b.ResultTokens-headerReserve, headerReserve))
	shown := min(end, s.First-1+most)
	slice := src[s.First-1 : shown]
	res := &wire.GetResult{
		Ref: v.ref, Path: displayPath(v.path), PathBase64: exactPath(v.path),
		Snapshot: snapshotOf(v.path, v.text.Blob), Blob: v.text.Blob.String(), Total: v.text.Table.Len(),
		Selector: fmt.Sprintf("--bytes %d:%d", s.First, shown), Bytes: wire.Bytes{s.First - 1, shown},
		Lines:      toLines(spanOf(v.text.Table, s.First-1, shown)),
		Text:       []string{display(slice)},
		TextBase64: base64.StdEncoding.EncodeToString(slice),
	}
	if shown < end {
		res.Next = fmt.Sprintf("%s --bytes %d:%d", v.ref, shown+1, end)
	}
	if v.live {
		if _, note := ws.mint(v.text); note != "" {
			res.Note = note
		}
	}
	return res, nil
}

// getSpan reads the bytes of a captured span, whatever the worktree holds now.
func (ws *Workspace) getSpan(ctx context.Context, ref string, p wire.GetParams) (*wire.GetResult, error) {
	path, rec, err := ws.span(ref, p.Dir, p.Span)
	if err != nil {
		return nil, err
	}
	v, err := ws.stored(path, rec.Blob)
	if err != nil {
		return nil, err
	}
	res, err := ws.region(*v, anchors.Span{First: rec.First, Last: rec.Last}, p.Hashlines)
	if err != nil {
		return nil, err
	}
	res.Ref, res.Span, res.Selector = wire.RepoRef(path), p.Span, ""
	res.Region = &wire.Lines{rec.First, rec.Last}
	res.Captured = capturedOf(rec)
	if res.Next != "" && rec.First < rec.Last {
		middle := rec.First + (rec.Last-rec.First)/2
		halves, _ := ws.mint(v.text, anchors.Span{First: rec.First, Last: middle}, anchors.Span{First: middle + 1, Last: rec.Last})
		for _, half := range halves {
			if half.captured != nil {
				res.Zoom = append(res.Zoom, *half.captured)
			}
		}
	}
	res.Divergence = ws.divergence(ctx, path, rec.Blob)
	return res, nil
}

// span is the record of a captured span of the file that ref names.
func (ws *Workspace) span(ref, dir, id string) (path string, rec captures.Record, err error) {
	if path, err = ws.path(ref, dir); err != nil {
		return "", rec, err
	}
	recs, err := ws.store.Span(id)
	if err != nil {
		return "", rec, storeRefusal(err)
	}
	rec = recs[0]
	found := false
	for _, r := range recs {
		if r.Path != path {
			continue
		}
		if found && (r.Blob != rec.Blob || r.First != rec.First || r.Last != rec.Last) {
			return "", rec, refusePath(wire.AnchorAmbiguous, path, []string{"ctx get snapshot:" + snapshotOf(rec.Path, rec.Blob), "ctx get snapshot:" + snapshotOf(r.Path, r.Blob)},
				"span %s names two different regions of %s; read the snapshot that you mean", quote(id), wire.RepoRef(path))
		}
		rec, found = r, true
	}
	if !found {
		return "", rec, refusePath(wire.SpanUnknown, path, []string{"ctx get " + capturedOf(rec).Address},
			"span %s belongs to %s, not to %s", quote(id), wire.RepoRef(rec.Path), wire.RepoRef(path))
	}
	return path, rec, ws.allowed(path, "")
}

// captured is the view of snapshot:ID or blob:ID; nil when ref is neither.
func (ws *Workspace) captured(ref string) (*view, error) {
	kind, id, _ := strings.Cut(ref, ":")
	switch kind {
	case "snapshot":
		path, blob, err := ws.store.Snapshot(id)
		if err != nil {
			return nil, storeRefusal(err)
		}
		return ws.stored(path, blob)
	case "blob":
		blob, err := ws.store.Blob(id)
		if err != nil {
			return nil, storeRefusal(err)
		}
		return ws.stored("", blob)
	case "run":
		return nil, refuse(wire.Unsupported, nil, "%s: no run was captured under this name", quote(ref))
	}
	return nil, nil
}

// stored is the view of captured bytes; path is "" when only the blob was asked for.
func (ws *Workspace) stored(path string, blob captures.BlobID) (*view, error) {
	if err := ws.allowed(path, ""); err != nil {
		return nil, err
	}
	src, err := ws.store.Read(blob)
	if err != nil {
		return nil, storeRefusal(err)
	}
	v := &view{ref: "blob:" + blob.String()[:12], path: path, text: &Text{Path: path, Blob: blob, Table: anchors.NewTable(src)}}
	if path != "" {
		v.ref = "snapshot:" + snapshotOf(path, blob)
	}
	return v, nil
}

// getCaptured reads a snapshot or a blob.
func (ws *Workspace) getCaptured(ctx context.Context, v view, p wire.GetParams) (*wire.GetResult, error) {
	if p.Span != "" {
		return nil, refuse(wire.InvalidRequest, nil, "--span belongs to repo:PATH; %s takes --lines, --bytes or --symbol", v.ref)
	}
	res, err := ws.readView(ctx, v, p)
	if err != nil {
		return nil, err
	}
	if v.path == "" {
		res.Snapshot = ""
	} else {
		res.Divergence = ws.divergence(ctx, v.path, v.text.Blob)
	}
	return res, nil
}

// divergence says whether the worktree still has these bytes at path.
func (ws *Workspace) divergence(ctx context.Context, path string, blob captures.BlobID) string {
	if ws.look() != nil {
		return "file no longer present in worktree"
	}
	t, err := ws.text(ctx, path)
	switch {
	case err == nil && t.Blob == blob:
		return ""
	case err == nil:
		return "current worktree file differs from this snapshot"
	case refusal(err) == wire.NotFound:
		return "file no longer present in worktree"
	}
	return "current worktree file cannot be read"
}
