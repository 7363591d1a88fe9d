package captures

import "encoding/binary"

// Sighting is what was answered about a live address in one later version of its file, where the versions that were seen in
// between say more than the first and the last alone. With it every daemon gives that answer again, however many of those
// versions it saw itself.
//
// It is kept in the log like a mint record, under a root of its own, so that nothing finds it that looks for one: Full is the
// version that the address was made from, Head the line, Roll whether it is proven. It lasts as long as the bytes of In.
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

// See remembers sightings. When it returns nil they survive kill -9, as long as their bytes are in the store. Errors are those
// of Mint.
func (s *Store) See(sightings ...Sighting) error {
	recs := make([]Record, len(sightings))
	for i := range sightings {
		recs[i] = sightings[i].record()
	}
	return s.Mint(recs)
}

// Sightings lists what was answered about a live address that was made from a version, newest first.
func (l Lookup) Sightings(root, path string, first, last int, anchor [4]byte, from BlobID) []Sighting {
	var found []Sighting
	for _, r := range l.Captures(sightedIn(root), path, first, last, anchor) {
		if BlobID(r.Full) != from {
			continue
		}
		found = append(found, Sighting{
			Root: root, Path: path, First: first, Last: last, Anchor: anchor, From: from,
			In: r.Blob, At: int(binary.LittleEndian.Uint64(r.Head[:])), Proven: r.Roll == 1,
		})
	}
	return found
}

// visit is the record of a visit: the digits of the version are its address.
func visit(root, path string, blob BlobID) Record {
	return Record{
		Root: sightedIn(root), Path: path, Blob: blob, Full: blob, Anchor: [4]byte(blob[:4]),
		First: int(binary.LittleEndian.Uint32(blob[4:])), Last: int(binary.LittleEndian.Uint32(blob[8:])),
	}
}

// Visit remembers that a version of a file was met, and addresses in it answered. Errors are those of Mint.
func (s *Store) Visit(root, path string, blob BlobID) error {
	return s.Mint([]Record{visit(root, path, blob)})
}

// Visited says whether a version of a file was met before, by any daemon.
func (l Lookup) Visited(root, path string, blob BlobID) bool {
	v := visit(root, path, blob)
	return l.Stamp(v.Root, v.Path, v.First, v.Last, v.Anchor) != 0
}
