package daemon

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/index"
)

// courtesy has the background stand back while a request parses pending files: somebody waits, and the
// processors are for them. It ends after standBack, though: where requests come without pause, each
// would look through the same pending files for ever.
type courtesy struct {
	mu    sync.Mutex
	asked int       // requests at work
	since time.Time // since when there have been some, lulls left out
	until time.Time // when the last one ended
}

const (
	standBack = time.Second
	lull      = 200 * time.Millisecond
)

func (c *courtesy) begin(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == 0 && now.Sub(c.until) > lull {
		c.since = now
	}
	c.asked++
}

func (c *courtesy) end(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked--
	c.until = now
}

// free says whether the background may work.
func (c *courtesy) free(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked == 0 || now.Sub(c.since) > standBack
}

// settle finds the pending files that may define what symbol names, with their facts. It is done when the
// files that it does not return cannot.
func (ws *Workspace) settle(ctx context.Context, snap *Snapshot, symbol string) ([]change, error) {
	ws.courtesy.begin(time.Now())
	look := coldLook{ws: ws}
	for _, query := range spellings(symbol) {
		for _, n := range lastNames(query) {
			look.names = append(look.names, []byte(n))
		}
	}
	look.last = slices.MinFunc(look.names, func(a, b []byte) int { return len(a) - len(b) })
	for _, n := range look.names {
		if !bytes.HasSuffix(n, look.last) {
			look.last = nil // found everywhere
		}
	}
	var next atomic.Int32
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			var buf []byte // most files are read in vain, one after the other into the same memory
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(snap.files) {
					return
				}
				if old := snap.files[i]; old.Facts == nil {
					buf = look.at(ctx, old, buf)
				}
			}
		})
	}
	readers.Wait()
	ws.courtesy.end(time.Now())
	ws.land(ctx, landing{changes: look.known}) // wakes the loop, too
	return look.found, ctx.Err()
}

// coldLook is one request's pass over the pending files.
type coldLook struct {
	ws    *Workspace
	names [][]byte
	last  []byte // ends all of names: where it does not stand, none does

	asked, hits atomic.Int32 // contents that were looked up in the catalog, and those that it had

	mu    sync.Mutex
	known []change // all files whose facts are known now
	found []change // of these, those that may define one of names
}

// at looks at one pending file, and parses it if it may define one of names and its content is new. buf is
// memory to read into; what it returns is for the next call.
func (l *coldLook) at(ctx context.Context, old *File, buf []byte) []byte {
	ws := l.ws
	f := ws.recall(old)
	if f == nil {
		src, stat, racy, err := ws.disk.Load().readStable(ctx, old.Path, buf)
		if err != nil {
			return buf
		}
		buf = src
		f = &File{Path: old.Path, Stat: stat, Racy: racy}
		if l.likely() {
			f.Blob = blobOf(src)
			if f.Facts = ws.catalog.recall(f.Path, f.Blob); f.Facts != nil {
				l.hits.Add(1)
			}
		}
		if f.Facts == nil {
			if !bytes.Contains(src, l.last) || !index.MayDefine(f.Path, src, l.names...) {
				return buf
			}
			buf = nil // a parser that hangs keeps the bytes
			f.Blob = blobOf(src)
			f.Facts, f.Problem = ws.catalog.describe(ws.Root, f.Path, src, f.Blob)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = append(l.known, change{old, f})
	if f.Facts.defines(l.names) {
		l.found = append(l.found, change{old, f})
	}
	return buf
}

// likely says whether it is worth asking the catalog for a content: after a switch of branches it knows most of
// them; on a tree that was never seen it knows none, and the digests would cost a tenth of the first answer.
func (l *coldLook) likely() bool {
	asked := l.asked.Add(1)
	return asked <= 64 || l.hits.Load() > asked/8
}

// defines says whether one of names is defined.
func (f *Facts) defines(names [][]byte) bool {
	for i := range f.Defs {
		for _, n := range names {
			if f.Defs[i].Name == string(n) {
				return true
			}
		}
	}
	return false
}
