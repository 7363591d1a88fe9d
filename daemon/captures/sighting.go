package captures

import (
	"encoding/binary"
	"iter"
)

// Sighting is what was answered about a live address in one later version of its file, where the versions that were seen in
// between say more than the first and the last alone. With it every daemon gives that answer again, however many of those
// versions it saw itself. Collection keeps the newest keepSightings of an address.
//
// It is kept in the log like a mint record, under a root of its own, so that nothing finds it that looks for one: Full is the
// version that the address was made from, Head the line, Roll whether it is proven. It lasts as long as the bytes of In, and as any
// capture that is not used if there are none.
type Sighting struct {
	Root, Path  string // of the address
	First, Last int
	Anchor      [4]byte

	From   BlobID // the version that the address was made from
	In     BlobID // the version that was asked about
	At     int    // the line of it where the content begins, from 1; 0: it is gone
	Proven bool   // that this is the region, and not only its content
}

// sightedIn is the root of the sightings in a workspace: its id has no NUL.
func sightedIn(root string) string { return root + "\x00" }

// isSighting says whether a record is one that a sighting or a visit is kept as.
func (p payload) isSighting() bool {
	n := int(binary.LittleEndian.Uint16(p[offRootLen:]))
	return n > 0 && p[offRoot+n-1] == 0
}

func (s *Sighting) record() Record {
	r := Record{Root: sightedIn(s.Root), Path: s.Path, Blob: s.In, First: s.First, Last: s.Last, Anchor: s.Anchor, Full: s.From}
	binary.LittleEndian.PutUint64(r.Head[:], uint64(s.At))
	if s.Proven {
		r.Roll = 1
	}
	return r
}

// Visit is that a version of a file was met, and addresses in it answered. It lasts as a sighting does.
type Visit struct {
	Root, Path string
	In         BlobID
}

// See remembers sightings and visits, with one write. When it returns nil they survive kill -9. Errors are
// those of Mint.
func (s *Store) See(sightings []Sighting, visits []Visit) error {
	recs := make([]Record, 0, len(sightings)+len(visits))
	for i := range sightings {
		recs = append(recs, sightings[i].record())
	}
	for _, v := range visits { // last: should the write be cut short, what was not written is answered anew
		recs = append(recs, v.record())
	}
	return s.Mint(recs)
}

// Sightings goes through what was answered about a live address that was made from a version, newest first. Each is read when its turn
// comes.
func (l Lookup) Sightings(root, path string, first, last int, anchor [4]byte, from BlobID) iter.Seq[Sighting] {
	return func(yield func(Sighting) bool) {
		for r := range l.records(Record{Root: sightedIn(root), Path: path, First: first, Last: last, Anchor: anchor}) {
			if BlobID(r.Full) == from && !yield(sighting(root, r)) {
				return
			}
		}
	}
}

// Sighted is what was last answered about a live address in one version; false when nothing was. However many versions it was
// sighted in, the records of this one alone are read: its bytes and lines have a span id.
func (l Lookup) Sighted(root, path string, first, last int, anchor [4]byte, from, in BlobID) (Sighting, bool) {
	asked := Record{Root: sightedIn(root), Path: path, Blob: in, First: first, Last: last, Anchor: anchor}
	if l.v == nil || asked.check() != nil {
		return Sighting{}, false
	}
	p := payload(asked.appendPayload(nil))
	l.v.mu.RLock()
	address, _ := l.v.index.keys(p)
	at := l.v.index.sightingsOf(address, p.span())
	l.v.mu.RUnlock()
	for _, at := range at {
		r, ok := l.v.read(at)
		if ok && string(r.address()) == string(p.address()) && r.blob() == in {
			if found := r.record(); BlobID(found.Full) == from {
				return sighting(root, found), true
			}
		}
	}
	return Sighting{}, false
}

func sighting(root string, r Record) Sighting {
	return Sighting{
		Root: root, Path: r.Path, First: r.First, Last: r.Last, Anchor: r.Anchor, From: r.Full,
		In: r.Blob, At: int(binary.LittleEndian.Uint64(r.Head[:])), Proven: r.Roll == 1,
	}
}

// record is the record of a visit: the digits of the version are its address.
func (v Visit) record() Record {
	b := v.In
	return Record{
		Root: sightedIn(v.Root), Path: v.Path, Blob: b, Full: b, Anchor: [4]byte(b[:4]),
		First: int(binary.LittleEndian.Uint32(b[4:])), Last: int(binary.LittleEndian.Uint32(b[8:])),
	}
}

// Visited says whether a version of a file was met before, by any daemon.
func (l Lookup) Visited(v Visit) bool {
	r := v.record()
	return l.Stamp(r.Root, r.Path, r.First, r.Last, r.Anchor) != 0
}
