package captures

import "hash/maphash"

// index finds the records of a log by span, by address and by snapshot. It holds no record, only
// where each stands: 48 bytes a record and 8 to 16 of table, about 60 MB for 1,000,000, where a
// map of records took 400. What it finds is a candidate until the record has been read back and
// compared.
type index struct {
	seed  maphash.Seed // keys of addresses cannot be made to collide from outside
	pages [][]entry    // of pageSize each, so that growing copies nothing
	n     uint32
	// spans and addresses hold, for the low bits of a key, the newest entry (its number plus 1, 0
	// for none); older ones follow along entry.nextSpan and entry.nextAddress.
	spans, addresses []uint32
}

const pageSize = 4096

// entry is one record of the log.
type entry struct {
	at       location
	span     uint64 // the 40 bits of the span id; of a sighting or a visit with sightingSpan
	snapshot uint64 // the first 64 bits of the snapshot id
	address  uint64 // keyed hash of the live address
	identity uint64 // keyed hash of all but time

	nextSpan, nextAddress uint32
}

// sightingSpan keeps sightings and visits apart from the spans of the same bytes and lines: they were not minted.
const sightingSpan = 1 << (4 * spanDigits)

// location is where a frame stands in the log: offset in the upper 48 bits, length below.
type location uint64

func locate(offset int64, size int) location { return location(uint64(offset)<<16 | uint64(size)) }
func (l location) offset() int64             { return int64(l >> 16) }
func (l location) size() int                 { return int(l & 0xffff) }

func newIndex() *index {
	return &index{seed: maphash.MakeSeed(), spans: make([]uint32, 1024), addresses: make([]uint32, 1024)}
}

// entry is the entry number i, from 0.
func (x *index) entry(i uint32) *entry { return &x.pages[i/pageSize][i%pageSize] }

// keys are the two hashes that entries of p carry.
func (x *index) keys(p payload) (address, identity uint64) {
	return maphash.Bytes(x.seed, p.address()), maphash.Bytes(x.seed, p.identity())
}

// add enters the record p, which stands at at.
func (x *index) add(p payload, at location) {
	if int(x.n) == len(x.spans) {
		x.grow()
	}
	if x.n%pageSize == 0 {
		x.pages = append(x.pages, make([]entry, pageSize))
	}
	e := x.entry(x.n)
	e.at, e.span, e.snapshot = at, p.span(), p.snapshot()
	e.address, e.identity = x.keys(p)
	if p.isSighting() {
		e.span |= sightingSpan
	}
	x.n++
	x.link(e, x.n)
}

func (x *index) link(e *entry, number uint32) {
	mask := uint64(len(x.spans) - 1)
	e.nextSpan, x.spans[e.span&mask] = x.spans[e.span&mask], number
	e.nextAddress, x.addresses[e.address&mask] = x.addresses[e.address&mask], number
}

func (x *index) grow() {
	size := 2 * len(x.spans)
	x.spans, x.addresses = make([]uint32, size), make([]uint32, size)
	for i := range x.n { // oldest first, so that the newest is again in front
		x.link(x.entry(i), i+1)
	}
}

// bySpan lists where the records of a span id stand, newest first.
func (x *index) bySpan(span uint64) []location {
	var found []location
	for i := x.spans[span&uint64(len(x.spans)-1)]; i != 0; {
		e := x.entry(i - 1)
		if e.span == span {
			found = append(found, e.at)
		}
		i = e.nextSpan
	}
	return found
}

// byAddress lists where the records of an address stand, newest first, without the repeated ones.
func (x *index) byAddress(address uint64) []location {
	var found []location
	var seen map[uint64]bool
	for i := x.addresses[address&uint64(len(x.addresses)-1)]; i != 0; {
		e := x.entry(i - 1)
		i = e.nextAddress
		if e.address != address || seen[e.identity] {
			continue
		}
		if seen == nil {
			seen = map[uint64]bool{}
		}
		seen[e.identity] = true
		found = append(found, e.at)
	}
	return found
}

// sightingsOf lists where the sightings of an address in the version with this span id stand, newest first.
func (x *index) sightingsOf(address, span uint64) (found []location) {
	for i := x.addresses[address&uint64(len(x.addresses)-1)]; i != 0; {
		e := x.entry(i - 1)
		if e.address == address && e.span == span|sightingSpan {
			found = append(found, e.at)
		}
		i = e.nextAddress
	}
	return found
}

// stamp is a digest of the records of an address and their order.
func (x *index) stamp(address uint64) (sum uint64) {
	for i := x.addresses[address&uint64(len(x.addresses)-1)]; i != 0; {
		e := x.entry(i - 1)
		if e.address == address {
			sum = (sum ^ uint64(i)) * 0x9e3779b97f4a7c15
		}
		i = e.nextAddress
	}
	return sum
}

// newest reports whether the newest record of an address is the one with this identity. Two
// records that differ have equal 64-bit keyed hashes with probability 2^-64 a pair; the second
// would then not be written, and be unknown later.
func (x *index) newest(address, identity uint64) bool {
	for i := x.addresses[address&uint64(len(x.addresses)-1)]; i != 0; {
		e := x.entry(i - 1)
		if e.address == address {
			return e.identity == identity
		}
		i = e.nextAddress
	}
	return false
}

// last is where the last record of an identity stands.
func (x *index) last(address, identity uint64) (location, bool) {
	for i := x.addresses[address&uint64(len(x.addresses)-1)]; i != 0; {
		e := x.entry(i - 1)
		if e.address == address && e.identity == identity {
			return e.at, true
		}
		i = e.nextAddress
	}
	return 0, false
}

// spansWith lists the distinct minted span ids that begin with the digits under mask.
func (x *index) spansWith(value, mask uint64) map[uint64]bool {
	found := map[uint64]bool{}
	for i := range x.n {
		if e := x.entry(i); e.span&sightingSpan == 0 && e.span&mask == value {
			found[e.span] = true
		}
	}
	return found
}

// snapshotsWith lists where the records stand whose snapshot id begins with the digits under mask.
func (x *index) snapshotsWith(value, mask uint64) []location {
	var found []location
	for i := range x.n {
		if e := x.entry(i); e.snapshot&mask == value {
			found = append(found, e.at)
		}
	}
	return found
}
