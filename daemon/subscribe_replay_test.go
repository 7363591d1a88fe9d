package daemon

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// model is the brute-force replay of a subscription: each address against a new table of its file, after each edit. No
// line occurs twice, so that content alone says which region is meant.
type model struct {
	r     *rand.Rand
	root  string
	lines map[string][]string
	held  map[string]*modelled
	next  int
}

type modelled struct {
	path  string
	sel   anchors.Selector
	known anchors.Known
	at    anchors.Span // zero: gone
}

func newModel(seed uint64, root string, files, lines int) *model {
	m := &model{r: rand.New(rand.NewPCG(seed, 1)), root: root, lines: map[string][]string{}, held: map[string]*modelled{}}
	for i := range files {
		var text []string
		for range lines {
			text = append(text, m.line())
		}
		m.lines[fmt.Sprintf("f%d.txt", i)] = text
	}
	return m
}

func (m *model) line() string {
	m.next++
	return fmt.Sprintf("line %d", m.next)
}

func (m *model) text(path string) []byte { return []byte(strings.Join(m.lines[path], "\n") + "\n") }

// addresses makes n addresses of random regions.
func (m *model) addresses(n int) (all []string) {
	paths := m.paths()
	for range n {
		path := paths[m.r.IntN(len(paths))]
		table := anchors.NewTable(m.text(path))
		first := 1 + m.r.IntN(table.Len())
		span := anchors.Span{First: first, Last: min(table.Len(), first+m.r.IntN(5))}
		known := table.Known(span)
		sel := anchors.Selector{Span: span, Anchor: known.Full.Anchor(), Anchored: true}
		address := wire.RepoRef(path) + " --lines " + sel.String()
		m.held[address] = &modelled{path, sel, known, span}
		all = append(all, address)
	}
	return all
}

func (m *model) paths() (all []string) {
	for path := range m.lines {
		all = append(all, path)
	}
	slices.Sort(all)
	return all
}

// edit changes a random file: lines come, go, change, move and come back.
func (m *model) edit() string {
	paths := m.paths()
	path := paths[m.r.IntN(len(paths))]
	lines := m.lines[path]
	at := m.r.IntN(len(lines) + 1)
	last := min(len(lines), at+1+m.r.IntN(4))
	switch m.r.IntN(4) {
	case 0:
		lines = slices.Insert(lines, at, m.line())
	case 1:
		if len(lines) > 5 {
			lines = slices.Delete(lines, at, last)
		}
	case 2:
		for i := at; i < last; i++ {
			lines[i] = m.line()
		}
	case 3: // a block moves
		block := slices.Clone(lines[at:last])
		lines = slices.Delete(lines, at, last)
		lines = slices.Insert(lines, m.r.IntN(len(lines)+1), block...)
	}
	m.lines[path] = lines
	return path
}

// save writes a file in one of the ways in which programs save.
func (m *model) save(t *testing.T, path string) {
	t.Helper()
	name := filepath.Join(m.root, path)
	if m.r.IntN(2) == 0 {
		write(t, name, string(m.text(path)))
	} else if err := byRenaming(name, string(m.text(path))); err != nil {
		t.Fatal(err)
	}
}

// expect is what is to be told of the addresses in a file.
func (m *model) expect(path string) (want []string) {
	table := anchors.NewTable(m.text(path))
	for address, h := range m.held {
		if h.path != path {
			continue
		}
		now := table.Resolve(h.sel, &h.known, nil).Span
		if now == h.at {
			continue
		}
		c := wire.AnchorChange{Address: address, Kind: wire.Moved}
		if h.at.First > 0 {
			c.From = &wire.Lines{h.at.First, h.at.Last}
		} else {
			c.Kind = wire.Restored
		}
		if now.First > 0 {
			c.Lines = &wire.Lines{now.First, now.Last}
			if now != h.sel.Span {
				sel := anchors.Selector{Span: now, Anchor: h.sel.Anchor, Anchored: true}
				c.Live = &wire.Live{Address: wire.RepoRef(path) + " --lines " + sel.String()}
			}
		} else {
			c.Kind = wire.Lost
		}
		h.at = now
		want = append(want, brief(c))
	}
	slices.Sort(want)
	return want
}

// plainly is what was told, as the model knows it: it does not know what a gone region became, nor that this changes.
func plainly(news []wire.AnchorChange) (lines []string) {
	for _, c := range news {
		if c.Kind == wire.Edited {
			c.Kind = wire.Lost
		}
		if c.Kind == wire.Lost && c.From == nil {
			continue
		}
		lines = append(lines, brief(c))
	}
	slices.Sort(lines)
	return lines
}
