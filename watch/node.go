package watch

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unique"
)

// A node is one directory as the last sweep found it. While a sweep runs, the worker that
// visits a node owns it; a child is handed on only after its parent's visit.
type node struct {
	name   string // last element; "" for the root
	parent *node

	outer layers // the rules around it; set by the parent's visit
	inner layers // with its own ignore files; the decisions in kids were made with these

	gitignore, ctxignore *ignoreFile // nil until the directory has one

	kids   []kid                 // in the order in which the system lists them, without "." and ".."
	text   unique.Handle[string] // the paths of the files that were there first; zero when there were none
	linked map[string]identity   // the files of those kids that are linked; nil when there are none

	dev    uint64 // st_dev
	remote string // the file system, when its events do not tell of every write; see remoteName
	wd     int32  // inotify's name of it, when watched

	troubles uint32    // how many Problems were found in it
	refused  BlindKind // why it is not watched
	fresh    bool      // decisions must be made whatever the names say
	listed   bool      // read by this sweep; otherwise it contributes nothing
	watched  bool
	shared   bool // holds files that can change without an event here: links, several names
	visited  bool // once, since it became part of the tree
	detached bool // no longer part of the tree
}

// A kid is one name in a directory. Of its stat only a digest is kept: whoever wants the listing has the stats
// themselves, and twice they were a fifth of what a linked worktree costs in memory.
type kid struct {
	text    string // ends with the name; of files and links the whole path relative to the root
	sub     *node  // of directories that are entered
	mark    uint64 // of files and links the digest of their stat; else the inode that the listing tells
	size    uint16 // bytes of the name
	kind    uint8  // d_type
	verdict verdict
	present bool // found by this sweep; files and links only
	linked  bool // has other names elsewhere
}

// name and path share one string: 16 bytes less for each file than a string for either.
func (k *kid) name() string { return k.text[len(k.text)-int(k.size):] }

// entry is a file or link as a listing has it.
func (k *kid) entry(stat Stat) Entry { return Entry{Path: k.text, Stat: stat, Link: k.verdict == link} }

var marks = maphash.MakeSeed()

// mark is the digest of a stat, by a hash that is another one in each process. A file whose stat changed
// and whose mark did not (one of 2^64) is missed only where no event names it.
func mark(stat Stat) uint64 { return maphash.Comparable(marks, stat) }

// path appends the node's path relative to the root, with a final slash unless it is the root.
func (n *node) path(buf []byte) []byte {
	if n.parent == nil {
		return buf
	}
	// Not recursive over strings: directories keep only their last element, so that a chain of
	// 5,000 directories costs no memory that grows with the square of its depth.
	size := 0
	for at := n; at.parent != nil; at = at.parent {
		size += len(at.name) + 1
	}
	start := len(buf)
	buf = slices.Grow(buf, size)[:start+size]
	end := start + size
	for at := n; at.parent != nil; at = at.parent {
		end--
		buf[end] = '/'
		end -= len(at.name)
		copy(buf[end:], at.name)
	}
	return buf
}

// why is the reason for which events do not tell of every change in n; 0 when they do.
func (n *node) why() BlindKind {
	switch {
	case n.remote != "":
		return Remote
	case !n.watched:
		return cmp.Or(n.refused, Refused)
	case n.shared:
		return Shared
	}
	return 0
}

// clear forgets what was found, so that the node contributes nothing.
func (n *node) clear() {
	n.kids, n.listed = nil, false
}

// order is the listed kids in the order of the bytes of the paths below them: a directory's sort key ends
// with the slash that its files' paths have there. It is made for each full sweep: to keep it took 5 % of the
// memory of a linked worktree.
func (n *node) order() []int32 {
	listed := make([]int32, 0, len(n.kids))
	for i := range n.kids {
		if n.kids[i].verdict != skip {
			listed = append(listed, int32(i))
		}
	}
	slices.SortFunc(listed, func(a, b int32) int { return n.kids[a].compare(&n.kids[b]) })
	return listed
}

func (k *kid) compare(l *kid) int {
	a, b := k.name(), l.name()
	m := min(len(a), len(b))
	if c := strings.Compare(a[:m], b[:m]); c != 0 {
		return c
	}
	return k.at(m) - l.at(m)
}

// at is the byte at i of the sort key; -1 behind its end.
func (k *kid) at(i int) int {
	switch {
	case i < int(k.size):
		return int(k.name()[i])
	case k.sub != nil && i == int(k.size):
		return '/'
	}
	return -1
}

// collect appends the entries below n in order and counts the directories read.
func (n *node) collect(l *Listing, found map[*node]finding) {
	if !n.listed {
		return
	}
	l.Dirs++
	f := found[n]
	for _, i := range f.order {
		k := &n.kids[i]
		switch {
		case k.sub != nil:
			k.sub.collect(l, found)
		case k.present:
			l.Entries = append(l.Entries, k.entry(f.stats[i]))
		}
	}
}
