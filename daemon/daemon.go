package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/checkers"
	"ctxd/index"
	"ctxd/watch"
)

// Options are what a daemon is made of.
type Options struct {
	StateDir string // where captures, logs and the quarantine live
	Socket   string // for status; "" when there is none
	User     UserConfig
	// Probe is the command that parses standard input in a process of its own (see parser);
	// nil: content that a daemon died over is not looked at.
	Probe  []string
	Logger *slog.Logger
}

// Daemon is every open workspace and what they share. Its methods may be called from any goroutine.
type Daemon struct {
	opts    Options
	store   *captures.Store
	parser  *parser
	catalog *catalog
	log     *slog.Logger
	big     chan struct{} // holds a token while a big file is read
	trust   *trusts
	slots   checkers.Slots
	stop    context.CancelFunc

	sessions *sessions
	editors  *editors
	janitor  sync.WaitGroup
	trimmed  int64 // of built and served, when memory was last given back; tidy only

	mu     sync.Mutex
	served int64               // requests on workspaces
	open   map[string]*opening // by root
}

// opening is a workspace that is open or being opened: the first request opens it, others wait. ws
// and err are guarded by Daemon.mu.
type opening struct {
	once sync.Once
	ws   *Workspace
	err  error
}

const (
	// maxOpen is how many workspaces stay open: at about 4 descriptors each, half of 256.
	maxOpen = 32
	// unloadAfter is how long a workspace stays open without a request.
	unloadAfter = 20 * time.Minute
	// restAfter is how long the texts of the last answers are kept.
	restAfter = 15 * time.Second
	// collectEvery is how often captures are collected, collectFull when they are over the cap.
	collectEvery = 24 * time.Hour
	collectFull  = 10 * time.Minute
)

// New opens the state directory and starts the daemon's own goroutine; Close ends it.
func New(opts Options) (*Daemon, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.User.Daemon.IdleMinutes == 0 {
		opts.User = ParseUserConfig("", nil)
	}
	store, err := captures.Open(filepath.Join(opts.StateDir, "captures"), captures.Options{
		MaxBytes: opts.User.Store.MaxBytes, Retention: opts.User.Retention(), Logger: opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	parser, err := newParser(filepath.Join(opts.StateDir, "parser"), opts.Probe, opts.Logger)
	if err != nil {
		store.Close()
		return nil, err
	}
	catalog, err := newCatalog(parser, filepath.Join(opts.StateDir, "facts"), opts.User.Facts.MaxBytes, opts.Logger)
	if err != nil {
		parser.close()
		store.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Daemon{
		opts: opts, store: store, parser: parser, catalog: catalog, log: opts.Logger, stop: stop,
		big: make(chan struct{}, 1), trust: newTrusts(opts.StateDir), slots: checkers.NewSlots(checkSlots), open: map[string]*opening{},
		sessions: newSessions(), editors: newEditors(),
	}
	d.janitor.Go(func() { d.tidy(ctx) })
	return d, nil
}

// Logger is where the daemon logs.
func (d *Daemon) Logger() *slog.Logger { return d.log }

// Close ends every workspace and the daemon's own goroutine.
func (d *Daemon) Close() error {
	d.stop()
	d.janitor.Wait()
	d.sessions.close()
	d.mu.Lock()
	var open []*Workspace
	for _, o := range d.open {
		if o.ws != nil {
			open = append(open, o.ws)
		}
	}
	d.open = map[string]*opening{}
	d.mu.Unlock()
	for _, ws := range open {
		ws.Close()
	}
	d.parser.close()
	return errors.Join(d.catalog.close(), d.store.Close())
}

// Workspace is the open workspace of root, opened now if need be, and stays open until release is
// called. root is an absolute directory; one directory under several names is one workspace.
func (d *Daemon) Workspace(root string) (ws *Workspace, release func(), err error) {
	if !filepath.IsAbs(root) {
		return nil, nil, refuse(wire.InvalidRequest, nil, "root must be an absolute path, not %s", quote(root))
	}
	real, err := realRoot(root)
	if err != nil {
		return nil, nil, err
	}
	for {
		d.mu.Lock()
		o := d.open[real]
		if o == nil {
			o = &opening{}
			d.open[real] = o
		}
		d.mu.Unlock()
		o.once.Do(func() {
			ws, err := d.openWorkspace(real)
			d.mu.Lock()
			o.ws, o.err = ws, err
			if err != nil && d.open[real] == o {
				delete(d.open, real)
			}
			spare := d.spare()
			d.mu.Unlock()
			if spare != nil {
				spare.Close()
			}
		})
		d.mu.Lock()
		ws, err := o.ws, o.err
		unloaded := err == nil && d.open[real] != o
		if err == nil && !unloaded {
			ws.users++
		}
		d.mu.Unlock()
		switch {
		case err != nil:
			return nil, nil, refuse(wire.NotFound, nil, "the workspace cannot be opened: %v", err)
		case !unloaded:
			return ws, func() { d.release(ws) }, nil
		}
	}
}

// realRoot is the directory root without symbolic links. The kernel is asked first whether there are any: to follow each element
// was 8 µs of every request. That the same directory is open under that name does not tell: one that was moved, with
// a link left in its place, has its name below another repository from then on, or none.
func realRoot(root string) (string, error) {
	if filepath.Clean(root) == root && watch.StraightDir(root) {
		return root, nil
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", refuse(wire.NotFound, nil, "the workspace cannot be opened: %v", err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", refuse(wire.InvalidRequest, nil, "root is not a directory: %s", quote(root))
	}
	return real, nil
}

// spare takes the workspace that was unused longest out of those that are open, when there are too
// many: each holds descriptors and memory. d.mu is held; the caller closes it.
func (d *Daemon) spare() *Workspace {
	if len(d.open) <= maxOpen {
		return nil
	}
	var root string
	var oldest *Workspace
	for r, o := range d.open {
		if o.ws != nil && o.ws.users == 0 && !o.ws.used.IsZero() && !o.ws.kept() && (oldest == nil || o.ws.used.Before(oldest.used)) {
			root, oldest = r, o.ws
		}
	}
	delete(d.open, root)
	return oldest
}

// release ends one use of ws.
func (d *Daemon) release(ws *Workspace) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ws.users--
	ws.used = time.Now()
	d.served++
}

// Hold keeps the workspace of root open until release is called, though nobody asks it anything: an editor is told of
// what changes in it. What it needs only while it is asked is given back all the same.
func (d *Daemon) Hold(root string) (ws *Workspace, release func(), err error) {
	ws, done, err := d.Workspace(root)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	hold := func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		ws.holds += n
	}
	hold(1)
	return ws, func() { hold(-1) }, nil
}

// kept says whether somebody keeps the workspace open without asking. Daemon.mu is held.
func (ws *Workspace) kept() bool { return ws.holds > 0 || ws.listeners.any() }

// onDisk finds workspaces without the buffers of anybody: what outlasts a request must not rest on those of one moment.
type onDisk struct{ from Opener }

func (o onDisk) Workspace(root string) (*Workspace, func(), error) {
	ws, release, err := o.from.Workspace(root)
	if err != nil {
		return nil, nil, err
	}
	return ws.Under(nil), release, nil
}

// Opener finds the workspace that a request names by its root; release ends its use.
type Opener interface {
	Workspace(root string) (ws *Workspace, release func(), err error)
}

// Handle answers one request. The error is a *wire.Error, a context's, or a fault of ours.
func (d *Daemon) Handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	return d.HandleIn(ctx, d, method, params)
}

// HandleIn is Handle with the workspaces that from finds.
func (d *Daemon) HandleIn(ctx context.Context, from Opener, method string, params json.RawMessage) (any, error) {
	switch method {
	case wire.MethodDef:
		return in(ctx, d, from, params, func(p *wire.DefParams) *wire.Common { return &p.Common }, (*Workspace).Def)
	case wire.MethodRefs:
		return in(ctx, d, from, params, func(p *wire.RefsParams) *wire.Common { return &p.Common }, (*Workspace).Refs)
	case wire.MethodGet:
		return in(ctx, d, from, params, func(p *wire.GetParams) *wire.Common { return &p.Common }, (*Workspace).Get)
	case wire.MethodResolve:
		return in(ctx, d, from, params, func(p *wire.ResolveParams) *wire.Common { return &p.Common }, (*Workspace).Resolve)
	case wire.MethodSearch:
		return in(ctx, d, from, params, func(p *wire.SearchParams) *wire.Common { return &p.Common }, (*Workspace).Search)
	case wire.MethodMap:
		return in(ctx, d, from, params, func(p *wire.MapParams) *wire.Common { return &p.Common }, (*Workspace).Map)
	case wire.MethodDiag:
		return in(ctx, d, from, params, func(p *wire.DiagParams) *wire.Common { return &p.Common }, (*Workspace).Diag)
	case wire.MethodCheck:
		return in(ctx, d, from, params, func(p *wire.CheckParams) *wire.Common { return &p.Common }, (*Workspace).Check)
	case wire.MethodSubscribe:
		return in(ctx, d, onDisk{from}, params, func(p *wire.SubscribeParams) *wire.Common { return &p.Common }, d.Subscribe)
	case wire.MethodLedger:
		return in(ctx, d, onDisk{from}, params, func(p *wire.LedgerParams) *wire.Common { return &p.Common }, d.Ledger)
	case wire.MethodTrust:
		return with(ctx, params, d.Trust)
	case wire.MethodStatus:
		return with(ctx, params, d.Status)
	case wire.MethodDoctor:
		return with(ctx, params, d.Doctor)
	case wire.MethodGC:
		return with(ctx, params, d.GC)
	case wire.MethodPin:
		return with(ctx, params, d.Pin)
	}
	unknown := refuse(wire.Unsupported, []string{}, "unknown method %s", quote(method))
	unknown.Code = wire.CodeMethodNotFound
	return nil, unknown
}

// with decodes the parameters of a method of the daemon and calls it.
func with[P, R any](ctx context.Context, raw json.RawMessage, call func(context.Context, P) (R, error)) (any, error) {
	var p P
	if err := decodeParams(raw, &p); err != nil {
		return nil, err
	}
	return call(ctx, p)
}

// in is with for a method of the workspace that the parameters name.
func in[P, R any](ctx context.Context, d *Daemon, from Opener, raw json.RawMessage, common func(*P) *wire.Common,
	call func(*Workspace, context.Context, P) (R, error)) (any, error) {
	return with(ctx, raw, func(ctx context.Context, p P) (any, error) {
		ws, release, err := from.Workspace(common(&p).Root)
		if err != nil {
			return nil, err
		}
		defer release()
		result, err := call(ws, ctx, p)
		if err != nil {
			return nil, ws.guided(err)
		}
		d.sessions.given(ctx, ws, result)
		return result, nil
	})
}

// tidy gives back memory, unloads workspaces that nobody asks about, and collects old captures.
func (d *Daemon) tidy(ctx context.Context) {
	tick := time.NewTicker(restAfter)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			d.rest(now)
			d.collect(now)
		}
	}
}

// collect has the store collected once a day, by the date of a stamp in the state directory: a daemon
// that ends when it is idle would never see the day pass. A store above its cap is collected sooner.
func (d *Daemon) collect(now time.Time) {
	stamp := filepath.Join(d.opts.StateDir, "collected")
	fi, err := os.Stat(stamp)
	due := err != nil || now.Sub(fi.ModTime()) > collectEvery || fi.ModTime().After(now)
	full := d.store.Stats().Bytes > d.opts.User.Store.MaxBytes
	if !due && (!full || now.Sub(fi.ModTime()) < collectFull) {
		return
	}
	if err := os.WriteFile(stamp, nil, 0o600); err != nil {
		d.log.Error("noting the collection of captures", "error", err)
		return
	}
	if err := os.Chtimes(stamp, now, now); err != nil {
		d.log.Error("noting the collection of captures", "error", err)
		return
	}
	stats, err := d.store.GC(d.opts.User.Retention())
	if err != nil {
		d.log.Error("collecting captures", "error", err)
		return
	}
	d.log.Info("collected captures", "removed", stats.Removed, "kept", stats.Kept)
}

// rest gives back the memory of what was not used since a while before now.
func (d *Daemon) rest(now time.Time) {
	var idle []*Workspace
	busy := false
	d.mu.Lock()
	served := d.served
	for root, o := range d.open {
		if o.ws == nil {
			continue
		}
		if o.ws.users > 0 {
			busy = true
			continue
		}
		unused := now.Sub(o.ws.used)
		if unused > restAfter {
			o.ws.texts.clear()
			o.ws.cur.Load().ranked.rest()
		}
		if unused > unloadAfter && !o.ws.kept() {
			delete(d.open, root)
			idle = append(idle, o.ws)
		}
		busy = busy || unused <= restAfter || o.ws.cur.Load().pending > 0
	}
	d.mu.Unlock()
	for _, ws := range idle {
		ws.Close()
	}
	if done := d.parser.built.Load() + served; !busy && done != d.trimmed {
		d.trimmed = done
		d.catalog.rest()
		index.Trim()
		runtime.GC() // a pool keeps what it has over one collection
		debug.FreeOSMemory()
	}
}

// opened lists the open workspaces by root.
func (d *Daemon) opened() []*Workspace {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*Workspace
	for _, o := range d.open {
		if o.ws != nil {
			all = append(all, o.ws)
		}
	}
	slices.SortFunc(all, func(a, b *Workspace) int { return strings.Compare(a.Root, b.Root) })
	return all
}

// GC collects captures; a retention in the parameters overrides the configured one.
func (d *Daemon) GC(_ context.Context, p wire.GCParams) (*wire.GCResult, error) {
	keep := d.opts.User.Retention()
	if p.RetentionDays != nil {
		if *p.RetentionDays < 0 || *p.RetentionDays > 36500 {
			return nil, refuse(wire.InvalidRequest, nil, "retention days must be 0 to 36500, not %d", *p.RetentionDays)
		}
		keep = time.Duration(*p.RetentionDays) * 24 * time.Hour
	}
	s, err := d.store.GC(keep)
	d.mu.Lock()
	d.served++ // it listed every blob: that memory is given back at the next rest
	d.mu.Unlock()
	if err != nil {
		return nil, storeRefusal(err)
	}
	return &wire.GCResult{
		Removed: s.Removed, RemovedBytes: s.RemovedBytes, Kept: s.Kept, KeptBytes: s.KeptBytes,
		Pinned: s.Pinned, Spans: s.Spans,
	}, nil
}

// Pin keeps what an id names until it is unpinned by hand.
func (d *Daemon) Pin(_ context.Context, p wire.PinParams) (*wire.PinResult, error) {
	rec, err := d.store.Pin(strings.TrimSpace(p.ID))
	if err != nil {
		return nil, storeRefusal(err)
	}
	return &wire.PinResult{Blob: rec.Blob.String(), Path: displayPath(rec.Path), PathBase64: exactPath(rec.Path)}, nil
}

// storeRefusal turns the store's errors into refusals.
func storeRefusal(err error) error {
	var unknown *captures.UnknownError
	var short *captures.PrefixError
	var several *captures.AmbiguousError
	var damaged *captures.DamagedError
	switch {
	case errors.As(err, &unknown), errors.As(err, &short), errors.As(err, &damaged):
		return refuse(wire.SpanUnknown, nil, "%v", err)
	case errors.As(err, &several):
		return refuse(wire.AnchorAmbiguous, nil, "%v", err)
	}
	return refuse(wire.Internal, nil, "the capture store: %v", err)
}
