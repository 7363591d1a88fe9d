package lsp

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is what a character of a position counts.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// units is how many a character of that many bytes counts. A byte that is not UTF-8 counts as the U+FFFD that an
// editor shows for it.
func (e encoding) units(r rune, size int) int {
	switch {
	case e == utf8Units:
		return size
	case e == utf16Units && r > 0xFFFF:
		return 2
	}
	return 1
}

// lines is a text with where its lines start. A line ends at \n, \r\n or \r; behind the last terminator stands one
// more line, which may be empty.
type lines struct {
	src    []byte
	starts []int
	// marks are columns that were counted in long lines, in the encoding of the session, sorted.
	marks []mark
}

// mark is a place within a line, and its column.
type mark struct{ offset, units int }

// markEvery is how many bytes of a line are counted before their column is kept. 2,000 edits in a line of a megabyte
// took 20 s when each counted from the start of the line; with a mark every 256 bytes, which are 64 KiB of marks, each
// counts that many bytes and moves the marks behind it.
const markEvery = 256

func newLines(src []byte) lines {
	return lines{src: src, starts: lineStarts(append(make([]int, 0, 1+bytes.Count(src, []byte{'\n'})), 0), src, 1, len(src))}
}

// lineStarts appends the offsets from first to last, which are none before 1, at which a line starts.
func lineStarts(starts []int, src []byte, first, last int) []int {
	for i := first; i <= last; i++ {
		if c := src[i-1]; c == '\n' || c == '\r' && (i == len(src) || src[i] != '\n') {
			starts = append(starts, i)
		}
	}
	return starts
}

// lineAt is the number, from 0, of the line that holds an offset.
func (l lines) lineAt(offset int) int {
	return max(0, sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset })-1)
}

// end is where a line ends, its terminator excluded.
func (l lines) end(line int) int {
	end := len(l.src)
	if line+1 < len(l.starts) {
		end = l.starts[line+1]
		if end > l.starts[line] && l.src[end-1] == '\n' {
			end--
		}
		if end > l.starts[line] && l.src[end-1] == '\r' {
			end--
		}
	}
	return end
}

// A mapper converts between offsets and positions of one text. It goes on from where it was asked last, or from the
// nearest mark, so that a question costs no pass over a line of a megabyte. Not safe for concurrent use.
type mapper struct {
	lines
	encoding

	line int  // of at
	at   mark // the place that was asked for last
	last int  // the mark before at, or where the line starts
	next int  // the index of the mark behind at
}

func newMapper(l lines, e encoding) *mapper {
	l.marks = slices.Clip(l.marks) // others read them: what is added goes into memory of its own
	return &mapper{lines: l, encoding: e}
}

// resume goes to the last known place of a line that is not behind what is sought.
func (m *mapper) resume(line int, behind func(mark) bool) {
	start := mark{offset: m.starts[line]}
	m.last, m.next = start.offset, 0
	if len(m.marks) > 0 {
		end := m.end(line)
		first := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].offset > start.offset })
		known := sort.Search(len(m.marks)-first, func(i int) bool { return m.marks[first+i].offset > end || behind(m.marks[first+i]) })
		if m.next = first + known; known > 0 {
			start = m.marks[m.next-1]
			m.last = start.offset
		}
	}
	if m.line != line || m.at.offset < start.offset || behind(m.at) {
		m.line, m.at = line, start
	}
}

// step goes on by one character.
func (m *mapper) step(size, units int) {
	m.at.offset, m.at.units = m.at.offset+size, m.at.units+units
	if m.at.offset-m.last >= markEvery {
		m.marks = slices.Insert(m.marks, m.next, m.at)
		m.last = m.at.offset
		m.next++
	}
}

// position is the position of an offset; one within a character is that of the character.
func (m *mapper) position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(m.src))
	line := m.lineAt(offset)
	m.resume(line, func(k mark) bool { return k.offset > offset })
	for end := min(offset, m.end(line)); m.at.offset < end; {
		r, size := utf8.DecodeRune(m.src[m.at.offset:])
		if m.at.offset+size > offset {
			break
		}
		m.step(size, m.encoding.units(r, size))
	}
	return protocol.Position{Line: uint32(line), Character: uint32(m.at.units)}
}

// span is the range of the bytes [start, end).
func (m *mapper) span(start, end int) protocol.Range {
	return protocol.Range{Start: m.position(start), End: m.position(end)}
}

// offsetOf is the offset of a position. A character behind the end of its line is that end, a line behind the last is
// the end of the text, and a place within a character is where that starts.
func (m *mapper) offsetOf(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.starts)) {
		return len(m.src)
	}
	line, units := int(p.Line), int(p.Character)
	m.resume(line, func(k mark) bool { return k.units > units })
	for end := m.end(line); m.at.offset < end; {
		r, size := utf8.DecodeRune(m.src[m.at.offset:end])
		n := m.encoding.units(r, size)
		if m.at.units+n > units {
			break
		}
		m.step(size, n)
	}
	return m.at.offset
}

// bytesOf are the offsets of a range; false when it ends before it starts.
func (m *mapper) bytesOf(r protocol.Range) (start, end int, ok bool) {
	start, end = m.offsetOf(r.Start), m.offsetOf(r.End)
	return start, end, start <= end
}
