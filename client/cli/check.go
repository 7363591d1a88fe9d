package cli

import (
	"context"
	"flag"
	"strconv"

	"ctxd/client/wire"
)

// checkVerb verifies the addresses that stand in the texts of the worktree.
type checkVerb struct {
	paging
	fix bool
}

func (*checkVerb) about() about {
	return about{
		name: "check", args: "[PATH…]", summary: "whether the addresses in documents, comments and notes are still true",
		text: `
Finds every live anchored address (repo:PATH --lines A:B@anchor) in the text of the files and
directories PATH, by default in the whole worktree: in prose, tables, links, code spans, fenced
examples and comments, quoted or not, broken over two lines or not. Each is verified, relocated
(and where to) or lost (and what became of it); the worst come first.

--fix rewrites the relocated ones where they stand, and with them the anchors of addresses that
name the rewritten lines. Nothing else in a file is changed. A file that somebody else changes at the
same moment is left as it is; so is an address whose content stands in several places.

Exit status 0 when all are verified or relocated, or there are none; 3 when any is lost; 2 when
none is, but one cannot be looked at or could not be fixed.

An example that is not to be looked at is marked: ctx:ignore on its line, a line
<!-- ctx:ignore-start --> before it and <!-- ctx:ignore-end --> behind it, or its file named in ctx.toml:

  [check]
  exclude = ["docs/examples/", "*.golden"]`,
		examples: []string{
			"ctx check",
			"ctx check ARCHITECTURE.md docs --limit 1000",
			"ctx check --fix docs",
			"ctx check --json | jq '.addresses[] | select(.outcome.outcome == \"lost\")'",
		},
	}
}

func (v *checkVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.fix, "fix", false, "rewrite relocated addresses where they stand")
	v.paging.flags(fs, "addresses")
}

func (v *checkVerb) run(ctx context.Context, c *command, args []string) error {
	if err := v.paging.check("check"); err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	p := wire.CheckParams{Common: c.common(where), Fix: v.fix, Limit: v.limit, After: v.after}
	for _, path := range args {
		p.Paths = append(p.Paths, where.ref(path))
	}
	return judge(ctx, c, wire.MethodCheck, p, func(r *wire.CheckResult, page *page) error {
		v.render(r, args, page)
		switch n := r.Counts; {
		case n.Lost > 0:
			return errNegative
		case n.Error > 0 || n.Unfixed > 0:
			return errRefused
		}
		return nil
	})
}

func (v *checkVerb) render(r *wire.CheckResult, args []string, p *page) {
	for i := range r.Addresses {
		a := &r.Addresses[i]
		line := wire.RepoRef(wire.Exact(a.Path, a.PathBase64)) + ":L" + strconv.Itoa(a.Lines[0]) + ": "
		if a.Fixed != "" {
			line += "fixed " + a.Outcome.Address + " → " + a.Fixed
		} else {
			line += checked(&a.Outcome)
		}
		p.line(line)
		if a.Note != "" {
			p.line("    note: " + a.Note)
		}
	}
	n := r.Counts
	total := "addresses: " + thousands(r.Total)
	for _, part := range []struct {
		n    int
		word string
	}{
		{n.Verified, "verified"}, {n.Relocated, "relocated"}, {n.Fixed, "fixed"}, {n.Unfixed, "not fixed"}, {n.Lost, "lost"},
		{n.Error, "error"}, {n.Ignored, "ignored"},
	} {
		if part.n > 0 {
			total += " · " + thousands(part.n) + " " + part.word
		}
	}
	p.line(total)
	scanned, separator := "scanned: "+count(r.Scanned.Files, "file"), " · skipped: "
	for _, left := range []struct {
		n    int
		word string
	}{{r.Excluded, "excluded by ctx.toml"}, {r.Scanned.Binary, "binary"}, {r.Scanned.Secrets, "secret"}, {r.Scanned.Unreadable, "unreadable"}} {
		if left.n > 0 {
			scanned += separator + thousands(left.n) + " " + left.word
			separator = ", "
		}
	}
	p.line(scanned)
	for _, problem := range r.Scanned.Problems {
		p.line("  unreadable: " + wire.RepoRef(wire.Exact(problem.Path, problem.PathBase64)) + ": " + problem.Reason)
	}
	if warning := wire.FreshnessWarning(r.Coverage.Freshness); warning != "" {
		p.line(warning)
	}
	if r.Next > 0 {
		p.line("next: " + again("check", args, v.paging.next(r.Next))) // without --fix, which has done its work
	}
}

// checked is one line about one address. Of a lost one it is what it became, if that is known: the refusal of ctx get, which
// says how to go on from there, is long, and the same for all.
func checked(o *wire.Outcome) string {
	if o.Error != nil && o.Error.Became != nil {
		return o.Outcome + " " + o.Address + ": " + o.Error.Became.String()
	}
	return outcome(o)
}
