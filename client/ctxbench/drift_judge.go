package main

import (
	"fmt"
	"io"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// driftTally counts what was answered for spans of one kind.
type driftTally struct {
	asked, verified, relocated, refused, failed int

	content  int // other bytes than the address was made of
	identity int // the same bytes, but of another region
	proven   int // of these, those that were said to be proven
	alive    int // refused, though the region is there
	edited   int // refused with the advice that it was edited, and where
	right    int // of these, those whose range is what became of the region and nothing else
	advice   map[string]int
}

func (t *driftTally) add(o *driftTally) {
	t.asked += o.asked
	t.verified += o.verified
	t.relocated += o.relocated
	t.refused += o.refused
	t.failed += o.failed
	t.content += o.content
	t.identity += o.identity
	t.proven += o.proven
	t.alive += o.alive
	t.edited += o.edited
	t.right += o.right
	for kind, n := range o.advice {
		t.advise(kind, n)
	}
}

func (t *driftTally) advise(kind string, n int) {
	if t.advice == nil {
		t.advice = map[string]int{}
	}
	t.advice[kind] += n
}

// fate is what really became of an old text's lines.
type fate struct {
	old, new *anchors.Table
	*gitMap
}

// judge counts an answer, and returns what is wrong with it, "" for nothing.
func (t *driftTally) judge(f followed, o outcome, is fate) string {
	t.asked++
	want, alive := is.span(f.span)
	switch o.Outcome {
	case wire.Verified:
		t.verified++
	case wire.Relocated:
		t.relocated++
	case wire.Lost:
		t.refused++
		if alive {
			t.alive++
			return fmt.Sprintf("refused, though it is at %v", want)
		}
		return t.judgeAdvice(f, o, is)
	default:
		t.failed++
		return "no answer"
	}
	got := o.span()
	switch {
	case got.Len() != f.span.Len() || got.Last > is.new.Len() || is.old.Digest(f.span) != is.new.Digest(got):
		t.content++
		return fmt.Sprintf("WRONG CONTENT at %v", got)
	case alive && got == want, !alive && is.moves(f.span, got):
		return ""
	}
	t.identity++
	if o.Identity == "proven" {
		t.proven++
	}
	if !alive {
		return fmt.Sprintf("wrong identity (%s): at %v, but it is gone", o.Identity, got)
	}
	return fmt.Sprintf("wrong identity (%s): at %v, but it is at %v", o.Identity, got, want)
}

// judgeAdvice counts what a right refusal says about what became of the region.
func (t *driftTally) judgeAdvice(f followed, o outcome, is fate) string {
	if o.Error == nil || o.Error.Became == nil {
		t.advise("none", 1)
		return ""
	}
	became := o.Error.Became
	t.advise(became.Kind, 1)
	if became.Kind != "edited" || became.Lines == nil {
		return ""
	}
	t.edited++
	for n := became.Lines[0]; n <= became.Lines[1]; n++ {
		if n < 1 || n > is.new.Len() || !is.replaced(n, f.span, f.kind == aDefinition) {
			return fmt.Sprintf("successor %v: line %d is another's", *became.Lines, n)
		}
	}
	t.right++
	return ""
}

// driftReport is a table of tallies: rows by kind of span.
type driftReport struct {
	of   string // a repository, or a shape
	how  string // the answers were made
	rows []driftTally
}

// The ways to answer.
const (
	withCaptures = "with captures"
	historyAlone = "git's history alone"
	mapAlone     = "line map, no daemon"
	nearestCopy  = "nearest copy"
)

func newDriftReport(of, how string) *driftReport {
	return &driftReport{of, how, make([]driftTally, len(spanLengths)+1)}
}

// all is the sum of the rows.
func (r *driftReport) all() driftTally {
	var t driftTally
	for i := range r.rows {
		t.add(&r.rows[i])
	}
	return t
}

func perThousand(n, of int) float64 { return 1000 * float64(n) / float64(max(of, 1)) }

func (r *driftReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n  %-11s %8s %9s %10s %8s %7s | %7s %15s %7s %15s %16s\n", r.of, r.how,
		"span", "asked", "verified", "relocated", "refused", "failed", "content", "identity", "proven", "refused alive", "successor right")
	row := func(name string, t driftTally) {
		if t.asked == 0 {
			return
		}
		right := "-"
		if t.edited > 0 {
			right = fmt.Sprintf("%d of %d", t.right, t.edited)
		}
		fmt.Fprintf(w, "  %-11s %8d %9d %10d %8d %7d | %7d %6d %6.2f ‰ %7d %6d %6.2f ‰ %16s\n", name, t.asked, t.verified, t.relocated, t.refused, t.failed,
			t.content, t.identity, perThousand(t.identity, t.asked), t.proven, t.alive, perThousand(t.alive, t.asked), right)
	}
	for i := range r.rows {
		row(spanKind(i), r.rows[i])
	}
	all := r.all()
	row("all", all)
	if len(all.advice) > 0 {
		fmt.Fprintf(w, "  advice beside refusals: %v\n", all.advice)
	}
}
