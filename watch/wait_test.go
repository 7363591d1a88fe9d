package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// waits starts a Wait and gives its result.
func waits(ctx context.Context, tree *Tree) <-chan error {
	done := make(chan error, 1)
	go func() { done <- tree.Wait(ctx) }()
	return done
}

// TestWait: it returns for an event that came before or meanwhile, and for nothing else.
func TestWait(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": "", ".gitignore": "out\n", "out/f": ""})
	tree := c.tree(t, root)
	early := waits(t.Context(), tree) // there is nothing to wait with yet
	sweep(t, tree)
	write(t, root, map[string]string{"a/f": "meanwhile"})
	must(t, <-early)
	must(t, tree.Wait(t.Context())) // it is queued still
	must(t, tree.Wait(t.Context()))
	followed(t, tree)

	// Drained, and in an ignored directory: no event. The deadline only ends the test.
	write(t, root, map[string]string{"out/f": "ignored"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := tree.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing happened: %v", err)
	}
	if err := tree.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that has ended: %v", err)
	}
	again := waits(t.Context(), tree) // a wait that was given up leaves nothing behind
	write(t, root, map[string]string{"a/f": "again"})
	must(t, <-again)
}

// TestWaitWithout: without events it waits for the end of ctx or of the Tree.
func TestWaitWithout(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	for _, opts := range []Options{{NoEvents: true}, {}} {
		tree := c.treeWith(t, root, opts)
		if opts.NoEvents {
			sweep(t, tree)
		}
		write(t, root, map[string]string{"f": ""})
		ctx, cancel := context.WithCancel(t.Context())
		done := waits(ctx, tree)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		done = waits(t.Context(), tree)
		must(t, tree.Close())
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}

// TestWaitBeside: two goroutines follow, others write, sweep and give waits up; nothing is left behind.
func TestWaitBeside(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		c, root := clean{t.TempDir()}, t.TempDir()
		write(t, root, map[string]string{"a/f": ""})
		tree := c.tree(t, root)
		sweep(t, tree)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for {
					if err := tree.Wait(t.Context()); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
					_, _ = tree.Sweep(t.Context()) // ErrClosed in the end
				}
			})
		}
		var writers sync.WaitGroup
		for id := range 3 {
			writers.Go(func() {
				for i := range 50 {
					_ = os.WriteFile(filepath.Join(root, "a", fmt.Sprint("f", id)), make([]byte, i), 0o644)
					if _, err := tree.Sweep(t.Context()); err != nil {
						t.Error(err)
					}
					ctx, cancel := context.WithCancel(t.Context())
					done := waits(ctx, tree)
					cancel()
					if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		must(t, tree.Close())
		all.Wait()
	}
	for range 1_000_000 { // a goroutine that has done its work may not be gone yet
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestCloseMeanwhile: Close ends waits and sweeps from wherever it comes, twice at once too.
func TestCloseMeanwhile(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": ""})
	for range 100 {
		tree := c.tree(t, root)
		sweep(t, tree)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for {
					if err := tree.Wait(t.Context()); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
			all.Go(func() {
				for {
					if _, err := tree.Sweep(t.Context()); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		write(t, root, map[string]string{"a/f": ""})
		for range 2 {
			all.Go(func() {
				if err := tree.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
