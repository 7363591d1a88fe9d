package cli

import (
	"context"
	"sync"
	"time"
)

// lazyTimeout is a context whose timer begins when somebody waits for its end. Most command lines are answered before
// anybody does, and a program's first timer sets the poller up and wakes a thread: 0.05 ms of 2.
type lazyTimeout struct {
	context.Context // the parent
	at              time.Time

	mu     sync.Mutex      // guards what follows
	timed  context.Context // nil until somebody waits
	cancel context.CancelFunc
	err    error // why it has ended, as far as was asked before somebody waited
}

// withLazyTimeout is context.WithTimeout, without a timer yet, for a parent without a deadline.
func withLazyTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &lazyTimeout{Context: parent, at: time.Now().Add(d)}
	return c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cancel != nil {
			c.cancel()
		} else if c.early() == nil {
			c.err = context.Canceled
		}
	}
}

func (c *lazyTimeout) Deadline() (time.Time, bool) { return c.at, true }

func (c *lazyTimeout) Done() <-chan struct{} { return c.real().Done() }

func (c *lazyTimeout) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed != nil {
		return c.timed.Err()
	}
	return c.early()
}

// early is Err while nobody waits. mu is held.
func (c *lazyTimeout) early() error {
	if c.err == nil {
		if c.err = c.Context.Err(); c.err == nil && !time.Now().Before(c.at) {
			c.err = context.DeadlineExceeded
		}
	}
	return c.err
}

// real is the context with the timer.
func (c *lazyTimeout) real() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.Context, c.at)
		if c.err != nil {
			c.cancel()
		}
	}
	return c.timed
}
