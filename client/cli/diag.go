package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// diagVerb asks what is wrong.
type diagVerb struct {
	paging
	anchors bool
	since   string
}

func (*diagVerb) about() about {
	return about{
		name: "diag", args: "[PATH]", summary: "what is wrong in a file, a directory or the workspace",
		text: `
Lists syntax errors, and what the configured checkers say where the workspace is trusted (ctx trust).
A grammar's error is listed only where the committed version of the same place had none, or where the
grammar is known to read all of its language. The coverage says who looked at how many files, and how
many nobody could judge: "none" is said of the others alone.

The clock names the answer; with --since only what is new since then is listed. What merely moved to
other lines is not new.

Exit status 3 when there is an error; warnings do not count.`,
		examples: []string{
			"ctx diag",
			"ctx diag repo:src/m.py --anchors",
			"ctx diag src --limit 20 --json",
			"ctx diag --since 5b1d0c1f9a3e",
		},
	}
}

func (v *diagVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.anchors, "anchors", false, "show the live address of each row")
	fs.StringVar(&v.since, "since", "", "only what is new since the answer with this `CLOCK`")
	v.paging.flags(fs, "rows")
}

func (v *diagVerb) run(ctx context.Context, c *command, args []string) error {
	if len(args) > 1 {
		return one(args, "a path", "ctx help diag")
	}
	if err := v.paging.check("diag"); err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	params := wire.DiagParams{Common: c.common(where), Since: v.since, Limit: v.limit, After: v.after}
	if len(args) == 1 {
		params.Path = args[0]
	}
	return judge(ctx, c, wire.MethodDiag, params, func(r *wire.DiagResult, p *page) error {
		v.render(r, p)
		if r.Errors > 0 {
			return errNegative
		}
		return nil
	})
}

// render prints the rows and who looked at what.
func (v *diagVerb) render(r *wire.DiagResult, p *page) {
	p.linef("[ctx diag %s · engine %s · checker %s]", r.Path, r.Engine, checkersOf(r))
	switch {
	case r.Fresh:
		p.linef("since: %s is not known any more: everything is listed", r.Since)
	case r.Since != "":
		p.linef("since: %s · solved: %s", r.Since, thousands(r.Solved))
	}
	news := ""
	if r.Since != "" && !r.Fresh {
		news = "new "
	}
	if r.Total == 0 {
		p.line(news + "diagnostics: none")
	} else {
		p.linef("%sdiagnostics: %s · error %s · warning %s", news, thousands(r.Total), thousands(r.Errors), thousands(r.Warnings))
	}
	for i := range r.Diagnostics {
		v.row(&r.Diagnostics[i], p)
	}
	if left := r.Total - v.after - len(r.Diagnostics); r.Next > 0 && left > 0 {
		p.linef("… +%s more diagnostics", thousands(left))
	}
	renderCoverage(&r.Coverage, p)
	p.line("clock: " + r.Clock)
	if r.Next > 0 {
		next := "next: ctx diag " + wire.ShellWord(r.Path)
		if v.anchors {
			next += " --anchors"
		}
		if v.since != "" {
			next += " --since " + wire.ShellWord(v.since)
		}
		p.line(next + v.paging.next(r.Next))
	}
}

// checkersOf names the sources that judged a file besides the grammars.
func checkersOf(r *wire.DiagResult) string {
	var names []string
	for _, s := range r.Coverage.Sources {
		if s.Files > 0 && s.Name != r.Engine && s.Name != wire.GoParser {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// row prints one diagnostic on one line: what a checker writes may have several.
func (v *diagVerb) row(d *wire.Diagnostic, p *page) {
	text := fmt.Sprintf("%s:L%d", wire.RepoRef(wire.Exact(d.Path, d.PathBase64)), d.Lines[0])
	if v.anchors && d.Live != nil {
		text = "repo:" + strings.TrimPrefix(d.Live.Address, "repo:")
	}
	text += ": "
	if d.Severity != wire.SeverityError {
		text += d.Severity + ": "
	}
	text += strings.Join(strings.Fields(d.Message), " ")
	if d.Code != "" {
		text += " (" + d.Code + ")"
	}
	p.line(text + " · " + d.Source)
	if d.Note != "" {
		p.line("  note: " + d.Note)
	}
}

// renderCoverage prints who judged how much, and what nobody did.
func renderCoverage(c *wire.DiagCoverage, p *page) {
	p.line("coverage:")
	p.linef("  checked: %s of %s · %s", thousands(c.Checked), count(c.Scope, "file"), size(c.Bytes))
	for _, s := range c.Sources {
		text := fmt.Sprintf("  %s: %s", s.Name, count(s.Files, "file"))
		if s.Note != "" {
			text += " · " + s.Note
		}
		p.line(text)
	}
	if c.Unchecked > 0 {
		p.linef("  none: %s", count(c.Unchecked, "file"))
	}
	for _, r := range c.Reasons {
		more := ""
		if r.Files > len(r.Paths) {
			more = ", …"
		}
		p.linef("    %s · %s: %s%s", thousands(r.Files), r.Reason, strings.Join(r.Paths, ", "), more)
	}
	if c.Unlisted > 0 {
		p.linef("  not read: %s (ctx status names them)", count(c.Unlisted, "directory"))
	}
	if warning := wire.FreshnessWarning(c.Freshness); warning != "" {
		p.line(warning)
	}
}
