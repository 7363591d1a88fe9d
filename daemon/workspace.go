package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/checkers"
	"ctxd/index"
	"ctxd/watch"
)

const (
	// inlineFiles and inlineBytes are how much of what changed one sync parses before it answers. More
	// is left pending for the background workers, and a request looks into the pending files itself.
	inlineFiles = 16
	inlineBytes = 128 << 10
	// textCache bounds the bytes of cited files that a workspace keeps.
	textCache = 64 << 20
	// maxParse is the largest file that is parsed; index.Build has the same limit, this one saves
	// the read.
	maxParse = 4 << 20
)

// Workspace is a worktree as one client sees it: with the buffers that it has open, or as it is on disk. Requests are
// its methods, and what they answer is the same for all clients but for the buffers.
type Workspace struct {
	*worktree
	overlay *Overlay // nil: none
	units   Units    // of the positions in its answers
}

// worktree is one open directory. One goroutine, loop, owns everything that changes; readers load cur once per
// request.
type worktree struct {
	Root string // absolute, symlinks resolved
	id   string // short digest of Root: the name of this workspace in the capture store

	users int           // requests under way; guarded by Daemon.mu
	holds int           // clients that keep it open; guarded by Daemon.mu
	used  time.Time     // when the last one ended; guarded by Daemon.mu
	big   chan struct{} // the daemon's: holds a token while a big file is read

	watching watch.Options

	store       *captures.Store
	catalog     *catalog
	log         *slog.Logger
	texts       *texts
	lineages    *lineages
	committed   *committed
	complaint   atomic.Pointer[complaint] // nil: the store could always be written
	cur         atomic.Pointer[Snapshot]
	disk        atomic.Pointer[disk]
	courtesy    courtesy     // when the workers stand back for requests
	sweeps      atomic.Int64 // looks at the whole tree
	cause       atomic.Value // a watch.Cause: why the last of them was made
	stirs       atomic.Int64 // looks at the tree that found something going on
	turnover    atomic.Pointer[turnover]
	outdated    outdated      // what the next look reads, whatever events say
	syncs       chan syncCall // to loop: bring the snapshot up to date
	landed      chan landing  // to loop
	uncommitted atomic.Int64  // files that landed since the last commit
	work        chan *File    // from loop: pending files, for the workers
	looking     chan struct{} // holds a token while a request looks through the pending files
	stop        context.CancelFunc
	stopped     chan struct{} // closed when loop and workers have ended

	past     atomic.Pointer[remembered] // of the daemon before; nil when the index is complete
	complete chan struct{}              // from loop, holds a token when the index has become complete
	saved    weak.Pointer[Snapshot]     // the last one that went into the manifest

	config    atomic.Pointer[config]
	troubles  atomic.Pointer[troubles] // of the snapshot that was last asked about
	listeners listeners                // who is told of changes
	editors   *editors                 // the daemon's: what clients have open
	stirred   signal                   // that the snapshot has changed

	diags        diagState
	trust        *trusts            // the daemon's
	slots        checkers.Slots     // the daemon's
	userCheckers []checkers.Checker // of the user's own file
	checkerState string             // directory for what checkers write
}

// disk is the worktree as it is opened; replaced as a whole when the root directory itself is
// replaced (rm -rf and a new clone).
type disk struct {
	root *os.Root
	dir  *os.File // the same directory, for StatBelow
	fd   int      // of dir, which stays open as long as the disk is reachable
	tree *watch.Tree
	dev  uint64
	ino  uint64
}

// syncCall is one request that waits for the snapshot to be brought up to date.
type syncCall struct {
	done chan error // buffered
}

// openWorkspace starts a workspace; Close ends it. root is absolute and free of symlinks.
func (daemon *Daemon) openWorkspace(root string) (*Workspace, error) {
	watching := watch.Options{MaxWatches: daemon.opts.User.Watch.MaxWatches}
	d, err := openDisk(root, watching)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	sum := sha256.Sum256([]byte(root))
	ws := &Workspace{worktree: &worktree{
		Root: root, id: hex.EncodeToString(sum[:8]), watching: watching,
		store: daemon.store, catalog: daemon.catalog, big: daemon.big, log: daemon.log.With("root", root),
		texts: newTexts(textCache), lineages: newLineages(), committed: newCommitted(),
		syncs: make(chan syncCall), landed: make(chan landing, 64), work: make(chan *File),
		complete: make(chan struct{}, 1), looking: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{}),
	}}
	ws.editors = daemon.editors
	ws.trust, ws.slots, ws.userCheckers = daemon.trust, daemon.slots, daemon.opts.User.checkers
	ws.checkerState = filepath.Join(daemon.opts.StateDir, "checkers")
	ws.diags.checking.life, ws.diags.checking.wake = ctx, make(chan struct{}, 1)
	ws.disk.Store(d)
	ws.cur.Store(&Snapshot{catalog: ws.catalog, paths: new(paths), ranked: new(ranked)})
	ws.turnover.Store(new(turnover))
	ws.config.Store(defaultConfig())
	var owned sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		owned.Go(func() { ws.worker(ctx) })
	}
	owned.Go(func() { ws.loop(ctx) })
	owned.Go(func() { ws.keepUp(ctx) })
	owned.Go(func() { ws.remember(ctx) })
	owned.Go(func() { ws.checkUp(ctx) })
	go func() { // ends with the goroutines it waits for
		owned.Wait()
		close(ws.stopped)
	}()
	return ws, nil
}

func openDisk(path string, opts watch.Options) (*disk, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	fi, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	tree, err := watch.New(path, opts)
	if err != nil {
		dir.Close()
		root.Close()
		return nil, err
	}
	st := watch.StatInfo(fi)
	return &disk{root: root, dir: dir, fd: int(dir.Fd()), tree: tree, dev: st.Dev, ino: st.Ino}, nil
}

// stat is the stat of what path leads to, below the root.
func (d *disk) stat(path string) (watch.Stat, error) {
	st, err := watch.StatBelow(d.fd, path)
	runtime.KeepAlive(d.dir)
	if err == nil {
		return st, nil
	}
	fi, err := d.root.Stat(path)
	if err != nil {
		return watch.Stat{}, err
	}
	return watch.StatInfo(fi), nil
}

// is says whether info is that of the root.
func (d *disk) is(info os.FileInfo) bool {
	st := watch.StatInfo(info)
	return st.Dev == d.dev && st.Ino == d.ino
}

func (d *disk) close() {
	d.tree.Close()
	d.dir.Close()
	d.root.Close()
}

// Close ends the workspace's goroutines, waits for them, and writes down what is known.
func (ws *Workspace) Close() {
	ws.stop()
	<-ws.stopped
	ws.save()
	ws.diags.close()
	ws.disk.Load().close()
}

func (ws *Workspace) root() *os.Root { return ws.disk.Load().root }

// sync brings the published snapshot up to date with the worktree: everything that was written
// before sync was called is in the snapshot when it returns. Calls that wait together share a
// sweep that starts after the last of them arrived.
func (ws *Workspace) sync(ctx context.Context) error {
	call := syncCall{make(chan error, 1)}
	select {
	case ws.syncs <- call:
	case <-ctx.Done():
		return ctx.Err()
	case <-ws.stopped:
		return errClosed
	}
	select {
	case err := <-call.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-ws.stopped:
		return errClosed
	}
}

var errClosed = errors.New("workspace is closed")

// landing are pending files whose facts are known now.
type landing struct {
	changes []change
	queued  bool          // by a worker, of one file that came from the loop's queue
	done    chan struct{} // if any: commit at once, and close it
}

// loop is the single writer: it alone publishes snapshots.
func (ws *Workspace) loop(ctx context.Context) {
	ws.past.Store(ws.recollect())
	var queue []*File   // pending files
	var landed []change // parsed, not yet committed
	inflight := 0       // queued files that workers hold
	commit := func() {
		if len(landed) > 0 {
			ws.uncommitted.Store(0) // first: status would count them twice
			ws.cur.Store(ws.cur.Load().with(landed))
			landed = nil
		}
	}
	for {
		var work chan *File
		var first *File
		var again <-chan time.Time
		switch {
		case len(queue) == 0:
		case ws.courtesy.free(time.Now()):
			work, first = ws.work, queue[0]
		default:
			again = time.After(courtesyCheck)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case call := <-ws.syncs:
			calls := append([]syncCall{call}, ws.waiting()...)
			commit()
			pending, err := ws.sweep(ctx)
			queue = append(queue, pending...)
			for _, c := range calls {
				c.done <- err
			}
		case work <- first:
			queue[0] = nil // or the array would hold every file as it was while pending
			queue = queue[1:]
			inflight++
		case l := <-ws.landed:
			if l.queued {
				inflight--
			}
			landed = append(landed, l.changes...)
			ws.uncommitted.Store(int64(len(landed)))
			if l.done != nil {
				commit()
				close(l.done)
			}
			// A commit copies the list of files: batches that grow with the tree keep the cold index linear.
			if len(landed) >= max(64, len(ws.cur.Load().files)/8) {
				commit()
			}
		}
		if len(queue) == 0 && inflight == 0 {
			commit()
			queue = nil // the array of a whole tree
			if ws.sweeps.Load() > 0 {
				ws.past.Store(nil)
			}
			select {
			case ws.complete <- struct{}{}:
			default:
			}
		}
	}
}

const (
	// gather is how long events gather, from the first, before they are followed without a request.
	gather = 50 * time.Millisecond
	// rests is how many times as long as a look took the next one waits: one that follows a tree
	// that never comes to rest takes a fifth of a core, and requests find the loop free.
	rests = 4
)

// keepUp follows changes while nobody asks: after a checkout of thousands of files the first request
// would pay for all of them, and the kernel's queue of events would overflow. No answer depends on it.
func (ws *Workspace) keepUp(ctx context.Context) {
	for {
		// An error other than ctx's: the tree was closed, and another is in its place.
		err := ws.disk.Load().tree.Wait(ctx)
		gathering, resting := ws.listeners.pace()
		if err == nil && !pause(ctx, gathering) || ctx.Err() != nil {
			return
		}
		began := time.Now()
		if err := ws.sync(ctx); err != nil && ctx.Err() == nil {
			ws.log.Debug("following changes", "error", err)
			began = began.Add(-time.Second) // the root is gone: nothing is urgent until somebody asks
		}
		if !pause(ctx, resting*time.Since(began)) {
			return
		}
	}
}

// pause waits for d; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// waiting takes the sync calls that have arrived by now.
func (ws *Workspace) waiting() (calls []syncCall) {
	for {
		select {
		case c := <-ws.syncs:
			calls = append(calls, c)
		default:
			return calls
		}
	}
}

// worker parses queued files until ctx ends.
func (ws *Workspace) worker(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-ws.work:
			l := landing{queued: true}
			if ws.cur.Load().file(f.Path) == f {
				known := ws.recall(f)
				if known == nil {
					known = ws.read(ctx, watch.Entry{Path: f.Path, Stat: f.Stat}, nil, patient)
				}
				l.changes = []change{{f, known}}
			}
			ws.land(ctx, l)
		}
	}
}

// land hands facts to the loop, and waits for the commit if l says so.
func (ws *Workspace) land(ctx context.Context, l landing) {
	select {
	case ws.landed <- l:
	case <-ctx.Done():
		return
	case <-ws.stopped:
		return
	}
	if l.done == nil {
		return
	}
	select {
	case <-l.done:
	case <-ctx.Done():
	case <-ws.stopped:
	}
}

// factsNone are the facts of files that need not be read to be known.
var factsNone = &Facts{File: index.File{Status: index.NoLanguage}}

// unreadable are the facts of a file that could not be read, and problem says why.
func unreadable(problem string) *Facts {
	return &Facts{File: index.File{Status: index.NoLanguage}, Problem: problem}
}

// unread is the state of a file that was not read: complete when its name and size say all there
// is to know, else pending. A symbolic link has no definitions of its own: its target is listed.
func (ws *Workspace) unread(e watch.Entry) *File {
	path, stat := e.Path, e.Stat
	f := &File{Path: path, Stat: stat, Link: e.Link}
	switch {
	case e.Link, index.Language(path, nil) == "" && !index.Undecided(path):
		f.Facts = factsNone
	case stat.Size > maxParse:
		f.Facts = &Facts{File: index.File{Language: index.Language(path, nil), Status: index.TooLarge}}
	}
	return f
}

// read reads and parses one file; old, if it has the same bytes, lends its facts. The result is
// old itself when nothing changed at all. It never fails: a file that cannot be read has a Problem, and one that changed at
// each of fewer than patient tries is pending.
func (ws *Workspace) read(ctx context.Context, e watch.Entry, old *File, tries int) *File {
	path, stat := e.Path, e.Stat
	if f := ws.unread(e); f.Facts != nil {
		if old != nil && old.Facts == f.Facts && old.Stat == stat {
			return old
		}
		return f
	}
	b := takeBuffer(stat.Size)
	src, read, racy, err := ws.disk.Load().read(ctx, path, b.bytes, tries)
	if err != nil {
		b.giveBack()
		if ctx.Err() != nil || tries < patient && errors.Is(err, errUnstable) {
			return &File{Path: path, Stat: stat}
		}
		problem := ws.readRefusal(path, err).Error()
		if old != nil && old.Stat == stat && old.problem() == problem {
			return old
		}
		return &File{Path: path, Stat: stat, Racy: true, Facts: unreadable(problem)}
	}
	f := &File{Path: path, Stat: read, Racy: racy}
	blob := blobOf(src)
	ws.sees(ctx, path, blob, src)
	if old == nil || old.Facts == nil || old.Facts.Blob != blob || old.failed() {
		f.Facts = ws.catalog.describe(ws.Root, f.Path, src, blob)
		if f.Facts.Problem == "" { // else a parse that hangs may still be at it
			b.giveBack()
		}
		return f
	}
	b.giveBack()
	if old.Stat == read && old.Racy == racy {
		return old
	}
	f.Facts = old.Facts
	return f
}

// checkRoot opens the worktree again when its root directory is another one than before. Every
// request calls it before it reads.
func (ws *Workspace) checkRoot() error {
	fi, err := os.Stat(ws.Root)
	if err != nil {
		return refuse(wire.NotFound, nil, "the workspace is gone: %v", err)
	}
	d := ws.disk.Load()
	if d.is(fi) {
		return nil
	}
	fresh, err := openDisk(ws.Root, ws.watching)
	if err != nil {
		return refuse(wire.NotFound, nil, "the workspace cannot be opened: %v", err)
	}
	if !ws.disk.CompareAndSwap(d, fresh) {
		fresh.close() // another request was first
		return nil
	}
	ws.texts.clear()
	// Requests under way may still read through the old descriptors: they are given up with the last
	// reader (os.Root closes itself when it is collected).
	d.tree.Close()
	return nil
}

// look is what every request does before it reads the worktree: the root may be another directory,
// and ctx.toml other rules.
func (ws *Workspace) look() error {
	if err := ws.checkRoot(); err != nil {
		return err
	}
	ws.loadConfig()
	return nil
}
