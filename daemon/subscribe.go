package daemon

import (
	"context"
	"slices"
	"strings"

	"ctxd/client/wire"
	"ctxd/watch"
)

// maxHeld is the most addresses that one connection holds in a workspace: at 0.5 KB each, 50 MB.
const maxHeld = 100_000

// Subscribe holds addresses for the connection that ctx belongs to, which is told with ctx/anchorChanged
// what becomes of them.
func (d *Daemon) Subscribe(ws *Workspace, ctx context.Context, p wire.SubscribeParams) (*subscribed, error) {
	one := d.sessions.of(ctx)
	if one == nil {
		return nil, refuse(wire.Unsupported, nil, "%s belongs to a connection, and this caller has none", wire.MethodSubscribe)
	}
	if len(p.Addresses) > maxAddresses {
		return nil, refuse(wire.InvalidRequest, nil, "%d addresses are too many for one call: give at most %d, and more with another", len(p.Addresses), maxAddresses)
	}
	if !p.NoSync {
		if err := ws.sync(ctx); err != nil {
			return nil, err
		}
	}
	res := &wire.SubscribeResult{Outcomes: []wire.Outcome{}}
	sub := one.subscription(d.sessions, ws, len(p.Addresses) > 0 || p.Given)
	if sub == nil {
		return &subscribed{SubscribeResult: res}, nil
	}
	sub.drop(p.Drop)
	wanted := ws.heldOf(p.Addresses, p.Dir)
	// Held first, then resolved: what changes in between is marked, and compared with what is answered here.
	added, err := sub.hold(wanted)
	if err != nil {
		return nil, err
	}
	if p.Given {
		if err := one.holdGiven(ws, sub); err != nil {
			return nil, err
		}
	}
	if res.Outcomes, err = ws.outcomes(ctx, p.Addresses, p.Dir); err != nil {
		sub.release(added)
		return nil, err
	}
	sub.told(wanted, res.Outcomes)
	if err := sub.settle(ctx); err != nil {
		sub.release(added)
		return nil, err
	}
	res.Held, res.Unheard, res.Unheld = sub.counts()
	return &subscribed{SubscribeResult: res, replied: func() { sub.begin(added) }}, nil
}

// subscribed is the answer, after which the changes of its own addresses are told.
type subscribed struct {
	*wire.SubscribeResult
	replied func()
}

// Replied implements rpc.Replied.
func (s *subscribed) Replied() {
	if s.replied != nil {
		s.replied()
	}
}

// holdGiven holds what was given on the connection so far, and from now on.
func (s *session) holdGiven(ws *Workspace, sub *subscription) error {
	sub.mu.Lock()
	sub.all = true // first: what is given meanwhile is held by whoever gives it
	sub.mu.Unlock()
	s.mu.Lock()
	l := s.ledger(ws.Root)
	l.trim()
	addresses := slices.Clone(l.order)
	s.mu.Unlock()
	return sub.given(addresses)
}

// outcomes is the one way from here to what became of addresses: those of ctx/resolve, however many there are.
func (ws *Workspace) outcomes(ctx context.Context, addresses []string, dir string) ([]wire.Outcome, error) {
	all := make([]wire.Outcome, 0, len(addresses))
	for some := range slices.Chunk(addresses, maxAddresses) {
		res, err := ws.Resolve(ctx, wire.ResolveParams{Common: wire.Common{Dir: dir}, Addresses: some})
		if err != nil {
			return nil, err
		}
		all = append(all, res.Outcomes...)
	}
	return all, nil
}

// held is one address that a connection holds.
type held struct {
	address string // as it was written
	whole   string // as it is resolved: from the root
	file    *heldFile

	// Of the subscription, under its lock:
	state whereabouts // told last
	begun bool        // changes are told
	late  bool        // its file changed before that
	gone  bool        // it is, and that is not told yet: see changedOnDisk
	final bool        // of the look under way: what is gone may be told
}

// heldFile is the file of an address: the path that is named, and the one which that leads to through links.
type heldFile struct {
	paths   []string
	ignored []bool       // no event tells of it
	stats   []watch.Stat // of ignored ones
}

// heldOf reads addresses; those that are none, or could not change, are nil.
func (ws *Workspace) heldOf(addresses []string, dir string) []*held {
	all := make([]*held, len(addresses))
	files := map[string]*heldFile{}
	for i, address := range addresses {
		if bounded(address) != nil {
			continue
		}
		a := wire.ParseAddress(address)
		sel, err := parseSelector(a.Lines)
		kind, _, _ := strings.Cut(a.Ref, ":")
		if err != nil || !sel.Anchored || kind == "snapshot" || kind == "blob" || kind == "run" {
			continue
		}
		path, err := ws.path(a.Ref, dir)
		if err != nil {
			continue
		}
		h := &held{address: address, whole: address}
		if whole := wire.RepoRef(path) + " --lines " + sel.String(); whole != address {
			h.whole = whole
		}
		if files[path] == nil {
			files[path] = ws.heldFile(path)
		}
		h.file = files[path]
		h.state = whereabouts{live: true, path: wirePath(displayPath(path), exactPath(path)), lines: toLines(sel.Span)}
		all[i] = h
	}
	return all
}

func (ws *Workspace) heldFile(path string) *heldFile {
	f := &heldFile{paths: []string{path}}
	if real := ws.real(path); real != "" && real != path {
		f.paths = append(f.paths, real)
	}
	d := ws.disk.Load()
	for _, path := range f.paths {
		_, ignored := d.tree.Ignored(path)
		stat, _ := d.stat(path) // an error is a stat of its own
		f.ignored, f.stats = append(f.ignored, ignored), append(f.stats, stat)
	}
	return f
}
