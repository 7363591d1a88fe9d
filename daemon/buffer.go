package daemon

import (
	"math/bits"
	"sync"
)

// buffer is memory that files are read into, one after the other: the bytes of ten worktrees of GOROOT/src
// are 860 MB, and the garbage collector took as long over them as their digests.
type buffer struct{ bytes []byte }

const (
	leastBuffer = 64 << 10
	mostBuffer  = 1 << 20 // what is larger is not kept
)

var buffers sync.Pool // of *buffer

// takeBuffer is a buffer for size bytes and one more.
func takeBuffer(size int64) *buffer {
	b, _ := buffers.Get().(*buffer)
	if b == nil {
		b = &buffer{}
	}
	if need := min(max(size, 0), maxParse) + 1; int64(len(b.bytes)) < need {
		b.bytes = make([]byte, max(leastBuffer, 1<<bits.Len64(uint64(need-1))))
	}
	return b
}

// giveBack lends b to the next one. Nobody may look at its bytes any more.
func (b *buffer) giveBack() {
	if len(b.bytes) <= mostBuffer {
		buffers.Put(b)
	}
}
