package watch

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// A BlindKind says why events do not tell of every change in a directory.
type BlindKind uint8

const (
	KernelLimit     BlindKind = 1 + iota // no watch is left for this user: fs.inotify.max_user_watches
	ConfiguredLimit                      // Options.MaxWatches are in use
	NoInstance                           // no inotify instance is left for this user: fs.inotify.max_user_instances
	EventsOff                            // Options.NoEvents, or a system whose events are not used
	Remote                               // a file system that is written to behind this kernel's back
	Shared                               // symbolic links, files with several names, mounted files
	Refused                              // the system will not watch it, whatever the limits
)

var blindKinds = [...]string{"", "kernel limit", "configured limit", "no instance", "events off", "remote", "shared", "refused"}

func (k BlindKind) String() string { return blindKinds[k] }

// Blind is a directory that is looked at each time, or a subtree of Dirs directories that all are,
// for one reason. Path is relative to the root, "." for the root.
type Blind struct {
	Path   string
	Kind   BlindKind
	Reason string // Kind in words, with the limit's or the file system's name
	Dirs   int
}

// maxBlind bounds the rows of Listing.Blind.
const maxBlind = 20

// blindSet are the directories that are looked at each time, and what is told of them.
type blindSet struct {
	nodes   map[*node]BlindKind
	changed bool // since the rows were made
	rows    []Blind
	more    int
}

// look decides whether n is to be looked at each time: where events do not come (its watch was
// refused, its file system is remote), or do not tell of every change (links, files with several names).
func (b *blindSet) look(n *node) {
	kind := n.why()
	if n.detached {
		kind = 0
	}
	if b.nodes[n] == kind {
		return
	}
	b.changed = true
	if kind == 0 {
		delete(b.nodes, n)
		return
	}
	b.nodes[n] = kind
}

// tell fills in what l says of blind directories. Rows are made only when the set changed: that
// walks the tree, 0.2 ms for 1,324 directories, while most follow-ups look at one.
func (b *blindSet) tell(l *Listing, root *node, limit int) {
	if b.changed {
		b.rows, b.more = gather(root, b.nodes, limit)
		b.changed = false
	}
	l.Unwatched, l.Blind, l.MoreBlind = len(b.nodes), b.rows, b.more
}

// region is a row under construction.
type region struct {
	top   *node
	path  string
	kind  BlindKind
	dirs  int
	whole bool // all of the subtree
}

// gather makes the rows: a subtree that is blind for one reason throughout is one, any other blind
// directory is one by itself. The largest are kept, so that no small one hides a subtree.
func gather(root *node, blind map[*node]BlindKind, limit int) (rows []Blind, more int) {
	if len(blind) == 0 {
		return nil, 0
	}
	regions := regionsOf(nil, root, blind)
	for i := range regions {
		regions[i].path = path.Clean(string(regions[i].top.path(nil))) // "." for the root
	}
	slices.SortFunc(regions, func(a, b region) int { return cmp.Or(cmp.Compare(b.dirs, a.dirs), strings.Compare(a.path, b.path)) })
	more = max(0, len(regions)-maxBlind)
	for _, r := range regions[:len(regions)-more] {
		rows = append(rows, Blind{Path: r.path, Kind: r.kind, Dirs: r.dirs, Reason: r.kind.reason(r.top.remote, limit)})
	}
	slices.SortFunc(rows, func(a, b Blind) int { return strings.Compare(a.Path, b.Path) })
	return rows, more
}

// regionsOf appends the regions of the subtree n to those before.
func regionsOf(before []region, n *node, blind map[*node]BlindKind) []region {
	all, own := before, region{top: n, kind: blind[n], dirs: 1}
	whole, dirs := own.kind != 0, 1
	for i := range n.kids {
		sub := n.kids[i].sub
		if sub == nil || !sub.listed && blind[sub] == 0 {
			continue
		}
		at := len(all)
		all = regionsOf(all, sub, blind)
		whole = whole && len(all) == at+1 && all[at].top == sub && all[at].kind == own.kind && sub.remote == n.remote && all[at].whole
		if whole {
			dirs += all[at].dirs
		}
	}
	if whole {
		own.dirs, own.whole = dirs, true
		all = all[:len(before)]
	}
	if own.kind != 0 {
		all = append(all, own)
	}
	return all
}

// reason is the kind in words; remote names the file system, limit is Options.MaxWatches.
func (k BlindKind) reason(remote string, limit int) string {
	switch k {
	case Shared:
		return "holds symbolic links, files with several names or mounted files, which change without an event"
	case KernelLimit:
		return "the limit of watches per user is reached (" + sysctl("max_user_watches") + ")"
	case ConfiguredLimit:
		return fmt.Sprintf("the configured limit of %d watches is reached", limit)
	case NoInstance:
		return "no inotify instance is left (" + sysctl("max_user_instances") + ")"
	case Remote:
		return remote + " does not tell of writes made elsewhere"
	case EventsOff:
		return "events are not used"
	}
	return "the system refuses to watch it"
}

// sysctl names one of inotify's settings and its present value.
func sysctl(name string) string {
	value, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		return "fs.inotify." + name
	}
	return "fs.inotify." + name + " is " + strings.TrimSpace(string(value))
}
