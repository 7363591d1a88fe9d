package daemon

import (
	"encoding/base64"
	"unicode/utf8"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// display is text for the eye: each byte that is not UTF-8 becomes one U+FFFD, so that characters of it are those that
// positions count. (strings.ToValidUTF8 makes one of a run of them.)
func display(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return string([]rune(string(text)))
}

// displayPath is display for a path. JSON carries the exact bytes in pathBase64 and, percent-encoded, in every address.
func displayPath(p string) string { return display([]byte(p)) }

// exactPath is the path in base64 when JSON could not carry it, else "".
func exactPath(p string) string {
	if utf8.ValidString(p) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(p))
}

// lines are the lines of span as text, and the exact bytes in base64 when a line is not UTF-8.
func lines(t *anchors.Table, span anchors.Span) (text []string, exact string) {
	text = make([]string, 0, max(0, span.Len()))
	valid := true
	for n := span.First; n <= span.Last; n++ {
		line := t.Line(n)
		valid = valid && utf8.Valid(line)
		text = append(text, display(line))
	}
	if !valid {
		start, end := t.Content(span)
		exact = base64.StdEncoding.EncodeToString(t.Source()[start:end])
	}
	return text, exact
}

// Units is what the characters of positions count. A byte that is not UTF-8 counts as one unit, as the U+FFFD that
// stands for it; in UTF8 it counts as what it is.
type Units uint8

const (
	UTF16 Units = iota
	UTF8
	UTF32
)

// position converts a byte offset to LSP's line and character.
func (u Units) position(t *anchors.Table, offset int) wire.Position {
	n := t.LineAt(offset)
	start := t.LineStart(n)
	if u == UTF8 {
		return wire.Position{Line: n - 1, Character: offset - start}
	}
	units := 0
	for line := t.Source()[start:offset]; len(line) > 0; {
		r, size := utf8.DecodeRune(line)
		if units++; u == UTF16 && r > 0xFFFF {
			units++
		}
		line = line[size:]
	}
	return wire.Position{Line: n - 1, Character: units}
}

func (u Units) rangeOf(t *anchors.Table, start, end int) wire.Range {
	return wire.Range{Start: u.position(t, start), End: u.position(t, end)}
}

// spanOf is the lines that the bytes [start, end) touch.
func spanOf(t *anchors.Table, start, end int) anchors.Span {
	return anchors.Span{First: t.LineAt(start), Last: t.LineAt(max(start, end-1))}
}

func toLines(s anchors.Span) wire.Lines { return wire.Lines{s.First, s.Last} }
