package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxd/client"
	"ctxd/client/wire"
)

// askers is how many questions are under way at once, each on a connection of its own: two cores have
// work while others are on their way.
const askers = 8

// recall asks the daemon for every tag that ctags finds: the definition must be listed for that
// path and name, at that line.
func recall(ctx context.Context, b *bench) error {
	c, s, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, w := range s.Workspaces {
		for _, p := range slices.Concat(w.Unparsed, w.Unreadable) {
			fmt.Fprintf(b.out, "  not parsed: %s: %s\n", p.Path, p.Reason)
		}
	}
	tags, err := b.ctags(ctx)
	if err != nil {
		return err
	}
	missed, err := b.missed(ctx, tags)
	if err != nil {
		return err
	}
	counts := tally(tags, missed)
	b.report(counts)
	if b.min > 0 {
		return under(counts, b.min)
	}
	return nil
}

// missed says of each tag whether ctx has no definition for it. A name is asked for once, wherever it is
// defined: a question for every tag and file took twice as long on GOROOT/src.
func (b *bench) missed(ctx context.Context, tags []tag) ([]bool, error) {
	named := map[string][]int{} // to its tags
	for i, t := range tags {
		named[t.Name] = append(named[t.Name], i)
	}
	names := slices.Sorted(maps.Keys(named))
	missed := make([]bool, len(tags))
	var next atomic.Int64
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range askers {
		all.Go(func() {
			c, err := b.start(ctx)
			if err == nil {
				defer c.Close()
			}
			for err == nil {
				i := int(next.Add(1)) - 1
				if i >= len(names) {
					return
				}
				var at map[string][]wire.Lines
				at, err = b.defined(ctx, c, names[i])
				for _, k := range named[names[i]] {
					missed[k] = !slices.ContainsFunc(at[tags[k].Path], func(l wire.Lines) bool { return l[0] <= tags[k].Line && tags[k].Line <= l[1] })
				}
			}
			once.Do(func() { failed = err })
			cancel()
		})
	}
	all.Wait()
	return missed, failed
}

// page is how many rows are asked for at once: a common name has more than a message may hold.
const page = 5000

// defined lists the definitions of a name by path: of each the lines from the first of its range to
// that of its name.
func (b *bench) defined(ctx context.Context, c *client.Client, name string) (map[string][]wire.Lines, error) {
	p := wire.DefParams{Common: b.common(), Target: name, NoBody: true, Limit: page}
	p.NoSync = true
	at := map[string][]wire.Lines{}
	for {
		r, err := c.Def(ctx, p)
		var refused *wire.Error
		if errors.As(err, &refused) && refused.Data != nil && refused.Data.Error != wire.Internal {
			return at, nil
		}
		if err != nil {
			return nil, fmt.Errorf("def %s: %w", name, err)
		}
		for _, d := range r.Definitions {
			at[d.Path] = append(at[d.Path], wire.Lines{d.Lines[0], d.SelectionRange.Start.Line + 1})
		}
		if p.After = r.Next; p.After == 0 {
			return at, nil
		}
	}
}

// count is what was found of one kind of tag.
type count struct {
	all    int
	missed []tag
}

func (c *count) percent() float64 {
	return 100 * float64(c.all-len(c.missed)) / float64(max(c.all, 1))
}

// tally counts by language, by language and kind, and those that are counted apart by themselves.
func tally(tags []tag, missed []bool) map[string]*count {
	counts := map[string]*count{}
	for i, t := range tags {
		keys := []string{t.Language, t.Language + " " + t.Kind}
		if t.apart != "" {
			keys = []string{t.Language + " " + t.Kind + ", " + t.apart}
		}
		for _, key := range keys {
			c := counts[key]
			if c == nil {
				c = &count{}
				counts[key] = c
			}
			c.all++
			if missed[i] {
				c.missed = append(c.missed, t)
			}
		}
	}
	return counts
}

// under is an error when the recall of a language is under so many percent.
func under(counts map[string]*count, percent float64) error {
	var low []string
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if c := counts[key]; wanted[key] != "" && c.percent() < percent {
			low = append(low, fmt.Sprintf("%s %.3f %%", key, c.percent()))
		}
	}
	if len(low) > 0 {
		return fmt.Errorf("recall is under %v %%: %s", percent, strings.Join(low, ", "))
	}
	return nil
}

// report prints the counts, and of every kind a sample of the misses, spread over all of them.
func (b *bench) report(counts map[string]*count) {
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		c := counts[key]
		fmt.Fprintf(b.out, "%-44s %7d tags  %6d missed  recall %7.3f %%", key, c.all, len(c.missed), c.percent())
		if strings.Contains(key, ", ") {
			fmt.Fprint(b.out, "  (not counted)")
		}
		fmt.Fprintln(b.out)
		if wanted[key] != "" {
			continue // its kinds show theirs
		}
		slices.SortFunc(c.missed, func(x, y tag) int {
			return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Name, y.Name))
		})
		for _, t := range spread(c.missed, b.misses) {
			fmt.Fprintf(b.out, "    %s:%d: %s  %.100s\n", t.Path, t.Line, t.Name, t.Pattern)
		}
	}
}
