package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// mapVerb asks for an outline of a file, or for what matters in a folder or the worktree.
type mapVerb struct {
	budget  int
	after   string
	anchors bool
}

func (*mapVerb) about() about {
	return about{
		name: "map", args: "[PATH]", summary: "an outline of a file, a folder or the worktree, in a budget of tokens",
		text: `
Of a file: its definitions, nested, with lines and signatures. Of a folder, or without PATH of the
worktree: the definitions by how much of the worktree refers to them, below their files; behind a
file its size in tokens, its definitions and how many files import it. Every row can be handed to
ctx def as it is, or with --anchors by its anchor to ctx get.

The text has at most as many tokens as the budget says, a token being 4 bytes. What does not fit is
counted; the call after next: shows it. A map waits until the whole worktree is indexed.`,
		examples: []string{
			"ctx map --budget 1000",
			"ctx map net/http",
			"ctx map src/server.go --budget 400 --anchors",
			"ctx map --budget 1000 --after 38@1f3a9c02",
		},
	}
}

func (v *mapVerb) flags(fs *flag.FlagSet) {
	fs.IntVar(&v.budget, "budget", 0, "print at most `N` tokens of 4 bytes (default: result_tokens of ctx.toml)")
	fs.BoolVar(&v.anchors, "anchors", false, "add the anchor to each row")
	fs.StringVar(&v.after, "after", "", "go on after the first `ROWS`, as next: says")
}

func (v *mapVerb) run(ctx context.Context, c *command, args []string) error {
	if len(args) > 1 {
		return one(args, "a path", "ctx help map")
	}
	if v.budget != 0 && (v.budget < wire.MinMapBudget || v.budget > wire.MaxMapBudget) {
		return &usageError{problem: fmt.Sprintf("--budget takes %s to %s tokens", thousands(wire.MinMapBudget), thousands(wire.MaxMapBudget)), hint: "ctx help map"}
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	p := wire.MapParams{Common: c.common(where), Budget: v.budget, Anchors: v.anchors, After: v.after}
	if len(args) == 1 {
		if args[0] == "" {
			return &usageError{problem: "PATH is empty; without it the worktree is mapped", hint: "ctx help map"}
		}
		p.Path = where.ref(strings.TrimPrefix(args[0], "ctx map "))
	}
	return ask(ctx, c, wire.MethodMap, p, func(r *wire.MapResult, page *page) { v.render(r, page) })
}

// render prints the rows, below their files. The lines are made by package wire, for the budget.
func (v *mapVerb) render(r *wire.MapResult, p *page) {
	for _, line := range r.Head() {
		p.line(line)
	}
	next := 0
	for i := range r.Files {
		f := &r.Files[i]
		if !r.Outline {
			p.line(f.Line())
		}
		for ; next < len(r.Entries) && r.Entries[next].Path == f.Path && r.Entries[next].PathBase64 == f.PathBase64; next++ {
			p.line(r.EntryLine(&r.Entries[next], v.anchors))
		}
	}
	for _, note := range notes(r.Entries) {
		p.line("note: " + note)
	}
	for _, line := range r.Foot(v.anchors) {
		p.line(line)
	}
}

// notes are what the rows say besides, once each: that bytes were not captured, and why.
func notes(entries []wire.MapEntry) (all []string) {
	for i := range entries {
		if n := entries[i].Note; n != "" {
			all = append(all, n)
		}
	}
	return dedupe(all)
}
