package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxd/client"
	"ctxd/client/wire"
)

// replay is what addresses should become under edits: the lines of each are looked for in the text, by comparing them. No
// line is there twice, so that content alone says which region is meant.
type replay struct {
	r     *rand.Rand
	root  string
	files map[string][]string
	paths []string // of files, sorted
	order []string // the addresses
	held  map[string]*replayed
	byOf  map[string][]string // addresses by path
	next  int

	unsteady int // addresses that were told to be there, and are refused when they are resolved again
}

type replayed struct {
	text []string
	at   int // index of its first line; -1: it is gone
}

func (h *replayed) lines() *wire.Lines {
	if h.at < 0 {
		return nil
	}
	return &wire.Lines{h.at + 1, h.at + len(h.text)}
}

// newReplay takes files of the tree, each line of them with a number of its own behind it.
func newReplay(b *bench) (*replay, error) {
	m := &replay{r: rand.New(rand.NewPCG(1, 2)), root: filepath.Join(b.tmp, "held"), files: map[string][]string{}, held: map[string]*replayed{}, byOf: map[string][]string{}}
	from, err := longEnough(b.root, subscribedFiles)
	if err != nil {
		return nil, err
	}
	for i, name := range from {
		path := fmt.Sprintf("d%d/f%d.go", i%50, i)
		lines, err := readLines(name, m.line)
		if err != nil {
			return nil, err
		}
		m.files[path] = lines
		m.paths = append(m.paths, path)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(m.root, path)), 0o755); err != nil {
			return nil, err
		}
	}
	slices.Sort(m.paths)
	return m, nil
}

func (m *replay) line(text string) string {
	m.next++
	return fmt.Sprintf("%s // %d", text, m.next)
}

// take asks for the addresses that are held, as everybody does: by reading.
func (m *replay) take(ctx context.Context, c *client.Client) error {
	for len(m.held) < subscribed {
		path := m.paths[m.r.IntN(len(m.paths))]
		lines := m.files[path]
		first := m.r.IntN(len(lines))
		last := min(len(lines), first+1+m.r.IntN(8))
		res, err := c.Get(ctx, wire.GetParams{Common: wire.Common{Root: m.root, NoSync: true}, Ref: wire.RepoRef(path), Lines: fmt.Sprintf("%d:%d", first+1, last)})
		if err != nil {
			return err
		}
		address := res.Live.Address
		if m.held[address] == nil {
			m.held[address] = &replayed{slices.Clone(lines[first:last]), first}
			m.byOf[path] = append(m.byOf[path], address)
			m.order = append(m.order, address)
		}
	}
	return nil
}

// edit changes a file: lines come, go, are rewritten, or move.
func (m *replay) edit() (path string) {
	path = m.paths[m.r.IntN(len(m.paths))]
	lines := m.files[path]
	at := m.r.IntN(len(lines) + 1)
	last := min(len(lines), at+1+m.r.IntN(4))
	switch m.r.IntN(4) {
	case 0:
		lines = slices.Insert(lines, at, m.line(""))
	case 1:
		if len(lines) > 40 {
			lines = slices.Delete(lines, at, last)
		}
	case 2:
		for i := at; i < last; i++ {
			lines[i] = m.line("// rewritten")
		}
	case 3:
		block := slices.Clone(lines[at:last])
		lines = slices.Delete(lines, at, last)
		lines = slices.Insert(lines, m.r.IntN(len(lines)+1), block...)
	}
	m.files[path] = lines
	return path
}

// save writes a file, in one of the styles of programs that save.
func (m *replay) save(path string, i int) error {
	name := filepath.Join(m.root, path)
	text := []byte(strings.Join(m.files[path], "\n") + "\n")
	if _, err := os.Stat(name); err != nil || i%2 == 0 {
		return os.WriteFile(name, text, 0o644)
	}
	return byRename(name, text)
}

// expect is what is to be told of the addresses in a file, sorted.
func (m *replay) expect(path string) (want []string) {
	at := map[string]int{}
	lines := m.files[path]
	for i, line := range lines {
		at[line] = i
	}
	for _, address := range m.byOf[path] {
		h := m.held[address]
		from, now := h.lines(), -1
		if i, ok := at[h.text[0]]; ok && i+len(h.text) <= len(lines) && slices.Equal(lines[i:i+len(h.text)], h.text) {
			now = i
		}
		if now != h.at {
			h.at = now
			want = append(want, entry(address, from, h.lines()))
		}
	}
	slices.Sort(want)
	return want
}

// refusals are addresses whose lines are in their file, and that ctx refuses: it takes the region for another one with
// the same content.
type refusals map[string]bool

// has says whether a line of the log is about one of them.
func (r refusals) has(change string) bool {
	address, _, _ := strings.Cut(change, ": ")
	return r[address]
}

// refused finds the addresses in a file that ctx/resolve refuses though the replay has found their lines. They are let go:
// what is compared here is what is told with what is resolved. Those that were told to be there are counted.
func (m *replay) refused(ctx context.Context, c *client.Client, s *subscriber, path string) (refusals, error) {
	res, err := c.Resolve(ctx, wire.ResolveParams{Common: wire.Common{Root: m.root}, Addresses: m.byOf[path]})
	if err != nil {
		return nil, err
	}
	gone := refusals{}
	s.mu.Lock()
	for _, o := range res.Outcomes {
		if o.Lines == nil && m.held[o.Address].at >= 0 {
			if s.state[o.Address] != nil {
				m.unsteady++
			}
			gone[o.Address] = true
			delete(m.held, o.Address)
		}
	}
	s.mu.Unlock()
	m.byOf[path] = slices.DeleteFunc(m.byOf[path], func(a string) bool { return gone[a] })
	m.order = slices.DeleteFunc(m.order, func(a string) bool { return gone[a] })
	_, err = s.Subscribe(ctx, wire.SubscribeParams{Common: wire.Common{Root: m.root}, Drop: slices.Collect(maps.Keys(gone))})
	return gone, err
}

// agree lets all addresses go that ctx/resolve refuses, and says how many these are.
func (m *replay) agree(ctx context.Context, c *client.Client, s *subscriber) (n int, err error) {
	for _, path := range m.paths {
		gone, err := m.refused(ctx, c, s, path)
		if n += len(gone); err != nil {
			return n, err
		}
	}
	return n, nil
}
