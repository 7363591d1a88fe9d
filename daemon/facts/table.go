package facts

import "os"

// location is where a record stands: the index of its segment in table.segments in 18 bits, its
// offset and its size in units of 8 bytes, 23 bits each.
type location uint64

const (
	maxSegments = 1 << 18
	maxOffset   = 1 << 26 // where a segment ends; it is rolled before
)

func locate(segment int, offset int64, size uint32) location {
	return location(uint64(segment)<<46 | uint64(offset>>3)<<23 | uint64(size>>3))
}

func (l location) segment() int  { return int(l >> 46) }
func (l location) offset() int64 { return int64(l>>23&(1<<23-1)) << 3 }
func (l location) size() int     { return int(l&(1<<23-1)) << 3 }

// table is the index of what is on disk. A record takes 16 bytes of a map, 19 to 39 with its free
// room. Two keys with the same first 8 bytes are one record, the last: the other is a miss, found by
// the full key in the record.
type table struct {
	segments []*segment // by number
	at       map[uint64]location
	old      int // what is found in segments[:old] is written again
}

// load indexes the segments in dir. Those that before has stay open, its others are closed. before
// may be nil.
func load(dir string, before *table) *table {
	type found struct {
		prefix uint64
		at     location
	}
	t := &table{}
	var all []found
	for _, file := range listSegments(dir) {
		if len(t.segments) == maxSegments {
			break
		}
		s := before.segment(file)
		if s == nil {
			s = openSegment(file)
		}
		if s == nil {
			continue
		}
		s.scan(func(e entry, offset int64) {
			all = append(all, found{e.prefix, locate(len(t.segments), offset, e.size)})
		})
		t.segments = append(t.segments, s)
	}
	t.at = make(map[uint64]location, len(all))
	for _, f := range all {
		t.at[f.prefix] = f.at
	}
	before.close(t)
	return t
}

// segment is the one of file, nil when t does not have it.
func (t *table) segment(file segmentFile) *segment {
	if t != nil {
		for _, s := range t.segments {
			if s.number == file.number && os.SameFile(s.info, file.info) {
				return s
			}
		}
	}
	return nil
}

// close closes the segments that next does not have; next may be nil.
func (t *table) close(next *table) {
	if t == nil {
		return
	}
	kept := map[*segment]bool{}
	if next != nil {
		for _, s := range next.segments {
			kept[s] = true
		}
	}
	for _, s := range t.segments {
		if !kept[s] {
			_ = s.file.Close() // it was read only
		}
	}
}

// oldest is the number of segments before the newest ones that hold half of limit bytes.
func (t *table) oldest(limit int64) int {
	newer := int64(0)
	for i := len(t.segments) - 1; i >= 0; i-- {
		if newer >= limit/2 {
			return i + 1
		}
		newer += t.segments[i].end
	}
	return 0
}
