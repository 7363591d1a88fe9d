//go:build !linux

package watch

import "errors"

// A notifier exists on Linux only: elsewhere events are not ordered with the writes that cause them,
// so every question is answered by a sweep.
type notifier struct{}

func newNotifier() (*notifier, error)           { return nil, errors.New("events are used on Linux only") }
func (*notifier) add(*node, int) error          { return nil }
func (*notifier) drop(*node)                    {}
func (*notifier) beside(map[*node]bool) []*node { return nil }
func (*notifier) count() int                    { return 0 }
func (*notifier) close()                        {}
func (*notifier) drain(*dirt)                   {}
