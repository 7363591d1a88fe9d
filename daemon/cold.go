package daemon

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/index"
	"ctxd/watch"
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

// courtesyCheck is how often the background looks whether it may work again.
const courtesyCheck = 20 * time.Millisecond

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

// settle is the snapshot, brought so far that no file that it still has pending can define what symbol names.
//
// One request at a time looks through the pending files: after a switch of branches, eight that each read all
// of them took eight times as long, while now the first learns which contents are known, and the others find
// those settled. (In a tree that was never seen each reads them all, one after the other, as fast as all at
// once.) What must be parsed is parsed by each for itself: a slow parse holds up who asked for it.
func (ws *Workspace) settle(ctx context.Context, symbol string) (*Snapshot, error) {
	return ws.lookThrough(ctx, newColdLook(ws, symbol))
}

// settleMentions is the snapshot, brought so far that no file that it still has pending refers to one of names.
func (ws *Workspace) settleMentions(ctx context.Context, names []string) (*Snapshot, error) {
	var words [][]byte
	for _, n := range names {
		words = append(words, []byte(n))
	}
	return ws.lookThrough(ctx, &coldLook{ws: ws, may: func(_ *coldLook, f *File, src []byte) bool {
		return index.Mentions(f.Path, src, words...)
	}})
}

func (ws *Workspace) lookThrough(ctx context.Context, look *coldLook) (*Snapshot, error) {
	ws.courtesy.begin(time.Now())
	defer func() { ws.courtesy.end(time.Now()) }()
	select {
	case ws.looking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	snap := ws.cur.Load()
	if snap.pending == 0 {
		<-ws.looking
		return ws.over(ctx, snap), nil
	}
	look.each(ctx, snap.files, look.sift)
	ws.land(ctx, landing{changes: look.known, done: make(chan struct{})})
	<-ws.looking
	found := look.known
	look.known = nil
	look.each(ctx, look.candidates, look.parse)
	ws.land(ctx, landing{changes: look.known})
	return ws.over(ctx, snap.with(append(found, look.known...))), ctx.Err()
}

// coldLook is one request's pass over the pending files.
type coldLook struct {
	ws  *Workspace
	may func(l *coldLook, f *File, src []byte) bool // whether a file may define what is looked for

	asked, hits atomic.Int32 // contents that were looked up in the catalog, and those that it had

	vanished atomic.Bool // a file was not where it had been listed

	mu         sync.Mutex
	known      []change // files whose facts are known now
	candidates []*File  // files that may
}

// newColdLook looks for what symbol names.
func newColdLook(ws *Workspace, symbol string) *coldLook {
	var names [][]byte
	for _, query := range spellings(symbol) {
		for _, n := range lastNames(query) {
			names = append(names, []byte(n))
		}
	}
	// It ends all of names, if it is not empty: where it does not stand, none does.
	last := slices.MinFunc(names, func(a, b []byte) int { return len(a) - len(b) })
	if slices.ContainsFunc(names, func(n []byte) bool { return !bytes.HasSuffix(n, last) }) {
		last = nil
	}
	return &coldLook{ws: ws, may: func(_ *coldLook, f *File, src []byte) bool {
		return bytes.Contains(src, last) && index.MayDefine(f.Path, src, names...)
	}}
}

// each has do look at the pending ones of files, on all processors. What do returns is memory for its next call.
func (l *coldLook) each(ctx context.Context, files []*File, do func(ctx context.Context, f *File, buf []byte) []byte) {
	var next atomic.Int32
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		readers.Go(func() {
			var buf []byte // most files are read in vain, one after the other into the same memory
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if files[i].Facts == nil {
					buf = do(ctx, files[i], buf)
				}
			}
		})
	}
	readers.Wait()
}

// sift finds out whether the facts of a pending file are known, or whether it may define what is looked for.
func (l *coldLook) sift(ctx context.Context, old *File, buf []byte) []byte {
	ws := l.ws
	f := ws.recall(old)
	if f == nil {
		src, stat, racy, err := ws.disk.Load().read(ctx, old.Path, buf, hurried)
		if errors.Is(err, fs.ErrNotExist) {
			l.vanished.Store(true)
			return buf // the next sync tells
		} else if err != nil {
			l.candidate(old) // the parse will say what is wrong with it, or wait for its writer
			return buf
		}
		if cap(src) > cap(buf) {
			buf = src
		}
		f = &File{Path: old.Path, Stat: stat, Racy: racy}
		if l.likely() {
			if f.Facts = ws.catalog.recall(f.Path, blobOf(src)); f.Facts != nil {
				l.hits.Add(1)
			}
		}
		if f.Facts == nil {
			if l.may(l, f, src) {
				l.candidate(old)
			}
			return buf
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = append(l.known, change{old, f})
	return buf
}

func (l *coldLook) candidate(f *File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.candidates = append(l.candidates, f)
}

// parse parses one candidate.
func (l *coldLook) parse(ctx context.Context, old *File, _ []byte) []byte {
	f := l.ws.read(ctx, watch.Entry{Path: old.Path, Stat: old.Stat}, nil, patient)
	if f.Facts != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.known = append(l.known, change{old, f})
	}
	return nil
}

// likely says whether it is worth asking the catalog for a content: after a switch of branches it knows most of
// them; on a tree that was never seen it knows none, and the digests would cost a tenth of the first answer.
func (l *coldLook) likely() bool {
	asked := l.asked.Add(1)
	return asked <= 64 || l.hits.Load() > asked/8
}
