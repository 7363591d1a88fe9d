package captures

import (
	"encoding/binary"
	"math"
)

// Record is one returned span: what the daemon remembers of an address that it minted.
type Record struct {
	Root string // a short id of the workspace
	Path string // relative to the workspace, any bytes
	Blob BlobID // the file's bytes when the answer was made

	First, Last int // lines from 1, both included

	Anchor [4]byte  // the 8 hex digits of the live address
	Full   [32]byte // the whole SHA-256 that Anchor is the beginning of
	Head   [8]byte  // the digest of the span's first line
	Roll   uint64   // a fingerprint of the span's line digests, for a fast search
	Text   [32]byte // SHA-256 of the span's lines themselves: what Full, a hash of hashes, cannot prove

	Time int64 // when it was minted, in Unix seconds; Mint fills it in when 0
}

// Span is the 10 hex digits of the record's span id.
func (r *Record) Span() string { return SpanID(r.Blob, r.First, r.Last) }

// Snapshot is the 64 hex digits of the record's snapshot id.
func (r *Record) Snapshot() string { return SnapshotID(r.Path, r.Blob) }

// The payload of a record's frame, little-endian. The two ids are functions of what follows, kept
// so that opening a log need not hash: 2 SHA-256 per record cost more than all the rest.
//
//	version 1 | time 8 | span 5 | snapshot 8 | blob 32 | full 32 | head 8 |
//	roll 8 | text 32 | anchor 4 | first 4 | last 4 | length of root 2 | root | path
const (
	recordVersion = 1

	offTime     = 1
	offSpan     = offTime + 8
	offSnapshot = offSpan + spanDigits/2
	offBlob     = offSnapshot + 8
	offFull     = offBlob + 32
	offHead     = offFull + 32
	offRoll     = offHead + 8
	offText     = offRoll + 8
	offAnchor   = offText + 32
	offFirst    = offAnchor + 4
	offLast     = offFirst + 4
	offRootLen  = offLast + 4
	offRoot     = offRootLen + 2
)

// maxNames bounds root and path together so that a frame stays within maxFrame.
const maxNames = maxFrame - maxFrame/254 - offRoot - crcSize - 2

// check refuses a record that the log cannot hold.
func (r *Record) check() error {
	switch {
	case r.First < 0 || r.Last < 0 || int64(r.First) > math.MaxUint32 || int64(r.Last) > math.MaxUint32:
		return &RecordError{Record: *r, Reason: "lines are outside 0 to 4294967295"}
	case len(r.Root)+len(r.Path) > maxNames:
		return &RecordError{Record: *r, Reason: "the names are too long"}
	}
	return nil
}

// appendPayload appends the payload of r, which has been checked.
func (r *Record) appendPayload(b []byte) []byte {
	span, snapshot := spanSum(r.Blob, r.First, r.Last), snapshotSum(r.Path, r.Blob)
	b = append(b, recordVersion)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Time))
	b = append(b, span[:spanDigits/2]...)
	b = append(b, snapshot[:8]...)
	b = append(b, r.Blob[:]...)
	b = append(b, r.Full[:]...)
	b = append(b, r.Head[:]...)
	b = binary.LittleEndian.AppendUint64(b, r.Roll)
	b = append(b, r.Text[:]...)
	return r.appendAddress(b)
}

// appendAddress appends the part of the payload that a live address consists of.
func (r *Record) appendAddress(b []byte) []byte {
	b = append(b, r.Anchor[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.First))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Last))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.Root)))
	b = append(b, r.Root...)
	return append(b, r.Path...)
}

// payload is the checked payload of a record's frame.
type payload []byte

// parsePayload reports false for a payload that is not a record of this version.
func parsePayload(b []byte) (payload, bool) {
	if len(b) < offRoot || b[0] != recordVersion {
		return nil, false
	}
	if offRoot+int(binary.LittleEndian.Uint16(b[offRootLen:])) > len(b) {
		return nil, false
	}
	return b, true
}

// span is the 40 bits of the span id.
func (p payload) span() uint64 {
	var b [8]byte
	copy(b[8-spanDigits/2:], p[offSpan:offSnapshot])
	return binary.BigEndian.Uint64(b[:])
}

// snapshot is the first 64 bits of the snapshot id.
func (p payload) snapshot() uint64 { return binary.BigEndian.Uint64(p[offSnapshot:]) }

func (p payload) blob() BlobID { return BlobID(p[offBlob:offFull]) }

// time is when the record was minted, in Unix seconds.
func (p payload) time() int64 { return int64(binary.LittleEndian.Uint64(p[offTime:])) }

// address is the part that two mints of one live address share.
func (p payload) address() []byte { return p[offAnchor:] }

// identity is the part that two mints of one span of one content share: all but time and ids.
func (p payload) identity() []byte { return p[offBlob:] }

func (p payload) record() Record {
	root := offRoot + int(binary.LittleEndian.Uint16(p[offRootLen:]))
	return Record{
		Root:   string(p[offRoot:root]),
		Path:   string(p[root:]),
		Blob:   p.blob(),
		First:  int(binary.LittleEndian.Uint32(p[offFirst:])),
		Last:   int(binary.LittleEndian.Uint32(p[offLast:])),
		Anchor: [4]byte(p[offAnchor:]),
		Full:   [32]byte(p[offFull:]),
		Head:   [8]byte(p[offHead:]),
		Roll:   binary.LittleEndian.Uint64(p[offRoll:]),
		Text:   [32]byte(p[offText:]),
		Time:   p.time(),
	}
}
