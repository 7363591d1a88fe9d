package watch

import "sync"

// queue holds the directories to visit, last in first out: a directory's handle is closed when
// its last child is opened, and depth first needs few of them.
type queue struct {
	mu      sync.Mutex
	wake    *sync.Cond
	items   []work
	pending int // queued or being visited
	aborted bool
}

func (q *queue) init() { q.wake = sync.NewCond(&q.mu) }

// push adds items; they are copied.
func (q *queue) push(items []work) {
	if len(items) == 0 {
		return
	}
	q.mu.Lock()
	q.items = append(q.items, items...)
	q.pending += len(items)
	q.mu.Unlock()
	if len(items) == 1 {
		q.wake.Signal()
	} else {
		q.wake.Broadcast()
	}
}

// pop waits for an item; false when all are finished or the sweep was given up.
func (q *queue) pop() (work, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && q.pending > 0 && !q.aborted {
		q.wake.Wait()
	}
	if len(q.items) == 0 || q.aborted {
		return work{}, false
	}
	last := len(q.items) - 1
	w := q.items[last]
	q.items[last] = work{}
	q.items = q.items[:last]
	return w, true
}

// finished tells that one popped item is done.
func (q *queue) finished() {
	q.mu.Lock()
	q.pending--
	done := q.pending == 0
	q.mu.Unlock()
	if done {
		q.wake.Broadcast()
	}
}

func (q *queue) abort() {
	q.mu.Lock()
	q.aborted = true
	q.mu.Unlock()
	q.wake.Broadcast()
}
