package watch

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// dirt is what events say must be looked at. An event decides nothing: what the look finds does.
type dirt struct {
	all   Cause // why everything must be; "" when the nodes are enough
	nodes map[*node]*touched
}

// touched is what happened in one directory.
type touched struct {
	names  map[string]bool // whose content or state may have changed, whatever their stat says
	dirs   map[string]bool // that now stand for another directory than before
	decide bool            // what git tracks has changed, or a rule of a directory above: what is listed must be decided anew
}

// everything notes that single directories are not enough. An overflow is told even when there is
// more to say: whoever runs a daemon can do something about it.
func (d *dirt) everything(why Cause) {
	if d.all == "" || why == CauseOverflow {
		d.all = why
	}
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

// name notes a change of a file in n.
func (d *dirt) name(n *node, name string) { d.directory(n).names[name] = true }

// replaced notes that a directory's name came, went, or stands for another one.
func (d *dirt) replaced(n *node, name string) { d.directory(n).dirs[name] = true }

// delta is what a follow-up found changed; the Listing's fields of these names tell what they mean.
type delta struct {
	changed []Entry
	gone    []string
	now     *touched // of the node that is being visited
	dropped []*node
	full    Cause // why what was looked at is not enough; "" when it is
	torn    bool  // see Listing
}

// manyBlind: where more directories are blind, and they are the greater part, a full sweep takes their place. It uses
// all processors and reaches each directory from its parent: 1,274 of GOROOT/src's 1,324 took a
// follow-up 42 ms, where a full sweep of all takes 20.
var manyBlind = 256 // tests lower it

// follow makes a listing of what changed since the last one, by looking only where events say that
// something happened, and where there are no events. With a Cause there is none: a full sweep is needed.
func (t *Tree) follow(ctx context.Context) (*Listing, Cause, error) {
	st := &t.state
	if st.full != "" {
		return nil, st.full, nil
	}
	var d dirt
	st.notify.drain(&d)
	st.full = cmp.Or(d.all, CauseFailure) // the events are spent: until the end, half of a follow-up must not pass for the whole
	fd, id, err := t.openRoot()
	if err != nil {
		st.full = CauseRoot
		return nil, "", err
	}
	defer unix.Close(fd)
	s := t.sweeper(fd)
	s.delta = &delta{}
	// What lies outside the root is not watched, it is read: a few small files.
	outer := st.prepare(s, t)
	switch {
	case d.all != "":
	case st.id != id: // a directory above was moved or mounted on: the root's own watch tells nothing
		d.all = CauseRoot
	case st.prefix != s.prefix || st.fold != s.fold:
		d.all = CauseRules
	case !slices.Equal(st.around, s.problems): // one that has gone shows nowhere else
		d.all = CauseProblems
	}
	if d.all != "" {
		return nil, d.all, nil
	}
	defer s.links.close()
	if n := len(st.blind.nodes); n > manyBlind && n > st.notify.count() {
		return nil, CauseBlind, nil
	}
	if st.root.outer != outer {
		st.root.outer = outer
		d.directory(st.root)
	}
	told := len(d.nodes)
	st.retrack(&d, s)
	st.decided = undecided // until the end: half of the changed rules decide half of the tree
	for n := range st.blind.nodes {
		d.directory(n)
	}
	looked, err := st.visit(ctx, s, d.nodes)
	if err != nil {
		return nil, "", err
	}
	st.settle(s)
	for _, p := range s.problems {
		if !slices.Contains(st.problems, p) {
			s.delta.full = CauseProblems
		}
	}
	if s.delta.full != "" {
		return nil, s.delta.full, nil
	}
	st.full, st.decided = "", s.tracked
	l := &Listing{
		Changed: s.delta.changed, Gone: s.delta.gone, Problems: st.problems, Torn: s.delta.torn || len(s.delta.dropped) > 0,
		Dirs: looked, Told: told, Watched: st.notify.count(),
	}
	st.blind.tell(l, st.root, t.limit)
	return l, "", nil
}

// visit looks at the nodes and at those whose rules change with theirs, and returns how many they are.
func (st *state) visit(ctx context.Context, s *sweeper, nodes map[*node]*touched) (int, error) {
	// Parents first: what a parent's look drops need not be looked at.
	order := slices.SortedFunc(maps.Keys(nodes), func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.depth(), b.depth()), strings.Compare(string(a.path(nil)), string(b.path(nil))))
	})
	v := visits{st: st, s: s, nodes: nodes}
	for _, n := range order {
		if n.detached {
			continue
		}
		if err := v.look(ctx, n); err != nil {
			return 0, err
		}
	}
	return len(nodes), nil
}

// settle brings the watches into line with the nodes that a follow-up visited or dropped.
func (st *state) settle(s *sweeper) {
	for _, n := range s.delta.dropped {
		st.notify.drop(n)
		st.blind.look(n)
	}
	for n := range s.visited {
		st.blind.look(n)
	}
}

// depth is the number of directories above n, up to the root.
func (n *node) depth() (d int) {
	for ; n.parent != nil; n = n.parent {
		d++
	}
	return d
}

// compare appends to d what differs between a directory's kids before and after a visit, which found stats.
func (d *delta) compare(n *node, before []kid, stats []Stat) {
	old := make(map[string]*kid, len(before))
	for i := range before {
		old[before[i].name()] = &before[i]
	}
	d.torn = d.torn || d.now != nil && d.now.passing(old, n.kids)
	if n.listed {
		for i := range n.kids {
			k := &n.kids[i]
			o := old[k.name()]
			if o != nil && o.sub != nil && o.sub == k.sub {
				delete(old, k.name())
				continue
			}
			if k.present && k.sub == nil {
				if o == nil || !o.present || o.mark != k.mark || o.verdict != k.verdict || d.now != nil && d.now.names[k.name()] {
					d.changed = append(d.changed, k.entry(stats[i]))
				}
				if o != nil && o.sub == nil {
					delete(old, k.name())
				}
			}
		}
	}
	for _, o := range before {
		if old[o.name()] == nil {
			continue
		}
		if o.sub != nil {
			d.drop(o.sub)
		} else if o.present {
			d.gone = append(d.gone, o.text)
		}
	}
}

// passing says whether a directory came or went, or a name was told of that stood in the directory neither before nor now. One that
// was listed and had gone when it was looked at stood there for nobody.
func (t *touched) passing(before map[string]*kid, kids []kid) bool {
	unseen := 0
	for name := range t.names {
		if !before[name].stands() {
			unseen++
		}
	}
	for i := 0; i < len(kids) && unseen > 0; i++ {
		if name := kids[i].name(); t.names[name] && !before[name].stands() && kids[i].stands() {
			unseen--
		}
	}
	return unseen > 0 || len(t.dirs) > 0
}

// stands says whether the look that found k found it again when it looked at it. What is no file is not looked at.
func (k *kid) stands() bool { return k != nil && (k.verdict != file || k.present) }

// drop takes a directory and all below it out of the tree.
func (d *delta) drop(n *node) {
	n.detached = true
	d.dropped = append(d.dropped, n)
	if n.troubles > 0 { // its Problems go with it
		d.full = CauseProblems
	}
	for i := range n.kids {
		switch k := &n.kids[i]; {
		case k.sub != nil:
			d.drop(k.sub)
		case k.present && n.listed:
			d.gone = append(d.gone, k.text)
		}
	}
}
