package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// driftOptions are the flags of drift.
type driftOptions struct {
	commits    int
	maps       bool
	noCaptures bool
	svg        string
}

func (o *driftOptions) flags(fs *flag.FlagSet) {
	fs.IntVar(&o.commits, "commits", 1000, "drift --git: so many `commits` of the first-parent line of HEAD")
	fs.BoolVar(&o.maps, "maps", false, "drift --git: compare anchors.MapLines itself with git's ways to compare, without a daemon")
	fs.BoolVar(&o.noCaptures, "no-captures", false, "drift --git: once more with a daemon that has no captures, only the repository's history")
	fs.StringVar(&o.svg, "svg", "", "drift: draw a chart into this `file`")
}

// drift follows addresses through edits: made ones, or with --git those of the history of repositories.
func drift(ctx context.Context, b *bench) error {
	if b.git == "" && (b.drift.maps || b.drift.noCaptures) {
		return errors.New("--maps and --no-captures need --git REPO")
	}
	var reports []*driftReport
	if b.git == "" {
		made, err := b.driftShapes(ctx)
		if err != nil {
			return err
		}
		reports = b.printed(made)
	}
	for repo := range strings.SplitSeq(b.git, ",") {
		if repo == "" {
			continue
		}
		one := *b
		one.git, one.verdicts = repo, nil
		if b.drift.maps {
			if err := one.compareMaps(ctx); err != nil {
				return fmt.Errorf("%s: %w", repo, err)
			}
			continue
		}
		made, err := one.driftHistory(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		reports = append(reports, b.printed(made)...)
		b.verdicts = append(b.verdicts, one.verdicts...)
	}
	if b.drift.svg != "" {
		chart, err := driftChart(reports)
		if err != nil {
			return err
		}
		return os.WriteFile(b.drift.svg, chart, 0o644)
	}
	return nil
}

// printed prints reports and returns them.
func (b *bench) printed(reports []*driftReport) []*driftReport {
	for _, r := range reports {
		r.print(b.out)
	}
	return reports
}

// The kinds of spans: so many lines, or a whole definition.
var spanLengths = []int{1, 2, 8, 25}

const aDefinition = 4 // the index of definitions behind those of spanLengths

func spanKind(k int) string {
	switch k {
	case aDefinition:
		return "definition"
	case 0:
		return "1 line"
	}
	return fmt.Sprintf("%d lines", spanLengths[k])
}

// followed is a span of an old text and the address that names it.
type followed struct {
	span    anchors.Span
	kind    int
	address string
}

// outcome is wire.Outcome, with what this needs of the advice.
type outcome struct {
	Outcome  string      `json:"outcome"`
	Lines    *wire.Lines `json:"lines"`
	Identity string      `json:"identity"`
	Copies   int         `json:"copies"`
	Error    *lostError  `json:"error"`
}

type lostError struct {
	Error  wire.Word `json:"error"`
	Became *became   `json:"became"`
}

type became struct {
	Kind  string      `json:"kind"`
	Lines *wire.Lines `json:"lines"`
}

func (o outcome) span() anchors.Span {
	if o.Lines == nil {
		return anchors.Span{}
	}
	return anchors.Span{First: o.Lines[0], Last: o.Lines[1]}
}

// resolved asks what became of addresses, in calls of at most 10,000.
func (b *bench) resolved(ctx context.Context, c caller, root string, spans []followed) ([]outcome, error) {
	const most = 10_000
	var all []outcome
	for len(spans) > 0 {
		part := spans[:min(len(spans), most)]
		spans = spans[len(part):]
		p := wire.ResolveParams{Common: wire.Common{Root: root}}
		for _, f := range part {
			p.Addresses = append(p.Addresses, f.address)
		}
		var r struct {
			Outcomes []outcome `json:"outcomes"`
		}
		if err := c.Call(ctx, wire.MethodResolve, p, &r); err != nil {
			return nil, err
		}
		if len(r.Outcomes) != len(part) {
			return nil, fmt.Errorf("%d outcomes for %d addresses", len(r.Outcomes), len(part))
		}
		all = append(all, r.Outcomes...)
	}
	return all, nil
}

// caller is a client.Client.
type caller interface {
	Call(ctx context.Context, method string, params, result any) error
}

// nearest is what the nearest copy of a span's content would be answered as, with nothing known
// but the content: how addresses were resolved before there were line maps.
func nearest(old, new *anchors.Table, s anchors.Span) outcome {
	known := old.Known(s)
	r := new.Resolve(anchors.Selector{Span: s, Anchor: known.Full.Anchor(), Anchored: true}, &known, nil)
	o := outcome{Outcome: r.Outcome.String(), Identity: "content", Copies: r.Copies}
	if r.Outcome != anchors.Lost {
		o.Lines = &wire.Lines{r.Span.First, r.Span.Last}
	}
	return o
}

// mapped is what the line map of the two texts alone says, without the daemon.
func mapped(m *anchors.LineMap, s anchors.Span) outcome {
	if to, ok := m.Span(s); ok {
		o := outcome{Outcome: wire.Relocated, Lines: &wire.Lines{to.First, to.Last}, Identity: "proven"}
		if to == s {
			o.Outcome = wire.Verified
		}
		return o
	}
	o := outcome{Outcome: wire.Lost, Error: &lostError{Error: wire.AnchorStale, Became: &became{Kind: "deleted"}}}
	if to := m.Successor(s); to.Len() > 0 {
		o.Error.Became = &became{"edited", &wire.Lines{to.First, to.Last}}
	}
	return o
}
