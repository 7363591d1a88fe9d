package daemon

import (
	"slices"
	"sync/atomic"
	"time"
)

// turnover is what one look at the tree found gone and come, as a link of a list in the order of the looks. The last link is
// still empty: whoever remembers it finds from there what has happened since, and what nobody remembers is collected.
type turnover struct {
	gone, came []*File // valid when next is set, as torn
	torn       bool    // the look may have missed what moved, see watch.Listing
	next       atomic.Pointer[turnover]
}

// turn notes what a look found, and begins the next link. loop only.
func (ws *Workspace) turn(changes []change, torn bool) {
	now := ws.turnover.Load()
	now.torn = torn
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
// missing from it under both its names.
type glance struct {
	began  time.Time // before the look
	before *turnover
	after  *turnover // the look is before it
	stirs  int64     // after the look
}

// hid says whether symbol may have been missed: the look was torn, or a content that has gone since it began defined the
// symbol, or one that has come since it ended does, or may, having been written before. What came during the look is in it.
func (g glance) hid(symbol string) bool {
	queries := spellings(symbol)
	unknown := func(f *File) bool { return f.Facts == nil || f.failed() } // one that could not be read has been moved, mostly
	defines := func(f *File) bool { return slices.ContainsFunc(queries, f.Facts.defines) }
	return since(g.before, func(t *turnover) bool {
		return t.torn || slices.ContainsFunc(t.gone, func(f *File) bool { return unknown(f) || defines(f) })
	}) || since(g.after, func(t *turnover) bool {
		return slices.ContainsFunc(t.came, func(f *File) bool {
			return unknown(f) && !f.writtenSince(g.began) || f.Facts != nil && defines(f)
		})
	})
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

// writtenSince says whether the file was written after a time. One whose time is in the future has it from somebody else.
func (f *File) writtenSince(t time.Time) bool {
	return f.Stat.Mtime >= t.UnixNano() && f.Stat.Mtime <= time.Now().UnixNano()
}

// defines says whether one of the definitions is what query names.
func (f *Facts) defines(query string) bool {
	for i := range f.Defs {
		if matches(&f.File, &f.Defs[i], query) {
			return true
		}
	}
	return false
}
