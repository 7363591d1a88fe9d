package daemon

import (
	"context"
	"slices"
	"sync/atomic"

	"ctxd/index"
)

// turnover is what one look at the tree found gone and come, as a link of a list in the order of the looks. The last link is
// still empty: whoever remembers it finds from there what has happened since, and what nobody remembers is collected.
type turnover struct {
	gone, came []*File // valid when next is set, as torn and full
	torn       bool    // the look may have missed what moved, see watch.Listing
	full       bool    // it was a look at the whole tree
	next       atomic.Pointer[turnover]
}

// turn notes what a look found, and begins the next link. loop only.
func (ws *Workspace) turn(changes []change, torn, full bool) {
	now := ws.turnover.Load()
	now.torn, now.full = torn, full
	for _, c := range changes {
		if c.old != nil && c.old.Facts != nil && c.old.Facts.id != 0 {
			ws.catalog.depart(c.old.Facts)
		}
		if c.old != nil && (c.new == nil || c.old.Facts != nil) { // else it is pending as before
			now.gone = append(now.gone, c.old)
		}
		// What stood there before may have been read: a name that another file had may have come into a file by a rename
		// over it, or when the two were exchanged.
		if c.new != nil && (c.old == nil || c.new.Facts == nil || c.new.Facts != c.old.Facts) {
			now.came = append(now.came, c.new)
		}
	}
	next := new(turnover)
	now.next.Store(next)
	ws.turnover.Store(next)
}

// glance is when an answer was made: it rests on one look at the tree, and what moves while that is under way can be
// missing from it under both its names. Then the next look finds it, or is torn.
type glance struct {
	before *turnover
	after  *turnover // the look is before it
	stirs  int64     // after the look
}

// doubtful says whether the look may have missed a definition of symbol: it was torn, or a content has gone that had one. A
// look at the whole tree is believed, or every first answer would be made twice.
func (g glance) doubtful(symbol string) bool {
	return since(g.before, func(t *turnover) bool {
		return !t.full && (t.torn || slices.ContainsFunc(t.gone, func(f *File) bool { return f.unknown() || f.defines(symbol) }))
	})
}

// hid says whether a definition of symbol may have been missed, once the tree has been looked at again: that look was torn, or a
// content has gone that had one, or one has come that has one now. What has come and is not parsed is read: a name that
// was somewhere at every moment is there now, whenever that was written.
func (ws *Workspace) hid(ctx context.Context, g glance, symbol string) bool {
	came := map[string]*File{}
	if since(g.after, func(t *turnover) bool {
		for _, f := range t.came {
			came[f.Path] = f
		}
		return t.torn ||
			slices.ContainsFunc(t.gone, func(f *File) bool { return f.unknown() || f.defines(symbol) }) ||
			slices.ContainsFunc(t.came, func(f *File) bool { return f.failed() || f.defines(symbol) })
	}) {
		return true
	}
	var pending []*File
	for _, f := range came {
		if f.Facts == nil {
			pending = append(pending, f)
		}
	}
	look := newColdLook(ws, symbol)
	look.each(ctx, pending, look.sift)
	return ctx.Err() == nil && (look.vanished.Load() || len(look.candidates) > 0 ||
		slices.ContainsFunc(look.known, func(c change) bool { return c.new.defines(symbol) }))
}

// since says whether one of the links from t on is so.
func since(t *turnover, so func(*turnover) bool) bool {
	for next := t.next.Load(); next != nil; t, next = next, next.next.Load() {
		if so(t) {
			return true
		}
	}
	return false
}

// unknown says that nobody knows what the file defines: it was not parsed, or could not be read, mostly because it had moved.
func (f *File) unknown() bool { return f.Facts == nil || f.failed() }

// defines says whether one of the definitions that are known is what symbol names.
func (f *File) defines(symbol string) bool {
	return f.Facts != nil && slices.ContainsFunc(spellings(symbol), func(query string) bool {
		return slices.ContainsFunc(f.Facts.Defs, func(d index.Def) bool { return matches(&f.Facts.File, &d, query) })
	})
}
