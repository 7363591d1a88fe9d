package daemon

import (
	"context"
	"sync"

	"ctxd/daemon/rpc"
)

// sessions are the connections to which addresses were given, or that hold some.
type sessions struct {
	life  context.Context
	stop  context.CancelFunc
	loops sync.WaitGroup // one of each subscription

	mu   sync.Mutex
	open map[*rpc.Peer]*session
}

func newSessions() *sessions {
	s := &sessions{open: map[*rpc.Peer]*session{}}
	s.life, s.stop = context.WithCancel(context.Background())
	return s
}

// close ends what connections have left running, and waits for it.
func (s *sessions) close() {
	s.stop()
	s.loops.Wait()
}

// session is what the daemon remembers of one connection. It ends with it.
type session struct {
	peer   *rpc.Peer
	asking chan struct{} // holds a token while the ledger is asked

	mu      sync.Mutex
	subs    map[*worktree]*subscription
	ledgers map[string]*ledger // by root
}

// of is the session of the connection that ctx belongs to; nil when it belongs to none.
func (s *sessions) of(ctx context.Context) *session {
	peer := rpc.PeerOf(ctx)
	if peer == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[peer]
	if one == nil {
		one = &session{peer: peer, asking: make(chan struct{}, 1), subs: map[*worktree]*subscription{}, ledgers: map[string]*ledger{}}
		s.open[peer] = one
		context.AfterFunc(peer.Context(), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.open, peer)
		})
	}
	return one
}

// subscription is that of the session in a workspace; nil when there is none, and create is false.
func (s *session) subscription(all *sessions, ws *Workspace, create bool) *subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.subs[ws.worktree]
	if sub != nil || !create {
		return sub
	}
	sub = newSubscription(ws, s.peer)
	s.subs[ws.worktree] = sub
	ws.listeners.add(sub)
	all.loops.Go(func() { // ends with the connection, and at the latest with the daemon
		ctx, cancel := context.WithCancel(s.peer.Context())
		defer cancel()
		defer context.AfterFunc(all.life, cancel)()
		defer ws.listeners.remove(sub)
		sub.run(ctx)
		sub.end()
	})
	return sub
}

// given remembers the live addresses of an answer for the ledger, and holds them if the connection wants that.
func (s *sessions) given(ctx context.Context, ws *Workspace, result any) {
	addresses := given(result)
	if len(addresses) == 0 {
		return
	}
	one := s.of(ctx)
	if one == nil {
		return
	}
	one.mu.Lock()
	one.ledger(ws.Root).add(addresses)
	sub := one.subs[ws.worktree]
	one.mu.Unlock()
	if sub != nil {
		_ = sub.given(addresses) // too many are counted, and told as unheld
	}
}

// ledger is the one of a root; s.mu is held.
func (s *session) ledger(root string) *ledger {
	l := s.ledgers[root]
	if l == nil {
		l = newLedger()
		s.ledgers[root] = l
	}
	return l
}
