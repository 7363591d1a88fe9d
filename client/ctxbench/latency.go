package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ctxd/client/wire"
)

// latency measures a warm daemon: whole processes, then calls on an open connection.
func latency(ctx context.Context, b *bench) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	w, _, err := b.indexed(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s: %d files, %d parsed, %d definitions\n", b.root, w.Files, w.Parsed, w.Definitions)
	if err := b.processes(); err != nil {
		return err
	}
	var echo, bare, full, get samples
	def := wire.DefParams{Common: b.common(), Target: b.name}
	noSync := def
	noSync.NoSync = true
	first, err := c.Def(ctx, def)
	if err != nil {
		return err
	}
	live := first.Definitions[0].Live.Address
	for range b.n {
		for _, m := range []struct {
			into *samples
			call func() error
		}{
			{&echo, func() error { return c.Call(ctx, wire.MethodEcho, def, new(wire.DefParams)) }},
			{&bare, func() error { _, err := c.Def(ctx, noSync); return err }},
			{&full, func() error { _, err := c.Def(ctx, def); return err }},
			{&get, func() error { _, err := c.Get(ctx, wire.GetParams{Common: b.common(), Ref: live}); return err }},
		} {
			d, err := timed(m.call)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, d)
		}
	}
	b.row("ctx/def, open connection", full, echo, 4)
	b.row("  of it without the sync (noSync)", bare, echo, 0)
	b.row("ctx/get of its live address", get, echo, 0)
	return b.resolveThousand(ctx, live, echo)
}

// processes times ctx def beside the dialling floor, turn by turn.
func (b *bench) processes() error {
	floor := filepath.Join(b.tmp, "dialfloor")
	build := exec.Command("go", "build", "-o", floor, "ctxd/client/ctxbench/dialfloor")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the floor is built from the project's own module, run ctxbench inside it: %w: %s", err, out)
	}
	var dial, def, noSync samples
	for range min(b.n, 200) {
		for _, m := range []struct {
			into *samples
			args []string
		}{
			{&dial, []string{floor, os.Getenv("CTX_SOCKET")}},
			{&def, []string{filepath.Join(b.bin, "ctx"), "def", "--root", b.root, b.name}},
			{&noSync, []string{filepath.Join(b.bin, "ctx"), "def", "--no-sync", "--root", b.root, b.name}},
		} {
			d, err := timed(exec.Command(m.args[0], m.args[1:]...).Run)
			if err != nil {
				return fmt.Errorf("%v: %w", m.args, err)
			}
			*m.into = append(*m.into, d)
		}
	}
	b.row("ctx def, whole process", def, dial, 1.3)
	b.row("  of it without the sync (--no-sync)", noSync, dial, 0)
	return nil
}

// resolveThousand times ctx/resolve of 1,000 addresses.
func (b *bench) resolveThousand(ctx context.Context, live string, echo samples) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	p := wire.ResolveParams{Common: b.common()}
	for range 1000 {
		p.Addresses = append(p.Addresses, live)
	}
	var got samples
	for range max(b.n/10, 10) {
		d, err := timed(func() error { _, err := c.Resolve(ctx, p); return err })
		if err != nil {
			return err
		}
		got = append(got, d)
	}
	b.row("ctx/resolve of 1,000 addresses (bar 10 ms)", got, echo, 0)
	return nil
}
