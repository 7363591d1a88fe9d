package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// statusVerb shows the daemon's state.
type statusVerb struct{ watch bool }

func (*statusVerb) about() about {
	return about{name: "status", summary: "the daemon, its workspaces, its cache and its store",
		text: `
Says of every open workspace how much of it is indexed and watched, and names the files that could
not be read or parsed, those whose content the parser crashed on (quarantined), and what works
slower than it could (degraded), with what to do about it.

With --watch it comes back when nothing is left to parse, and shows a progress bar until then if
stderr is a terminal. A large tree may need a longer --timeout.`,
		examples: []string{"ctx status", "ctx status --json", "ctx status --watch --timeout 10m"}}
}

func (v *statusVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.watch, "watch", false, "wait until everything is indexed, with a progress bar on a terminal")
}

func (v *statusVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help status"); err != nil {
		return err
	}
	find := c.placeOrNone
	if v.watch {
		find = c.place
	}
	where, err := find()
	if err != nil {
		return err
	}
	params := wire.StatusParams{Common: c.common(where)}
	if !v.watch {
		return ask(ctx, c, wire.MethodStatus, params, renderStatus)
	}
	raw, err := c.watchIndex(ctx, params)
	if err != nil {
		return err
	}
	return show(c, wire.MethodStatus, raw, func(r *wire.StatusResult, p *page) error {
		renderStatus(r, p)
		return nil
	})
}

func renderStatus(r *wire.StatusResult, p *page) {
	p.linef("ctxd %s · pid %d", r.Version, r.PID)
	p.line("socket: " + r.Socket)
	p.line("state: " + r.State)
	p.linef("process: %s resident · %s · %s", size(r.Process.Resident),
		count(r.Process.Goroutines, "goroutine"), count(r.Process.Descriptors, "descriptor"))
	for i := range r.Workspaces {
		renderWorkspace(&r.Workspaces[i], p)
	}
	p.linef("facts: %s on disk · hits: %s · parsed: %s · stored: %s",
		size(r.Facts.Bytes), thousands(r.Facts.Hits), thousands(r.Facts.Built), thousands(r.Facts.Stored))
	if r.Facts.Problem != "" {
		p.line("  problem: " + r.Facts.Problem)
	}
	p.linef("store: %s · %s · %s", count(r.Store.Blobs, "blob"), size(r.Store.Bytes), count(r.Store.Spans, "span"))
	for _, damaged := range r.Store.Damaged {
		p.line("  damaged: " + damaged)
	}
}

func renderWorkspace(w *wire.Workspace, p *page) {
	p.line("workspace: " + w.Root)
	p.linef("  files: %s · parsed: %s · pending: %s · no known language: %s · definitions: %s",
		thousands(w.Files), thousands(w.Parsed), thousands(w.Pending), thousands(w.Other), thousands(w.Definitions))
	var fresh []string
	if w.Freshness != "" {
		fresh = append(fresh, "freshness: "+w.Freshness)
	}
	fresh = append(fresh, "directories watched: "+thousands(w.Watched), "read for each answer: "+thousands(w.Unwatched),
		"sweeps: "+thousands(w.Sweeps))
	p.line("  " + strings.Join(fresh, " · "))
	for _, rows := range []struct {
		word     string
		problems []wire.Problem
	}{{"unparsed", w.Unparsed}, {"unreadable", w.Unreadable}, {"quarantined", w.Quarantined}} {
		for _, problem := range rows.problems {
			p.linef("  %s: %s: %s", rows.word, wire.Exact(problem.Path, problem.PathBase64), problem.Reason)
		}
	}
	for _, d := range w.Degraded {
		what := d.Reason
		if path := wire.Exact(d.Path, d.PathBase64); path != "" {
			what = path + ": " + what
		}
		if d.Fix != "" {
			what += "; " + d.Fix
		}
		p.line("  degraded: " + what)
	}
}

// size prints bytes in powers of 1024.
func size(n int64) string {
	if n < 1024 {
		return count(int(n), "byte")
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < 3 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KiB", "MiB", "GiB", "TiB"}[unit])
}

// none is the error of a verb that takes no arguments and got some.
func none(args []string, hint string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{problem: "no argument is taken: " + strings.Join(args, " "), hint: hint}
}
