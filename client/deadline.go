package client

import (
	"context"
	"sync"
	"time"
)

// Deadline is a context that ends at a time and cannot be cancelled. Its timer is started by the
// first who asks for Done: a timer starts the poller and wakes a thread, which costs a program
// that makes one call as much as the call's own work. Once gives the time to the socket instead.
type Deadline struct {
	at    time.Time
	start sync.Once
	done  chan struct{}
}

// After is the context that ends when d has passed.
func After(d time.Duration) *Deadline {
	return &Deadline{at: time.Now().Add(d), done: make(chan struct{})}
}

// Deadline is when it ends.
func (d *Deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done is closed when it ends.
func (d *Deadline) Done() <-chan struct{} {
	d.start.Do(func() { time.AfterFunc(time.Until(d.at), func() { close(d.done) }) })
	return d.done
}

// Err is context.DeadlineExceeded when it has ended.
func (d *Deadline) Err() error {
	if time.Now().Before(d.at) {
		return nil
	}
	return context.DeadlineExceeded
}

// Value is always nil.
func (*Deadline) Value(any) any { return nil }
