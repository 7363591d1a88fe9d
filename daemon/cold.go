package daemon

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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

// settle parses the pending files whose bytes hold a name that symbol could be defined under.
func (ws *Workspace) settle(ctx context.Context, snap *Snapshot, symbol string) ([]change, error) {
	ws.courtesy.begin(time.Now())
	defer func() {
		ws.courtesy.end(time.Now())
		ws.offer(nil, nil) // wakes the loop
	}()
	var names [][]byte
	for _, query := range spellings(symbol) {
		for _, n := range lastNames(query) {
			names = append(names, []byte(n))
		}
	}
	var mu sync.Mutex
	var found []change
	var next atomic.Int32
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(snap.files) {
					return
				}
				old := snap.files[i]
				if old.Facts != nil {
					continue
				}
				if f := ws.parsePending(ctx, old, names); f != nil {
					mu.Lock()
					found = append(found, change{old, f})
					mu.Unlock()
				}
			}
		})
	}
	readers.Wait()
	return found, ctx.Err()
}

// parsePending parses one pending file if it holds one of names.
func (ws *Workspace) parsePending(ctx context.Context, old *File, names [][]byte) *File {
	if f := ws.recall(old); f != nil {
		ws.offer(old, f)
		if !f.Facts.defines(names) {
			return nil
		}
		return f
	}
	src, stat, racy, err := readStable(ctx, ws.root(), old.Path)
	if err != nil {
		return nil
	}
	if !slices.ContainsFunc(names, func(n []byte) bool { return holdsWord(src, n) }) {
		return nil
	}
	f := &File{Path: old.Path, Stat: stat, Racy: racy, Blob: blobOf(src)}
	f.Facts, f.Problem = ws.catalog.describe(ws.Root, f.Path, src, f.Blob)
	ws.offer(old, f)
	return f
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

// holdsWord says whether src holds name with no ASCII letter, digit or underscore on either side that
// would make it part of a longer one. It may let through what the parser then does not define, never the
// reverse: a byte beyond ASCII may be a letter, but also a byte order mark or a blank.
func holdsWord(src, name []byte) bool {
	word := func(b byte) bool {
		return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
	}
	for at := 0; len(name) > 0; {
		i := bytes.Index(src[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if !(start > 0 && word(name[0]) && word(src[start-1])) && !(end < len(src) && word(name[len(name)-1]) && word(src[end])) {
			return true
		}
		at = start + 1
	}
	return false
}
