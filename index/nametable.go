package index

import "bytes"

// nameTable numbers the names of a file in the order in which they are asked for. It is open addressing over the hashes,
// which are kept for refs.go: a map of strings copies each name and hashes it once more.
type nameTable struct {
	names []nameEntry
	slots []int32 // number of a name plus 1; a power of two, at most half full
}

type nameEntry struct {
	text []byte
	hash uint32
	slot uint32
}

func (t *nameTable) size() int { return len(t.names) }

// reset forgets the names, at the cost of those that there are.
func (t *nameTable) reset() {
	for i := range t.names {
		t.slots[t.names[i].slot] = 0
	}
	clear(t.names)
	t.names = t.names[:0]
}

// find is the number of a name, and the slot where it stands or would stand.
func (t *nameTable) find(name []byte, hash uint32) (id int32, slot uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, 0, false
	}
	mask := uint32(len(t.slots) - 1)
	for slot = (hash ^ hash>>15) & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		id = t.slots[slot] - 1
		if e := &t.names[id]; e.hash == hash && bytes.Equal(e.text, name) {
			return id, slot, true
		}
	}
	return 0, slot, false
}

// id is the number of a name, which must not change afterwards. fresh: it was not known.
func (t *nameTable) id(name []byte) (id int32, fresh bool) {
	if 2*len(t.names) >= len(t.slots) {
		t.grow()
	}
	hash := hashOf(name)
	id, slot, ok := t.find(name, hash)
	if !ok {
		id = int32(len(t.names))
		t.names = append(t.names, nameEntry{name, hash, slot})
		t.slots[slot] = id + 1
	}
	return id, !ok
}

// lookup is the number of a name that may not be known.
func (t *nameTable) lookup(name []byte) (id int32, ok bool) {
	id, _, ok = t.find(name, hashOf(name))
	return id, ok
}

func (t *nameTable) grow() {
	t.slots = make([]int32, max(512, 2*len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	for i := range t.names {
		hash := t.names[i].hash
		slot := (hash ^ hash>>15) & mask
		for ; t.slots[slot] != 0; slot = (slot + 1) & mask {
		}
		t.slots[slot], t.names[i].slot = int32(i)+1, slot
	}
}
