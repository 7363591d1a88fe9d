package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// latency measures a warm daemon: whole processes, then calls on an open connection.
func latency(ctx context.Context, b *bench) error {
	c, _, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := b.processes(); err != nil {
		return err
	}
	if err := b.calls(ctx, c); err != nil {
		return err
	}
	return b.resolveThousand(ctx, c)
}

// calls times calls on an open connection beside an echo of the same parameters.
func (b *bench) calls(ctx context.Context, c *client.Client) error {
	def := wire.DefParams{Common: b.common(), Target: b.name}
	noSync, noBody := def, def
	noSync.NoSync = true
	noBody.NoSync, noBody.NoBody = true, true
	first, err := c.Def(ctx, def)
	if err != nil {
		return err
	}
	live := wire.GetParams{Common: b.common(), Ref: first.Definitions[0].Live.Address}
	var echo, full, bare, short, get samples
	ask := func(p wire.DefParams) func() error {
		return func() error { _, err := c.Def(ctx, p); return err }
	}
	if err := inTurns(b.times(300),
		turn{&echo, func() error { return c.Call(ctx, wire.MethodEcho, def, new(wire.DefParams)) }},
		turn{&full, ask(def)},
		turn{&bare, ask(noSync)},
		turn{&short, ask(noBody)},
		turn{&get, func() error { _, err := c.Get(ctx, live); return err }},
	); err != nil {
		return err
	}
	b.row("ctx/def, open connection", full, echo)
	b.row("  without the sync (noSync)", bare, echo)
	b.row("  without the sync and the body (noBody)", short, echo)
	b.row("ctx/get of its live address", get, echo)
	b.judge(atMostTimes("ctx/def, open connection, p50 beside echo", full.at(0.5), echo.at(0.5), 4))
	b.judge(atMost("ctx/def, open connection, p99", full.at(0.99), 5*time.Millisecond))
	return nil
}

// processes times ctx def beside the dialling floor, turn by turn.
func (b *bench) processes() error {
	linked := filepath.Join(b.tmp, "linked-floor")
	build := exec.Command("go", "build", "-o", linked, "ctxd/client/ctxbench/dialfloor")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the floor is built from the project's own module, run ctxbench inside it: %w: %s", err, out)
	}
	// Both are copied the same way: a freshly linked file runs 15 % slower than a copy of it.
	floor, ctx := filepath.Join(b.tmp, "floor"), filepath.Join(b.tmp, "ctx")
	for to, from := range map[string]string{floor: linked, ctx: filepath.Join(b.bin, "ctx")} {
		if err := copyProgram(to, from); err != nil {
			return err
		}
	}
	// What they print is thrown away: with a pipe, the reader here is woken for each write, and the two that print
	// nothing have none.
	process := func(args ...string) func() error {
		return func() error {
			if err := exec.Command(args[0], args[1:]...).Run(); err != nil {
				return fmt.Errorf("%v: %w", args, err)
			}
			return nil
		}
	}
	if out, err := exec.Command(ctx, "def", "--root", b.root, b.name).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("definition: ")) {
		return fmt.Errorf("ctx def --root %s %s: %v: %s", b.root, b.name, err, out)
	}
	var dial, echo, def, noSync samples
	if err := inTurns(min(b.times(300), 1000),
		turn{&dial, process(floor, os.Getenv("CTX_SOCKET"))},
		turn{&echo, process(floor, os.Getenv("CTX_SOCKET"), "echo")},
		turn{&def, process(ctx, "def", "--root", b.root, b.name)},
		turn{&noSync, process(ctx, "def", "--no-sync", "--root", b.root, b.name)},
	); err != nil {
		return err
	}
	b.row("ctx def, whole process", def, dial)
	b.row("  without the sync (--no-sync)", noSync, dial)
	b.row("an empty program that has an echo answered", echo, dial)
	b.row("  ctx def, whole process", def, echo)
	b.judge(atMostTimes("ctx def, whole process, beside a program that dials", def.at(0.5), dial.at(0.5), 1.3))
	return nil
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
