package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// warmUp is the part of the operations after which the daemon is taken for warm: half of them. What it remembers within
// bounds, the past of files above all, is full after some 50,000; what grows without end shows in the other half.
const warmUp = 2

// afterGC is how long the daemon is left alone once captures are collected: it gives memory back every 15 s.
const afterGC = 40 * time.Second

// soak does 200,000 random things to a small tree and asks about it all the while. In the end, with every
// file as it was at first, the daemon must use as much of the system as it did when it was warm.
func soak(ctx context.Context, b *bench) error {
	root := filepath.Join(b.tmp, "soak")
	g := newGarden(root)
	if err := g.plant(); err != nil {
		return err
	}
	if _, err := git(ctx, root, "init", "--quiet"); err != nil {
		return err
	}
	c, _, err := b.warm(ctx, root)
	if err != nil {
		return err
	}
	defer c.Close()
	n := b.times(200_000)
	gardener := &gardener{garden: g, c: c, took: make([]samples, len(operations))}
	if err := gardener.work(ctx, n/warmUp); err != nil {
		return err
	}
	before, err := b.atRest(ctx, c, gardener)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := gardener.work(ctx, n-n/warmUp); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := b.atRest(ctx, c, gardener)
	if err != nil {
		return err
	}
	for i, o := range operations {
		b.row(o.name, gardener.took[i], nil)
	}
	fmt.Fprintf(b.out, "  %d operations in %v, %d answers checked, %d wrong\n", n-n/warmUp, round(took), gardener.checked, gardener.wrong)
	for _, f := range gardener.faults {
		fmt.Fprintln(b.out, "  WRONG:", f)
	}
	fmt.Fprintf(b.out, "  when warm: %v\n  at the end: %v\n", before, after)
	b.judge(none("wrong answers", gardener.wrong, gardener.checked))
	b.judge(same("goroutines at the end", after.goroutines, before.goroutines))
	b.judge(same("descriptors", after.descriptors, before.descriptors))
	b.judge(same("watched directories", after.watched, before.watched))
	b.judge(same("files", after.files, before.files))
	b.judge(same("definitions", after.definitions, before.definitions))
	b.judge(atMostBytes("resident memory, beside when warm", after.resident, before.resident, 1.25))
	return nil
}

// figures are what the daemon uses, and what it knows.
type figures struct {
	goroutines, descriptors, watched, unwatched, files, definitions int
	resident                                                        int64
}

func (f figures) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d directories watched and %d not, %d files with %d definitions, %d MB resident",
		f.goroutines, f.descriptors, f.watched, f.unwatched, f.files, f.definitions, f.resident>>20)
}

// atRest brings every file back, leaves the daemon alone, and takes its figures. What it remembers of the addresses
// that it gave out is meant to grow, by some 60 bytes each, and is collected first: of captures that were used
// in the last three minutes it keeps all, so --idle is to be longer than that where memory counts. Goroutines and
// descriptors come and go with requests: the least of several looks counts.
func (b *bench) atRest(ctx context.Context, c *client.Client, g *gardener) (figures, error) {
	if err := g.garden.replant(); err != nil {
		return figures{}, err
	}
	if _, _, err := indexed(ctx, c, g.garden.root); err != nil {
		return figures{}, err
	}
	if err := pause(ctx, b.idle); err != nil {
		return figures{}, err
	}
	none := 0
	if _, err := c.GC(ctx, wire.GCParams{RetentionDays: &none}); err != nil {
		return figures{}, err
	}
	if err := pause(ctx, afterGC); err != nil {
		return figures{}, err
	}
	const looks = 10
	var least figures
	for i := range looks {
		w, s, err := indexed(ctx, c, g.garden.root)
		if err != nil {
			return figures{}, err
		}
		f := figures{s.Process.Goroutines, process{s.PID}.descriptors(), w.Watched, w.Unwatched, w.Files, w.Definitions, process{s.PID}.resident()}
		if i == 0 {
			least = f
		}
		least.goroutines, least.descriptors = min(least.goroutines, f.goroutines), min(least.descriptors, f.descriptors)
		if err := pause(ctx, pollEvery); err != nil {
			return figures{}, err
		}
	}
	return least, nil
}

// gardener works in a garden and asks about it.
type gardener struct {
	garden         *garden
	c              *client.Client
	took           []samples // by operation
	checked, wrong int
	faults         []string
}

// work does n operations.
func (g *gardener) work(ctx context.Context, n int) error {
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		i := g.garden.choose()
		d, err := timed(func() error { return operations[i].do(ctx, g) })
		if err != nil {
			return fmt.Errorf("%s: %w", operations[i].name, err)
		}
		g.took[i] = append(g.took[i], d)
	}
	return nil
}

// check notes whether an answer is what it must be.
func (g *gardener) check(right bool, format string, args ...any) {
	g.checked++
	if right {
		return
	}
	if g.wrong++; len(g.faults) < mostFaults {
		g.faults = append(g.faults, fmt.Sprintf(format, args...))
	}
}

func (g *gardener) at() wire.Common { return wire.Common{Root: g.garden.root} }

// define asks for the name that a bed holds now, or held before.
func (g *gardener) define(ctx context.Context, name, path string) error {
	r, err := g.c.Def(ctx, wire.DefParams{Common: g.at(), Target: name})
	if err != nil && !unknown(err) {
		return err
	}
	var paths []string
	if err == nil {
		for _, d := range r.Definitions {
			if len(d.Text) == 1 && d.Text[0] == markDefinition(name) {
				paths = append(paths, d.Path)
			}
		}
	}
	got := fmt.Sprint(paths)
	want := "[]"
	if path != "" {
		want = fmt.Sprint([]string{path})
	}
	g.check(got == want, "def %s: in %s, want %s", name, got, want)
	return nil
}

// read asks for a file, ignored or not.
func (g *gardener) read(ctx context.Context, path string, want []string) error {
	r, err := g.c.Get(ctx, wire.GetParams{Common: g.at(), Ref: wire.RepoRef(path), Lines: fmt.Sprintf("1:%d", len(want))})
	if err != nil && !unknown(err) {
		return err
	}
	if err != nil {
		g.check(false, "get %s: %v", path, err)
		return nil
	}
	g.check(fmt.Sprint(r.Text) == fmt.Sprint(want), "get %s: %q, want %q", path, r.Text, want)
	return nil
}

// visit asks for the definition by its live address as it was minted; now is the text of the file there,
// "" when there is none.
func (g *gardener) visit(ctx context.Context, m minted, now string) error {
	r, err := g.c.Get(ctx, wire.GetParams{Common: g.at(), Ref: m.address})
	there := containsLine(now, m.text)
	if isLost(err) {
		g.check(!there, "%s is lost, but %q stands there", m.address, m.text)
		return nil
	}
	if err != nil {
		return err
	}
	g.check(there && len(r.Text) == 1 && r.Text[0] == m.text, "%s: %s %q, want %q (there: %v)", m.address, r.Outcome, r.Text, m.text, there)
	return nil
}

// mint asks for a bed's definition and keeps its address.
func (g *gardener) mint(ctx context.Context, name string) (address string, err error) {
	r, err := g.c.Def(ctx, wire.DefParams{Common: g.at(), Target: name, NoBody: true})
	if err != nil {
		return "", err
	}
	if len(r.Definitions) != 1 || r.Definitions[0].Live == nil {
		g.check(false, "def %s: %d definitions, want 1 with an address", name, len(r.Definitions))
		return "", nil
	}
	return r.Definitions[0].Live.Address, nil
}

// text reads a file of the garden, "" when it is not there.
func (g *garden) text(path string) string {
	text, err := os.ReadFile(filepath.Join(g.root, path))
	if err != nil {
		return ""
	}
	return string(text)
}
