package lsp

import (
	"bytes"
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
}

func newLines(src []byte) lines {
	return lines{src, lineStarts(append(make([]int, 0, 1+bytes.Count(src, []byte{'\n'})), 0), src, 1, len(src))}
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

// A mapper converts between offsets and positions of one text. It goes on from where it was asked last, so that
// ascending questions take one pass even over a line of a megabyte. Not safe for concurrent use.
type mapper struct {
	lines
	encoding

	line, offset, units int // the place that was asked for last
}

func newMapper(l lines, e encoding) *mapper { return &mapper{lines: l, encoding: e} }

// position is the position of an offset; one within a character is that of the character.
func (m *mapper) position(offset int) protocol.Position {
	offset = min(max(offset, 0), len(m.src))
	line := m.lineAt(offset)
	m.resume(line, offset)
	end := m.end(line)
	for m.offset < min(offset, end) {
		r, size := utf8.DecodeRune(m.src[m.offset:])
		if m.offset+size > offset {
			break
		}
		m.offset, m.units = m.offset+size, m.units+m.encoding.units(r, size)
	}
	return protocol.Position{Line: uint32(line), Character: uint32(m.units)}
}

// resume makes sure that the place asked for last is on a line, not behind an offset.
func (m *mapper) resume(line, offset int) {
	if m.line != line || m.offset > offset || m.offset < m.starts[line] {
		m.line, m.offset, m.units = line, m.starts[line], 0
	}
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
	line := int(p.Line)
	end := m.end(line)
	offset, left := m.starts[line], uint64(p.Character)
	if m.line == line && uint64(m.units) <= left && m.offset <= end && m.offset >= offset {
		offset, left = m.offset, left-uint64(m.units)
	}
	units := 0
	for offset < end {
		r, size := utf8.DecodeRune(m.src[offset:end])
		n := m.encoding.units(r, size)
		if uint64(units+n) > left {
			break
		}
		units += n
		offset += size
	}
	return offset
}

// bytesOf are the offsets of a range; false when it ends before it starts.
func (m *mapper) bytesOf(r protocol.Range) (start, end int, ok bool) {
	start, end = m.offsetOf(r.Start), m.offsetOf(r.End)
	return start, end, start <= end
}
