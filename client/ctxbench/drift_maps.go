package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"ctxd/anchors"
)

// others are git's other ways to compare, for scale: how far good maps differ.
var others = []string{"patience", "minimal", "default"}

// mapCount counts spans of one length that two maps disagree about.
type mapCount struct{ spans, elsewhere, ours, theirs int }

func (c mapCount) String() string {
	per := func(n int) float64 { return perThousand(n, c.spans) }
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	source, err := openBlobs(ctx, b.git)
	if err != nil {
		return err
	}
	defer source.close()
	c := &mapComparison{bench: b, counts: make([][]mapCount, 1+len(others))}
	for i := range c.counts {
		c.counts[i] = make([]mapCount, len(spanLengths))
	}
	var streams []*stream
	for _, algorithm := range others {
		streams = append(streams, b.stream(ctx, algorithm))
	}
	err = history(ctx, b.git, "histogram", b.drift.commits, func(ch change) error {
		theirs := make([]change, len(others))
		for i := range others {
			var more bool
			if theirs[i], more = <-streams[i].changes; !more {
				return fmt.Errorf("git's log by %s ends before %s %s: %w", others[i], ch.commit, ch.path, errors.Join(streams[i].err, io.ErrUnexpectedEOF))
			}
			if theirs[i].commit != ch.commit || theirs[i].path != ch.path {
				return fmt.Errorf("git's logs differ: %s %s and %s %s", ch.commit, ch.path, theirs[i].commit, theirs[i].path)
			}
		}
		from, err := source.read(ch.from)
		if err != nil {
			return err
		}
		to, err := source.read(ch.to)
		if err != nil {
			return err
		}
		return c.change(ch, theirs, from, to)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s\n  %d changed files compared, %d left out; %d spans in moved blocks\n", b.git, c.changes, c.skipped, c.moved)
	for k, name := range append([]string{"MapLines"}, others...) {
		for i, length := range spanLengths {
			fmt.Fprintf(b.out, "  %-8s and histogram, %2d lines: %v\n", name, length, c.counts[k][i])
		}
	}
	return nil
}

// stream is the changes of git's log in one of its ways, until the context is done.
type stream struct {
	changes <-chan change
	err     error // once changes is closed
}

func (b *bench) stream(ctx context.Context, algorithm string) *stream {
	c := make(chan change)
	s := &stream{changes: c}
	go func() { // ends with ctx
		defer close(c)
		s.err = history(ctx, b.git, algorithm, b.drift.commits, func(ch change) error {
			select {
			case c <- ch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return s
}

// mapComparison counts.
type mapComparison struct {
	*bench
	counts                         [][]mapCount // MapLines, then others; by length
	changes, skipped, moved, shown int
}

// change compares the maps of one file.
func (c *mapComparison) change(ch change, theirs []change, from, to []byte) error {
	old, new := anchors.NewTable(from), anchors.NewTable(to)
	reference, err := newGitMap(ch.hunks, old.Len(), new.Len())
	if err != nil || endsDiffer(from, to) {
		c.skipped++
		return nil
	}
	c.changes++
	m := anchors.MapLines(old, new, nil)
	first := true
	spans(old.Len(), func(i int, s anchors.Span) {
		x, inX := m.Span(s)
		y, inY := reference.span(s)
		if inX && !inY && reference.moves(s, x) {
			c.counts[0][i].spans++
			c.moved++
			return
		}
		if !c.counts[0][i].add(x, inX, y, inY) && first && c.shown < c.misses {
			first, c.shown = false, c.shown+1
			fmt.Fprintf(c.out, "  %.12s %s, %v: ours %v, git's %v: %q\n", ch.commit, ch.path, s, x, y, old.Line(s.First))
		}
	})
	for k := range others {
		other, err := newGitMap(theirs[k].hunks, old.Len(), new.Len())
		if err != nil {
			return err
		}
		spans(old.Len(), func(i int, s anchors.Span) {
			x, inX := other.span(s)
			y, inY := reference.span(s)
			c.counts[1+k][i].add(x, inX, y, inY)
		})
	}
	return nil
}

// spans yields every span of a text of so many lines, of each length.
func spans(lines int, yield func(i int, s anchors.Span)) {
	for i, length := range spanLengths {
		for first := 1; first+length-1 <= lines; first++ {
			yield(i, anchors.Span{First: first, Last: first + length - 1})
		}
	}
}

// endsDiffer says whether one text ends with a newline and the other does not: to git the last lines
// differ, to us they do not. Nor does git know lines that end with \r alone.
func endsDiffer(x, y []byte) bool {
	end := func(t []byte) bool { return len(t) == 0 || t[len(t)-1] == '\n' }
	lone := func(t []byte) bool { return bytes.Count(t, []byte{'\r'}) > 0 }
	return end(x) != end(y) || lone(x) || lone(y)
}
