package commits

import (
	"encoding/hex"
	"slices"
)

// bases keeps the last objects that a walk read from packs: the next version of a directory or file is most often a
// delta of the one before, which else is made anew from the beginning of its chain each time.
type bases struct {
	packs []*pack // that were there when the walk began: to list them again for each object took most of its time
	held  int
	known map[place]object
	order []place // oldest first
}

type place struct {
	pack *pack
	at   int64
}

type object struct {
	kind string
	body []byte
}

// maxBases bounds the bytes that are kept.
const maxBases = 48 << 20

func newBases() *bases { return &bases{known: map[place]object{}} }

func (b *bases) get(p *pack, at int64) (object, bool) {
	if b == nil {
		return object{}, false
	}
	o, ok := b.known[place{p, at}]
	return o, ok
}

func (b *bases) put(p *pack, at int64, o object) {
	if b == nil || len(o.body) > maxBases/8 {
		return
	}
	k := place{p, at}
	if _, known := b.known[k]; known {
		return
	}
	b.known[k] = o
	b.order = append(b.order, k)
	for b.held += len(o.body); b.held > maxBases; b.order = b.order[1:] {
		b.held -= len(b.known[b.order[0]].body)
		delete(b.known, b.order[0])
	}
}

// undelta applies deltas to an object, the last first, and keeps the result, which stands at at.
func (b *bases) undelta(p *pack, at int64, o object, deltas [][]byte) (string, []byte, error) {
	for _, d := range slices.Backward(deltas) {
		var err error
		if o.body, err = apply(o.body, d); err != nil {
			return "", nil, err
		}
	}
	b.put(p, at, o)
	return o.kind, o.body, nil
}

// object is the kind and the bytes of an object, which the caller must not change.
func (w *Walk) object(id ID) (kind string, body []byte, err error) {
	name, err := hex.DecodeString(string(id))
	if err != nil {
		return "", nil, err
	}
	if w.bases.packs == nil {
		w.bases.packs, _ = w.r.allPacks(len(name)) // what is in none of them is looked for once more, in all
	}
	for _, p := range w.bases.packs {
		if at, ok, err := p.find(name); ok && err == nil {
			return w.r.packed(p, at, w.bases)
		}
	}
	return w.r.object(id)
}
