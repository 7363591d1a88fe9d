package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"

	"ctxd/client/wire"
)

// getVerb reads one region.
type getVerb struct {
	wire.Address
	hashlines bool
}

func (*getVerb) about() about {
	return about{
		name: "get", args: "REF", summary: "what stands at an address: now, or as it was captured",
		text: `
REF is a path, repo:PATH, snapshot:ID, blob:ID, or a whole address as it was printed, quoted or
not. PATH:4, PATH:4-5 and PATH:4:7 are read as places in a file.

A range with an anchor (--lines 4:5@07407f1c) is verified: it is found again when it has moved,
and refused with exit status 2 when its content is gone. It never returns other content.`,
		examples: []string{
			"ctx get repo:m.py --lines 4:5@07407f1c",
			"ctx get 'repo:m.py --span b34a0fcd32'",
			"ctx get src/main.go:120-140",
			"ctx get m.py --symbol Stack.push --hashlines",
			"ctx get blob:3f1c0a7be2d4 --bytes 1:64",
		},
	}
}

func (v *getVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.Lines, "lines", "", "lines `A:B[@anchor]`, counted from 1, both included")
	fs.StringVar(&v.Span, "span", "", "the captured span `ID`")
	fs.StringVar(&v.Symbol, "symbol", "", "the definition of `S` in the file")
	fs.StringVar(&v.Bytes, "bytes", "", "bytes `A:B`, counted from 1, both included, exactly")
	fs.BoolVar(&v.hashlines, "hashlines", false, "put the tag of each line before it")
}

func (v *getVerb) run(ctx context.Context, c *command, args []string) error {
	if len(args) == 3 && args[0] == "ctx" && args[1] == "get" { // a printed call, pasted after ctx get
		args = args[2:]
	}
	if len(args) == 0 && v.Span != "" {
		return &usageError{problem: "the path of the span is missing", hint: "ctx get repo:PATH --span " + wire.ShellWord(v.Span)}
	}
	if len(args) != 1 {
		return one(args, "a reference", "ctx help get")
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	a, err := v.merge(where.address(args[0]))
	if err != nil {
		return err
	}
	params := wire.GetParams{Common: c.common(where), Ref: a.Ref, Lines: a.Lines, Span: a.Span,
		Symbol: a.Symbol, Bytes: a.Bytes, Hashlines: v.hashlines}
	return ask(ctx, c, wire.MethodGet, params, func(r *wire.GetResult, p *page) { renderGet(r, c.terminal, p) })
}

// merge adds the selectors of the flags to those of the address. The same one twice is refused,
// unless it says the same.
func (v *getVerb) merge(a wire.Address) (wire.Address, error) {
	for _, f := range []struct {
		name, flag string
		in         *string
	}{
		{"lines", v.Lines, &a.Lines}, {"span", v.Span, &a.Span},
		{"symbol", v.Symbol, &a.Symbol}, {"bytes", v.Bytes, &a.Bytes},
	} {
		switch {
		case f.flag == "" || f.flag == *f.in:
		case *f.in == "":
			*f.in = f.flag
		default:
			return a, &usageError{problem: fmt.Sprintf("--%s is given twice: %s in the address, %s as a flag", f.name, *f.in, f.flag), hint: "ctx help get"}
		}
	}
	return a, nil
}

// renderGet prints one region. Where bytes were asked for they are printed as they are, except
// to a terminal.
func renderGet(r *wire.GetResult, terminal bool, p *page) {
	p.line(header(r))
	if r.Symbol != "" {
		whole := r.Lines
		if r.Region != nil { // more lines than are shown, perhaps
			whole = *r.Region
		}
		p.linef("symbol: %s → lines %s", r.Symbol, whole.Selector())
	}
	if r.Outcome == wire.Relocated && r.From != nil {
		p.linef("anchor: @%s moved L%s → L%s (content unchanged)", r.Anchor, r.From.Selector(), r.Lines.Selector())
	}
	raw := strings.HasPrefix(r.Selector, "--bytes")
	switch {
	case r.Span != "":
		p.line(region(r))
		if len(r.Zoom) == 2 {
			p.linef("zoom: L%s · span %s | L%s · span %s", r.Zoom[0].Lines.Selector(), r.Zoom[0].Span, r.Zoom[1].Lines.Selector(), r.Zoom[1].Span)
		}
	case raw: // Total counts lines
		p.line("selector: " + r.Selector)
	case r.Selector != "":
		p.linef("selector: %s of %s", r.Selector, thousands(r.Total))
	}
	// A verified read is the unanchored read, byte for byte: what is known about it beyond
	// that is in the JSON.
	if r.Outcome == wire.Relocated {
		for _, doubt := range doubts(r.Identity, r.Copies, r.Checked, r.Windows) {
			p.line(doubt)
		}
	}
	if r.Divergence != "" {
		p.line("divergence: " + r.Divergence)
	}
	if r.Note != "" {
		p.line("note: " + r.Note)
	}
	if raw {
		renderBytes(r, terminal, p)
	} else {
		p.numbered(r.Lines[0], r.Text, r.Tags)
	}
	if r.Truncated != nil {
		p.linef("[ctx:truncated shown≈%d of ≈%d est tokens]", r.Truncated.Shown, r.Truncated.Of)
	}
	if r.Next != "" {
		p.line("next: " + callable(r.Next))
	}
}

// doubts says what there is to doubt about a relocated range, in the words of every verb.
func doubts(identity string, copies int, checked string, windows int) []string {
	var all []string
	if identity == "content" && copies > 1 {
		all = append(all, "identity: content · one of "+thousands(copies)+" equal regions")
	}
	if checked == "short" && windows > shortWindows {
		all = append(all, "checked: short · 8 digits over "+thousands(windows)+" windows")
	}
	return all
}

// shortWindows is the number of windows above which a match of 8 digits is not quite certain: an
// unrelated one matches with a probability of windows/2^32.
const shortWindows = 20000

func header(r *wire.GetResult) string {
	h := "[ctx get " + r.Ref
	switch {
	case strings.HasPrefix(r.Ref, "snapshot:"):
		if path := wire.Exact(r.Path, r.PathBase64); path != "" {
			h += " (" + path + ")"
		}
	case !strings.HasPrefix(r.Ref, "blob:") && r.Snapshot != "":
		h += " (snapshot:" + r.Snapshot + ")"
	}
	if r.Span != "" {
		h += " span:" + r.Span
	}
	return h + "]"
}

// region is the line that stands for the selector of a captured span.
func region(r *wire.GetResult) string {
	whole := r.Lines
	if r.Region != nil {
		whole = *r.Region
	}
	lines := thousands(whole[1] - whole[0] + 1)
	if whole == r.Lines && r.Next == "" {
		return fmt.Sprintf("region: L%s (%s lines, complete)", whole.Selector(), lines)
	}
	return fmt.Sprintf("region: L%s (%s lines, showing L%s)", whole.Selector(), lines, r.Lines.Selector())
}

// renderBytes appends exact bytes. To a terminal they go line by line like any text. What
// follows them begins a line of its own.
func renderBytes(r *wire.GetResult, terminal bool, p *page) {
	content := []byte(wire.Exact(strings.Join(r.Text, "\n"), r.TextBase64))
	if terminal {
		for line := range bytes.Lines(content) {
			p.line(string(bytes.TrimSuffix(line, []byte("\n"))))
		}
		return
	}
	p.text = append(p.text, content...)
	if follows := r.Truncated != nil || r.Next != ""; follows && !bytes.HasSuffix(content, []byte("\n")) {
		p.text = append(p.text, '\n')
	}
}
