package anchors

import (
	"strconv"
	"strings"
)

// Span is a range of lines, counted from 1, both ends included.
type Span struct{ First, Last int }

// Len is the number of lines; 0 when the span is not 1 <= First <= Last.
func (s Span) Len() int {
	if s.First < 1 || s.Last < s.First {
		return 0
	}
	return s.Last - s.First + 1
}

// String returns the span as A:B.
func (s Span) String() string { return strconv.Itoa(s.First) + ":" + strconv.Itoa(s.Last) }

// Selector says which lines are meant: by number alone, or by number and content.
type Selector struct {
	Span
	Anchor   Anchor
	Anchored bool // false: Anchor is not given
}

// String returns "4:5" or "4:5@07407f1c", which ParseSelector reads back.
func (s Selector) String() string {
	if !s.Anchored {
		return s.Span.String()
	}
	return s.Span.String() + "@" + s.Anchor.String()
}

// ParseSelector reads A:B or A:B@anchor: A and B in ASCII decimal digits, 1 <= A <= B, the anchor
// in 8 lowercase hex digits. White space around the whole is ignored. A number that does not fit
// an int is refused, not clamped. The error is a [*SyntaxError].
func ParseSelector(text string) (Selector, error) {
	const grammar = "; expected A:B or A:B@anchor"
	s := strings.TrimSpace(text)
	refuse := func(need string) (Selector, error) {
		return Selector{}, &SyntaxError{Noun: "span", Text: s, Need: need}
	}
	var sel Selector
	lines, anchor, anchored := strings.Cut(s, "@")
	if anchored {
		a, err := ParseAnchor(anchor)
		if err != nil {
			return refuse(grammar)
		}
		sel.Anchor, sel.Anchored = a, true
	}
	first, last, found := strings.Cut(lines, ":")
	var ok1, ok2 bool
	sel.First, ok1 = parseLine(first)
	sel.Last, ok2 = parseLine(last)
	if !found || !ok1 || !ok2 {
		return refuse(grammar)
	}
	if sel.Len() == 0 {
		return refuse(": need 1 <= A <= B")
	}
	return sel, nil
}

// parseLine is strconv.Atoi without its signs.
func parseLine(s string) (int, bool) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// SyntaxError reports text that is no selector or no anchor.
type SyntaxError struct {
	Noun string // what the text should have been: span or anchor
	Text string // the text, without white space around it
	Need string // what was expected, with the punctuation that joins it to the text
}

// Error names the text and the grammar on one line. Control characters in the text are escaped and
// a long text is cut, since it may be anything and is often shown on a terminal.
func (e *SyntaxError) Error() string {
	const most = 80
	text, more := e.Text, ""
	if len(text) > most {
		text, more = text[:most], "…"
	}
	q := strconv.Quote(text)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return "invalid " + e.Noun + " '" + q + more + "'" + e.Need
}
