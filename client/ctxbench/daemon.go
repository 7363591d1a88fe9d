package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// pollEvery is the pause between two looks at the daemon's progress: a look costs 0.1 ms, so
	// that the index that is being timed has its two cores to itself. With 20 ms, one of nine linked worktrees seemed to
	// take 0.25 s, of which 10 ms were the wait for the next look.
	pollEvery = 5 * time.Millisecond
	// usualIdle is how long the daemon is left alone before its memory is read: the runtime gives memory
	// back in the background.
	usualIdle = time.Minute
	// endLimit bounds the wait for a daemon that was told to stop.
	endLimit = time.Minute
)

// start dials our daemon, starting it if need be.
func (b *bench) start(ctx context.Context) (*client.Client, error) {
	return client.DialOrStart(ctx, client.Options{Daemon: filepath.Join(b.bin, "ctxd")})
}

// stop ends our daemon, if it runs, and waits until it is gone: it answers before it ends.
func (b *bench) stop(ctx context.Context) error {
	c, err := client.Dial(ctx, client.Options{})
	if err != nil {
		return nil // there is none
	}
	defer c.Close()
	stopped, err := c.Stop(ctx, wire.StopParams{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	return client.Gone(ctx, client.Options{}, stopped.PID)
}

// kill ends our daemon without a warning, and waits until it is gone.
func (b *bench) kill(ctx context.Context) error {
	c, err := client.Dial(ctx, client.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	hello, err := c.Hello(ctx, wire.HelloParams{Version: wire.Version})
	if err != nil {
		return err
	}
	if err := (process{hello.PID}).kill(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	return client.Gone(ctx, client.Options{}, hello.PID)
}

// reset ends our daemon and forgets its state.
func (b *bench) reset(ctx context.Context) error {
	if err := b.stop(ctx); err != nil {
		return err
	}
	return os.RemoveAll(os.Getenv("CTX_STATE_HOME"))
}

// common addresses the tree.
func (b *bench) common() wire.Common { return wire.Common{Root: b.root} }

// indexed waits until the daemon has parsed every file of root, and returns its status. Only the first
// look compares the tree; the others ask for the state as it is.
func indexed(ctx context.Context, c *client.Client, root string) (*wire.Workspace, *wire.StatusResult, error) {
	p := wire.StatusParams{Common: wire.Common{Root: root}}
	for began := time.Now(); ; {
		s, err := c.Status(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		w, err := workspaceOf(s, root)
		if err != nil {
			return nil, nil, err
		}
		if w.Pending == 0 {
			return w, s, nil
		}
		p.NoSync = true
		select {
		case <-time.After(max(pollEvery, time.Since(began)/500)): // 0.2 % of a long index
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// warm starts the daemon, waits for the index of root and says how large it is.
func (b *bench) warm(ctx context.Context, root string) (*client.Client, *wire.StatusResult, error) {
	c, err := b.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	w, s, err := indexed(ctx, c, root)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	fmt.Fprintf(b.out, "  %d files, %d parsed, %d definitions, kept fresh by %s\n", w.Files, w.Parsed, w.Definitions, w.Freshness)
	return c, s, nil
}
