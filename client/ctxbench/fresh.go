package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ctxd/client/wire"
)

// markedFiles is how many files the writes go round in, each in a directory of its own.
const markedFiles = 97

// fresh writes into a copy of the tree and asks after every write for the name that was written. The
// answer must show it, and the name that it replaced must be gone. Every second write is another
// process's, the others are the asker's own: that process needs 0.05 ms to say that it has written, in
// which the daemon might catch up; the asker asks at once.
func fresh(ctx context.Context, b *bench) error {
	g, err := gateNamed(b.gate)
	if err != nil {
		return err
	}
	q, err := questionNamed(b.method)
	if err != nil {
		return err
	}
	root, err := b.scratch(g.small)
	if err != nil {
		return err
	}
	m, err := markIn(root)
	if err != nil {
		return err
	}
	if g.config != "" {
		if err := b.configure(g.config); err != nil {
			return err
		}
	}
	r := &freshRun{gate: g, question: q, every: max(b.every, 1), marked: m, byStyle: make([]samples, len(saves)), byWriter: make([]samples, 2)}
	if r.flood, err = newFlood(root); err != nil {
		return err
	}
	c, before, err := b.warm(ctx, root)
	if err != nil {
		return err
	}
	defer c.Close()
	r.daemon = process{before.PID}
	if r.asker, err = dialRaw(ctx); err != nil {
		return err
	}
	defer r.asker.close()
	if r.writer, err = startWriter(); err != nil {
		return err
	}
	defer r.writer.close()
	for i := range b.times(10_000) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.step(i, b.out); err != nil {
			return err
		}
	}
	after, err := c.Status(ctx, wire.StatusParams{Common: wire.Common{Root: root}})
	if err != nil {
		return err
	}
	then, err := workspaceOf(before, root)
	if err != nil {
		return err
	}
	now, err := workspaceOf(after, root)
	if err != nil {
		return err
	}
	b.freshReport(r, g.verdicts(then, now, r.flooded))
	return nil
}

// freshRun is one run of fresh.
type freshRun struct {
	gate     gate
	question question
	every    int // of how many writes one comes with the gate's flood
	marked   *marked
	daemon   process
	asker    *rawConn
	writer   *writer
	flood    *flood
	flooded  int

	writes, answers, gone, bare, both, added samples
	byStyle, byWriter                        []samples
	missed, stale                            int
}

// step is one write and what is asked after it.
func (r *freshRun) step(i int, out io.Writer) error {
	style := saves[i%len(saves)]
	o, w, err := r.marked.next(i, style)
	if err != nil {
		return fmt.Errorf("%s: %w", style.name, err)
	}
	o.Touch = r.gate.touch
	if r.gate.holds {
		if err := r.daemon.stop(); err != nil {
			return err
		}
		defer r.daemon.resume() // whatever happens
		if r.gate.floods && i%r.every == 0 {
			if err := r.flood.run(); err != nil {
				return err
			}
			r.flooded++
		}
	}
	carryOut := order.carryOut
	if i%2 == 0 {
		carryOut = func(o order) (time.Duration, error) { return r.writer.carryOut(o) }
	}
	took, err := carryOut(o)
	if err != nil {
		return fmt.Errorf("%s: %w", style.name, err)
	}
	var seen, ghost bool
	asked, err := timed(func() error {
		if err := r.question.send(r.asker, r.marked.root, w.name, w, false); err != nil {
			return err
		}
		if r.gate.holds {
			if err := r.daemon.resume(); err != nil {
				return err
			}
		}
		seen, err = r.question.shown(r.asker, w.name, w)
		return err
	})
	if err != nil {
		return err
	}
	gone, err := timed(func() error {
		if err := r.question.send(r.asker, r.marked.root, w.before, w, false); err != nil {
			return err
		}
		ghost, err = r.question.shown(r.asker, w.before, w)
		return err
	})
	if err != nil {
		return err
	}
	if !seen {
		r.missed++
		fmt.Fprintf(out, "  MISSED: %s, written to %s (%s)\n", w.name, w.path, style.name)
	}
	if ghost {
		r.stale++
		fmt.Fprintf(out, "  STALE: %s, no longer in %s (%s)\n", w.before, w.path, style.name)
	}
	bare, err := timed(func() error { return r.indexAsItIs(w) })
	if err != nil {
		return err
	}
	r.writes, r.answers, r.both = append(r.writes, took), append(r.answers, asked), append(r.both, took+asked)
	r.gone = append(r.gone, gone)
	r.bare, r.added = append(r.bare, bare), append(r.added, max(asked-bare, 0))
	r.byStyle[i%len(saves)] = append(r.byStyle[i%len(saves)], took+asked)
	r.byWriter[i%2] = append(r.byWriter[i%2], took+asked)
	return nil
}

// indexAsItIs asks the same question of the index as it is: what the barrier and the reading of what
// was written add is the difference.
func (r *freshRun) indexAsItIs(w written) error {
	if err := r.question.send(r.asker, r.marked.root, w.name, w, true); err != nil {
		return err
	}
	_, err := r.question.shown(r.asker, w.name, w)
	return err
}

func (b *bench) freshReport(r *freshRun, gated []verdict) {
	b.row("the write itself", r.writes, nil)
	b.row("the "+r.question.name+" after it, beside the index as it is", r.answers, r.bare)
	b.row("  added by the barrier and what it reads", r.added, nil)
	b.row(r.question.name+" of the name that it replaced", r.gone, nil)
	b.row("write and "+r.question.name, r.both, nil)
	for i, s := range saves {
		b.row("  "+s.name, r.byStyle[i], nil)
	}
	for i, who := range []string{"another process writes", "the asker writes"} {
		b.row("  "+who, r.byWriter[i], nil)
	}
	if r.question.name == "def" && !r.gate.holds && r.gate.config == "" {
		b.judge(atMost("write, then def on an open connection, p99", r.both.at(0.99), 25*time.Millisecond))
	}
	b.judge(none("written names that an answer missed", r.missed, len(r.both)))
	b.judge(none("replaced names that an answer still had", r.stale, len(r.both)))
	for _, v := range gated {
		b.judge(v)
	}
}

// marked are the files that are written.
type marked struct {
	root  string
	paths []string // relative to root
	names []string // the function that each holds
}

// written is one write: before is the name that it replaced.
type written struct {
	path, name, before string
}

// markIn puts the files into directories spread over root.
func markIn(root string) (*marked, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			rel, relErr := filepath.Rel(root, path)
			dirs, err = append(dirs, rel), relErr
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m := &marked{root: root}
	for i := range markedFiles {
		path := filepath.Join(spread(dirs, markedFiles)[i%min(len(dirs), markedFiles)], fmt.Sprintf("ctxbench%d.go", i))
		m.paths, m.names = append(m.paths, path), append(m.names, markName(i, 0))
		if err := os.WriteFile(filepath.Join(root, path), markText(markName(i, 0), 0), 0o644); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// markName is different for every write, and always as long.
func markName(file, serial int) string { return fmt.Sprintf("CtxBench%03dMark%07d", file, serial) }

func markDefinition(name string) string { return "func " + name + "() int { return 1 }" }

// markText is a file that defines name; extra lines make it longer.
func markText(name string, extra int) []byte {
	text := "package ctxbench\n\n// " + name + " is looked for.\n" + markDefinition(name) + "\n"
	for i := range extra {
		text += fmt.Sprintf("\nvar _ = %d\n", i)
	}
	return []byte(text)
}

// next makes the order for the next generation of a file in one style.
func (m *marked) next(i int, style save) (order, written, error) {
	k := i % len(m.paths)
	w := written{path: m.paths[k], before: m.names[k], name: markName(k, i+1)}
	extra := i % 7
	path := filepath.Join(m.root, w.path)
	if style.sameSize {
		old, err := os.ReadFile(path)
		if err != nil {
			return order{}, w, err
		}
		extra = (len(old) - len(markText(w.name, 0))) / len("\nvar _ = 0\n")
	}
	m.names[k] = w.name
	return order{Path: path, Text: markText(w.name, extra), Style: style.name}, w, nil
}

// scratch is a tree that may be written to: a copy of the one that was named, or of a part of
// GOROOT/src when none was and a small one will do.
func (b *bench) scratch(small bool) (string, error) {
	if b.files > 0 {
		return b.root, nil // grown for this run
	}
	from, to := b.root, filepath.Join(b.tmp, "copy")
	if small && b.usual {
		from = filepath.Join(from, "net")
	}
	return to, copyTree(to, from)
}

// copyTree copies the regular files of a tree.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}
