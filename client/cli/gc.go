package cli

import (
	"context"
	"flag"
	"strconv"

	"ctxd/client/wire"
)

// gcVerb collects old captures.
type gcVerb struct{ retention string }

func (*gcVerb) about() about {
	return about{name: "gc", summary: "collect captures that nobody used for a long time",
		text:     "What was pinned is kept. A collected span is refused from then on; it never returns other bytes.",
		examples: []string{"ctx gc", "ctx gc --retention-days 7"}}
}

func (v *gcVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.retention, "retention-days", "", "collect what was not used for `N` days (default: as configured)")
}

func (v *gcVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help gc"); err != nil {
		return err
	}
	var params wire.GCParams
	if v.retention != "" {
		days, err := strconv.Atoi(v.retention)
		if err != nil || days < 0 {
			return &usageError{problem: "--retention-days " + v.retention + ": want a number of days from 0", hint: "ctx help gc"}
		}
		params.RetentionDays = &days
	}
	return ask(ctx, c, wire.MethodGC, params, renderGC)
}

func renderGC(r *wire.GCResult, p *page) {
	p.linef("removed: %s · %s", count(r.Removed, "capture"), size(r.RemovedBytes))
	p.linef("kept: %s · %s · %s pinned · %s", count(r.Kept, "capture"), size(r.KeptBytes), thousands(r.Pinned), count(r.Spans, "span"))
}
