package index

import "sync"

// scratch is what the description of one file takes and nobody keeps. It goes from file to file: made anew for each, it
// was 20 bytes of garbage for each byte of source.
type scratch struct {
	collected collected
	binder    binder
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func takeScratch() *scratch { return scratches.Get().(*scratch) }

// keptLeaves is how many names a file may have whose scratch is kept: beyond it the next would hold megabytes for little.
const keptLeaves = 1 << 16

// give gives s back. It is not called after a panic, which leaves s in nobody knows what state.
func (s *scratch) give() {
	b := &s.binder
	if cap(b.leaves) > keptLeaves || cap(b.bindings) > keptLeaves || cap(s.collected.locals) > keptLeaves || b.names.size() > keptLeaves {
		return
	}
	b.names.reset()
	b.ways.reset()
	clear(b.out)
	clear(b.sorted)
	s.collected.src, b.src, b.f = nil, nil, nil
	scratches.Put(s)
}

// reused is m without its entries, or another map when it grew so large that clearing it would cost the next file more.
func reused[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > 512 {
		return map[K]V{}
	}
	clear(m)
	return m
}

// resized is a list of n zeros, in the place of an earlier one if that has room.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, n+n/4)
	}
	list = list[:n]
	clear(list)
	return list
}
