package captures

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"iter"
	"slices"
	"time"
)

// Mint remembers spans that are about to be returned. When it returns nil, they survive kill -9 of
// this process: the records are in the log by one write(2). What is already known costs no write.
// The bytes must have been Put within the last minute. On a *WriteError none of the new records
// is remembered, and the answer must not show their spans.
func (s *Store) Mint(recs []Record) error {
	for i := range recs {
		if err := recs[i].check(); err != nil {
			return err
		}
	}
	s.write.Lock()
	defer s.write.Unlock()
	// The lock is taken even when every record is known: a gc that decided to drop one of them
	// finds its blob alive again before it replaces the log, or has replaced it by now.
	v, err := s.lockLog()
	if err != nil {
		return err
	}
	defer unlockFile(v.f)
	payloads := v.unknown(recs)
	if len(payloads) == 0 {
		return nil
	}
	return s.append(v, payloads)
}

// unknown encodes those records that are not the newest known of their address. A record that is
// known, but after which the address was minted from other bytes, is written again, so that the
// newest record of an address is what was last shown under it.
func (v *view) unknown(recs []Record) []payload {
	var payloads []payload
	newest := map[uint64]uint64{} // what this call adds: address to identity
	var scratch []byte
	v.mu.RLock()
	defer v.mu.RUnlock()
	for i := range recs {
		r := &recs[i]
		scratch = append(scratch[:0], r.Blob[:]...)
		scratch = append(scratch, r.Full[:]...)
		scratch = append(scratch, r.Head[:]...)
		scratch = binary.LittleEndian.AppendUint64(scratch, r.Roll)
		scratch = append(scratch, r.Text[:]...)
		split := len(scratch)
		scratch = r.appendAddress(scratch)
		address, identity := maphash.Bytes(v.index.seed, scratch[split:]), maphash.Bytes(v.index.seed, scratch)
		added, again := newest[address]
		if again && added == identity || !again && v.index.newest(address, identity) {
			continue
		}
		newest[address] = identity
		record := *r
		if record.Time == 0 {
			record.Time = time.Now().Unix()
		}
		payloads = append(payloads, record.appendPayload(nil))
	}
	return payloads
}

// append writes payloads at the end of the log with one write(2) and indexes them. The caller
// holds s.write and the lock of the log, and v is up to date.
func (s *Store) append(v *view, payloads []payload) error {
	if !v.writable {
		return &WriteError{Path: v.f.Name(), Err: errors.New("opened read-only: no permission to write")}
	}
	size := v.seen.Load()
	batch := make([]byte, 0, 256*len(payloads))
	if size > v.end.Load() { // a writer died within its last frame: end it
		batch = append(batch, delimiter)
	}
	for _, p := range payloads {
		batch = appendFrame(batch, p)
	}
	if n, err := v.f.Write(batch); err != nil {
		if n > 0 {
			// Nobody else appends while we hold the lock. Where cutting fails too, what is
			// left is a damaged frame, and skipped.
			err = errors.Join(err, v.f.Truncate(size))
		}
		return &WriteError{Path: v.f.Name(), Err: err}
	}
	return v.catchUp(size+int64(len(batch)), s.warn)
}

// Lookup answers questions about live addresses from the log as it was when Now was called: for many
// questions at once the log is looked at for other processes' records only once (the stat took half
// the time of 1,000 look-ups).
type Lookup struct{ v *view }

// Now is a Lookup of what has been minted up to now, by any process.
func (s *Store) Now() Lookup {
	v, err := s.current()
	if err != nil {
		s.log.Warn("captures: lookup", "err", err)
	}
	return Lookup{v}
}

// Minted lists what is remembered of a live address, newest first: one record for each distinct
// content. It is empty when the address was not minted here.
func (s *Store) Minted(root, path string, first, last int, anchor [4]byte) []Record {
	return s.Now().Minted(root, path, first, last, anchor)
}

// Captures lists every capture that is remembered under a live address, newest first: one record
// for each distinct content of the file and full digest.
func (s *Store) Captures(root, path string, first, last int, anchor [4]byte) []Record {
	return s.Now().Captures(root, path, first, last, anchor)
}

// Minted is Store.Minted.
func (l Lookup) Minted(root, path string, first, last int, anchor [4]byte) []Record {
	var found []Record
	type content struct{ full, text [32]byte }
	seen := map[content]bool{}
	for _, r := range l.Captures(root, path, first, last, anchor) {
		if c := (content{r.Full, r.Text}); !seen[c] {
			seen[c] = true
			found = append(found, r)
		}
	}
	return found
}

// Captures is Store.Captures.
func (l Lookup) Captures(root, path string, first, last int, anchor [4]byte) []Record {
	return slices.Collect(l.records(Record{Root: root, Path: path, First: first, Last: last, Anchor: anchor}))
}

// records goes through the records of the address of asked, newest first. Each is read when its turn comes.
func (l Lookup) records(asked Record) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		if l.v == nil || asked.check() != nil {
			return
		}
		address := asked.appendAddress(nil)
		l.v.mu.RLock()
		at := l.v.index.byAddress(maphash.Bytes(l.v.index.seed, address))
		l.v.mu.RUnlock()
		for _, at := range at {
			if p, ok := l.v.read(at); ok && string(p.address()) == string(address) && !yield(p.record()) {
				return
			}
		}
	}
}

// Stamp changes when Captures of the same address does, without reading a record: 0 when there is none, else different
// from the one before but for an accident of 2^-64. It is of use in this process only.
func (l Lookup) Stamp(root, path string, first, last int, anchor [4]byte) uint64 {
	asked := Record{Root: root, Path: path, First: first, Last: last, Anchor: anchor}
	if l.v == nil || asked.check() != nil {
		return 0
	}
	address := asked.appendAddress(make([]byte, 0, 256))
	l.v.mu.RLock()
	defer l.v.mu.RUnlock()
	return l.v.index.stamp(maphash.Bytes(l.v.index.seed, address))
}
