package main

import (
	"bytes"
	"context"
	"fmt"

	"ctxd/anchors"
)

// others are git's other ways to compare, for scale: how far good maps differ.
var others = []string{"patience", "minimal", "default"}

// mapCount counts spans of one length that two maps disagree about.
type mapCount struct{ spans, elsewhere, ours, theirs int }

func (c mapCount) String() string {
	per := func(n int) float64 { return 1000 * float64(n) / float64(max(c.spans, 1)) }
	return fmt.Sprintf("%9d spans, per 1000: %.3f differ (%.3f elsewhere, %.3f only in the first, %.3f only in the second)",
		c.spans, per(c.elsewhere+c.ours+c.theirs), per(c.elsewhere), per(c.ours), per(c.theirs))
}

func (c *mapCount) add(x anchors.Span, inX bool, y anchors.Span, inY bool) bool {
	c.spans++
	switch {
	case inX && inY && x != y:
		c.elsewhere++
	case inX && !inY:
		c.ours++
	case !inX && inY:
		c.theirs++
	default:
		return true
	}
	return false
}

// compareMaps compares anchors.MapLines with git's histogram diff over every span of every file that a
// commit changed, and with it git's other ways.
func (b *bench) compareMaps(ctx context.Context) error {
	source, err := openBlobs(ctx, b.git)
	if err != nil {
		return err
	}
	defer source.close()
	streams := make([]chan change, len(others))
	failed := make(chan error, len(others))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, algorithm := range others {
		streams[i] = make(chan change)
		go func() {
			defer close(streams[i])
			failed <- history(ctx, b.git, algorithm, b.drift.commits, func(c change) error {
				select {
				case streams[i] <- c:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
	}
	counts := make([][]mapCount, 1+len(others))
	for i := range counts {
		counts[i] = make([]mapCount, len(spanLengths))
	}
	changes, skipped, moved, shown := 0, 0, 0, 0
	err = history(ctx, b.git, "histogram", b.drift.commits, func(c change) error {
		theirs := make([]change, len(others))
		for i := range others {
			theirs[i] = <-streams[i]
			if theirs[i].commit != c.commit || theirs[i].path != c.path {
				return fmt.Errorf("git's logs differ: %s %s and %s %s", c.commit, c.path, theirs[i].commit, theirs[i].path)
			}
		}
		from, err := source.read(c.from)
		if err != nil {
			return err
		}
		to, err := source.read(c.to)
		if err != nil {
			return err
		}
		old, new := anchors.NewTable(from), anchors.NewTable(to)
		reference, err := newGitMap(c.hunks, old.Len(), new.Len())
		if err != nil || endsDiffer(from, to) {
			skipped++
			return nil
		}
		changes++
		m := anchors.MapLines(old, new, nil)
		for i, length := range spanLengths {
			for first := 1; first+length-1 <= old.Len(); first++ {
				s := anchors.Span{First: first, Last: first + length - 1}
				x, inX := m.Span(s)
				y, inY := reference.span(s)
				if inX && !inY && reference.moves(s, x) {
					counts[0][i].spans++
					moved++
					continue
				}
				if !counts[0][i].add(x, inX, y, inY) && length == 1 && shown < b.misses {
					if b.showDisagreement(c, old, new, m, reference, s) {
						shown++
					}
				}
			}
		}
		for k := range others {
			other, err := newGitMap(theirs[k].hunks, old.Len(), new.Len())
			if err != nil {
				return err
			}
			for i, length := range spanLengths {
				for first := 1; first+length-1 <= old.Len(); first++ {
					s := anchors.Span{First: first, Last: first + length - 1}
					x, inX := other.span(s)
					y, inY := reference.span(s)
					counts[1+k][i].add(x, inX, y, inY)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %d changed files compared, %d left out; %d spans in moved blocks\n", changes, skipped, moved)
	for k, name := range append([]string{"MapLines"}, others...) {
		for i, length := range spanLengths {
			fmt.Fprintf(b.out, "  %-8s and histogram, %2d lines: %v\n", name, length, counts[k][i])
		}
	}
	return nil
}

// endsDiffer says whether one text ends with a newline and the other does not: to git the last lines
// differ, to us they do not. Nor does git know lines that end with \r alone.
func endsDiffer(x, y []byte) bool {
	end := func(t []byte) bool { return len(t) == 0 || t[len(t)-1] == '\n' }
	lone := func(t []byte) bool { return bytes.Count(t, []byte{'\r'}) > 0 }
	return end(x) != end(y) || lone(x) || lone(y)
}

var lastShown string

// showDisagreement prints the place at which a line is mapped differently, once for a change.
func (b *bench) showDisagreement(c change, old, new *anchors.Table, m *anchors.LineMap, reference *gitMap, s anchors.Span) bool {
	if lastShown == c.commit+c.path {
		return false
	}
	lastShown = c.commit + c.path
	fmt.Fprintf(b.out, "  %.12s %s, line %d: ours %d, git's %d: %q\n", c.commit, c.path, s.First, m.Line(s.First), reference.line[s.First], old.Line(s.First))
	return true
}
