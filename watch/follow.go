package watch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// dirt is what events say must be looked at. An event decides nothing: what the look finds does.
type dirt struct {
	all   bool // everything: events were lost, or an ignore file changed
	nodes map[*node]*touched
}

// touched is what happened in one directory.
type touched struct {
	names map[string]bool // whose content or state may have changed, whatever their stat says
	dirs  map[string]bool // that now stand for another directory than before
}

// directory notes that n must be read again.
func (d *dirt) directory(n *node) *touched {
	t := d.nodes[n]
	if t == nil {
		t = &touched{names: map[string]bool{}, dirs: map[string]bool{}}
		if d.nodes == nil {
			d.nodes = map[*node]*touched{}
		}
		d.nodes[n] = t
	}
	return t
}

// name notes a change of a file in n. A changed ignore file changes what is listed below.
func (d *dirt) name(n *node, name string) {
	if name == gitignore || name == ctxignore {
		d.all = true
		return
	}
	d.directory(n).names[name] = true
}

// replaced notes that a directory's name came, went, or stands for another one.
func (d *dirt) replaced(n *node, name string) { d.directory(n).dirs[name] = true }

// delta is what a follow-up found changed; the Listing's fields of these names tell what they mean.
type delta struct {
	changed []Entry
	gone    []string
	now     *touched // of the node that is being visited
	linked  bool     // a file got a second name: where the first stands, no event told
	dropped []*node
}

// follow makes a listing of what changed since the last one, by looking only where events say that
// something happened, and where there are no events. false: a full sweep is needed.
func (t *Tree) follow(ctx context.Context) (*Listing, bool, error) {
	st := &t.state
	if st.notify == nil || !st.complete {
		return nil, false, nil
	}
	var d dirt
	st.notify.drain(&d)
	fd, err := openDir(unix.AT_FDCWD, t.root)
	if err != nil {
		st.complete = false // the events are spent
		return nil, true, &RootError{Root: t.root, Err: err}
	}
	defer unix.Close(fd)
	s := &sweeper{root: t.root, fd: fd, notify: st.notify, delta: &delta{}}
	// What lies outside the root is not watched, it is read: a few small files.
	outer := st.prepare(s, t)
	if d.all || st.prefix != s.prefix || st.root.outer != outer || st.root.tracked != s.tracked {
		return nil, false, nil
	}
	s.links.root = t.root
	defer s.links.close()
	told := len(d.nodes)
	for n := range st.blind {
		d.directory(n)
	}
	// Parents first: what a parent's look drops need not be looked at.
	order := slices.SortedFunc(maps.Keys(d.nodes), func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.depth(), b.depth()), strings.Compare(string(a.path(nil)), string(b.path(nil))))
	})
	for _, n := range order {
		if n.detached {
			continue
		}
		s.delta.now = d.nodes[n]
		s.queue.init()
		s.queue.push([]work{{node: n}})
		st.workers[0].run(s)
		if err := errors.Join(ctx.Err(), s.err); err != nil {
			st.complete = false // half of a follow-up must not pass for the whole
			return nil, true, err
		}
	}
	st.settle(s)
	if s.delta.linked {
		return nil, false, nil
	}
	for _, p := range s.problems {
		if !slices.Contains(st.problems, p) {
			return nil, false, nil
		}
	}
	return &Listing{
		Changed: s.delta.changed, Gone: s.delta.gone, Problems: st.problems,
		Dirs: len(order), Told: told, Watched: st.notify.count(), Unwatched: len(st.blind),
	}, true, nil
}

// settle brings the watches into line with the nodes that a follow-up visited or dropped.
func (st *state) settle(s *sweeper) {
	for _, n := range s.delta.dropped {
		st.notify.drop(n)
		delete(st.blind, n)
	}
	for n := range s.visited {
		st.look(n)
	}
}

// look decides whether n is to be looked at each time: where events do not come (its watch was
// refused), or do not tell of every change (links, files with several names).
func (st *state) look(n *node) {
	if n.detached || n.watched && !n.shared {
		delete(st.blind, n)
		return
	}
	st.blind[n] = struct{}{}
}

// depth is the number of directories above n, up to the root.
func (n *node) depth() (d int) {
	for ; n.parent != nil; n = n.parent {
		d++
	}
	return d
}

// compare appends to d what differs between a directory's kids before and after a visit.
func (d *delta) compare(n *node, before []kid) {
	old := make(map[string]*kid, len(before))
	for i := range before {
		old[before[i].name] = &before[i]
	}
	if n.listed {
		for i := range n.kids {
			k := &n.kids[i]
			o := old[k.name]
			if o != nil && o.sub != nil && o.sub == k.sub {
				delete(old, k.name)
				continue
			}
			if k.present && k.sub == nil {
				if o == nil || !o.present || o.stat != k.stat || o.verdict != k.verdict || d.now != nil && d.now.names[k.name] {
					d.changed = append(d.changed, Entry{Path: k.path, Stat: k.stat, Link: k.verdict == link})
				}
				if o != nil && o.sub == nil {
					delete(old, k.name)
				}
			}
		}
	}
	for _, o := range before {
		if old[o.name] == nil {
			continue
		}
		if o.sub != nil {
			d.drop(o.sub)
		} else if o.present {
			d.gone = append(d.gone, o.path)
		}
	}
}

// drop takes a directory and all below it out of the tree.
func (d *delta) drop(n *node) {
	n.detached = true
	d.dropped = append(d.dropped, n)
	for i := range n.kids {
		switch k := &n.kids[i]; {
		case k.sub != nil:
			d.drop(k.sub)
		case k.present && n.listed:
			d.gone = append(d.gone, k.path)
		}
	}
}
