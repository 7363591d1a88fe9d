package watch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	maxWorkers = 16
	// maxHandles bounds the directories kept open for their children. With two descriptors in
	// each worker's hands and a few for git's files this stays below 128, half of the smallest
	// limit in use (256).
	maxHandles = 64
	// maxPath bounds a path in bytes. The system opens no path over 4,096, yet relative opens
	// reach deeper; this is where memory, not the system, sets the end.
	maxPath = 1 << 16
	// maxBuffer is what a worker keeps of the raw names of a large directory, in bytes.
	maxBuffer = 1 << 20
)

// state is what a Tree remembers between sweeps.
type state struct {
	root     *node
	prefix   string // of the paths in the tracked list: the root relative to the top level
	outside  outside
	ignoring map[string]*ignoreFile // ignore files that do not lie below the root, by path
	size     int                    // entries of the last listing
	workers  []*worker

	id       identity // of the root directory
	notify   *notifier
	full     Cause // why the next listing must be a full one; "" when a follow-up may be enough
	blind    blindSet
	problems []Problem // of the last full sweep
	around   []Problem // those of them that lie outside the root
	fold     bool      // core.ignoreCase, as it was then
	decided  *tracked  // what all decisions in the tree were made with; undecided when there is no such thing
}

// undecided is no list of a repository's: decisions were made with several, or with none.
var undecided = &tracked{}

// identity tells one directory from another.
type identity struct{ dev, ino uint64 }

// sweeper is one sweep under way.
type sweeper struct {
	root     string
	prefix   string
	fold     bool
	tracked  *tracked
	fd       int // of the root
	handles  atomic.Int32
	queue    queue
	links    linkResolver
	mu       sync.Mutex
	problems []Problem
	err      error // of the system, not of a file: the sweep is void

	fstat   func(fd int, st *unix.Stat_t) error // Tree.fstat
	remote  func(fd int) string                 // Tree.remote
	notify  *notifier
	visited map[*node]bool    // guarded by mu
	listing map[*node]finding // of a full sweep; guarded by mu
	decide  bool              // a full sweep decides everything anew
	delta   *delta            // of a follow-up, which has one worker; else nil
}

// finding is what a full sweep found in one directory.
type finding struct {
	stats []Stat  // of its kids
	order []int32 // of those that are listed
}

// work is a directory to visit.
type work struct {
	node *node
	from *handle // its parent, open; nil when it must be reached from the root
}

// handle is an open directory with as many references as children still to be opened.
type handle struct {
	fd   int
	refs atomic.Int32
}

// sweeper prepares a listing of the root that is open as fd.
func (t *Tree) sweeper(fd int) *sweeper {
	return &sweeper{
		root: t.root, fd: fd, links: linkResolver{root: t.root},
		fstat: t.fstat, remote: t.remote, notify: t.state.notify,
	}
}

// openRoot opens the root by its path, as whoever asks would, and says which directory it is now.
func (t *Tree) openRoot() (fd int, id identity, err error) {
	fd, err = openDir(unix.AT_FDCWD, t.root)
	if err != nil {
		return -1, id, &RootError{Root: t.root, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, id, &RootError{Root: t.root, Err: err}
	}
	return fd, identity{uint64(st.Dev), uint64(st.Ino)}, nil
}

// sweep makes one full listing, because of cause. Only the Tree's goroutine calls it.
func (t *Tree) sweep(ctx context.Context, cause Cause) (*Listing, error) {
	st := &t.state
	st.full = cause
	fd, id, err := t.openRoot()
	if err != nil {
		st.full = CauseRoot
		return nil, err
	}
	defer unix.Close(fd)
	blind := t.listen()
	s := t.sweeper(fd)
	defer s.links.close()
	outer := st.prepare(s, t)
	if st.root == nil || st.prefix != s.prefix || st.id != id {
		st.prefix, st.id, st.root = s.prefix, id, &node{fresh: true}
	}
	st.root.outer, st.fold, st.around = outer, s.fold, slices.Clone(s.problems)
	s.listing, s.decide = map[*node]finding{}, st.decided != s.tracked
	st.decided = undecided // until the end: half of a sweep decides half of the tree
	st.walk(ctx, s, t.workers)
	if err := errors.Join(ctx.Err(), s.err); err != nil {
		return nil, err
	}
	l := &Listing{Full: true, Torn: true, Cause: st.full, Entries: make([]Entry, 0, st.size+st.size/64+16), Problems: s.problems}
	st.root.collect(l, s.listing)
	st.size = len(l.Entries)
	slices.SortFunc(l.Problems, func(a, b Problem) int {
		return strings.Compare(a.Path+"\x00"+a.Reason, b.Path+"\x00"+b.Reason)
	})
	l.Problems = slices.Compact(l.Problems)
	st.problems, st.decided = l.Problems, s.tracked
	if st.notify == nil {
		l.Unwatched = l.Dirs
		l.Blind = []Blind{{Path: ".", Kind: blind, Reason: blind.reason("", 0), Dirs: l.Dirs}}
		st.full = CauseNoEvents
		return l, nil
	}
	st.workers = []*worker{{}} // follow-ups need one, and small buffers
	st.watches(s)
	l.Watched = st.notify.count()
	st.blind.tell(l, st.root, t.limit)
	st.full = ""
	return l, nil
}

// listen makes the notifier, if there is to be one and is none, and empties its queue: what is queued is about to be
// seen anyway. Watches are set before directories are read, so whatever happens from here on is in the queue of the
// next follow-up. It returns why there is no notifier.
func (t *Tree) listen() (blind BlindKind) {
	st := &t.state
	if st.notify == nil && t.events {
		if st.notify, blind = newNotifier(t.root, t.limit); st.notify != nil {
			t.awaited = st.notify
			close(t.ready)
		}
	}
	if st.notify == nil {
		return cmp.Or(blind, EventsOff)
	}
	var d dirt
	if st.notify.drain(&d); d.all == CauseOverflow {
		st.full = CauseOverflow
	}
	return blind
}

// walk visits the whole tree with that many workers. The end of ctx cuts it short.
func (st *state) walk(ctx context.Context, s *sweeper, workers int) {
	for len(st.workers) < workers {
		st.workers = append(st.workers, &worker{})
	}
	s.queue.init()
	s.queue.push([]work{{node: st.root}})
	defer context.AfterFunc(ctx, s.queue.abort)()
	var others sync.WaitGroup
	for _, w := range st.workers[1:] {
		others.Go(func() { w.run(s) })
	}
	st.workers[0].run(s)
	others.Wait()
	for _, w := range s.queue.items { // of a sweep that was given up
		if w.from != nil {
			s.release(w.from)
		}
	}
}

// watches ends those of directories that a full sweep did not visit, and lists the blind ones.
func (st *state) watches(s *sweeper) {
	for _, n := range st.notify.beside(s.visited) {
		st.notify.drop(n)
	}
	st.blind = blindSet{nodes: map[*node]BlindKind{}, changed: true}
	for n := range s.visited {
		st.blind.look(n)
	}
}

// found keeps what is in n, and the stats of its kids, for the listing of a full sweep.
func (s *sweeper) found(n *node, stats []Stat) {
	if s.delta != nil {
		return
	}
	f := finding{slices.Clone(stats), n.order()}
	s.mu.Lock()
	s.listing[n] = f
	s.mu.Unlock()
}

// problem notes what could not be looked at.
func (s *sweeper) problem(p Problem) {
	s.mu.Lock()
	s.problems = append(s.problems, p)
	s.mu.Unlock()
}

// fail gives the sweep up.
func (s *sweeper) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.queue.abort()
}

// open opens a directory to visit and gives back its claim on its parent's handle.
func (s *sweeper) open(w work) (int, error) {
	if w.node.parent == nil {
		return openDir(s.fd, ".")
	}
	if w.from != nil {
		defer s.release(w.from)
		return openDir(w.from.fd, w.node.name)
	}
	return s.reopen(w.node)
}

// reopen reaches a directory from the root without following a link on the way.
func (s *sweeper) reopen(n *node) (int, error) {
	var names []string
	for ; n.parent != nil; n = n.parent {
		names = append(names, n.name)
	}
	slices.Reverse(names)
	return openBelow(s.fd, names)
}

func (s *sweeper) release(h *handle) {
	if h.refs.Add(-1) == 0 {
		unix.Close(h.fd)
		s.handles.Add(-1)
	}
}

// keep makes a handle of fd for n children, nil when too many are open; then fd is closed.
func (s *sweeper) keep(fd, n int) *handle {
	if n == 0 || s.handles.Add(1) > maxHandles {
		if n > 0 {
			s.handles.Add(-1)
		}
		unix.Close(fd)
		return nil
	}
	h := &handle{fd: fd}
	h.refs.Store(int32(n))
	return h
}

// openDir opens a directory for reading; a link is not followed, and a FIFO is not waited for.
func openDir(at int, name string) (int, error) {
	for {
		fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// exhausted tells errors of the system as a whole from those of one file: taking "no more
// descriptors" for "directory gone" would lose files without a word.
func exhausted(err error) bool {
	return err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOMEM
}

// vanished tells that a name is no longer what it was when it was listed.
func vanished(err error) bool {
	return err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP || err == unix.ESTALE
}
