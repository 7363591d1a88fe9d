package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxd/anchors"
	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// spansEach is how many spans of one length, and how many definitions, are followed in one file.
	spansEach = 3
	// filesEach is how many files of one commit are: some commits touch every file.
	filesEach = 20
	// outlineBudget is enough for the definitions of any file.
	outlineBudget = wire.MaxMapBudget
)

// commitStep is one commit, the spans that are followed through it and what is true of them.
type commitStep struct {
	commit, parent string
	files          []*stepFile
}

type stepFile struct {
	change
	is    fate // its texts only while the step is under way
	spans []followed
}

// walk is a run through the history of a clone.
type walk struct {
	*bench
	root   string
	at     string // the commit that is checked out
	steps  []*commitStep
	blobs  *blobs
	shown  int
	failed map[string]int // why files or spans were left out

	alone, nearest *driftReport // without a daemon
	compared       bool         // these are complete
}

// driftHistory follows addresses through the commits of a repository.
func (b *bench) driftHistory(ctx context.Context) ([]*driftReport, error) {
	if err := b.reset(ctx); err != nil {
		return nil, err
	}
	if err := b.configure("[budgets]\nresult_tokens = 1000000\nmax_inline_lines = 1000000\n"); err != nil {
		return nil, err
	}
	name := filepath.Base(b.git)
	w := &walk{bench: b, root: filepath.Join(b.tmp, "history-of-"+name), failed: map[string]int{}}
	if err := b.clone(ctx, w.root); err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.root)
	if err := w.plan(ctx); err != nil {
		return nil, err
	}
	if len(w.steps) == 0 {
		return nil, fmt.Errorf("no file was changed in %d commits of %s", b.drift.commits, b.git)
	}
	w.alone, w.nearest = newDriftReport(name, mapAlone), newDriftReport(name, nearestCopy)
	with := newDriftReport(name, withCaptures)
	if err := w.run(ctx, with, (*walk).minted); err != nil {
		return nil, err
	}
	b.driftBars(with, 1, 0.5)
	reports := []*driftReport{with}
	if b.drift.noCaptures {
		if err := b.reset(ctx); err != nil {
			return nil, err
		}
		without := newDriftReport(name, historyAlone)
		if err := w.run(ctx, without, (*walk).digested); err != nil {
			return nil, err
		}
		b.driftBars(without, 1, 1)
		reports = append(reports, without)
	}
	for _, reason := range slices.Sorted(maps.Keys(w.failed)) {
		fmt.Fprintf(b.out, "  left out: %d × %s\n", w.failed[reason], reason)
	}
	return append(reports, w.alone, w.nearest), nil
}

// driftBars judges a report by what the contract says, per 1,000 spans. An answer that says itself that it is one
// of several equal regions claims nothing.
func (b *bench) driftBars(r *driftReport, single, most float64) {
	all, one, of := r.all(), r.rows[0], r.of+", "+r.how+": "
	b.judge(none(of+"wrong content", all.content, all.asked))
	b.judge(atMostRate(of+"wrong identity", all.identity-all.doubted, all.asked, most))
	b.judge(atMostRate(of+"wrong identity, 1 line", one.identity-one.doubted, one.asked, single))
	if all.edited > 0 {
		b.judge(atLeastShare(of+"successor of what was edited", all.right, all.edited, 95))
	}
}

// atMostRate judges a count by what there may be in 1,000.
func atMostRate(what string, n, of int, most float64) verdict {
	return verdict{what, fmt.Sprintf("%.2f ‰", perThousand(n, of)), fmt.Sprintf("%.1f ‰", most), of > 0 && perThousand(n, of) <= most}
}

// plan reads the history and picks the spans. Texts are read again at each step: those of 1,000 commits
// would take gigabytes.
func (w *walk) plan(ctx context.Context) error {
	return history(ctx, w.git, "histogram", w.drift.commits, func(c change) error {
		if n := len(w.steps); n == 0 || w.steps[n-1].commit != c.commit {
			w.steps = append(w.steps, &commitStep{commit: c.commit, parent: c.parent})
		}
		s := w.steps[len(w.steps)-1]
		s.files = append(s.files, &stepFile{change: c})
		return nil
	})
}

// run goes through all steps: address gives a file's spans their addresses before each.
func (w *walk) run(ctx context.Context, report *driftReport, address func(*walk, context.Context, *client.Client, *stepFile) error) error {
	var err error
	if w.blobs, err = openBlobs(ctx, w.git); err != nil {
		return err
	}
	defer w.blobs.close()
	if err := w.checkOut(ctx, w.steps[0].parent); err != nil {
		return err
	}
	c, _, err := w.warm(ctx, w.root)
	if err != nil {
		return err
	}
	defer c.Close()
	var asking time.Duration
	asked := 0
	for _, s := range w.steps {
		if err := w.checkOut(ctx, s.parent); err != nil {
			return err
		}
		var spans []followed
		var files []*stepFile
		for _, f := range spread(s.files, filesEach) {
			if !w.read(f) {
				continue
			}
			if err := address(w, ctx, c, f); err != nil {
				return err
			}
			spans, files = append(spans, f.spans...), append(files, f)
		}
		if err := w.checkOut(ctx, s.commit); err != nil {
			return err
		}
		began := time.Now()
		outcomes, err := w.resolved(ctx, c, w.root, spans)
		if err != nil {
			return err
		}
		asking, asked = asking+time.Since(began), asked+len(spans)
		for _, f := range files {
			for i, span := range f.spans {
				w.show(s, span, report.rows[span.kind].judge(span, outcomes[i], f.is))
			}
			w.compare(f)
			outcomes = outcomes[len(f.spans):]
			f.is = fate{}
		}
	}
	w.compared = true
	fmt.Fprintf(w.out, "  %d addresses resolved in %v, freshness included: %v each\n", asked, round(asking), round(asking/time.Duration(max(asked, 1))))
	return nil
}

// compare judges what would be said without a daemon, in the first run.
func (w *walk) compare(f *stepFile) {
	if w.compared {
		return
	}
	m := anchors.MapLines(f.is.old, f.is.new, nil)
	for _, span := range f.spans {
		w.alone.rows[span.kind].judge(span, mapped(m, span.span), f.is)
		w.nearest.rows[span.kind].judge(span, nearest(f.is.old, f.is.new, span.span), f.is)
	}
}

// checkOut makes the worktree that of a commit.
func (w *walk) checkOut(ctx context.Context, commit string) error {
	if w.at == commit {
		return nil
	}
	_, err := git(ctx, w.root, "checkout", "--quiet", "--detach", commit)
	w.at = commit
	return err
}

// read reads both versions of a file; false when they cannot be compared with git's map.
func (w *walk) read(f *stepFile) bool {
	from, err1 := w.blobs.read(f.from)
	to, err2 := w.blobs.read(f.to)
	if err := errors.Join(err1, err2); err != nil {
		w.failed[err.Error()]++
		return false
	}
	if endsDiffer(from, to) {
		w.failed["files with \\r, or whose last newline came or went: git compares them otherwise"]++
		return false
	}
	f.is.old, f.is.new = anchors.NewTable(from), anchors.NewTable(to)
	m, err := newGitMap(f.hunks, f.is.old.Len(), f.is.new.Len())
	if err != nil {
		w.failed[err.Error()]++
		return false
	}
	f.is.gitMap = m
	return true
}

// minted picks spans by chance, the same ones in every run, and definitions, and has the daemon make their
// addresses.
func (w *walk) minted(ctx context.Context, c *client.Client, f *stepFile) error {
	chance := rand.New(rand.NewPCG(uint64(f.is.old.Len()), uint64(len(f.path))+uint64(f.from[0])<<8+uint64(f.from[1])<<16))
	for k, length := range spanLengths {
		for range spansEach {
			if length > f.is.old.Len() {
				continue
			}
			first := 1 + chance.IntN(f.is.old.Len()-length+1)
			s := anchors.Span{First: first, Last: first + length - 1}
			if err := w.mint(ctx, c, f, s, k); err != nil {
				return err
			}
		}
	}
	r, err := c.Map(ctx, wire.MapParams{Common: wire.Common{Root: w.root}, Path: wire.RepoRef(f.path), Budget: outlineBudget})
	if refused, ok := errors.AsType[*wire.Error](err); ok {
		w.failed["outline refused: "+string(refused.Data.Error)]++
		return nil
	}
	if err != nil {
		return err
	}
	definitions := slices.Clone(r.Entries)
	chance.Shuffle(len(definitions), func(i, j int) { definitions[i], definitions[j] = definitions[j], definitions[i] })
	for _, d := range definitions[:min(len(definitions), spansEach)] {
		if d.Live == nil || d.Lines[1] > f.is.old.Len() {
			w.failed["definitions without a live address"]++
			continue
		}
		f.spans = append(f.spans, followed{anchors.Span{First: d.Live.Lines[0], Last: d.Live.Lines[1]}, aDefinition, d.Live.Address})
	}
	return nil
}

// mint has the daemon make the address of a span.
func (w *walk) mint(ctx context.Context, c *client.Client, f *stepFile, s anchors.Span, kind int) error {
	r, err := c.Get(ctx, wire.GetParams{Common: wire.Common{Root: w.root}, Ref: wire.RepoRef(f.path), Lines: s.String()})
	if refused, ok := errors.AsType[*wire.Error](err); ok {
		w.failed["read refused: "+string(refused.Data.Error)]++
		return nil
	}
	if err != nil {
		return err
	}
	if r.Live == nil || r.Lines != (wire.Lines{s.First, s.Last}) {
		w.failed["reads that were cut"]++
		return nil
	}
	if want := f.is.old.Digest(s).Anchor().String(); r.Live.Anchor != want {
		return fmt.Errorf("%s has %s at %v, want %s: the worktree is not at %s", f.path, r.Live.Anchor, s, want, w.at)
	}
	f.spans = append(f.spans, followed{s, kind, r.Live.Address})
	return nil
}

// digested makes the addresses of the spans that were picked before, without the daemon.
func (w *walk) digested(_ context.Context, _ *client.Client, f *stepFile) error {
	for i, s := range f.spans {
		f.spans[i].address = fmt.Sprintf("%s --lines %v@%v", wire.RepoRef(f.path), s.span, f.is.old.Digest(s.span).Anchor())
	}
	return nil
}

// show prints what is wrong, the first few times.
func (w *walk) show(s *commitStep, span followed, wrong string) {
	if wrong == "" || w.shown == w.misses {
		return
	}
	w.shown++
	fmt.Fprintf(w.out, "  %.12s %s, %s: %s\n", s.commit, span.address, spanKind(span.kind), wrong)
}
