//go:build !linux

package watch

import "context"

// A notifier exists on Linux only: elsewhere events are not ordered with the writes that cause them,
// so every question is answered by a sweep.
type notifier struct{ mounts mounts }

type mounts struct{}

func (mounts) any() bool { return false }

func newNotifier(string, int) (*notifier, BlindKind) { return nil, EventsOff }
func (*notifier) add(*node, int) *node               { return nil }
func (*notifier) drop(*node)                         {}
func (*notifier) beside(map[*node]bool) []*node      { return nil }
func (*notifier) count() int                         { return 0 }
func (*notifier) close()                             {}
func (*notifier) drain(*dirt)                        {}
func (*notifier) wait(context.Context) error         { return nil }
