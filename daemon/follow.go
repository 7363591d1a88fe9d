package daemon

import (
	"context"
	"errors"
	"fmt"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

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

// lost is the refusal of an anchor whose content is gone: it names both ways forward, the captured bytes when they
// are retained, and what became of the lines. why is "" unless the file itself is gone.
func (ws *Workspace) lost(path string, sel anchors.Selector, why string, caps []captures.Record, became *wire.Became) *wire.Error {
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
	d.Outcome, d.Anchor, d.Became = wire.Lost, sel.Anchor.String(), became
	d.Lines = &wire.Lines{sel.First, sel.Last}
	for _, rec := range contents(caps) {
		if recs, e := ws.store.Span(captures.SpanID(rec.Blob, rec.First, rec.Last)); e == nil && len(recs) > 0 {
			d.Captured = capturedOf(rec)
			d.Suggestions = append(d.Suggestions, "ctx get "+d.Captured.Address)
			break
		}
	}
	if became != nil && became.Address != "" {
		d.Suggestions = append(d.Suggestions, "ctx get "+became.Address)
	}
	return err
}

// lostError: an anchor is lost. What became of its content is said by refusal, when all that a request lost is known.
type lostError struct {
	path string
	sel  anchors.Selector
	text *Text  // nil: the file itself is gone
	why  string // then: the refusal of the file
	outcome
}

func (e *lostError) Error() string { return fmt.Sprintf("anchor @%s not found", e.sel.Anchor) }

// lostFile turns "no such path" into the loss of an anchor in it; other errors pass.
func (ws *Workspace) lostFile(ctx context.Context, err error, path string, sel anchors.Selector, in captures.Lookup) error {
	var w *wire.Error
	if !errors.As(err, &w) || w.Data == nil || w.Data.Error != wire.NotFound {
		return err
	}
	p, e := ws.vanished(ctx, path, sel, ws.captures(in, path, sel))
	if e != nil {
		return e
	}
	return &lostError{path: path, sel: sel, why: w.Message, outcome: p}
}

// refused is err as a user sees it.
func (ws *Workspace) refused(ctx context.Context, err error, away *elsewhere) error {
	if e, ok := errors.AsType[*lostError](err); ok {
		return ws.lost(e.path, e.sel, e.why, e.caps, ws.became(ctx, e.text, e.path, e.outcome, away))
	}
	return err
}

// parseSelector is anchors.ParseSelector with the refusal that a user sees.
func parseSelector(s string) (anchors.Selector, error) {
	sel, err := anchors.ParseSelector(s)
	if err != nil {
		return sel, refuse(wire.AnchorInvalid, nil, "%v: a selector names lines by number, 4:5, or by number and content, 4:5@07407f1c; `ctx def` and `ctx search --anchors` print such addresses", err)
	}
	return sel, nil
}
