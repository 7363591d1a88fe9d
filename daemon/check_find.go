package daemon

import (
	"bytes"

	"ctxd/anchors"
)

// mention is one live anchored address in a text. Offsets are bytes of the text.
type mention struct {
	start, end       int // from repo: to the end of the anchor
	refEnd           int // of the reference, which begins at start
	selStart, selEnd int
	address          string // on one line and without quotes
}

const (
	// ignoreMark on a line says that its addresses are examples; the other two stand on lines of their own around
	// such lines, as in <!-- ctx:ignore-start -->.
	ignoreMark  = "ctx:ignore"
	ignoreStart = ignoreMark + "-start"
	ignoreEnd   = ignoreMark + "-end"
)

// mentions finds the live anchored addresses in a text:
//
//	repo:m.py --lines 4:5@07407f1c    as it is printed; with = behind --lines, too
//	repo:m.py L4:5@07407f1c           as ctx def prints it
//	'repo:a b.py' --lines 4:5@07407f1c, `repo:a b.py --lines 4:5@07407f1c`    in quotes, a code span, or <>
//
// and any of these broken over two lines at a blank, behind a comment's leader. It takes one pass, whatever the text;
// what is no whole address is passed over.
func mentions(src []byte) (found []mention) {
	const scheme = "repo:"
	for at := 0; ; {
		k := bytes.Index(src[at:], []byte(scheme))
		if k < 0 {
			return found
		}
		start := at + k
		at = start + len(scheme)
		if start > 0 && inWord(src[start-1]) {
			continue
		}
		opener := byte(0)
		if start > 0 {
			opener = src[start-1]
		}
		m, ok := bare(src, start, opener)
		if !ok {
			m, ok = quoted(src, start, opener)
		}
		if ok {
			found = append(found, m)
			at = m.end
		}
	}
}

// inWord says whether a byte before repo: makes it a part of another word.
func inWord(c byte) bool {
	return alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '%'
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// bare reads an address whose reference has no blanks.
func bare(src []byte, start int, opener byte) (mention, bool) {
	end := start + len("repo:")
	for ; end < len(src) && src[end] > ' ' && src[end] != '`' && !(src[end] == opener && isQuote(opener)); end++ {
		if end-start > maxRef || src[end] == 'r' && !inWord(src[end-1]) && bytes.HasPrefix(src[end:], []byte("repo:")) {
			return mention{}, false // another begins here: no path that is printed holds a colon
		}
	}
	return selected(src, start, end, opener)
}

// quoted reads an address whose reference has blanks: in quotes, with the selector or before it.
func quoted(src []byte, start int, opener byte) (mention, bool) {
	closer := opener
	switch {
	case isQuote(opener):
	case opener == '<':
		closer = '>'
	default:
		return mention{}, false
	}
	ref := 0 // end of the reference, once a selector's flag was seen
	for i := start + len("repo:"); i < len(src) && i-start <= maxRef; i++ {
		switch c := src[i]; {
		case c == closer && ref > 0:
			return selected(src, start, ref, 0)
		case c == closer:
			return selected(src, start, i, opener)
		case c < ' ' && c != '\t', c == ':' && i >= start+9 && string(src[i-4:i]) == "repo" && !inWord(src[i-5]):
			return mention{}, false
		case c == ' ' && bytes.HasPrefix(src[i:], []byte(" --lines ")):
			ref = i
		}
	}
	return mention{}, false
}

func isQuote(c byte) bool { return c == '\'' || c == '"' || c == '`' }

// selected reads the selector behind a reference that ends at end. A quote that opened before it may close behind it.
func selected(src []byte, start, end int, opener byte) (mention, bool) {
	if end == start+len("repo:") || src[end-1] == ':' { // repo:m.py: is the head of a list of lines
		return mention{}, false
	}
	at := end
	if isQuote(opener) && at < len(src) && src[at] == opener {
		at++
	}
	at, ok := gap(src, at)
	if !ok {
		return mention{}, false
	}
	rest := src[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("--lines=")):
		at += len("--lines=")
	case bytes.HasPrefix(rest, []byte("--lines")):
		if at, ok = gap(src, at+len("--lines")); !ok {
			return mention{}, false
		}
	case bytes.HasPrefix(rest, []byte("L")):
		at++
	default:
		return mention{}, false
	}
	if at < len(src) && isQuote(src[at]) {
		at++
	}
	length := selectorLength(src[at:])
	if length == 0 {
		return mention{}, false
	}
	sel, err := anchors.ParseSelector(string(src[at : at+length]))
	if err != nil {
		return mention{}, false
	}
	return mention{
		start: start, end: at + length, refEnd: end, selStart: at, selEnd: at + length,
		address: string(src[start:end]) + " --lines " + sel.String(),
	}, true
}

// selectorLength is the length of the A:B@anchor that begins a text, 0 when none does or when it goes on as a word.
func selectorLength(s []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(s) && i-from < 20 && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > from
	}
	mark := func(c byte) bool {
		ok := i < len(s) && s[i] == c
		i++
		return ok
	}
	if !digits() || !mark(':') || !digits() || !mark('@') {
		return 0
	}
	from := i
	for i < len(s) && (alphanumeric(s[i]) || s[i] == '_') {
		if i++; i-from > 8 {
			return 0
		}
	}
	if i-from != 8 { // ParseSelector looks at the digits
		return 0
	}
	return i
}

// leaders are what a line may begin with that goes on a comment or a quotation.
var leaders = []string{"///", "//!", "//", "##", "#", "*", ">", ";;", ";", "--", "%"}

// gap is the place behind the blanks at a place, of which there must be one. They may hold one line end, and behind
// it a leader: a paragraph is filled without a thought of the addresses in it.
func gap(src []byte, at int) (next int, ok bool) {
	blanks := func(i int) int {
		for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
			i++
		}
		return i
	}
	i := blanks(at)
	if i < len(src) && (src[i] == '\r' || src[i] == '\n') {
		if src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			i++
		}
		i = blanks(i + 1)
		for _, leader := range leaders {
			if bytes.HasPrefix(src[i:], []byte(leader)) {
				if j := blanks(i + len(leader)); j > i+len(leader) {
					i = j
				}
				break
			}
		}
	}
	return i, i > at
}

// unmarked are the mentions that are not said to be examples, and how many are.
func unmarked(t *anchors.Table, all []mention) (kept []mention, ignored int) {
	if !bytes.Contains(t.Source(), []byte(ignoreMark)) {
		return all, 0
	}
	blocks := ignoredBlocks(t)
	for _, m := range all {
		first, last := t.LineAt(m.start), t.LineAt(m.end-1)
		marked := false
		for n := first; n <= last; n++ {
			marked = marked || marks(t.Line(n))
		}
		for _, b := range blocks {
			marked = marked || b.First < first && last < b.Last
		}
		if marked {
			ignored++
		} else {
			kept = append(kept, m)
		}
	}
	return kept, ignored
}

// marks says whether a line holds ignoreMark as a word.
func marks(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(ignoreMark))
		if i < 0 {
			return false
		}
		before, after := line[:i], line[i+len(ignoreMark):]
		if (len(before) == 0 || !inWord(before[len(before)-1])) && (len(after) == 0 || !alphanumeric(after[0]) && after[0] != '-' && after[0] != '_') {
			return true
		}
		line = after
	}
}

// ignoredBlocks are the lines from each ignoreStart to the next ignoreEnd. One that is never closed is none: a slip must not
// hide the rest of a file.
func ignoredBlocks(t *anchors.Table) (blocks []anchors.Span) {
	start := 0
	for n := 1; n <= t.Len(); n++ {
		switch word := string(bytes.TrimFunc(t.Line(n), func(r rune) bool { return r < 0x80 && !alphanumeric(byte(r)) })); {
		case word == ignoreStart && start == 0:
			start = n
		case word == ignoreEnd && start > 0:
			blocks = append(blocks, anchors.Span{First: start, Last: n})
			start = 0
		}
	}
	return blocks
}
