package daemon

import (
	"context"
	"errors"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// maxAddresses is the most addresses of one ctx/resolve.
const maxAddresses = 10_000

// Resolve says what became of each address: one outcome each, in order. Files are read once.
func (ws *Workspace) Resolve(ctx context.Context, p wire.ResolveParams) (*wire.ResolveResult, error) {
	if len(p.Addresses) > maxAddresses {
		return nil, refuse(wire.InvalidRequest, nil, "%d addresses are too many for one call: give at most %d", len(p.Addresses), maxAddresses)
	}
	if err := ws.look(); err != nil {
		return nil, err
	}
	batch := resolving{ws: ws, dir: p.Dir, known: ws.recollection(), texts: map[string]textOrError{}, refill: time.Now().Add(refill)}
	defer batch.known.record()
	res := &wire.ResolveResult{Outcomes: make([]wire.Outcome, len(p.Addresses))}
	failed := make([]error, len(p.Addresses))
	away := newElsewhere(ws)
	for i, address := range p.Addresses {
		if res.Outcomes[i], failed[i] = batch.outcome(ctx, address); failed[i] == nil {
			res.Outcomes[i].Address = address
		} else if e, ok := errors.AsType[*lostError](failed[i]); ok {
			away.want(e.path, e.origin)
		}
	}
	for i, err := range failed {
		if err == nil {
			continue
		}
		var w *wire.Error
		if err := ws.refused(ctx, err, away); !errors.As(err, &w) || w.Data == nil {
			return nil, err
		}
		o := wire.Outcome{Address: p.Addresses[i], Outcome: wire.Unresolved, Path: w.Data.Path, PathBase64: w.Data.PathBase64, Error: w.Data}
		if w.Data.Outcome == wire.Lost || w.Data.Error == wire.SpanUnknown {
			o.Outcome = wire.Lost
		}
		res.Outcomes[i] = o
	}
	batch.mint()
	return res, nil
}

// resolving is one call of Resolve: the files it has read, and the ranges that moved.
type resolving struct {
	ws    *Workspace
	dir   string
	known *recollection
	texts map[string]textOrError // by the reference as it was written
	moved []movedRange

	refill time.Time // until when empty files are waited for
}

type textOrError struct {
	view
	err error
}

// movedRange is a relocated range of text, whose new address is minted when all are known.
type movedRange struct {
	text *Text
	span anchors.Span
}

func (b *resolving) outcome(ctx context.Context, address string) (wire.Outcome, error) {
	if err := bounded(address); err != nil {
		return wire.Outcome{}, err
	}
	a := wire.ParseAddress(address)
	if a.Span != "" {
		path, rec, err := b.ws.span(a.Ref, b.dir, a.Span)
		return wire.Outcome{Outcome: wire.Verified, Path: displayPath(path), PathBase64: exactPath(path), Lines: &wire.Lines{rec.First, rec.Last}}, err
	}
	if a.Lines == "" {
		return wire.Outcome{}, refuse(wire.AnchorInvalid, nil, "%s has no selector; expected an address such as repo:m.py --lines 4:5@07407f1c", quote(address))
	}
	sel, err := parseSelector(a.Lines)
	if err != nil {
		return wire.Outcome{}, err
	}
	if !sel.Anchored {
		return wire.Outcome{}, refuse(wire.AnchorInvalid, []string{"ctx get " + a.Ref + " --lines " + a.Lines},
			"%s has no anchor: it names lines, not content, and cannot be verified", quote(address))
	}
	t := b.text(ctx, a.Ref)
	if t.err != nil {
		return wire.Outcome{}, b.ws.lostFile(ctx, t.err, t.path, sel, b.known.Lookup)
	}
	f, err := b.ws.find(ctx, t.view, sel, b.known)
	if err != nil {
		return wire.Outcome{}, err
	}
	if f.Outcome == anchors.Lost {
		return wire.Outcome{}, b.ws.lostIn(t.view, sel, f)
	}
	o := wire.Outcome{
		Outcome: wire.Verified, Path: displayPath(t.path), PathBase64: exactPath(t.path), Lines: &wire.Lines{f.Span.First, f.Span.Last},
		Identity: f.identity, Checked: f.Checked.String(), Copies: f.Copies, Windows: f.Windows,
	}
	if f.Outcome == anchors.Relocated {
		o.Outcome, o.From = wire.Relocated, &wire.Lines{sel.First, sel.Last}
		now := anchors.Selector{Span: f.Span, Anchor: sel.Anchor, Anchored: true}
		o.Live = &wire.Live{Anchor: sel.Anchor.String(), Lines: toLines(f.Span), Address: t.ref + " --lines " + now.String()}
		if t.live {
			b.moved = append(b.moved, movedRange{text: t.text, span: f.Span})
		}
	}
	return o, nil
}

// text reads the text of ref, once per call.
func (b *resolving) text(ctx context.Context, ref string) textOrError {
	if t, ok := b.texts[ref]; ok {
		return t
	}
	var t textOrError
	captured, err := b.ws.captured(ref)
	switch {
	case err != nil:
		t.err = err
	case captured != nil:
		t.view = *captured
	default:
		at, text, err := b.ws.open(ctx, ref, b.dir)
		if err == nil {
			text = b.ws.refilled(ctx, text, b.refill)
		}
		t.err = err
		t.view = view{ref: wire.RepoRef(at.path), path: at.path, text: text, live: true}
	}
	b.texts[ref] = t
	return t
}

// mint remembers the full digests of the ranges that moved, so that their corrected addresses are
// checked in full as well.
func (b *resolving) mint() {
	spans := map[*Text][]anchors.Span{}
	for _, m := range b.moved {
		spans[m.text] = append(spans[m.text], m.span)
	}
	for t, s := range spans {
		b.ws.mint(t, s...)
	}
}
