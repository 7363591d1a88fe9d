package daemon

import (
	"context"
	"time"
	"weak"

	"ctxd/daemon/captures"
	"ctxd/daemon/facts"
	"ctxd/index"
	"ctxd/watch"
)

// rememberEvery is how often at most the manifest of a workspace is written while it changes. What is missing
// in it costs a restart the reading of a few files.
const rememberEvery = time.Minute

// remembered is what the last daemon knew of the files of a workspace: under which stat which bytes stood.
// It is taken for true only where the stat is the same to the nanosecond and the inode.
type remembered map[string]facts.Row

// recollect loads what the last daemon knew.
func (ws *Workspace) recollect() *remembered {
	if ws.catalog.store == nil {
		return nil
	}
	rows, ok := facts.LoadManifest(ws.catalog.dir, ws.Root, index.Version())
	if !ok {
		return nil
	}
	r := make(remembered, len(rows))
	for _, row := range rows {
		r[row.Path] = row
	}
	return &r
}

// blob is the content that a regular file had when it was last read, if its stat is still that of then.
func (r remembered) blob(path string, stat watch.Stat) (captures.BlobID, bool) {
	row, ok := r[path]
	return row.Blob, ok && row.Stat == stat
}

// remember writes the manifest each time the index has become complete.
func (ws *Workspace) remember(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ws.complete:
			ws.ripen(ctx)
			ws.save()
		}
		if !pause(ctx, rememberEvery) {
			return
		}
	}
}

// ripen reads files again that were racy when they were read and are not any more: those of a new clone
// would stay racy, and out of the manifest, for as long as they are not changed.
func (ws *Workspace) ripen(ctx context.Context) {
	var ripe []change
	now := time.Now()
	for _, f := range ws.cur.Load().files {
		if f.Racy && f.Facts != nil && !f.failed() && !isRacy(f.Stat, now) {
			if again := ws.read(ctx, watch.Entry{Path: f.Path, Stat: f.Stat}, f, patient); again != f && again.Facts != nil {
				ripe = append(ripe, change{f, again})
			}
		}
	}
	if len(ripe) > 0 {
		ws.land(ctx, landing{changes: ripe, done: make(chan struct{})})
	}
}

// save writes down under which stat which bytes were read. Files that could change without their stat changing,
// or that could not be read, are left out, and read again. Before the first look at the tree nothing is known,
// and what the daemon before wrote stays. One goroutine at a time calls it.
func (ws *Workspace) save() {
	s := ws.cur.Load()
	if s == ws.saved.Value() || ws.catalog.store == nil || ws.sweeps.Load() == 0 {
		return
	}
	ws.saved = weak.Make(s)
	rows := make([]facts.Row, 0, s.parsed)
	for _, f := range s.files {
		if blob := f.blob(); !f.Racy && f.problem() == "" && blob != (captures.BlobID{}) {
			rows = append(rows, facts.Row{Path: f.Path, Stat: f.Stat, Blob: blob})
		}
	}
	ws.catalog.store.Flush() // facts first: a manifest without them would only cost reads
	if err := facts.SaveManifest(ws.catalog.dir, ws.Root, index.Version(), rows); err != nil {
		ws.log.Warn("cannot write the manifest: the next start reads all files", "error", err)
	}
}

// recall is a pending file with the facts of the content that it is remembered to have; nil when that is not
// known, or its facts are gone: then it must be read.
func (ws *Workspace) recall(f *File) *File {
	past := ws.past.Load()
	if past == nil {
		return nil
	}
	blob, ok := past.blob(f.Path, f.Stat)
	if !ok {
		return nil
	}
	known := ws.catalog.recall(f.Path, blob)
	if known == nil {
		return nil
	}
	return &File{Path: f.Path, Stat: f.Stat, Facts: known}
}
