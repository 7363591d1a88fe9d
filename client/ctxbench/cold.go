package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxd/client/wire"
)

// cold measures the first answer and the whole index, each from nothing.
func cold(ctx context.Context, b *bench) error {
	var first, index, rg, start, bare samples
	last := b.name[strings.LastIndexByte(b.name, '.')+1:]
	for range min(b.n, 5) {
		d, err := timed(exec.Command("rg", "-l", last, b.root).Run)
		if err != nil {
			return fmt.Errorf("rg is the floor of the first answer: %w", err)
		}
		rg = append(rg, d)
		if err := b.reset(ctx); err != nil {
			return err
		}
		if d, err = timed(func() error {
			c, err := b.start(ctx)
			if err == nil {
				_, err = c.Hello(ctx, wire.HelloParams{Version: wire.Version})
				c.Close()
			}
			return err
		}); err != nil {
			return err
		}
		start = append(start, d)
		if err := b.reset(ctx); err != nil {
			return err
		}
		begin := time.Now()
		if err := exec.Command(filepath.Join(b.bin, "ctx"), "def", "--root", b.root, b.name).Run(); err != nil {
			return fmt.Errorf("ctx def %s: %w", b.name, err)
		}
		first = append(first, time.Since(begin))
		c, err := b.start(ctx)
		if err != nil {
			return err
		}
		if _, _, err := b.indexed(ctx, c); err != nil {
			return err
		}
		index = append(index, time.Since(begin))
		c.Close()
		if d, err = timed(exec.Command(filepath.Join(b.bin, "ctxd"), "parse", b.root).Run); err != nil {
			return fmt.Errorf("ctxd parse: %w", err)
		}
		bare = append(bare, d)
	}
	floor := make(samples, len(rg))
	for i := range rg {
		floor[i] = 3*rg[i] + start[i]
	}
	b.row("first answer, no daemon and no state", first, floor, 1)
	fmt.Fprintf(b.out, "  (its floor: 3 × rg -l %v + daemon start %v)\n", round(rg.at(0.5)), round(start.at(0.5)))
	b.row("whole index, from nothing", index, bare, 1.4)
	return nil
}

// reset ends our daemon and forgets its state.
func (b *bench) reset(ctx context.Context) error {
	b.stop(ctx)
	return os.RemoveAll(os.Getenv("CTX_STATE_HOME"))
}
