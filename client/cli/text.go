package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxd/client/wire"
)

// page is text for people. Everything gets into it through line, which lets nothing through that
// a terminal would obey.
type page struct{ text []byte }

// line appends one line.
func (p *page) line(text string) {
	p.text = appendShown(p.text, text)
	p.text = append(p.text, '\n')
}

func (p *page) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

// numbered appends lines as L4: text, or with tags as L4:78| text.
func (p *page) numbered(first int, lines, tags []string) {
	for i, line := range lines {
		p.text = append(p.text, 'L')
		p.text = strconv.AppendInt(p.text, int64(first+i), 10)
		p.text = append(p.text, ':')
		if i < len(tags) {
			p.text = appendShown(p.text, tags[i])
			p.text = append(p.text, '|')
		}
		p.text = append(p.text, ' ')
		p.line(line)
	}
}

// appendShown appends text with what is not to reach a terminal escaped: control characters but
// the tab, what changes the direction of text, what cannot be seen, and bytes that are not UTF-8.
// A backslash stays as it is: this is for reading, and JSON is exact.
func appendShown(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f || c == '\t' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if n > 1 && !hidden(r) {
			i += n
			continue
		}
		b = append(b, text[start:i]...)
		if n == 1 { // ASCII, or a byte that is not UTF-8
			b = append(b, '\\', 'x', hex[text[i]>>4], hex[text[i]&15])
		} else if r > 0xffff {
			b = fmt.Appendf(b, `\U%08x`, r)
		} else {
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		i += n
		start = i
	}
	return append(b, text[start:]...)
}

// hidden says whether a character beyond ASCII is to be escaped. The joiners U+200C and U+200D
// are not: Persian and emoji are spelt with them.
func hidden(r rune) bool {
	switch {
	case r <= 0x9f, // C1 controls
		r == 0x61c, r == 0x180e, r == 0x200b, r == 0xfeff,
		r == 0x200e, r == 0x200f, // marks of direction
		0x2028 <= r && r <= 0x202e, // line and paragraph separators, embeddings and overrides
		0x2060 <= r && r <= 0x206f, // invisible operators, isolates
		0xfff9 <= r && r <= 0xfffb,
		0xe0000 <= r && r <= 0xe0fff && !(0xe0100 <= r && r <= 0xe01ef): // tags, but not variants of glyphs
		return true
	}
	return false
}

// thousands prints n as 1,204.
func thousands(n int) string { return wire.Thousands(n) }

// count is n with its noun: 1 file, 2 files.
func count(n int, noun string) string { return wire.Count(n, noun) }

// callable makes an address a call. A whole call stays as it is.
func callable(address string) string {
	if strings.HasPrefix(address, "ctx ") {
		return address
	}
	return "ctx get " + address
}
