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

// noteTurnover notes what a look found, and begins the next link. loop only.
func (ws *Workspace) noteTurnover(changes []change, torn, full bool) {
	now := ws.turnover.Load()
	now.torn, now.full = torn, full
	for _, c := range changes {
		same := c.old != nil && c.new != nil && c.old.Facts == c.new.Facts
		if c.old != nil && !same {
			now.gone = append(now.gone, c.old)
		}
		// What stood there before may have been read: a name that another file had may have come into a file by a rename
		// over it, or when the two were exchanged. What is pending as before may have another content.
		if c.new != nil && (!same || c.new.Facts == nil) {
			now.came = append(now.came, c.new)
		}
	}
	ws.catalog.depart(now.gone)
	next := new(turnover)
	now.next.Store(next)
	ws.turnover.Store(next)
}

// sought are the definitions that a question is about: those that a symbol names, or all for which any is true.
type sought struct {
	symbol string
	any    func(*index.Def) bool // nil: it is the symbol
}

// in says whether the definitions of f that are known are among them.
func (w sought) in(f *File) bool {
	switch {
	case f.Facts == nil:
		return false
	case w.any != nil:
		return slices.ContainsFunc(f.Facts.Defs, func(d index.Def) bool { return w.any(&d) })
	}
	return slices.ContainsFunc(spellings(w.symbol), func(query string) bool {
		return slices.ContainsFunc(f.Facts.Defs, func(d index.Def) bool { return matches(&f.Facts.File, &d, query) })
	})
}

// nothing: the question is not about definitions by their names.
func (w sought) nothing() bool { return w.symbol == "" && w.any == nil }

// glance is when an answer was made: it rests on one look at the tree, and what moves while that is under way can be
// missing from it under both its names. Then the next look finds it, or is torn.
type glance struct {
	before *turnover
	after  *turnover // the look is before it
	stirs  int64     // after the look
}

// doubtful says whether the look may have missed one of the definitions: it was torn, or a content has gone that had one. A
// look at the whole tree is believed, or every first answer would be made twice.
func (g glance) doubtful(w sought) bool {
	return since(g.before, func(t *turnover) bool {
		return !t.full && (t.torn || slices.ContainsFunc(t.gone, func(f *File) bool { return f.unknown() || w.in(f) }))
	})
}

// hid says whether one of the definitions may have been missed, once the tree has been looked at again: that look was torn, or a
// content has gone that had one, or one has come that has one now. What has come and is not parsed is read: a name that
// was somewhere at every moment is there now, whenever that was written. Where every look is at the whole tree, it counts
// as torn only when something has come or gone.
func (ws *Workspace) hid(ctx context.Context, g glance, w sought) bool {
	restless := since(g.before, func(t *turnover) bool { return len(t.gone)+len(t.came) > 0 })
	came := map[string]*File{}
	if since(g.after, func(t *turnover) bool {
		for _, f := range t.came {
			came[f.Path] = f
		}
		return t.torn && (restless || !t.full) ||
			slices.ContainsFunc(t.gone, func(f *File) bool { return f.unknown() || w.in(f) }) ||
			slices.ContainsFunc(t.came, func(f *File) bool { return f.failed() || w.in(f) })
	}) {
		return true
	}
	pending := false
	for _, f := range came {
		pending = pending || f.Facts == nil
	}
	if !pending || w.any != nil {
		return pending
	}
	// What is found out here is kept: eight requests that each read what a switch of branches had written found the
	// same, one after the other.
	look := newColdLook(ws, w.symbol)
	snap, err := ws.lookThrough(ctx, look)
	if err != nil {
		return false
	}
	if look.vanished.Load() {
		return true
	}
	for path := range came {
		if f := snap.file(path); f == nil || f.failed() || w.in(f) { // nil: it has gone meanwhile
			return true
		}
	}
	return false
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
