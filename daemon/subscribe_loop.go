package daemon

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/rpc"
	"ctxd/watch"
)

const (
	// gatherHeard takes the place of gather while somebody waits for events: as long as a save takes that
	// truncates and then writes.
	gatherHeard = 2 * time.Millisecond
	// restsHeard takes the place of rests: with it, half of what is told waited for the end of a rest.
	restsHeard = 1
	// pollHeld is how often files are looked at that no event tells of.
	pollHeld = time.Second
	// maxChanges is the most changes of one notification.
	maxChanges = 1000
	// maxLook is how many addresses are looked at before what was found is told; those of one file are looked at together.
	maxLook = 256
)

// listeners are the subscriptions in one workspace.
type listeners struct {
	n   atomic.Int32
	mu  sync.Mutex
	all map[*subscription]struct{}
}

func (l *listeners) add(s *subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*subscription]struct{}{}
	}
	l.all[s] = struct{}{}
	l.n.Store(int32(len(l.all)))
}

func (l *listeners) remove(s *subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, s)
	l.n.Store(int32(len(l.all)))
}

// any says whether somebody listens. A workspace with listeners is not unloaded.
func (l *listeners) any() bool { return l.n.Load() > 0 }

// pace is how long events gather before they are followed, and how many times as long as that took the next
// look waits.
func (l *listeners) pace() (gathering time.Duration, resting time.Duration) {
	if l.any() {
		return gatherHeard, restsHeard
	}
	return gather, rests
}

// mark says what is to be looked at in a file.
type mark uint8

const (
	// changedOnDisk: all that is held, for what moved. What is gone waits until the change is published: where it went is
	// asked of the snapshot. Where a change before this one is published and has not been looked at yet, nothing waits,
	// or changes without a pause would keep a loss from being told; then what became of it is told twice.
	changedOnDisk mark = 1 << iota
	// published: what is gone, too.
	published
)

// note marks the files that a look at the tree found changed: once before they are parsed, which takes most of the
// time, and once when the snapshot with them is published. It is called by the one writer of snapshots, which nobody may
// stall: a subscription takes note of paths, and looks at them itself.
func (l *listeners) note(changed []differing, gone []change, m mark) {
	if !l.any() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.all {
		s.mark(changed, gone, m)
	}
}

// subscription is what one connection holds in one workspace. Its goroutine is the only one that tells the peer: what it
// cannot tell yet is no queue but the set of files that changed, so that a slow peer is told the last state of
// each address, and costs the others nothing.
type subscription struct {
	ws   *Workspace
	peer *rpc.Peer
	wake chan struct{} // holds a token when there is something to do

	mu             sync.Mutex
	all            bool             // every address that is given is held
	held           map[string]*held // by the address as it was written
	byPath         map[string]map[*held]struct{}
	dirty          map[string]dirty      // paths that changed, of byPath
	marks          int                   // made so far
	polled         map[string]watch.Stat // paths that no event tells of
	unheld         int                   // given addresses that were too many
	telling, ended bool
	waits          []settling
}

// dirty is a file to be looked at, since which mark.
type dirty struct {
	mark
	since int
}

// settling is a wait until what was marked so far has been told.
type settling struct {
	upTo int
	done chan struct{}
}

func newSubscription(ws *Workspace, peer *rpc.Peer) *subscription {
	return &subscription{
		ws: ws, peer: peer, wake: make(chan struct{}, 1), held: map[string]*held{}, byPath: map[string]map[*held]struct{}{},
		dirty: map[string]dirty{}, polled: map[string]watch.Stat{},
	}
}

// run tells what changes until ctx ends.
func (s *subscription) run(ctx context.Context) {
	poll := time.NewTicker(pollHeld)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-poll.C:
			s.poll(ctx)
		}
		for {
			if s.peer.Await(ctx) != nil { // first: what is looked up then is told at once
				return
			}
			all := s.take()
			if len(all) == 0 {
				break
			}
			if !s.tell(ctx, all) {
				return
			}
		}
	}
}

// take is what some dirty files hold, maxLook or a little more.
func (s *subscription) take() (all []*held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled()
	for path, m := range s.dirty {
		if len(all) >= maxLook {
			break
		}
		delete(s.dirty, path)
		for h := range s.byPath[path] {
			switch {
			case !h.begun:
				h.late = true
			case m.mark&changedOnDisk != 0 || h.gone || !h.state.live:
				h.final = m.mark&published != 0
				all = append(all, h)
			}
		}
	}
	if s.telling = len(all) > 0; !s.telling {
		s.settled()
	}
	slices.SortFunc(all, func(a, b *held) int { return cmp.Compare(a.address, b.address) })
	return slices.Compact(all)
}

// settled lets go who waits for what has been told: all that is no longer dirty, when nothing is being told. s.mu is held.
func (s *subscription) settled() {
	if len(s.waits) == 0 {
		return
	}
	oldest := s.marks + 1
	for _, d := range s.dirty {
		oldest = min(oldest, d.since)
	}
	s.waits = slices.DeleteFunc(s.waits, func(w settling) bool {
		if w.upTo < oldest {
			close(w.done)
		}
		return w.upTo < oldest
	})
}

// tell looks at addresses again and tells what changed; false when the connection has ended.
func (s *subscription) tell(ctx context.Context, all []*held) bool {
	addresses := make([]string, len(all))
	for i, h := range all {
		addresses[i] = h.whole
	}
	outcomes, err := s.ws.outcomes(ctx, addresses, "")
	if ctx.Err() != nil {
		return false
	}
	if err != nil { // the root is gone: when it comes back its files are noted
		s.ws.log.Debug("looking at held addresses", "error", err)
		return true
	}
	var changes []wire.AnchorChange
	s.mu.Lock()
	for i, h := range all {
		c, now := h.state.change(h.address, &outcomes[i])
		if h.gone = !now.live && !h.final; !h.gone && now != h.state && s.held[h.address] == h {
			h.state = now
			changes = append(changes, c)
		}
	}
	s.mu.Unlock()
	for some := range slices.Chunk(changes, maxChanges) {
		if s.peer.Tell(ctx, wire.MethodAnchorChanged, wire.AnchorChanged{Root: s.ws.Root, Changes: some}) != nil {
			return false
		}
	}
	return true
}

// poll looks where no event tells of changes.
func (s *subscription) poll(ctx context.Context) {
	if s.ws.cur.Load().told.unwatched > 0 {
		_ = s.ws.sync(ctx) // it notes what it finds; an error is the root's, and passes
	}
	s.mu.Lock()
	before := maps.Clone(s.polled)
	s.mu.Unlock()
	for path, stat := range before {
		now, _ := s.ws.disk.Load().stat(path) // an error is a stat of its own
		if now == stat {
			continue
		}
		s.mu.Lock()
		if _, still := s.polled[path]; still {
			s.polled[path] = now
			s.touch(path, changedOnDisk|published)
		}
		s.mu.Unlock()
	}
}

// mark notes the paths that are held.
func (s *subscription) mark(changed []differing, gone []change, m mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changed {
		s.touch(c.entry.Path, m)
	}
	for _, c := range gone {
		s.touch(c.path(), m)
	}
}

// touch marks one path; s.mu is held.
func (s *subscription) touch(path string, m mark) {
	if s.byPath[path] == nil {
		return
	}
	d, again := s.dirty[path]
	if !again {
		s.marks++
		d.since = s.marks
	}
	d.mark |= m
	s.dirty[path] = d
	s.poke()
}

func (s *subscription) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// hold adds addresses, nil ones excepted, and returns those that are new. What is told of them begins with begin. Too many are
// refused as a whole.
func (s *subscription) hold(wanted []*held) (added []*held, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := 0
	for _, h := range wanted {
		if h != nil && s.held[h.address] == nil {
			news++
		}
	}
	if len(s.held)+news > maxHeld {
		return nil, refuse(wire.InvalidRequest, nil, "%d addresses are held, and %d more are too many: at most %d are; drop some", len(s.held), news, maxHeld)
	}
	for _, h := range wanted {
		if h == nil || s.held[h.address] != nil {
			continue
		}
		s.held[h.address] = h
		added = append(added, h)
		for i, path := range h.file.paths {
			if s.byPath[path] == nil {
				s.byPath[path] = map[*held]struct{}{}
				if h.file.ignored[i] {
					s.polled[path] = h.file.stats[i]
				}
			}
			s.byPath[path][h] = struct{}{}
		}
	}
	return added, nil
}

// given holds addresses that an answer gives, if all are to be. They are as they say; what changed since they were
// read is found by a look at their files.
func (s *subscription) given(addresses []string) error {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	if !all {
		return nil
	}
	added, err := s.hold(s.ws.heldOf(addresses, ""))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.unheld += len(addresses)
	}
	for _, h := range added {
		h.begun = true
		s.touch(h.file.paths[0], changedOnDisk|published)
	}
	return err
}

// told sets the state from which changes are told, of those of wanted that are new.
func (s *subscription) told(wanted []*held, outcomes []wire.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range wanted {
		if h != nil && s.held[h.address] == h {
			h.state = whereaboutsOf(&outcomes[i])
		}
	}
}

// begin has the changes of addresses told from now on.
func (s *subscription) begin(added []*held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range added {
		if h.begun = true; h.late {
			h.late = false
			s.touch(h.file.paths[0], changedOnDisk|published)
		}
	}
}

// release lets go of addresses whose subscription failed.
func (s *subscription) release(added []*held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range added {
		s.forget(h)
	}
}

// drop lets addresses go.
func (s *subscription) drop(addresses []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range addresses {
		if h := s.held[address]; h != nil {
			s.forget(h)
		}
	}
}

// forget lets one address go; s.mu is held.
func (s *subscription) forget(h *held) {
	if s.held[h.address] != h {
		return
	}
	delete(s.held, h.address)
	for _, path := range h.file.paths {
		delete(s.byPath[path], h)
		if len(s.byPath[path]) == 0 {
			delete(s.byPath, path)
			delete(s.polled, path)
			delete(s.dirty, path)
		}
	}
}

// settle returns when all that was marked before has been told, and does not wait for what is marked meanwhile.
func (s *subscription) settle(ctx context.Context) error {
	s.mu.Lock()
	if s.ended || !s.telling && len(s.dirty) == 0 {
		s.mu.Unlock()
		return nil
	}
	w := settling{s.marks, make(chan struct{})}
	s.waits = append(s.waits, w)
	s.poke()
	s.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end lets go who waits for the loop, which has ended.
func (s *subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, w := range s.waits {
		close(w.done)
	}
	s.waits = nil
}

// counts are the addresses that are held, how many of these no event tells of, and how many given ones were too many.
func (s *subscription) counts() (held, unheard, unheld int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.polled {
		unheard += len(s.byPath[path])
	}
	return len(s.held), unheard, s.unheld
}
