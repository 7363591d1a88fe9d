package daemon

import (
	"context"
	"slices"

	"ctxd/anchors"
	"ctxd/daemon/captures"
)

// origin is a version in which an address named its lines.
type origin struct {
	blob  captures.BlobID
	table *anchors.Table        // nil: load reads it
	line  string                // of one whose table was given up: see telling
	nth   int                   // the same
	rec   *captures.Record      // nil: it was minted elsewhere
	read  func() *anchors.Table // of a committed version; nil: it is in the capture store
	known anchors.Known
	span  anchors.Span
	lines *anchors.LineMap // to the present bytes; nil when there are none
}

func first(origins []origin) *origin {
	if len(origins) == 0 {
		return nil
	}
	return &origins[0]
}

// origins are the versions that the address was made from, the last captured first. Where the bytes of one are gone, and where
// none was captured here, git's history has them: the very bytes, if they were committed, else the committed versions with that
// content at these lines, which stand in for it. t is the text of the file now, nil when the file is gone.
func (ws *Workspace) origins(ctx context.Context, t *Text, path string, sel anchors.Selector, p *outcome) ([]origin, error) {
	caps := p.caps
	all := make([]origin, 0, min(len(caps), maxOrigins))
	var gone []int // of all: those whose bytes are not retained
	for i := range caps[:cap(all)] {
		all = append(all, origin{blob: caps[i].Blob, rec: &caps[i], known: knownOf(&caps[i]), span: sel.Span})
		if p.Outcome != anchors.Lost && ws.mapHeld(t, caps[i].Blob) {
			continue
		}
		if !ws.retained(path, &all[i]) {
			gone = append(gone, i)
		}
	}
	p.unasked = len(caps) > len(all)
	if len(caps) > 0 && len(gone) == 0 {
		return all, nil
	}
	most := 1
	if p.Copies > 1 {
		most = maxCommitted
	}
	wanted := make([]*origin, len(gone))
	for i, k := range gone {
		wanted[i] = &all[k]
	}
	found, looked, cut, err := ws.committedAs(ctx, path, sel, wanted, most)
	if err != nil {
		return nil, err
	}
	p.history = true
	if len(caps) == 0 {
		p.Windows += looked
		p.never = len(found) == 0 && !cut
		return found, nil
	}
	left := 0
	for _, i := range slices.Backward(gone) {
		if all[i].read == nil {
			left++
			all = slices.Delete(all, i, i+1)
		}
	}
	if left > 0 {
		p.unasked = true // in the version itself the address may have meant another copy than in those that stand in
		all = append(all, found...)
	}
	return all, nil
}

// mapHeld says whether the direct map from a version to t is held: to ask the file system for its bytes, for each address, took
// as long as to look the address up.
func (ws *Workspace) mapHeld(t *Text, blob captures.BlobID) bool {
	l := ws.lineages.of(t.Path, false)
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.known(t.Blob)
	return v != nil && v.direct[blob].known
}

// retained says whether the bytes of an origin are at hand.
func (ws *Workspace) retained(path string, o *origin) bool {
	if l := ws.lineages.of(path, false); l != nil {
		l.mu.Lock()
		v := l.known(o.blob)
		at := v != nil && v.table != nil
		l.mu.Unlock()
		if at {
			return true
		}
	}
	return ws.store.Has(o.blob)
}

// load gives an origin in the file at path the table of its bytes; nil when they were collected.
func (ws *Workspace) load(path string, o *origin) *anchors.Table {
	if o.table != nil {
		return o.table
	}
	if o.read != nil {
		o.table = o.read()
		return o.table
	}
	l := ws.lineages.of(path, true)
	l.mu.Lock()
	v := l.known(o.blob) // and is not seen: the file does not have these bytes again
	l.mu.Unlock()
	if v != nil {
		o.table = ws.table(l, v)
	} else if o.table = ws.lineages.tableOf(o.blob); o.table != nil {
		return o.table
	} else if src, err := ws.store.Read(o.blob); err == nil {
		o.table = anchors.NewTable(src)
		ws.lineages.keep(o.blob, o.table)
	}
	return o.table
}
