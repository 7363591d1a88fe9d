package rpc

import (
	"context"
	"slices"

	"ctxd/client/wire"
)

// Bounds of one connection. They are far above what a client does on purpose.
const (
	maxRunning = 64            // handlers at once; more requests wait their turn
	maxWaiting = 1 << 14       // requests or notifications that wait
	maxHeld    = wire.MaxFrame // bytes of their parameters
	maxUnsent  = 8 << 20       // bytes of replies that the peer does not take, before we stop reading it
)

// call is one request that was accepted.
type call struct {
	message
	ctx      context.Context
	cancel   context.CancelFunc
	answered bool   // its reply is queued, perhaps while its handler still runs
	replied  func() // of its result, if it wants to know; only run
}

// inFlight is everything about a connection that changes. Only conn.update touches it.
type inFlight struct {
	calls   map[string][]*call // requests without an answer, by id; a peer may use an id twice
	open    int                // how many these are
	waiting []*call            // those that have not started, oldest first
	running int                // handlers of requests that have not returned

	asked  map[string]chan<- message // requests to the peer that it has not answered, by id
	number int                       // of the last of them

	notes  []message // notifications that wait, oldest first
	noting bool      // a goroutine works them off
	held   int       // bytes of the parameters in waiting and notes

	out     [][]byte      // replies to be written, in order
	unsent  int           // their bytes, with those being written
	writing bool          // a goroutine writes
	room    chan struct{} // closed when unsent has fallen; nil: nobody waits
	calm    chan struct{} // closed when it has fallen further, for notifications

	eof    bool  // no more messages come
	gone   bool  // the peer is gone, or the connection is no longer wanted
	err    error // why writing failed
	closed bool
}

// accept takes a request in, or answers it at once when too many wait.
func (s *inFlight) accept(k *call) {
	if len(s.waiting) >= maxWaiting || s.held+len(k.params) > maxHeld && s.held > 0 {
		k.cancel()
		s.push(encodeError(k.id, refuse(nil, wire.CodeInvalidRequest,
			"%d requests wait on this connection: take answers before you send more", len(s.waiting)).err))
		return
	}
	s.calls[k.key] = append(s.calls[k.key], k)
	s.open++
	s.waiting = append(s.waiting, k)
	s.held += len(k.params)
}

// note takes a notification in. It reports false when too many wait: they cannot be refused one
// by one, and dropping some would be worse than ending the connection.
func (s *inFlight) note(m message) bool {
	if len(s.notes) >= maxWaiting || s.held+len(m.params) > maxHeld && s.held > 0 {
		return false
	}
	s.notes = append(s.notes, m)
	s.held += len(m.params)
	return true
}

// finish answers k, unless it was cancelled meanwhile.
func (s *inFlight) finish(k *call, reply []byte) {
	if k.answered {
		return
	}
	k.answered = true
	s.open--
	same := slices.DeleteFunc(s.calls[k.key], func(other *call) bool { return other == k })
	if s.calls[k.key] = same; len(same) == 0 {
		delete(s.calls, k.key)
	}
	s.push(reply)
}

// cancelAll answers the requests with an id and cancels their contexts. An id that is unknown, or
// answered already, is nothing.
func (s *inFlight) cancelAll(key string) {
	for _, k := range slices.Clone(s.calls[key]) {
		k.cancel()
		if i := slices.Index(s.waiting, k); i >= 0 {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			s.held -= len(k.params)
		}
		s.finish(k, encodeError(k.id, asWire(context.Canceled, true)))
	}
}

// answered hands the peer's response to who asked. One that nobody waits for is dropped.
func (s *inFlight) answered(m message) {
	if waiting := s.asked[m.key]; waiting != nil {
		delete(s.asked, m.key)
		waiting <- m // it has room for one
	}
}

func (s *inFlight) push(reply []byte) {
	if s.closed {
		return
	}
	s.out = append(s.out, reply)
	s.unsent += len(reply)
}

// start takes the requests that may run now. While the peer does not take its answers, no new
// ones are made.
func (s *inFlight) start() []*call {
	n := 0
	if !s.closed && s.unsent < maxUnsent {
		n = max(0, min(len(s.waiting), maxRunning-s.running))
	}
	if n == 0 {
		return nil
	}
	started := slices.Clone(s.waiting[:n])
	clear(s.waiting[:n])
	s.waiting = s.waiting[n:]
	for _, k := range started {
		s.held -= len(k.params)
	}
	s.running += n
	return started
}

// nextNote takes the oldest notification.
func (s *inFlight) nextNote() (m message, ok bool) {
	if s.closed || len(s.notes) == 0 {
		s.noting = false
		return message{}, false
	}
	m, s.notes[0] = s.notes[0], message{}
	s.notes = s.notes[1:]
	s.held -= len(m.params)
	return m, true
}

// over says that the connection can be closed: it failed, or nothing more comes and nothing more
// is owed. A handler that was cancelled and does not heed it is not waited for.
func (s *inFlight) over() bool {
	idle := s.open == 0 && len(s.notes) == 0 && !s.noting && len(s.out) == 0 && !s.writing
	return s.gone || s.err != nil || s.eof && idle
}
