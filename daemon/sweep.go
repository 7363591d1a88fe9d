package daemon

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ctxd/client/wire"
	"ctxd/watch"
)

// sweep compares the worktree with the snapshot and publishes the difference. Few changed files
// are parsed at once; many are published as pending and returned, for the queue. loop only.
func (ws *Workspace) sweep(ctx context.Context) ([]*File, error) {
	if err := ws.look(); err != nil {
		return nil, err
	}
	d := ws.disk.Load()
	listing, err := d.tree.Sweep(ctx)
	if errors.Is(err, watch.ErrClosed) && ws.disk.Load() != d { // a request found another root meanwhile
		listing, err = ws.disk.Load().tree.Sweep(ctx)
	}
	var gone *watch.RootError
	if errors.As(err, &gone) {
		return nil, refuse(wire.NotFound, nil, "the workspace is gone: %v", gone.Err)
	} else if err != nil {
		return nil, err
	}
	cause := listing.Cause
	if cause == watch.CauseNoEvents || cause == watch.CauseBlind {
		cause = "" // nothing special: Blind says why
	}
	if listing.Full {
		ws.cause.Store(listing.Cause)
		ws.sweeps.Add(1)
	}
	if cause != "" && cause != watch.CauseFirst {
		ws.log.Info("looked at the whole tree", "cause", listing.Cause)
	}
	base := ws.cur.Load()
	changed, removed := compare(base, listing, ws.outdated.take())
	ws.listeners.note(changed, removed, changedOnDisk)
	news := ws.newsOf(ctx, changed)
	changes := removed
	var pending []*File
	for i, c := range changed {
		if news[i] == c.old {
			continue
		}
		changes = append(changes, change{c.old, news[i]})
		if news[i].Facts == nil {
			pending = append(pending, news[i])
		}
	}
	if len(changes) > 0 {
		ws.diags.noteSound(changes)
		ws.diags.checking.poke()
		ws.stirred.give()
	}
	if listing.Told > 0 || cause != "" || len(changes) > 0 {
		ws.stirs.Add(1)
	}
	told := told{listing.Watched, listing.Unwatched, listing.Blind, listing.MoreBlind, cause}
	if len(changes) > 0 || !slices.Equal(listing.Problems, base.problems) || !told.equal(base.told) {
		snap := base.with(changes)
		snap.problems, snap.told = listing.Problems, told
		ws.cur.Store(snap)
	}
	if len(changes) > 0 || listing.Torn {
		ws.noteTurnover(changes, listing.Torn, listing.Full) // last: what a link says to have come is in the snapshot
	}
	ws.listeners.note(changed, removed, published)
	return pending, nil
}

// newsOf makes the files of changed ones, in their order: few are parsed, of many only those that must be. One that is being
// written is pending: whoever must know it waits for its writer, not everybody.
func (ws *Workspace) newsOf(ctx context.Context, changed []differing) []*File {
	news := make([]*File, len(changed))
	var size int64
	for _, c := range changed {
		size += c.entry.Stat.Size
	}
	parse := len(changed) <= inlineFiles && size <= inlineBytes
	var next atomic.Int32
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(changed)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(changed); i = int(next.Add(1)) - 1 {
				c := changed[i]
				// A file that is merely racy has facts worth keeping: it is compared by content
				// at once, however many there are. One that is pending is made pending anew: who reads
				// it now may have read what stood there before.
				if parse || c.old != nil && c.old.Facts != nil && c.old.Stat == c.entry.Stat {
					news[i] = ws.read(ctx, c.entry, c.old, hurried)
				} else {
					news[i] = ws.unread(c.entry)
				}
			}
		})
	}
	workers.Wait()
	return news
}

// differing is one listed file whose indexed state cannot be relied on.
type differing struct {
	old   *File // nil: not seen before
	entry watch.Entry
}

// compare finds the files that must be looked at, and those that are gone. outdated must be, if they are listed.
func compare(base *Snapshot, l *watch.Listing, outdated []string) (changed []differing, gone []change) {
	if l.Full {
		return merge(base.files, l)
	}
	seen := map[string]bool{}
	for _, e := range l.Changed {
		seen[e.Path] = true
		changed = append(changed, differing{base.file(e.Path), e})
	}
	for _, path := range l.Gone {
		if f := base.file(path); f != nil && !seen[path] {
			gone = append(gone, change{old: f})
			seen[path] = true
		}
	}
	for _, path := range outdated {
		if f := base.file(path); f != nil && !seen[path] {
			changed = append(changed, differing{f, watch.Entry{Path: path, Stat: f.Stat, Link: f.Link}})
			seen[path] = true
		}
	}
	if l.Unwatched > 0 || base.failed > 0 {
		// Where no event tells of a second write within one tick of the clock, its content does; and
		// no event tells that what failed (too many open files) would succeed now.
		for _, f := range base.files {
			if (f.failed() || l.Unwatched > 0 && f.Racy) && !seen[f.Path] {
				changed = append(changed, differing{f, watch.Entry{Path: f.Path, Stat: f.Stat}})
			}
		}
	}
	return changed, gone
}

// merge compares the indexed files with all that are there, both sorted by path. A racy file is read again.
func merge(files []*File, l *watch.Listing) (changed []differing, gone []change) {
	i := 0
	for _, e := range l.Entries {
		for i < len(files) && files[i].Path < e.Path {
			gone = append(gone, change{old: files[i]})
			i++
		}
		if i == len(files) || files[i].Path != e.Path {
			changed = append(changed, differing{nil, e})
			continue
		}
		if f := files[i]; f.Stat != e.Stat || f.Racy {
			changed = append(changed, differing{f, e})
		}
		i++
	}
	for ; i < len(files); i++ {
		gone = append(gone, change{old: files[i]})
	}
	return changed, gone
}
