package grep

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// Line is one matching line: Start and End are its content's, From and To those of its leftmost match, by
// the pattern of that index. Of two patterns that match at one place it is the first.
type Line struct {
	Number     int
	Start, End int
	From, To   int
	Pattern    int
}

// Matcher compares texts with a Set. It keeps what it learns, for one goroutine at a time.
type Matcher struct {
	set   *Set
	stop  func() bool
	lead  *dfa
	each  []*dfa  // of the patterns; made when first used
	next  []int   // where each needle stands next, in the text at hand
	cases []cases // of folded needles
}

// Matcher makes one. stop is asked now and then, and ends what is under way once it says true: what that
// has found by then counts for nothing.
func (s *Set) Matcher(stop func() bool) *Matcher {
	m := &Matcher{set: s, stop: stop, each: make([]*dfa, len(s.patterns)), next: make([]int, len(s.needles)), cases: make([]cases, len(s.needles))}
	if s.lead != nil {
		m.lead = newDFA(s.lead)
	}
	return m
}

// Count counts the matching lines of src, and all of them.
func (m *Matcher) Count(src []byte) (matching, lines int) {
	t := m.begin(src)
	for from := 0; ; matching++ {
		_, _, after, ok := m.find(t, from)
		if !ok {
			return matching, t.lines(0, len(src))
		}
		from = after
	}
}

// Lines visits the matching lines of src in order, until visit says false.
func (m *Matcher) Lines(src []byte, visit func(Line) bool) {
	t := m.begin(src)
	number, counted := 1, 0
	for from := 0; ; {
		start, end, after, ok := m.find(t, from)
		if !ok {
			return
		}
		number += t.lines(counted, start)
		counted, from = start, after
		line := Line{Number: number, Start: start, End: end}
		if m.locate(src[start:end], &line) && !visit(line) {
			return
		}
	}
}

func (m *Matcher) begin(src []byte) text {
	for i := range m.next {
		m.next[i], m.cases[i] = -1, cases{-1, -1}
	}
	return text{src, bytes.IndexByte(src, '\r') >= 0}
}

// find is the first matching line from a line's start on, and where the line after it starts.
func (m *Matcher) find(t text, from int) (start, end, after int, ok bool) {
	for checked := from; from < len(t.src); {
		at, certain := m.candidate(t, from)
		if at < 0 {
			break
		}
		start, end, after = t.around(at, from)
		if certain || m.matches(t.src[start:end]) {
			return start, end, after, true
		}
		if from = after; from-checked > stopEvery {
			if checked = from; m.stop() {
				break
			}
		}
	}
	return 0, 0, 0, false
}

// stopEvery is how many bytes are passed over between two questions whether to stop.
const stopEvery = 1 << 20

// candidate is a place on the first line that may match, and whether it certainly does; -1: there is none.
func (m *Matcher) candidate(t text, from int) (at int, certain bool) {
	s := m.set
	if m.lead != nil {
		at, certain = m.lead.find(t.src, from, m.stop)
		return at, certain && len(s.patterns) == 1
	}
	at = len(t.src)
	for i := range s.needles {
		if m.next[i] < from {
			m.next[i] = s.needles[i].index(t.src, from, &m.cases[i])
		}
		at = min(at, m.next[i])
	}
	if at == len(t.src) {
		return -1, false
	}
	return at, s.certain
}

// matches compares one line with the patterns.
func (m *Matcher) matches(line []byte) bool {
	for i := range m.set.patterns {
		if m.holds(i, line) != m.set.all {
			return !m.set.all
		}
	}
	return m.set.all
}

// holds compares one line with one pattern.
func (m *Matcher) holds(i int, line []byte) bool {
	p := &m.set.patterns[i]
	if p.literal != nil {
		return bytes.Contains(line, p.literal)
	}
	if m.each[i] == nil {
		m.each[i] = newDFA(p.prog)
	}
	accepted, certain := m.each[i].accepts(line)
	return accepted && (certain || m.search(p, line) != nil)
}

// locate sets the leftmost match of a line; false when there is none.
func (m *Matcher) locate(line []byte, l *Line) bool {
	found := false
	for i := range m.set.patterns {
		from, to := -1, 0
		if p := &m.set.patterns[i]; p.literal != nil {
			from = bytes.Index(line, p.literal)
			to = from + len(p.literal)
		} else if place := m.search(p, line); place != nil {
			from, to = place[0], place[1]
		}
		if from >= 0 && (!found || l.Start+from < l.From) {
			found, l.Pattern = true, i
			l.From, l.To = l.Start+from, l.Start+to
		}
	}
	return found
}

// longLine is from where on regexp reads a line through a reader, which can be stopped: it takes up to
// 10 µs for a byte, and a line may be the whole of a large file.
const longLine = 64 << 10

// search is the leftmost match of p in a line, or nil.
func (m *Matcher) search(p *pattern, line []byte) []int {
	if len(line) < longLine {
		return p.re.FindIndex(line)
	}
	return p.re.FindReaderIndex(&runes{line: line, stop: m.stop})
}

// runes reads a line for regexp, as regexp itself reads bytes, and ends early when stop says so.
type runes struct {
	line []byte
	at   int
	stop func() bool
}

func (r *runes) ReadRune() (rune, int, error) {
	if r.at >= len(r.line) || r.at&(1<<12-1) == 0 && r.stop() {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRune(r.line[r.at:])
	r.at += n
	return c, n, nil
}

// text is a text and whether any \r stands in it: nearly always none does, and need not be looked for.
type text struct {
	src []byte
	cr  bool
}

// around is the line that the byte at offset at belongs to, a line's end being the end of that line; no
// line before from, which is a line's start, is looked at.
func (t text) around(at, from int) (start, end, after int) {
	start = at
	if !t.cr {
		start = from + bytes.LastIndexByte(t.src[from:at], '\n') + 1
	} else {
		for start > from && t.src[start-1] != '\n' && t.src[start-1] != '\r' {
			start--
		}
	}
	end = len(t.src)
	if k := bytes.IndexByte(t.src[at:], '\n'); k >= 0 {
		end = at + k
	}
	if t.cr {
		if k := bytes.IndexByte(t.src[at:end], '\r'); k >= 0 {
			end = at + k
		}
	}
	after = min(end+1, len(t.src))
	if after < len(t.src) && t.src[end] == '\r' && t.src[after] == '\n' {
		after++
	}
	return start, end, after
}

// lines counts the lines in [from, to), both of which are a line's start or the end of the text.
func (t text) lines(from, to int) int {
	part := t.src[from:to]
	n := bytes.Count(part, []byte{'\n'})
	if t.cr {
		n += bytes.Count(part, []byte{'\r'}) - bytes.Count(part, []byte("\r\n"))
	}
	if len(part) > 0 && part[len(part)-1] != '\n' && part[len(part)-1] != '\r' {
		n++
	}
	return n
}
