package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// mapBudget is the budget of the map that is measured, in tokens.
	mapBudget = 1000
	// mapChecked is how many rows of the map are asked of def.
	mapChecked = 2000
)

// outline measures ctx/map of a copy of the tree beside an echo: the first one, the same again, its second part,
// after a change of one file; asks def for what it names; and prints its text.
func outline(ctx context.Context, b *bench) error {
	root, err := b.scratch(false)
	if err != nil {
		return err
	}
	c, _, err := b.warm(ctx, root)
	if err != nil {
		return err
	}
	defer c.Close()
	p := wire.MapParams{Common: wire.Common{Root: root}, Budget: mapBudget}
	var first *wire.MapResult
	cold, err := timed(func() error { first, err = c.Map(ctx, p); return err })
	if err != nil {
		return err
	}
	if len(first.Entries) == 0 {
		return fmt.Errorf("%s defines nothing", b.root)
	}
	var echo, again, second, file, changed samples
	ask := func(p wire.MapParams) func() error {
		return func() error { _, err := c.Map(ctx, p); return err }
	}
	rest, one := p, p
	rest.After, one.Path = first.Next, first.Entries[0].Target
	if err := inTurns(b.times(50),
		turn{&echo, func() error { return c.Call(ctx, wire.MethodEcho, p, new(wire.MapParams)) }},
		turn{&again, ask(p)},
		turn{&second, ask(rest)},
		turn{&file, ask(one)},
	); err != nil {
		return err
	}
	written := filepath.Join(root, "ctxbench_written.go")
	for i := range min(b.times(10), 10) {
		if err := os.WriteFile(written, fmt.Appendf(nil, "package p\n\nfunc Written%d() {}\n", i), 0o644); err != nil {
			return err
		}
		d, err := timed(ask(p))
		if err != nil {
			return err
		}
		changed = append(changed, d)
	}
	b.row(fmt.Sprintf("ctx/map in %d tokens, again", mapBudget), again, echo)
	b.row("  its second part", second, echo)
	b.row("  "+one.Path, file, echo)
	b.row("  of the tree, after a change of one file", changed, echo)
	b.row("  the first one", samples{cold}, echo)
	b.judge(atMost("ctx/map of the tree, warm, p50", again.at(0.5), 50*time.Millisecond))
	if err := b.mapped(ctx, c, p); err != nil {
		return err
	}
	text, err := exec.CommandContext(ctx, filepath.Join(b.bin, "ctx"), "map", "--root", root, "--budget", fmt.Sprint(mapBudget)).Output()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  the map, %d bytes:\n", len(text))
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(b.out, "    ", line)
	}
	b.judge(atMostCount("bytes of the text", len(text), 4*mapBudget))
	return nil
}

// mapped asks def for the first rows of the chain, and counts what it does not know.
func (b *bench) mapped(ctx context.Context, c *client.Client, p wire.MapParams) error {
	unknown, checked := 0, 0
	for {
		res, err := c.Map(ctx, p)
		if err != nil {
			return err
		}
		for _, e := range res.Entries {
			checked++
			found, err := c.Def(ctx, wire.DefParams{Common: p.Common, Target: e.Target, Symbol: e.Symbol, NoBody: true, Limit: 10_000})
			if err != nil || !slices.ContainsFunc(found.Definitions, func(d wire.Definition) bool { return d.Path == e.Path && d.Bytes == e.Bytes }) {
				unknown++
				fmt.Fprintf(b.out, "  UNKNOWN: %s %s: %v\n", e.Target, e.Symbol, err)
			}
		}
		if p.After = res.Next; p.After == "" || checked >= mapChecked {
			b.judge(none("rows of the map that def does not know", unknown, checked))
			return nil
		}
	}
}
