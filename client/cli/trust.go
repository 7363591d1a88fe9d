package cli

import (
	"context"
	"flag"
	"strings"

	"ctxd/client/wire"
)

// trustVerb lets checkers run in a workspace.
type trustVerb struct {
	revoke bool
	show   bool
}

func (*trustVerb) about() about {
	return about{
		name: "trust", summary: "let the configured checkers run in this workspace, or no more",
		text: `
Nothing that belongs to a worktree is executed until you trust it: checkers are commands, and what they
do is up to files of the worktree (plugins, build scripts, the [[diag.checker]] entries of its ctx.toml).
What is trusted is kept in the state directory of the user, by the path of the workspace and the
identity of its directory, with the [[diag.checker]] entries of its ctx.toml: another directory in its
place is not trusted, and when these entries change nothing runs until you trust them.`,
		examples: []string{"ctx trust --show", "ctx trust", "ctx trust --revoke"},
	}
}

func (v *trustVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.revoke, "revoke", false, "trust the workspace no more")
	fs.BoolVar(&v.show, "show", false, "change nothing, show what would run")
}

func (v *trustVerb) run(ctx context.Context, c *command, args []string) error {
	if err := none(args, "ctx help trust"); err != nil {
		return err
	}
	if v.revoke && v.show {
		return &usageError{problem: "--revoke and --show exclude each other", hint: "ctx help trust"}
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	params := wire.TrustParams{Common: c.common(where), Revoke: v.revoke, Show: v.show}
	return ask(ctx, c, wire.MethodTrust, params, func(r *wire.TrustResult, p *page) { renderTrust(r, p) })
}

func renderTrust(r *wire.TrustResult, p *page) {
	switch {
	case r.Trusted && r.Changed:
		p.line("trusted: yes, from now on")
	case r.Trusted:
		p.line("trusted: yes")
	case r.Changed:
		p.line("trusted: no more")
	case r.Others:
		p.line("trusted: no, its checkers are others than those that were trusted")
	default:
		p.line("trusted: no")
	}
	for _, c := range r.Checkers {
		var words []string
		for _, word := range c.Command {
			words = append(words, wire.ShellWord(word))
		}
		text := c.Name + " (" + strings.Join(c.Languages, ", ") + "): " + strings.Join(words, " ")
		if c.Problem != "" {
			text += " · " + c.Problem
		}
		p.line("checker: " + text)
	}
	if len(r.Checkers) == 0 {
		p.line("checkers: none are configured; see [[diag.checker]] in docs/cli.md, under Diagnostics")
	}
}
