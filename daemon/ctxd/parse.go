package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/index"
	"ctxd/watch"
)

// parse parses every file below dir whose language is known, and keeps nothing of it: the floor that
// ctxbench measures the index against. The files are those that the daemon would index, ignore rules
// included. It prints how many were parsed, their bytes, and the seconds from the first read.
func parse(ctx context.Context, dir string, out io.Writer) error {
	tree, err := watch.New(dir, watch.Options{NoEvents: true})
	if err != nil {
		return err
	}
	defer tree.Close()
	listing, err := tree.Sweep(ctx)
	if err != nil {
		return err
	}
	begin := time.Now()
	var files, size, next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(listing.Entries) {
					return
				}
				if n := parseFile(tree.Root(), listing.Entries[i]); n >= 0 {
					files.Add(1)
					size.Add(n)
				}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d files, %d bytes, %.3f s\n", files.Load(), size.Load(), time.Since(begin).Seconds())
	return err
}

// parseFile parses one file and returns its bytes, -1 when it is none to be parsed.
func parseFile(root string, e watch.Entry) int64 {
	if e.Link || e.Stat.Size > index.MaxSize || index.Language(e.Path, nil) == "" && !index.Undecided(e.Path) {
		return -1
	}
	src, err := os.ReadFile(filepath.Join(root, e.Path))
	if err != nil || !index.ParseOnly(e.Path, src) {
		return -1
	}
	return int64(len(src))
}
