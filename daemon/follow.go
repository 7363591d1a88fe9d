package daemon

import (
	"context"
	"errors"
	"fmt"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// identityContent: the content is the one that was addressed; which of several equal copies it is,
// content alone cannot prove.
const identityContent = "content"

// follow finds the content that sel addresses in t; minted is what is remembered of the address. A lost
// anchor is not an error here; an address that stands for two different contents is.
func (ws *Workspace) follow(ctx context.Context, t *anchors.Table, path string, sel anchors.Selector, minted []captures.Record) (anchors.Resolution, error) {
	var known *anchors.Known
	if len(minted) > 1 {
		return anchors.Resolution{}, ws.twoContents(path, sel, minted)
	}
	if len(minted) == 1 {
		m := minted[0]
		known = &anchors.Known{Full: m.Full, Head: m.Head, Roll: m.Roll, Text: m.Text}
	}
	r := t.Resolve(sel, known, func() bool { return ctx.Err() != nil })
	if !r.Complete {
		return r, context.Cause(ctx)
	}
	return r, nil
}

// minted are the contents that the address was minted for in this workspace: one, unless two
// collide in its 8 digits; none when it was minted elsewhere.
func (ws *Workspace) minted(in captures.Lookup, path string, sel anchors.Selector) []captures.Record {
	return in.Minted(ws.id, path, sel.First, sel.Last, sel.Anchor)
}

// twoContents refuses an address that was minted for different contents whose 8 digits are equal:
// which of them was meant cannot be known.
func (ws *Workspace) twoContents(path string, sel anchors.Selector, recs []captures.Record) error {
	ref := wire.RepoRef(path)
	var try []string
	for _, r := range recs {
		try = append(try, "ctx get "+capturedOf(r).Address)
	}
	err := refusePath(wire.AnchorAmbiguous, path, try,
		"anchor @%s stands for %d different contents of %s that share its 8 digits; read the captured one that you mean",
		sel.Anchor, len(recs), ref)
	err.Data.Anchor = sel.Anchor.String()
	return err
}

// lost is the refusal of an anchor whose content is gone: it names both ways forward, and the
// captured bytes when they are retained.
func (ws *Workspace) lost(path string, sel anchors.Selector, why string) *wire.Error {
	ref := wire.RepoRef(path)
	bare := fmt.Sprintf("ctx get %s --lines %d:%d", ref, sel.First, sel.Last)
	message := fmt.Sprintf("anchor @%s not found in %s: the content that was at lines %d:%d is no longer in this file (it was edited or deleted). "+
		"Re-navigate — `ctx def` mints a fresh anchored address — or read the current lines with `%s` if the coordinates are what you meant.",
		sel.Anchor, ref, sel.First, sel.Last, bare)
	try := []string{bare}
	if why != "" {
		message, try = why, nil
	}
	err := refusePath(wire.AnchorStale, path, try, "%s", message)
	d := err.Data
	d.Outcome = wire.Lost
	d.Lines = &wire.Lines{sel.First, sel.Last}
	d.Anchor = sel.Anchor.String()
	for _, rec := range ws.minted(ws.store.Now(), path, sel) {
		if recs, e := ws.store.Span(captures.SpanID(rec.Blob, rec.First, rec.Last)); e == nil && len(recs) > 0 {
			d.Captured = capturedOf(rec)
			d.Suggestions = append(d.Suggestions, "ctx get "+d.Captured.Address)
			break
		}
	}
	return err
}

// lostFile turns "no such path" into the refusal of an anchor in it; other errors pass.
func (ws *Workspace) lostFile(err error, path string, sel anchors.Selector) error {
	var w *wire.Error
	if errors.As(err, &w) && w.Data != nil && w.Data.Error == wire.NotFound {
		return ws.lost(path, sel, w.Message)
	}
	return err
}

// parseSelector is anchors.ParseSelector with the refusal that a user sees.
func parseSelector(s string) (anchors.Selector, error) {
	sel, err := anchors.ParseSelector(s)
	if err != nil {
		return sel, refuse(wire.AnchorInvalid, nil, "%v", err)
	}
	return sel, nil
}
