package anchors

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// lineBytes is the size of one line digest in Table.digests.
const lineBytes = len(LineDigest{})

// A Table holds the lines of one text: where each starts and what its digest is. It costs 12 bytes
// a line beside the text itself, which it keeps and never changes. A Table is immutable, so any
// number of goroutines may use it at once.
//
// Lines are counted from 1 and offsets in bytes from 0. Numbers outside the text are harmless:
// they address nothing, or the nearest place that exists, as each method says.
type Table struct {
	src     []byte
	narrow  []uint32 // where each line starts
	wide    []int    // the same, instead of narrow, for a source of 4 GiB or more
	digests []byte   // 8 bytes a line, in order: exactly what a span's digest is hashed over
}

// NewTable splits src into lines and digests them. It keeps src, which must not change afterwards.
//
// A line ends at \n, \r\n or \r, and at nothing else. A terminator at the very end starts no
// further line, so "a" and "a\n" both have one line and the empty text has none.
func NewTable(src []byte) *Table { return newTable(src, uint64(len(src)) > 1<<32-1) }

func newTable(src []byte, wide bool) *Table {
	n := countLines(src)
	t := &Table{src: src, digests: make([]byte, 0, n*lineBytes)}
	if wide {
		t.wide = make([]int, 0, n)
	} else {
		t.narrow = make([]uint32, 0, n)
	}
	h := newHasher(lineScheme)
	s := scanner{src: src, lf: -1, cr: -1}
	for s.pos < len(src) {
		start, end := s.next()
		d := lineDigest(&h, src[start:end])
		t.digests = append(t.digests, d[:]...)
		if wide {
			t.wide = append(t.wide, start)
		} else {
			t.narrow = append(t.narrow, uint32(start))
		}
	}
	return t
}

// countLines counts what scanner will find, so that a table is allocated once and to size.
func countLines(src []byte) int {
	if len(src) == 0 {
		return 0
	}
	n := bytes.Count(src, []byte{'\n'})
	if cr := bytes.Count(src, []byte{'\r'}); cr > 0 {
		n += cr - bytes.Count(src, []byte("\r\n"))
	}
	if last := src[len(src)-1]; last != '\n' && last != '\r' {
		n++
	}
	return n
}

// A scanner walks over the lines of src. It remembers the next \n and the next \r: looking for both
// anew at each line would take quadratic time where one of them is rare.
type scanner struct {
	src    []byte
	pos    int // where the next line starts
	lf, cr int // the first \n and \r at or after pos, len(src) when there is none; < pos: not known
}

// next returns the bounds of the next line without its terminator.
func (s *scanner) next() (start, end int) {
	start = s.pos
	if s.lf < start {
		s.lf = indexFrom(s.src, start, '\n')
	}
	if s.cr < start {
		s.cr = indexFrom(s.src, start, '\r')
	}
	end = min(s.lf, s.cr)
	s.pos = min(end+1, len(s.src))
	if end == s.cr && end+1 == s.lf {
		s.pos = min(end+2, len(s.src))
	}
	return start, end
}

func indexFrom(src []byte, from int, c byte) int {
	if i := bytes.IndexByte(src[from:], c); i >= 0 {
		return from + i
	}
	return len(src)
}

// Source returns the text. The caller must not change it.
func (t *Table) Source() []byte { return t.src }

// Len returns the number of lines.
func (t *Table) Len() int { return len(t.digests) / lineBytes }

// start returns where line i, from 0, starts; the end of the text for i = Len.
func (t *Table) start(i int) int {
	switch {
	case i >= t.Len():
		return len(t.src)
	case t.wide != nil:
		return t.wide[i]
	default:
		return int(t.narrow[i])
	}
}

// Line returns line n without its terminator; nil when there is no such line.
func (t *Table) Line(n int) []byte {
	if n < 1 || n > t.Len() {
		return nil
	}
	start, end := t.start(n-1), t.start(n)
	// The content of a line has neither \r nor \n, so whatever of them stands at its end is the
	// terminator.
	for end > start && (t.src[end-1] == '\n' || t.src[end-1] == '\r') {
		end--
	}
	return t.src[start:end:end]
}

// LineStart returns the offset at which line n starts: 0 for a line before the first, the length
// of the text for a line after the last.
func (t *Table) LineStart(n int) int { return t.start(max(n, 1) - 1) }

// LineAt returns the line that holds the byte at offset. A terminator belongs to the line that it
// ends. An offset before the text is in the first line, one at or after its end in the last; the
// empty text has only line 0.
func (t *Table) LineAt(offset int) int {
	n := sort.Search(t.Len(), func(i int) bool { return t.start(i) > offset })
	return min(max(n, 1), t.Len())
}

// Clamp returns the part of s that lies in the text; the zero Span when that is nothing.
func (t *Table) Clamp(s Span) Span {
	s.First, s.Last = max(s.First, 1), min(s.Last, t.Len())
	if s.Len() == 0 {
		return Span{}
	}
	return s
}

// Content returns the offsets [start, end) of the lines of s that exist, the terminator of the last
// one included; 0, 0 when none exists.
func (t *Table) Content(s Span) (start, end int) {
	s = t.Clamp(s)
	if s.Len() == 0 {
		return 0, 0
	}
	return t.start(s.First - 1), t.start(s.Last)
}

// LineDigest returns the digest of line n; zero when there is no such line.
func (t *Table) LineDigest(n int) LineDigest {
	if n < 1 || n > t.Len() {
		return LineDigest{}
	}
	return LineDigest(t.window(n-1, 1))
}

// Tag returns the tag of line n; "" when there is no such line.
func (t *Table) Tag(n int) string {
	if n < 1 || n > t.Len() {
		return ""
	}
	return t.LineDigest(n).Tag()
}

// Digest returns the digest of the lines of s that exist. Its Anchor is what an address shows.
func (t *Table) Digest(s Span) Digest {
	s = t.Clamp(s)
	h := newHasher(anchorScheme)
	sum, _ := h.sum(t.window(s.First-1, s.Len()), nil)
	return sum
}

// window returns the digests of n lines from line i, from 0.
func (t *Table) window(i, n int) []byte {
	if n == 0 {
		return nil
	}
	return t.digests[i*lineBytes : (i+n)*lineBytes]
}

// word returns the digest of line i, from 0, as a number. Digests are compared and fingerprinted
// as numbers.
func (t *Table) word(i int) uint64 { return binary.LittleEndian.Uint64(t.digests[i*lineBytes:]) }
