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
	doubted  int // of these, those that were said to be one of several equal regions, not proven
	slid     int // right by another map that is as true as git's
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
	t.doubted += o.doubted
	t.slid += o.slid
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
	case !alive && is.slides(f.span, got):
		t.slid++
		return ""
	}
	t.identity++
	if o.Identity != "proven" && o.Copies > 1 {
		t.doubted++
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
		if n < 1 || n > is.new.Len() || !is.replaced(n, f.span, f.kind == aDefinition) && !is.arrived(n, f.span) {
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
		"span", "asked", "verified", "relocated", "refused", "failed", "content", "identity", "doubted", "refused alive", "successor right")
	row := func(name string, t driftTally) {
		if t.asked == 0 {
			return
		}
		right := "-"
		if t.edited > 0 {
			right = fmt.Sprintf("%d of %d", t.right, t.edited)
		}
		fmt.Fprintf(w, "  %-11s %8d %9d %10d %8d %7d | %7d %6d %6.2f ‰ %7d %6d %6.2f ‰ %16s\n", name, t.asked, t.verified, t.relocated, t.refused, t.failed,
			t.content, t.identity, perThousand(t.identity, t.asked), t.doubted, t.alive, perThousand(t.alive, t.asked), right)
	}
	for i := range r.rows {
		row(spanKind(i), r.rows[i])
	}
	all := r.all()
	row("all", all)
	if all.slid > 0 {
		fmt.Fprintf(w, "  %d are whole where a hunk of git's is said to stand some equal lines higher or lower\n", all.slid)
	}
	if len(all.advice) > 0 {
		fmt.Fprintf(w, "  advice beside refusals: %v\n", all.advice)
	}
}

// arrived reports whether new line n, which git says was inserted, is what git says was deleted of s.
func (is fate) arrived(n int, s anchors.Span) bool {
	if is.back[n] != 0 {
		return false
	}
	for k := s.First; k <= s.Last; k++ {
		if is.line[k] == 0 && is.old.LineDigest(k) == is.new.LineDigest(n) {
			return true
		}
	}
	return false
}

// slides reports whether s is at to when one hunk of git's is slid: a run of inserted lines that ends with the
// lines before it can as well be said to begin with these, and so with deleted lines. Both maps are as
// true, and as short.
func (is fate) slides(s, to anchors.Span) bool {
	for _, h := range is.hunks {
		if h.old.First > s.Last+1 || h.old.Last < s.First-1 || h.old.Len() > 0 && h.new.Len() > 0 {
			continue
		}
		for k := 1; k <= s.Len(); k++ {
			if is.slid(h, -k, s, to) || is.slid(h, k, s, to) {
				return true
			}
		}
	}
	return false
}

// slid reports whether s is at to when h is slid by so many lines.
func (is fate) slid(h hunk, by int, s, to anchors.Span) bool {
	for n := s.First; n <= s.Last; n++ {
		want := to.First + n - s.First
		at := is.line[n]
		switch length := h.old.Len() + h.new.Len(); {
		case h.new.Len() > 0 && by < 0 && n >= h.old.First+by && n < h.old.First:
			at += length // lines before the insertion become its end
		case h.new.Len() > 0 && by > 0 && n >= h.old.First && n < h.old.First+by:
			at -= length
		case h.old.Len() > 0 && by < 0 && n > h.old.Last+by && n <= h.old.Last:
			at = is.line[max(n-length, 0)] // deleted lines take the places of those before them
		case h.old.Len() > 0 && by > 0 && n >= h.old.First && n < h.old.First+by && n+length < len(is.line):
			at = is.line[n+length]
		}
		if at != want || is.old.LineDigest(n) != is.new.LineDigest(at) {
			return false
		}
	}
	return true
}
