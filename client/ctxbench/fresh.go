package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// markedFiles is how many files the writes go round in, each in a directory of its own.
const markedFiles = 97

// fresh writes into a copy of the tree and asks after every write for the name that was written. The
// answer must show it, and the name that it replaced must be gone.
func fresh(ctx context.Context, b *bench) error {
	root := filepath.Join(b.tmp, "copy")
	if err := copyTree(root, b.root); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	m, err := markIn(root)
	if err != nil {
		return err
	}
	c, _, err := b.warm(ctx, root)
	if err != nil {
		return err
	}
	defer c.Close()
	var writes, answers, both samples
	byStyle := make([]samples, len(saves))
	missed, stale := 0, 0
	for i := range b.times(10_000) {
		style := saves[i%len(saves)]
		w, err := m.write(i, style)
		if err != nil {
			return fmt.Errorf("%s: %w", style.name, err)
		}
		var seen, ghost bool
		d, err := timed(func() error { seen, err = m.shows(ctx, c, w.name, w); return err })
		if err != nil {
			return err
		}
		if ghost, err = m.shows(ctx, c, w.before, w); err != nil {
			return err
		}
		if !seen {
			missed++
			fmt.Fprintf(b.out, "  MISSED: %s, written to %s (%s)\n", w.name, w.path, style.name)
		}
		if ghost {
			stale++
			fmt.Fprintf(b.out, "  STALE: %s, no longer in %s (%s)\n", w.before, w.path, style.name)
		}
		writes, answers, both = append(writes, w.took), append(answers, d), append(both, w.took+d)
		byStyle[i%len(saves)] = append(byStyle[i%len(saves)], w.took+d)
	}
	b.row("the write itself", writes, nil)
	b.row("the def after it", answers, nil)
	b.row("both", both, nil)
	for i, s := range saves {
		b.row("  "+s.name, byStyle[i], nil)
	}
	b.judge(atMost("write, then def on an open connection, p99", both.at(0.99), 25*time.Millisecond))
	b.judge(none("written names that an answer missed", missed, len(both)))
	b.judge(none("replaced names that an answer still had", stale, len(both)))
	return nil
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
	took               time.Duration
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

// markText is a file that defines name; extra lines make it longer.
func markText(name string, extra int) []byte {
	text := "package ctxbench\n\n// " + name + " is looked for.\nfunc " + name + "() int { return 1 }\n"
	for i := range extra {
		text += fmt.Sprintf("\nvar _ = %d\n", i)
	}
	return []byte(text)
}

// write saves the next generation of a file in one style.
func (m *marked) write(i int, style save) (written, error) {
	k := i % len(m.paths)
	w := written{path: m.paths[k], before: m.names[k], name: markName(k, i+1)}
	extra := i % 7
	path := filepath.Join(m.root, w.path)
	if style.sameSize {
		old, err := os.ReadFile(path)
		if err != nil {
			return w, err
		}
		extra = (len(old) - len(markText(w.name, 0))) / len("\nvar _ = 0\n")
	}
	text := markText(w.name, extra)
	var err error
	w.took, err = timed(func() error { return style.write(path, text) })
	m.names[k] = w.name
	return w, err
}

// shows says whether the daemon finds name in the file of w, and whether it does so rightly: a row
// whose text is not the definition of name counts as none.
func (m *marked) shows(ctx context.Context, c *client.Client, name string, w written) (bool, error) {
	r, err := c.Def(ctx, wire.DefParams{Common: wire.Common{Root: m.root}, Target: name})
	var refused *wire.Error
	if errors.As(err, &refused) && refused.Data != nil && refused.Data.Error == wire.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, d := range r.Definitions {
		if d.Path == filepath.ToSlash(w.path) && len(d.Text) == 1 && d.Text[0] == "func "+name+"() int { return 1 }" {
			return true, nil
		}
	}
	return false, nil
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
