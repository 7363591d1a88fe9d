package daemon

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxd/client/wire"
)

const (
	// maxGiven is how many addresses of one workspace are remembered for a connection: at 0.3 KB each, 15 MB.
	maxGiven = 50_000
	// maxLedger is the most rows of one answer.
	maxLedger = 10_000
)

// ledger is the live addresses that were given to one connection, in that order. Until somebody asks it costs the
// strings: most connections are those of ctx, which ends before it could ask.
type ledger struct {
	order []string            // with repetitions, up to the next trim
	known map[string]*posting // of those that were looked at
	cut   int                 // how many were forgotten

	id    string // of its clocks; "" before the first
	clock int    // looks so far
}

// posting is what a ledger knows of one address.
type posting struct {
	given   whereabouts
	state   whereabouts // at the last look
	outcome wire.Outcome
	changed int // the clock of the last look that found another state; 0: it was given so
}

func newLedger() *ledger { return &ledger{known: map[string]*posting{}} }

// add remembers addresses. Those that are too many are forgotten, the oldest first.
func (l *ledger) add(addresses []string) {
	l.order = append(l.order, addresses...)
	if len(l.order) > 2*maxGiven {
		l.trim()
	}
}

// trim forgets what was given twice, then what is too much.
func (l *ledger) trim() {
	seen := make(map[string]bool, len(l.order))
	kept := l.order[:0]
	for _, address := range l.order {
		if !seen[address] {
			seen[address] = true
			kept = append(kept, address)
		}
	}
	clear(l.order[len(kept):])
	l.order = kept
	if over := len(l.order) - maxGiven; over > 0 {
		for _, address := range l.order[:over] {
			delete(l.known, address)
		}
		l.order = slices.Clone(l.order[over:])
		l.cut += over
	}
}

// Ledger lists which of the addresses that were given on the connection of ctx have changed.
func (d *Daemon) Ledger(ws *Workspace, ctx context.Context, p wire.LedgerParams) (*wire.LedgerResult, error) {
	one := d.sessions.of(ctx)
	if one == nil {
		return nil, refuse(wire.Unsupported, nil, "%s belongs to a connection, and this caller has none", wire.MethodLedger)
	}
	if p.Limit < 0 || p.Limit > maxLedger || p.After < 0 {
		return nil, refuse(wire.InvalidRequest, nil, "limit must be 0 to %d and after 0 or more, not %d and %d", maxLedger, p.Limit, p.After)
	}
	if !p.NoSync {
		if err := ws.sync(ctx); err != nil {
			return nil, err
		}
	}
	select {
	case one.asking <- struct{}{}: // one after another: an older look must not follow a newer one
		defer func() { <-one.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	one.mu.Lock()
	l := one.ledger(ws.Root)
	l.trim()
	addresses := slices.Clone(l.order)
	one.mu.Unlock()
	outcomes, err := ws.outcomes(ctx, addresses, "")
	if err != nil {
		return nil, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	l.look(ws, addresses, outcomes)
	return l.answer(p), nil
}

// look compares addresses with what was known of them.
func (l *ledger) look(ws *Workspace, addresses []string, outcomes []wire.Outcome) {
	if l.id == "" {
		l.id = rand.Text()[:8]
	}
	l.clock++
	for i, address := range addresses {
		e := l.known[address]
		if e == nil {
			e = &posting{given: ws.givenWhereabouts(address)}
			e.state = e.given
			l.known[address] = e
		}
		if now := whereaboutsOf(&outcomes[i]); now != e.state {
			e.state, e.changed = now, l.clock
		}
		e.outcome = outcomes[i]
	}
}

// givenWhereabouts is the state of an address as it was given: there, where it says.
func (ws *Workspace) givenWhereabouts(address string) whereabouts {
	a := wire.ParseAddress(address)
	sel, err := parseSelector(a.Lines)
	if err != nil {
		return whereabouts{}
	}
	path, err := ws.path(a.Ref, "")
	if err != nil {
		return whereabouts{}
	}
	return whereabouts{live: true, path: wirePath(displayPath(path), exactPath(path)), lines: toLines(sel.Span)}
}

// answer lists the rows since a clock.
func (l *ledger) answer(p wire.LedgerParams) *wire.LedgerResult {
	since, known := l.since(p.Since)
	res := &wire.LedgerResult{
		Changes: []wire.AnchorChange{}, Given: len(l.order), Cut: l.cut, Clock: l.id + "." + strconv.Itoa(l.clock), Fresh: p.Since != "" && !known,
	}
	limit := p.Limit
	if limit == 0 {
		limit = maxLedger
	}
	for _, address := range l.order {
		e := l.known[address]
		if e == nil || e.changed <= since || since == 0 && e.state == e.given {
			continue
		}
		if res.Total++; res.Total <= p.After || len(res.Changes) == limit {
			continue
		}
		c, now := e.given.change(address, &e.outcome)
		if now == e.given {
			c.Kind = wire.Restored
		}
		res.Changes = append(res.Changes, c)
	}
	if shown := p.After + len(res.Changes); shown < res.Total && len(res.Changes) > 0 {
		res.Next = shown
	}
	return res
}

// since reads a clock: 0 when it is none of this ledger's.
func (l *ledger) since(clock string) (at int, known bool) {
	id, n, _ := strings.Cut(clock, ".")
	at, err := strconv.Atoi(n)
	if err != nil || id != l.id || at < 1 || at > l.clock || fmt.Sprint(at) != n {
		return 0, false
	}
	return at, true
}

// given are the live addresses of an answer, in its order.
func given(result any) (all []string) {
	add := func(live *wire.Live) {
		if live != nil {
			all = append(all, live.Address)
		}
	}
	switch r := result.(type) {
	case *wire.DefResult:
		for i := range r.Definitions {
			add(r.Definitions[i].Live)
		}
	case *wire.RefsResult:
		for i := range r.Definitions {
			add(r.Definitions[i].Live)
		}
		for i := range r.References {
			add(r.References[i].Live)
		}
	case *wire.GetResult:
		add(r.Live)
	case *wire.SearchResult:
		for i := range r.Matches {
			add(r.Matches[i].Live)
		}
	case *wire.MapResult:
		for i := range r.Entries {
			add(r.Entries[i].Live)
		}
	case *wire.DiagResult:
		for i := range r.Diagnostics {
			add(r.Diagnostics[i].Live)
		}
	case *wire.ResolveResult:
		for i := range r.Outcomes {
			add(r.Outcomes[i].Live)
		}
	case *wire.CheckResult:
		for i := range r.Addresses {
			add(r.Addresses[i].Outcome.Live)
		}
	}
	return all
}
