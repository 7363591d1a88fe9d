package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// statusVerb shows the daemon's state.
type statusVerb struct{}

func (*statusVerb) about() about {
	return about{name: "status", summary: "the daemon, its workspaces and its store",
		text:     "Names the files that could not be read or parsed, and why.",
		examples: []string{"ctx status", "ctx status --json"}}
}

func (*statusVerb) flags(*flag.FlagSet) {}

func (*statusVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help status"); err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	return ask(ctx, c, wire.MethodStatus, wire.StatusParams{Common: c.common(where)}, renderStatus)
}

func renderStatus(r *wire.StatusResult, p *page) {
	p.linef("ctxd %s · pid %d", r.Version, r.PID)
	p.line("socket: " + r.Socket)
	p.line("state: " + r.State)
	for i := range r.Workspaces {
		w := &r.Workspaces[i]
		p.line("workspace: " + w.Root)
		facts := []string{
			"files: " + thousands(w.Files), "parsed: " + thousands(w.Parsed),
			"pending: " + thousands(w.Pending), "no known language: " + thousands(w.Other), "definitions: " + thousands(w.Definitions),
		}
		if w.Freshness != "" {
			facts = append(facts, "freshness: "+w.Freshness)
		}
		p.line("  " + strings.Join(facts, " · "))
		for _, problem := range w.Unparsed {
			p.linef("  unparsed: %s: %s", exact(problem.Path, problem.PathBase64), problem.Reason)
		}
		for _, problem := range w.Unreadable {
			p.linef("  unreadable: %s: %s", exact(problem.Path, problem.PathBase64), problem.Reason)
		}
	}
	p.linef("store: %s · %s · %s", count(r.Store.Blobs, "blob"), size(r.Store.Bytes), count(r.Store.Spans, "span"))
	for _, damaged := range r.Store.Damaged {
		p.line("  damaged: " + damaged)
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
