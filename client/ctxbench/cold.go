package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"ctxd/client/wire"
)

// coldRun is one round of cold, from nothing to the restart.
type coldRun struct{ rg, start, first, index, bare, restart, killed, again samples }

// cold measures the first answer and the whole index, each from nothing, and the restart.
func cold(ctx context.Context, b *bench) error {
	var r coldRun
	for range b.times(3) {
		if err := b.coldRound(ctx, &r); err != nil {
			return err
		}
	}
	floor := make(samples, len(r.rg))
	for i := range r.rg {
		floor[i] = 3*r.rg[i] + r.start[i]
	}
	b.row("rg -l", r.rg, nil)
	b.row("start of the daemon, to its first greeting", r.start, nil)
	b.row("first answer, beside 3 × rg -l + start", r.first, floor)
	b.row("whole index, beside ctxd parse", r.index, r.bare)
	b.row("restart with what is on disk, first answer", r.restart, r.index)
	b.row("  the same after kill -9", r.killed, r.index)
	b.row("  whole index", r.again, r.index)
	b.judge(atMostTimes("first answer from nothing, beside 3 × rg -l + start", r.first.at(0.5), floor.at(0.5), 1))
	b.judge(atMostTimes("whole index from nothing, beside the bare parse", r.index.at(0.5), r.bare.at(0.5), 1.4))
	b.judge(atMostTimes("restart to the first answer, beside the cold index", r.restart.at(0.5), r.index.at(0.5), 1./20))
	b.judge(atMostTimes("the same after kill -9", r.killed.at(0.5), r.index.at(0.5), 1./20))
	return nil
}

func (b *bench) coldRound(ctx context.Context, r *coldRun) error {
	last := b.name[strings.LastIndexByte(b.name, '.')+1:]
	answer := func() error {
		if out, err := exec.Command(filepath.Join(b.bin, "ctx"), "def", "--root", b.root, b.name).CombinedOutput(); err != nil {
			return fmt.Errorf("ctx def %s: %w: %s", b.name, err, out)
		}
		return nil
	}
	for _, step := range []struct {
		into *samples
		call func() error
		// before the call: b.reset ends the daemon and forgets its state, b.stop ends it, b.kill kills it.
		before func(context.Context) error
	}{
		{into: &r.rg, call: func() error {
			if err := exec.Command("rg", "-l", last, b.root).Run(); err != nil {
				return fmt.Errorf("rg is the floor of the first answer: %w", err)
			}
			return nil
		}},
		{into: &r.start, call: func() error { return b.greet(ctx) }, before: b.reset},
		{into: &r.first, call: answer, before: b.reset},
		{into: &r.index, call: func() error { return b.indexAll(ctx) }, before: b.reset},
		{into: &r.restart, call: answer, before: b.stop},
		{into: &r.again, call: func() error { return b.indexAll(ctx) }, before: b.stop},
		{into: &r.killed, call: answer, before: b.kill},
		{into: &r.bare, call: func() error { _, err := b.parse(b.root); return err }, before: b.stop},
	} {
		if step.before != nil {
			if err := step.before(ctx); err != nil {
				return err
			}
		}
		d, err := timed(step.call)
		if err != nil {
			return err
		}
		*step.into = append(*step.into, d)
	}
	return nil
}

// greet starts the daemon and waits for its first word.
func (b *bench) greet(ctx context.Context) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Hello(ctx, wire.HelloParams{Version: wire.Version})
	return err
}

// indexAll starts the daemon and waits for the whole index.
func (b *bench) indexAll(ctx context.Context) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, _, err = indexed(ctx, c, b.root)
	return err
}

// parsed is what ctxd parse prints.
type parsed struct {
	files   int
	bytes   int64
	seconds float64
}

// parse runs the bare parse of every source file below root.
func (b *bench) parse(root string) (parsed, error) {
	out, err := exec.Command(filepath.Join(b.bin, "ctxd"), "parse", root).Output()
	if err != nil {
		return parsed{}, fmt.Errorf("ctxd parse %s: %w", root, err)
	}
	return readParsed(string(out))
}

func readParsed(out string) (p parsed, err error) {
	if _, err = fmt.Sscanf(out, "%d files, %d bytes, %f s", &p.files, &p.bytes, &p.seconds); err != nil {
		err = fmt.Errorf("ctxd parse printed %q: %w", out, err)
	}
	return p, err
}
