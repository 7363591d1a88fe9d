package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/index"
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
	log     *slog.Logger
	stop    context.CancelFunc
	janitor sync.WaitGroup
	trimmed int64 // files that were parsed when memory was last given back; tidy only

	mu   sync.Mutex
	open map[string]*opening // by root
}

// opening is a workspace that is open or being opened: the first request opens it, others wait.
type opening struct {
	once sync.Once
	ws   *Workspace
	err  error
}

const (
	// unloadAfter is how long a workspace stays open without a request.
	unloadAfter = 20 * time.Minute
	// restAfter is how long the texts of the last answers are kept.
	restAfter = 15 * time.Second
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
	ctx, stop := context.WithCancel(context.Background())
	d := &Daemon{opts: opts, store: store, parser: parser, log: opts.Logger, stop: stop, open: map[string]*opening{}}
	d.janitor.Go(func() { d.tidy(ctx) })
	return d, nil
}

// Close ends every workspace and the daemon's own goroutine.
func (d *Daemon) Close() error {
	d.stop()
	d.janitor.Wait()
	d.mu.Lock()
	open := d.open
	d.open = map[string]*opening{}
	d.mu.Unlock()
	for _, o := range open {
		if o.ws != nil {
			o.ws.Close()
		}
	}
	d.parser.close()
	return d.store.Close()
}

// Workspace is the open workspace of root, opened now if need be. root is an absolute directory;
// one directory under several names is one workspace.
func (d *Daemon) Workspace(root string) (*Workspace, error) {
	if !filepath.IsAbs(root) {
		return nil, refuse(wire.InvalidRequest, nil, "root must be an absolute path, not %s", quote(root))
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, refuse(wire.NotFound, nil, "the workspace cannot be opened: %v", err)
	}
	if fi, err := os.Stat(real); err != nil || !fi.IsDir() {
		return nil, refuse(wire.InvalidRequest, nil, "root is not a directory: %s", quote(root))
	}
	d.mu.Lock()
	o := d.open[real]
	if o == nil {
		o = &opening{}
		d.open[real] = o
	}
	d.mu.Unlock()
	o.once.Do(func() { o.ws, o.err = openWorkspace(real, d.store, d.parser, d.log) })
	if o.err != nil {
		d.mu.Lock()
		if d.open[real] == o {
			delete(d.open, real)
		}
		d.mu.Unlock()
		return nil, refuse(wire.NotFound, nil, "the workspace cannot be opened: %v", o.err)
	}
	o.ws.touch()
	return o.ws, nil
}

// Handle answers one request. The error is a *wire.Error, a context's, or a fault of ours.
func (d *Daemon) Handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case wire.MethodDef:
		return in(ctx, d, params, func(p *wire.DefParams) *wire.Common { return &p.Common }, (*Workspace).Def)
	case wire.MethodGet:
		return in(ctx, d, params, func(p *wire.GetParams) *wire.Common { return &p.Common }, (*Workspace).Get)
	case wire.MethodResolve:
		return in(ctx, d, params, func(p *wire.ResolveParams) *wire.Common { return &p.Common }, (*Workspace).Resolve)
	case wire.MethodStatus:
		return with(ctx, params, d.Status)
	case wire.MethodDoctor:
		return with(ctx, params, d.Doctor)
	case wire.MethodGC:
		return with(ctx, params, d.GC)
	case wire.MethodPin:
		return with(ctx, params, d.Pin)
	}
	return nil, &wire.Error{Code: wire.CodeMethodNotFound, Message: "unknown method " + quote(method)}
}

// with decodes the parameters of a method of the daemon and calls it.
func with[P, R any](ctx context.Context, raw json.RawMessage, call func(context.Context, P) (R, error)) (any, error) {
	var p P
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, refuse(wire.InvalidRequest, nil, "malformed parameters: %v", err)
		}
	}
	return call(ctx, p)
}

// in is with for a method of the workspace that the parameters name.
func in[P, R any](ctx context.Context, d *Daemon, raw json.RawMessage, common func(*P) *wire.Common,
	call func(*Workspace, context.Context, P) (R, error)) (any, error) {
	return with(ctx, raw, func(ctx context.Context, p P) (any, error) {
		c := common(&p)
		ws, err := d.Workspace(c.Root)
		if err != nil {
			return nil, err
		}
		r, err := call(ws, ctx, p)
		if errors.Is(err, errClosed) { // unloaded between the two lines above
			if ws, err = d.Workspace(c.Root); err != nil {
				return nil, err
			}
			r, err = call(ws, ctx, p)
		}
		return r, err
	})
}

// tidy unloads workspaces that nobody asks about, and collects old captures once a day.
func (d *Daemon) tidy(ctx context.Context) {
	tick := time.NewTicker(restAfter)
	defer tick.Stop()
	collect := time.NewTicker(24 * time.Hour)
	defer collect.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-collect.C:
			if _, err := d.store.GC(d.opts.User.Retention()); err != nil {
				d.log.Error("collecting captures", "error", err)
			}
		case now := <-tick.C:
			d.rest(now)
		}
	}
}

// rest gives back the memory of what was not used since a while before now.
func (d *Daemon) rest(now time.Time) {
	var idle []*Workspace
	busy := false
	d.mu.Lock()
	for root, o := range d.open {
		if o.ws == nil {
			continue
		}
		unused := now.Sub(time.Unix(0, o.ws.used.Load()))
		if unused > restAfter {
			o.ws.texts.clear()
		}
		if unused > unloadAfter {
			delete(d.open, root)
			idle = append(idle, o.ws)
		}
		busy = busy || unused <= restAfter || o.ws.cur.Load().pending > 0
	}
	d.mu.Unlock()
	for _, ws := range idle {
		ws.Close()
	}
	if built := d.parser.built.Load(); !busy && built != d.trimmed {
		d.trimmed = built
		index.Trim()
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
	return &wire.PinResult{Blob: rec.Blob.String(), Path: displayPath(rec.Path)}, nil
}

// storeRefusal turns the store's errors into refusals.
func storeRefusal(err error) error {
	var unknown *captures.UnknownError
	var short *captures.PrefixError
	var several *captures.AmbiguousError
	switch {
	case errors.As(err, &unknown), errors.As(err, &short):
		return refuse(wire.SpanUnknown, nil, "%v", err)
	case errors.As(err, &several):
		return refuse(wire.AnchorAmbiguous, nil, "%v", err)
	}
	return refuse(wire.Internal, nil, "the capture store: %v", fmt.Errorf("%w", err))
}
