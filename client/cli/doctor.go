package cli

import (
	"context"
	"encoding/json"
	"flag"

	"ctxd/client"
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
	where, err := c.place()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := c.call(ctx, wire.MethodDoctor, wire.DoctorParams{Common: c.common(where)}, &raw); err != nil {
		return err
	}
	var result wire.DoctorResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return &client.ProtocolError{Problem: "result of " + wire.MethodDoctor, Err: err}
	}
	var p page
	if wrong := renderDoctor(&result, &p); wrong {
		err = errNegative
	}
	if c.json {
		if e := c.printJSON(raw); e != nil {
			return e
		}
		return err
	}
	if e := c.print(p.text); e != nil {
		return e
	}
	return err
}

// renderDoctor prints the checks and says whether one of them is an error.
func renderDoctor(r *wire.DoctorResult, p *page) (wrong bool) {
	for _, check := range r.Checks {
		p.linef("%s %s: %s", check.Level, check.Name, check.Message)
		if check.Fix != "" {
			p.line("  fix: " + check.Fix)
		}
		wrong = wrong || check.Level == "error"
	}
	return wrong
}
