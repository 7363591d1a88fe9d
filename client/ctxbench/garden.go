package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// The garden: trees × dirs directories, with plots files each, each of which defines one name.
const (
	trees     = 20
	dirs      = 10
	plots     = 10
	mostMints = 500
	mostRules = 8
)

// garden is a tree of small files and what is known of it: which file defines which name, and what is
// ignored.
type garden struct {
	root   string
	random *rand.Rand
	serial int

	beds   []*bed
	places map[string]bool // the paths that beds have
	rules  []string        // of .gitignore: "/t01/d02/" or "/t01/d02/f3.go"
	minted []minted
}

// bed is a file, or one that was deleted and may come back.
type bed struct {
	path   string // relative to the root
	name   string // what it defines
	before string // what it defined before that
	gone   bool
}

// minted is an address that an answer named, and the line that it stood for.
type minted struct {
	path, address, text string
}

// newGarden has always the same history.
func newGarden(root string) *garden {
	return &garden{root: root, random: rand.New(rand.NewPCG(3, 4))}
}

func treeDir(t int) string    { return fmt.Sprintf("t%02d", t) }
func plotDir(t, d int) string { return filepath.Join(treeDir(t), fmt.Sprintf("d%02d", d)) }

// plant makes the first state of the tree.
func (g *garden) plant() error {
	g.beds, g.places, g.rules, g.minted = nil, map[string]bool{}, nil, nil
	for t := range trees {
		for d := range dirs {
			if err := os.MkdirAll(filepath.Join(g.root, plotDir(t, d)), 0o755); err != nil {
				return err
			}
			for p := range plots {
				b := &bed{path: filepath.Join(plotDir(t, d), fmt.Sprintf("f%d.go", p)), name: markName(0, len(g.beds))}
				g.beds = append(g.beds, b)
				g.places[b.path] = true
				if err := os.WriteFile(filepath.Join(g.root, b.path), markText(b.name, 0), 0o644); err != nil {
					return err
				}
			}
		}
	}
	return g.writeRules()
}

// replant brings the first state back.
func (g *garden) replant() error {
	entries, err := os.ReadDir(g.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(g.root, e.Name())); err != nil {
			return err
		}
	}
	return g.plant()
}

func (g *garden) writeRules() error {
	return os.WriteFile(filepath.Join(g.root, ".gitignore"), []byte(strings.Join(append([]string{"# rules"}, g.rules...), "\n")+"\n"), 0o644)
}

// ignored says whether a rule hides a path.
func (g *garden) ignored(path string) bool {
	return slices.ContainsFunc(g.rules, func(rule string) bool {
		return "/"+path == rule || strings.HasSuffix(rule, "/") && strings.HasPrefix("/"+path, rule)
	})
}

// any picks a bed, of those that are there or of those that are not.
func (g *garden) any(gone bool) *bed {
	for range 100 {
		if b := g.beds[g.random.IntN(len(g.beds))]; b.gone == gone {
			return b
		}
	}
	return nil
}

// free is a path that nothing has, beside that of another bed.
func (g *garden) free() string {
	for {
		dir := plotDir(g.random.IntN(trees), g.random.IntN(dirs))
		path := filepath.Join(dir, fmt.Sprintf("f%d.go", g.random.IntN(3*plots)))
		if g.places[path] {
			continue
		}
		if info, err := os.Stat(filepath.Join(g.root, dir)); err == nil && info.IsDir() {
			return path
		}
	}
}

func (g *garden) freshName() string {
	g.serial++
	return markName(1, g.serial)
}

// operation is one kind of thing to do, so many times in a hundred.
type operation struct {
	name  string
	share int
	do    func(context.Context, *gardener) error
}

var operations = [...]operation{
	{"def of a name that is there", 30, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error { return g.defineBed(ctx, b) })
	}},
	{"def of a name that was replaced", 6, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error {
			if b.before == "" {
				return nil
			}
			return g.define(ctx, b.before, "")
		})
	}},
	{"def of a name that was deleted", 4, func(ctx context.Context, g *gardener) error {
		return withBed(g, true, func(b *bed) error { return g.define(ctx, b.name, "") })
	}},
	{"read of a file", 12, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error {
			return g.read(ctx, b.path, []string{"package ctxbench", "", "// " + b.name + " is looked for.", markDefinition(b.name)})
		})
	}},
	{"def, and its address is kept", 5, keepAddress},
	{"get of an address that was kept", 10, func(ctx context.Context, g *gardener) error {
		if len(g.garden.minted) == 0 {
			return nil
		}
		m := g.garden.minted[g.garden.random.IntN(len(g.garden.minted))]
		return g.visit(ctx, m, g.garden.text(m.path))
	}},
	{"write, and def", 20, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error {
			style := saves[g.garden.random.IntN(len(saves))]
			b.before, b.name = b.name, g.garden.freshName()
			path := filepath.Join(g.garden.root, b.path)
			extra := g.garden.random.IntN(5)
			if style.sameSize {
				extra = (len(g.garden.text(b.path)) - len(markText(b.name, 0))) / len("\nvar _ = 0\n")
			}
			if err := style.write(path, markText(b.name, extra)); err != nil {
				return err
			}
			return g.defineBed(ctx, b)
		})
	}},
	{"rename of a file, and def", 4, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error {
			to := g.garden.free()
			if err := os.Rename(filepath.Join(g.garden.root, b.path), filepath.Join(g.garden.root, to)); err != nil {
				return err
			}
			g.garden.move(b, to)
			return g.defineBed(ctx, b)
		})
	}},
	{"deletion, and def", 4, func(ctx context.Context, g *gardener) error {
		return withBed(g, false, func(b *bed) error {
			b.gone = true
			delete(g.garden.places, b.path)
			if err := os.Remove(filepath.Join(g.garden.root, b.path)); err != nil {
				return err
			}
			return g.define(ctx, b.name, "")
		})
	}},
	{"a new file, and def", 3, func(ctx context.Context, g *gardener) error {
		return withBed(g, true, func(b *bed) error {
			b.path, b.gone = g.garden.free(), false
			b.name, b.before = g.garden.freshName(), b.name
			g.garden.places[b.path] = true
			if err := os.WriteFile(filepath.Join(g.garden.root, b.path), markText(b.name, 0), 0o644); err != nil {
				return err
			}
			return g.defineBed(ctx, b)
		})
	}},
	{"rename of a directory, and def", 1, swapDirectories},
	{"change of ignore rules, and def", 1, changeRules},
}

// choose picks an operation by its share.
func (g *garden) choose() int {
	all := 0
	for _, o := range operations {
		all += o.share
	}
	roll, at := g.random.IntN(all), 0
	for roll >= operations[at].share {
		roll -= operations[at].share
		at++
	}
	return at
}

// withBed does something with a bed, or nothing where there is none of that kind.
func withBed(g *gardener, gone bool, f func(*bed) error) error {
	if b := g.garden.any(gone); b != nil {
		return f(b)
	}
	return nil
}

func (g *gardener) defineBed(ctx context.Context, b *bed) error {
	if b.gone || g.garden.ignored(b.path) {
		return g.define(ctx, b.name, "")
	}
	return g.define(ctx, b.name, b.path)
}

func (g *garden) move(b *bed, to string) {
	delete(g.places, b.path)
	b.path = to
	g.places[to] = true
}

func keepAddress(ctx context.Context, g *gardener) error {
	b := g.garden.any(false)
	if b == nil || g.garden.ignored(b.path) {
		return nil
	}
	address, err := g.mint(ctx, b.name)
	if err != nil || address == "" {
		return err
	}
	m := minted{b.path, address, markDefinition(b.name)}
	if len(g.garden.minted) < mostMints {
		g.garden.minted = append(g.garden.minted, m)
	} else {
		g.garden.minted[g.garden.random.IntN(mostMints)] = m
	}
	return nil
}

// swapDirectories exchanges two directories, with all that is in them, by three renames: every name
// of the tree stays in use, and every file in them has another path.
func swapDirectories(ctx context.Context, g *gardener) error {
	r := g.garden.random
	one, other := treeDir(r.IntN(trees)), treeDir(r.IntN(trees))
	if r.IntN(2) == 0 {
		one, other = plotDir(r.IntN(trees), r.IntN(dirs)), plotDir(r.IntN(trees), r.IntN(dirs))
	}
	if one == other {
		return nil
	}
	aside := "aside"
	for _, step := range [][2]string{{one, aside}, {other, one}, {aside, other}} {
		if err := os.Rename(filepath.Join(g.garden.root, step[0]), filepath.Join(g.garden.root, step[1])); err != nil {
			return err
		}
	}
	var moved []*bed
	for _, b := range g.garden.beds {
		if b.gone {
			continue
		}
		if rest, ok := strings.CutPrefix(b.path, one+"/"); ok {
			delete(g.garden.places, b.path)
			b.path, moved = filepath.Join(other, rest), append(moved, b)
		} else if rest, ok := strings.CutPrefix(b.path, other+"/"); ok {
			delete(g.garden.places, b.path)
			b.path, moved = filepath.Join(one, rest), append(moved, b)
		}
	}
	for _, b := range moved {
		g.garden.places[b.path] = true
	}
	if len(moved) == 0 {
		return nil
	}
	return g.defineBed(ctx, moved[r.IntN(len(moved))])
}

// changeRules hides a file or a directory, or shows one again.
func changeRules(ctx context.Context, g *gardener) error {
	r, garden := g.garden.random, g.garden
	b := garden.any(false)
	if b == nil {
		return nil
	}
	if len(garden.rules) > 0 && (len(garden.rules) == mostRules || r.IntN(2) == 0) {
		at := r.IntN(len(garden.rules))
		garden.rules = slices.Delete(garden.rules, at, at+1)
	} else if r.IntN(2) == 0 {
		garden.rules = append(garden.rules, "/"+b.path)
	} else {
		garden.rules = append(garden.rules, "/"+filepath.Dir(b.path)+"/")
	}
	if err := garden.writeRules(); err != nil {
		return err
	}
	return g.defineBed(ctx, b)
}

// containsLine says whether a text has a line.
func containsLine(text, line string) bool { return slices.Contains(strings.Split(text, "\n"), line) }

// isLost says whether an error is the refusal of an anchor whose content is gone.
func isLost(err error) bool {
	refused, ok := errors.AsType[*wire.Error](err)
	return ok && refused.Data != nil && refused.Data.Outcome == wire.Lost
}
