package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Options of a Tree; the zero value is right for a daemon.
type Options struct {
	// Getenv gives HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM and
	// GIT_CONFIG_NOSYSTEM; nil is os.Getenv.
	Getenv func(string) string
	// NoEvents has every sweep read the whole tree.
	NoEvents bool
	// MaxWatches bounds the directories that are watched, 0 is no bound but the kernel's. The others
	// are looked at each time, as when the kernel refuses; see Listing.Blind.
	MaxWatches int
	// Workers is how many directories are read at once; 0 is GOMAXPROCS, at most 16.
	Workers int
}

// Entry is one file that a workspace consists of. Path is relative to the root, separated by
// slashes, the raw bytes of the names. For a symbolic link (Link) Stat is its target's.
type Entry struct {
	Path string
	Stat Stat
	Link bool
}

// Problem is something that could not be looked at, so that a listing may lack files or hold
// ignored ones. Path is relative to the root ("." for the root), absolute when it lies outside.
type Problem struct {
	Path   string
	Reason string
	Hides  bool // Path is a directory of which files, or all below it, are missing from the listing
}

func (p Problem) String() string { return p.Path + ": " + p.Reason }

// Listing is the result of one sweep. It is shared between callers: read only.
//
// A Full listing has every file in Entries, sorted by the bytes of the paths. One that is not full
// tells what may have changed since the listing before, in no order: Changed (new files, other
// stats, and files that an event named whatever their stat says) and Gone (paths; one that was
// replaced may stand in both lists: Changed is later).
type Listing struct {
	Full     bool
	Cause    Cause // why it is Full; "" when it is not
	Entries  []Entry
	Changed  []Entry
	Gone     []string
	Problems []Problem // of all that is listed, also when it is not Full
	// Torn: directories were renamed, made or removed, or a name that events told of had come and was gone again. What
	// moved during the look may be in none of the places where it was; the next look finds it. Every Full listing is.
	Torn bool

	Dirs      int     // directories read
	Told      int     // of these, directories that events named
	Watched   int     // directories whose changes are told by events
	Unwatched int     // directories that are looked at each time; with Watched 0, all of them
	Blind     []Blind // the Unwatched, by subtree, sorted by Path: the 20 largest subtrees
	MoreBlind int     // subtrees that Blind leaves out
}

// ErrClosed is what a Sweep of a closed Tree returns.
var ErrClosed = errors.New("watch: tree is closed")

// RootError says that the root itself cannot be read; it may come back. Err is the system's.
type RootError struct {
	Root string
	Err  error
}

func (e *RootError) Error() string {
	return fmt.Sprintf("watch: root %s cannot be read: %v; restore it or stop serving it", e.Root, e.Err)
}

func (e *RootError) Unwrap() error { return e.Err }

// A Tree is a root directory and what is remembered of it between sweeps: names, the decisions
// of the ignore rules, strings. All methods may be called at once from several goroutines.
type Tree struct {
	root    string // absolute, without symbolic links
	events  bool
	getenv  func(string) string
	workers int
	limit   int // Options.MaxWatches

	fstat  func(fd int, st *unix.Stat_t) error // statSelf, but for tests
	remote func(fd int) string                 // remoteName, but for tests

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	done sync.WaitGroup // whoever sweeps

	mu      sync.Mutex
	next    *flight // the sweep that has not begun
	running bool
	closed  bool

	ready   chan struct{} // closed when awaited is set
	awaited *notifier     // state.notify
	waiting chan struct{} // holds one token for whoever is in awaited.wait

	state  state       // owned by the goroutine that sweeps
	asking chan *state // one state for Ignored, taken out while it is used
	index  atomic.Pointer[indexFile]
}

// flight is one sweep that several callers may wait for.
type flight struct {
	done    chan struct{}
	listing *Listing
	err     error
}

// New prepares a Tree for the directory root. Nothing is read yet but root's own path; the
// error is a *RootError.
func New(root string, opts Options) (*Tree, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(abs); err == nil && !info.IsDir() {
			err = errors.New("not a directory")
		}
	}
	if err != nil {
		return nil, &RootError{Root: root, Err: err}
	}
	t := &Tree{
		root: abs, events: !opts.NoEvents, getenv: opts.Getenv, workers: opts.Workers, limit: opts.MaxWatches,
		fstat: statSelf, remote: remoteName,
		ready: make(chan struct{}), waiting: make(chan struct{}, 1),
		state: state{full: CauseFirst, decided: undecided}, asking: make(chan *state, 1),
	}
	if t.getenv == nil {
		t.getenv = os.Getenv
	}
	if t.workers <= 0 {
		t.workers = runtime.GOMAXPROCS(0)
	}
	t.workers = min(t.workers, maxWorkers)
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t, nil
}

// Root is the absolute path of the root, symbolic links resolved.
func (t *Tree) Root() string { return t.root }

// Sweep lists the tree, or what changed in it since the last Sweep (see Listing). Every change that
// finished before the call is seen; a change made during it may or may not be, and what vanishes
// meanwhile is simply absent. Calls that wait at the same time share one sweep, which begins after
// all of them. When ctx ends first, its error is returned, and a sweep that others wait for goes on.
//
// Errors: *RootError, ErrClosed, ctx's, and the system's when it is out of descriptors or
// memory; what concerns single directories is a Problem of the listing instead.
func (t *Tree) Sweep(ctx context.Context) (*Listing, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, ErrClosed
	}
	if t.next == nil {
		t.next = &flight{done: make(chan struct{})}
	}
	f := t.next
	if t.running {
		t.mu.Unlock()
		select {
		case <-f.done:
			return f.listing, f.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t.next, t.running = nil, true
	t.done.Add(1)
	t.mu.Unlock()
	t.sweepAlone(ctx, f)
	return f.listing, f.err
}

// sweepAlone makes the listing of one caller in its own goroutine: nobody else waits for it, so it lasts no longer than
// ctx. To hand it over and back took 20 µs of a sync. Whoever comes meanwhile is left to run.
func (t *Tree) sweepAlone(ctx context.Context, f *flight) {
	own, cancel := context.WithCancel(t.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	t.sweepFor(own, f)
	if f.err == ErrClosed && t.ctx.Err() == nil {
		f.err = ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next != nil {
		go t.run()
		return
	}
	t.running = false
	t.done.Done()
}

// run sweeps until nobody waits.
func (t *Tree) run() {
	defer t.done.Done()
	for {
		t.mu.Lock()
		f := t.next
		t.next = nil
		if f == nil {
			t.running = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		t.sweepFor(t.ctx, f)
	}
}

// sweepFor makes the listing that f waits for. Only one goroutine does at a time.
func (t *Tree) sweepFor(ctx context.Context, f *flight) {
	f.listing, f.err = t.list(ctx)
	if errors.Is(f.err, context.Canceled) {
		f.err = ErrClosed // what Close ends
	}
	close(f.done)
}

// list follows the events since the last listing where that is enough, else sweeps.
func (t *Tree) list(ctx context.Context) (*Listing, error) {
	l, cause, err := t.follow(ctx)
	if cause != "" {
		l, err = t.sweep(ctx, cause)
	}
	return l, err
}

// Wait blocks until an event is queued that no Sweep has taken: then the next Sweep finds something
// to look at, though not always a change. Without events (Listing.Watched is 0) it blocks until ctx
// ends, and before the first Sweep until there are some. It is for one goroutine that follows changes while
// nobody asks; meanwhile it holds one thread of the operating system, and wakes for nothing else.
//
// What is told only by a look causes no event: changes in Listing.Blind, and of mounts, and of git's
// files outside the root.
//
// Errors: ctx's, ErrClosed.
func (t *Tree) Wait(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	err := t.wait(ctx)
	if t.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

func (t *Tree) wait(ctx context.Context) error {
	select {
	case <-t.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case t.waiting <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.waiting }()
	if t.ctx.Err() != nil { // Close may have been here
		return ErrClosed
	}
	return t.awaited.wait(ctx)
}

// Close ends a sweep and a Wait that are under way and waits for them. Further ones return ErrClosed.
func (t *Tree) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.stop()
	t.done.Wait()
	t.waiting <- struct{}{} // nobody else is in awaited.wait, nor will be: t.ctx has ended
	defer func() { <-t.waiting }()
	if t.state.notify != nil {
		t.state.notify.close()
		t.state.notify = nil
	}
	return nil
}
