package daemon

import "sync"

// signal tells whoever watches that something happened, without saying what or how often.
type signal struct {
	mu       sync.Mutex
	watchers map[chan struct{}]bool
}

func (s *signal) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// watch is a channel that holds a value when something has happened since it was last emptied.
func (s *signal) watch() (c <-chan struct{}, stop func()) {
	made := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watchers == nil {
		s.watchers = map[chan struct{}]bool{}
	}
	s.watchers[made] = true
	return made, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, made)
	}
}

// Changes is a channel that holds a value when files of the worktree have changed since it was last emptied, until
// stop is called.
func (ws *Workspace) Changes() (c <-chan struct{}, stop func()) { return ws.stirred.watch() }
