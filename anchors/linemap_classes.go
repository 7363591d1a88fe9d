package anchors

import "math/rand/v2"

// A classTable numbers line digests from 0 in the order in which they are added. It is a hash table
// with linear probing: the builtin map takes 3 times as long for 1,000,000 lines. Digests are uniform, but
// who writes a file can choose its lines so that the low bits of their digests agree, so
// the slot is taken from the digest's product with a random number. The numbers do not depend on it.
type classTable struct {
	words []uint64 // by class
	slots []int32  // class + 1; 0: free
	shift uint
}

var classSeed = rand.Uint64() | 1

// newClassTable makes room for n digests.
func newClassTable(n int) *classTable {
	bits := uint(4)
	for 1<<bits < 2*n {
		bits++
	}
	return &classTable{words: make([]uint64, 0, n), slots: make([]int32, 1<<bits), shift: 64 - bits}
}

// slot returns where word is, or the free slot where it belongs.
func (t *classTable) slot(word uint64) int {
	i := int(word * classSeed >> t.shift)
	for t.slots[i] != 0 && t.words[t.slots[i]-1] != word {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// add returns the class of word, a new one when it has none. No more may be added than there is
// room for.
func (t *classTable) add(word uint64) int32 {
	i := t.slot(word)
	if t.slots[i] == 0 {
		t.words = append(t.words, word)
		t.slots[i] = int32(len(t.words))
	}
	return t.slots[i] - 1
}

// find returns the class of word; -1 when it has none.
func (t *classTable) find(word uint64) int32 { return t.slots[t.slot(word)] - 1 }
