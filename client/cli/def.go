package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// defVerb asks where a symbol is defined.
type defVerb struct {
	paging
	symbol string
	noBody bool
}

func (*defVerb) about() about {
	return about{
		name: "def", args: "TARGET", summary: "where a symbol is defined, with its two addresses",
		text: `
TARGET is Symbol, Container.Symbol, PATH:Symbol, or a place PATH:LINE or PATH:LINE:COL;
PATH may be written repo:PATH. Every definition that it names is listed.

The span is what was read: it returns these bytes after the file has changed or is gone.
The live address is what is there now: it follows the definition through edits, or is refused.`,
		examples: []string{
			"ctx def Server.Serve",
			"ctx def repo:m.py:beta",
			"ctx def src/main.go:120 --no-body",
			"ctx def new --limit 20 --json",
		},
	}
}

func (v *defVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.symbol, "symbol", "", "the symbol `S`, when TARGET is a path")
	fs.BoolVar(&v.noBody, "no-body", false, "only the addresses, not the text")
	v.paging.flags(fs, "definitions")
}

func (v *defVerb) run(ctx context.Context, c *command, args []string) error {
	if len(args) != 1 {
		return one(args, "a target", "ctx help def")
	}
	if err := v.paging.check("def"); err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	target, symbol := strings.TrimPrefix(args[0], "ctx def "), v.symbol
	if at := strings.LastIndex(target, " --symbol "); at >= 0 && symbol == "" {
		target, symbol = target[:at], strings.TrimSpace(target[at+len(" --symbol "):])
	}
	target = where.target(target)
	if symbol != "" {
		target = where.ref(target) // it can only be a path
	}
	params := wire.DefParams{Common: c.common(where), Target: target, Symbol: symbol,
		NoBody: v.noBody, Limit: v.limit, After: v.after}
	return ask(ctx, c, wire.MethodDef, params, func(r *wire.DefResult, p *page) { v.render(r, p) })
}

// render prints the definitions, each as a block of its own.
func (v *defVerb) render(r *wire.DefResult, p *page) {
	p.linef("[ctx def %s · engine %s]", r.Target, r.Engine)
	if r.Total > 1 || len(r.Definitions) > 1 {
		total := max(r.Total, len(r.Definitions))
		if len(r.Definitions) < total {
			p.linef("definitions: %s · shown: %s", thousands(total), thousands(len(r.Definitions)))
		} else {
			p.linef("definitions: %s", thousands(total))
		}
	}
	for i := range r.Definitions {
		renderDefinition(&r.Definitions[i], v.noBody, p)
	}
	// The counts of the coverage are left to the JSON and to ctx status: they depend on how far
	// the index is, and the same bytes are to give the same text.
	if warning := wire.FreshnessWarning(r.Coverage.Freshness); warning != "" {
		p.line(warning)
	}
	if r.Next > 0 {
		next := "next: ctx def " + wire.ShellWord(r.Target)
		if v.symbol != "" && !strings.Contains(r.Target, ":"+v.symbol) {
			next += " --symbol " + wire.ShellWord(v.symbol)
		}
		if v.noBody {
			next += " --no-body"
		}
		p.line(next + v.paging.next(r.Next))
	}
}

func renderDefinition(d *wire.Definition, noBody bool, p *page) {
	path := wire.RepoRef(wire.Exact(d.Path, d.PathBase64))
	head := "definition: " + path + " L" + d.Lines.Selector()
	if d.Live != nil {
		head += "@" + d.Live.Anchor
	}
	p.line(head + " (" + d.Kind + ")")
	if c := d.Captured; c != nil {
		p.line("snapshot: snapshot:" + c.Snapshot)
		p.linef("span: %s (region L%s) · as captured: %s", c.Span, c.Lines.Selector(), callable(c.Address))
	}
	if d.Live != nil {
		p.line("live: " + callable(d.Live.Address))
	}
	if d.Note != "" {
		p.line("note: " + d.Note)
	}
	if noBody {
		return
	}
	switch lines := d.Lines[1] - d.Lines[0] + 1; {
	case d.Complete:
		p.line("body (complete):")
	default:
		address := path + " --lines " + d.Lines.Selector()
		if d.Live != nil {
			address = d.Live.Address
		}
		showing := "not shown"
		if len(d.Text) > 0 {
			showing = fmt.Sprintf("showing first %d", len(d.Text))
		}
		p.linef("body: %s — %s · full body: %s", count(lines, "line"), showing, callable(address))
	}
	p.numbered(d.Lines[0], d.Text, nil)
}

// one is the error for a verb that takes exactly one argument.
func one(args []string, what, hint string) error {
	if len(args) == 0 {
		return &usageError{problem: what + " is missing", hint: hint}
	}
	return &usageError{problem: "one argument is taken, too many: " + strings.Join(args[1:], " "), hint: hint}
}
