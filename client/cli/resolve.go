package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// resolveBatch is the most addresses that one request takes.
	resolveBatch = 10000
	// addressLimit is the most bytes that a line of a file of addresses may have.
	addressLimit = 1 << 20
)

// resolveVerb asks what became of addresses.
type resolveVerb struct{ file string }

func (*resolveVerb) about() about {
	return about{
		name: "resolve", args: "[ADDRESS…]", summary: "what became of addresses: verified, relocated or lost",
		text: `
One outcome a line, in the order of the addresses; blank lines of a file are skipped. ctx check
finds addresses in notes and other text.
Exit status 3 when any address is lost; 2 when none is, but one is malformed or cannot be looked
at (outcome error).`,
		examples: []string{
			"ctx resolve 'repo:m.py --lines 4:5@07407f1c'",
			"ctx resolve repo:m.py --lines 4:5@07407f1c repo:n.py --lines 1:2@b7e1cc67",
			"ctx resolve --file addresses.txt --json",
			"grep -o 'repo:[^`]*' notes.md | ctx resolve -",
		},
	}
}

func (v *resolveVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.file, "file", "", "read addresses from the file `F`, one a line; - is stdin")
}

// words joins a selector that stands as words of its own to the reference before it, so that an
// address need not be quoted.
func (*resolveVerb) words(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		switch name {
		case "-lines", "-span", "-bytes", "-symbol":
			if len(out) > 0 && !strings.HasPrefix(out[len(out)-1], "-") && (inline || i+1 < len(args)) {
				if !inline {
					i++
					value = args[i]
				}
				out[len(out)-1] += " -" + name + " " + value
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}

func (v *resolveVerb) run(ctx context.Context, c *command, args []string) error {
	typed, err := v.addresses(c, args)
	if err != nil {
		return err
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	sent := make([]string, len(typed))
	for i, address := range typed {
		sent[i] = printed(where.address(address))
	}
	all := struct {
		Outcomes []json.RawMessage `json:"outcomes"`
	}{[]json.RawMessage{}}
	for len(sent) > 0 {
		n := min(len(sent), resolveBatch)
		var part struct {
			Outcomes []json.RawMessage `json:"outcomes"`
		}
		if err := c.call(ctx, wire.MethodResolve, wire.ResolveParams{Common: c.common(where), Addresses: sent[:n]}, &part); err != nil {
			return err
		}
		if len(part.Outcomes) != n {
			return &client.ProtocolError{Problem: fmt.Sprintf("%d outcomes for %d addresses", len(part.Outcomes), n)}
		}
		all.Outcomes, sent = append(all.Outcomes, part.Outcomes...), sent[n:]
	}
	var p page
	var verdict error
	prose := 0
	for i, raw := range all.Outcomes {
		var o wire.Outcome
		if err := json.Unmarshal(raw, &o); err != nil {
			return &client.ProtocolError{Problem: "an outcome", Err: err}
		}
		switch o.Outcome {
		case wire.Verified, wire.Relocated:
		case wire.Lost:
			verdict = errNegative
		default: // it says nothing about content, so that a lost address counts for more
			verdict = cmp.Or(verdict, errRefused)
			if !whole(typed[i]) {
				prose++
			}
		}
		p.line(outcome(&o))
	}
	if c.json {
		err = c.printJSON(all)
	} else {
		err = c.print(p.text)
	}
	if err != nil {
		return err
	}
	if prose > 0 && v.file != "" && v.file != "-" && !c.json {
		c.complain("ctx resolve", fmt.Sprintf("--file takes bare addresses, one a line; no address: %s of %s", thousands(prose), v.file),
			[]string{"ctx check " + wire.ShellWord(v.file)})
	}
	return verdict
}

// whole says whether a line is at least written like one address with a selector: the rest is
// text, perhaps with addresses in it, which `ctx check` finds.
func whole(line string) bool {
	a := wire.ParseAddress(bare(line))
	return a.Lines+a.Span+a.Bytes+a.Symbol != "" && !strings.ContainsAny(a.Ref, " `")
}

// addresses collects what was typed, and what stands in the file.
func (v *resolveVerb) addresses(c *command, args []string) ([]string, error) {
	var all []string
	file := v.file
	for _, arg := range args {
		if arg == "-" {
			file = "-"
			continue
		}
		all = append(all, arg)
	}
	if file == "" {
		if len(all) == 0 {
			return nil, &usageError{problem: "addresses are missing", hint: "ctx help resolve"}
		}
		return all, nil
	}
	in := c.stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, &usageError{problem: "--file: " + err.Error(), hint: "ctx help resolve"}
		}
		defer f.Close()
		in = f
	}
	return readAddresses(all, in)
}

func readAddresses(all []string, in io.Reader) ([]string, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, addressLimit)
	n := 0
	for lines.Scan() {
		n++
		if line := strings.TrimSpace(lines.Text()); line != "" {
			all = append(all, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &usageError{problem: fmt.Sprintf("addresses, after line %d: %v", n, err), hint: "ctx help resolve"}
	}
	return all, nil
}

// outcome is one line about one address.
func outcome(o *wire.Outcome) string {
	line := o.Outcome + " " + o.Address
	switch o.Outcome {
	case wire.Verified:
	case wire.Relocated:
		if o.Live != nil {
			line += " → " + o.Live.Address
		} else if o.Lines != nil {
			line += " → L" + o.Lines.Selector()
		}
		if d := doubts(o.Identity, o.Copies, o.Checked, o.Windows); len(d) > 0 {
			line += " (" + strings.Join(d, "; ") + ")"
		}
	default:
		if o.Error != nil {
			line += ": " + strings.ReplaceAll(o.Error.Message, "\n", "; ")
			if o.Error.Became != nil {
				line += " became " + o.Error.Became.String()
			}
		}
	}
	return line
}
