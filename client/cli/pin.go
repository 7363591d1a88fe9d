package cli

import (
	"context"
	"flag"

	"ctxd/client/wire"
)

// pinVerb keeps a capture.
type pinVerb struct{ span string }

func (*pinVerb) about() about {
	return about{name: "pin", args: "ID", summary: "keep a capture for ever",
		text:     "ID is the id of a span, snapshot:ID, blob:ID, or an address with --span.",
		examples: []string{"ctx pin b34a0fcd32", "ctx pin repo:m.py --span b34a0fcd32", "ctx pin snapshot:cf3db50116cd"}}
}

func (v *pinVerb) flags(fs *flag.FlagSet) {
	fs.StringVar(&v.span, "span", "", "the captured span `ID`")
}

func (v *pinVerb) run(ctx context.Context, c *command, args []string) error {
	id := v.span
	switch {
	case len(args) == 1 && id == "":
		a := wire.ParseAddress(args[0])
		if id = a.Span; id == "" {
			id = a.Ref
		}
	case len(args) > 1 || id == "":
		return one(args, "what to pin", "ctx help pin")
	}
	return ask(ctx, c, wire.MethodPin, wire.PinParams{ID: id}, renderPin)
}

func renderPin(r *wire.PinResult, p *page) {
	blob := r.Blob
	if len(blob) > 12 {
		blob = blob[:12]
	}
	if path := wire.Exact(r.Path, r.PathBase64); path != "" {
		p.linef("pinned: blob:%s (%s)", blob, path)
	} else {
		p.linef("pinned: blob:%s", blob)
	}
}
