package cli

import (
	"context"
	"sync"
	"time"
)

// lazyTimeout is a context whose timer begins when somebody waits for its end. Most command lines are answered before
// anybody does, and a program's first timer sets the poller up and wakes a thread: 0.05 ms of 2.
type lazyTimeout struct {
	context.Context
	at     time.Time
	mu     sync.Mutex
	timed  context.Context // nil until somebody waits
	cancel context.CancelFunc
	ended  bool
}

// withLazyTimeout is context.WithTimeout, without a timer yet.
func withLazyTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &lazyTimeout{Context: parent, at: time.Now().Add(d)}
	return c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ended = true; c.cancel != nil {
			c.cancel()
		}
	}
}

func (c *lazyTimeout) Deadline() (time.Time, bool) { return c.at, true }

func (c *lazyTimeout) Done() <-chan struct{} { return c.real().Done() }

func (c *lazyTimeout) Err() error {
	c.mu.Lock()
	timed, ended := c.timed, c.ended
	c.mu.Unlock()
	switch {
	case timed != nil:
		return timed.Err()
	case ended:
		return context.Canceled
	case !time.Now().Before(c.at):
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// real is the context with the timer.
func (c *lazyTimeout) real() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.Context, c.at)
		if c.ended {
			c.cancel()
		}
	}
	return c.timed
}
