package cli

import (
	"context"
	"flag"
	"strconv"
	"strings"

	"ctxd/client/wire"
)

// refsVerb asks where a symbol is used.
type refsVerb struct {
	paging
	symbol  string
	path    string
	tier    string
	anchors bool
}

func (*refsVerb) about() about {
	return about{
		name: "refs", args: "TARGET", summary: "where a symbol is used, and how sure that is",
		text: `
TARGET is Symbol, Container.Symbol, PATH:Symbol, or a place PATH:LINE or PATH:LINE:COL.
Every reference has a tier: local (bound by the scopes of the file), import (bound through an
import or a common package), name (the same name, binding not shown: a candidate). What is
bound to something else of the same name is left out and counted.`,
		examples: []string{
			"ctx refs Server.Serve",
			"ctx refs repo:m.py:beta --tier import",
			"ctx refs net/http/server.go:Server.Serve --path net",
			"ctx refs Close --limit 20 --anchors",
		},
	}
}

func (v *refsVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.symbol, "symbol", "", "the symbol `S`, when TARGET is a path")
	fs.StringVar(&v.path, "path", "", "only references in the file or below the directory `DIR`")
	fs.StringVar(&v.tier, "tier", "", "only references of tier `T` and better: local, import or name")
	fs.BoolVar(&v.anchors, "anchors", false, "show the live address of each row")
	v.paging.flags(fs, "references")
}

func (v *refsVerb) run(ctx context.Context, c *command, args []string) error {
	if len(args) != 1 {
		return one(args, "a target", "ctx help refs")
	}
	if err := v.paging.check("refs"); err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	target := where.target(strings.TrimPrefix(args[0], "ctx refs "))
	if v.symbol != "" {
		target = where.ref(target) // it can only be a path
	}
	path := v.path
	if path != "" {
		path = where.ref(path)
	}
	params := wire.RefsParams{Common: c.common(where), Target: target, Symbol: v.symbol,
		Path: path, Tier: v.tier, Limit: v.limit, After: v.after}
	return ask(ctx, c, wire.MethodRefs, params, func(r *wire.RefsResult, p *page) { v.render(r, p) })
}

// render prints the references in sections: by definition where there are several, by tier in each; one row for each
// line that has some.
func (v *refsVerb) render(r *wire.RefsResult, p *page) {
	head := "[ctx refs " + r.Target
	if r.Path != "" {
		head += " · path " + r.Path
	}
	p.linef("%s · engine %s]", head, r.Engine)
	if len(r.Aliases) > 0 {
		p.line("aliases followed: " + strings.Join(r.Aliases, ", "))
	}
	section, row, path := "", "", ""
	var snapshots, notes []string
	for i := range r.References {
		x := &r.References[i]
		if s := v.section(r, x); s != section {
			section, row = s, ""
			p.line(s)
		}
		file := wire.Exact(x.Path, x.PathBase64)
		line := wire.RepoRef(file) + ":L" + strconv.Itoa(x.Lines[0])
		if line != row {
			row = line
			text := line + ": " + wire.Clip(strings.TrimSpace(x.Text), 160)
			if v.anchors && x.Live != nil {
				text += " · " + callable(x.Live.Address)
			}
			p.line(text)
		}
		if file != path && x.Captured != nil {
			path = file
			snapshots = append(snapshots, "  "+wire.EncodePath(file)+" → snapshot:"+x.Captured.Snapshot)
		}
		if x.Note != "" {
			notes = append(notes, "note: "+wire.RepoRef(file)+": "+x.Note)
		}
	}
	p.line("coverage:")
	sites := "  sites: " + thousands(r.Total) + " · shown: " + thousands(len(r.References))
	if r.Next > 0 {
		sites += " · truncated"
	}
	p.line(sites)
	p.linef("  tiers: local %s · import %s · name %s (binding not shown) · bound elsewhere %s (left out)",
		thousands(r.Tiers.Local), thousands(r.Tiers.Import), thousands(r.Tiers.Name), thousands(r.Elsewhere))
	if r.Coverage.Unparsed > 0 {
		p.linef("  not parsed: %s (ctx status names them)", count(r.Coverage.Unparsed, "file"))
	}
	if r.Coverage.Unlisted > 0 {
		p.linef("  not read: %s (ctx status names them)", count(r.Coverage.Unlisted, "directory"))
	}
	if warning := wire.FreshnessWarning(r.Coverage.Freshness); warning != "" {
		p.line(warning)
	}
	if len(snapshots) > 0 {
		p.line("snapshots:")
		for _, s := range dedupe(snapshots) {
			p.line(s)
		}
	}
	for _, n := range dedupe(notes) {
		p.line(n)
	}
	if r.Next > 0 {
		p.line("next: " + v.next(r))
	}
}

// section is the heading of a row: its definition where there are several, and its tier.
func (v *refsVerb) section(r *wire.RefsResult, x *wire.Reference) string {
	tier := x.Tier
	if tier == wire.TierName {
		return "name (same name, binding not shown):"
	}
	if x.Definition < 0 || x.Definition >= len(r.Definitions) {
		return tier + ":"
	}
	d := &r.Definitions[x.Definition]
	return tier + " · " + wire.RepoRef(wire.Exact(d.Path, d.PathBase64)) + " L" + d.Lines.Selector() + " (" + d.Kind + "):"
}

func (v *refsVerb) next(r *wire.RefsResult) string {
	next := "ctx refs " + wire.ShellWord(r.Target)
	if r.Path != "" {
		next += " --path " + wire.ShellWord(r.Path)
	}
	if v.tier != "" {
		next += " --tier " + v.tier
	}
	if v.anchors {
		next += " --anchors"
	}
	return next + v.paging.next(r.Next) + " (" + count(r.Total-r.Next, "site") + " left; --path narrows)"
}

// dedupe drops lines that were there before.
func dedupe(lines []string) []string {
	seen := map[string]bool{}
	kept := lines[:0]
	for _, l := range lines {
		if !seen[l] {
			seen[l] = true
			kept = append(kept, l)
		}
	}
	return kept
}
