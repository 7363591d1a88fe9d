package cli

import (
	"context"
	"flag"

	"ctxd/client/wire"
)

// doctorVerb shows what looks wrong.
type doctorVerb struct{}

func (*doctorVerb) about() about {
	return about{name: "doctor", summary: "what looks wrong, and what to do about it",
		text: `
Checks the configuration of the user and of the workspace, the state directory, the capture store,
the files that have no definitions in the index, the watches (limits of inotify) and the version.
Exit status 3 when anything is wrong; warnings do not count.`,
		examples: []string{"ctx doctor", "ctx doctor --json"}}
}

func (*doctorVerb) flags(*flag.FlagSet) {}

func (*doctorVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help doctor"); err != nil {
		return err
	}
	where, err := c.placeOrNone()
	if err != nil {
		return err
	}
	return judge(ctx, c, wire.MethodDoctor, wire.DoctorParams{Common: c.common(where)}, renderDoctor)
}

// renderDoctor prints the checks; errNegative when one of them is an error.
func renderDoctor(r *wire.DoctorResult, p *page) (verdict error) {
	for _, check := range r.Checks {
		p.linef("%s %s: %s", check.Level, check.Name, check.Message)
		if check.Fix != "" {
			p.line("  fix: " + check.Fix)
		}
		if check.Level == "error" {
			verdict = errNegative
		}
	}
	return verdict
}
