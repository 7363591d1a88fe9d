package index

import (
	"bytes"
	"cmp"
	"slices"

	"ctxd/index/internal/sitter"
)

// words adds to the marks of a file the words that the grammar does not see as names: those in the bodies of macros,
// which are text to it, and those that the language's sanitizer took away.
func (l *language) words(src, sanitized []byte, marks []sitter.Mark) []sitter.Mark {
	var found []sitter.Mark
	kept := marks[:0]
	for _, m := range marks {
		if m.Tag == tagWords {
			found = appendWords(found, src, int(m.Start), int(m.End), func(int) uint32 { return tagWord })
			continue
		}
		kept = append(kept, m)
	}
	if l.valuesAreLocal || l.macroMark { // C, C++ and Rust, whose sanitizers take macros away and not what is no code at all
		found = appendTaken(found, src, sanitized)
	}
	if len(found) == 0 {
		return kept
	}
	kept = append(kept, found...)
	slices.SortStableFunc(kept, func(a, b sitter.Mark) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return kept
}

// appendTaken marks the words that are in src and no longer in sanitized. What was taken out of a line is a name, a
// macro mostly, and so is what a directive tests; of lines that were taken whole nothing is known.
func appendTaken(found []sitter.Mark, src, sanitized []byte) []sitter.Mark {
	var last struct { // the line that was looked at last: a file may be one long line
		start, end int
		tag        uint32
	}
	last.end = -1
	for at := 0; at < len(src); at++ {
		if src[at] == sanitized[at] || at+1 < len(src) && IsWord(src[at+1]) && src[at+1] == sanitized[at+1] {
			continue // a name that is only spelled for the grammar is still one
		}
		end := at + 1
		for end < len(src) && (src[end] != sanitized[end] || isSpace(src[end])) {
			end++
		}
		found = appendWords(found, src, at, end, func(at int) uint32 {
			if last.start <= at && at < last.end {
				return last.tag
			}
			last.start, last.end = lineStart(src, at), lineEnd(src, at)
			last.tag = tagOfTaken(src[last.start:last.end], sanitized[last.start:last.end])
			return last.tag
		})
		at = end
	}
	return found
}

// tagOfTaken is the tag of the words that were taken out of a line; 0: they are none.
func tagOfTaken(line, sanitized []byte) uint32 {
	if text := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(text, []byte("#")) {
		switch text = bytes.TrimLeft(text[1:], " \t"); {
		case bytes.HasPrefix(text, []byte("ifndef")), bytes.HasPrefix(text, []byte("pragma")):
			return tagWord // what is not defined there is nobody's
		case bytes.HasPrefix(text, []byte("error")), bytes.HasPrefix(text, []byte("warning")):
			return 0
		}
		return tagName
	}
	if len(bytes.TrimSpace(sanitized)) > 0 {
		return tagName
	}
	return tagWord
}

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// appendWords marks the words of src[at:end] that may be names: none in comments and literals, no numbers.
func appendWords(found []sitter.Mark, src []byte, at, end int, tag func(at int) uint32) []sitter.Mark {
	text := cText(src[:end])
	for at < end {
		next := text.token(at)
		if b := text[at]; IsWord(b) && (b < '0' || b > '9') && (at == 0 || !IsWord(text[at-1])) &&
			text[next-1] != '"' && !keyword(text[at:next]) && !directive(text[at:next]) {
			if t := tag(at); t != 0 {
				found = append(found, sitter.Mark{Start: uint32(at), End: uint32(next), Tag: t})
			}
		}
		at = next
	}
	return found
}

// directive says whether a word is one of the preprocessor's or a statement's own.
func directive(word []byte) bool {
	switch string(word) {
	case "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "defined", "error", "warning", "pragma", "once", "line",
		"define", "undef", "include", "do", "while", "for", "return", "switch", "case", "default", "break", "continue", "goto", "sizeof":
		return true
	}
	return false
}

// tagPath is the first name of the path of a struct, union or enum that is named with that word. No identifier can
// be that.
const tagPath = "struct"

// tagged says whether struct, union or enum stands before the name of a type, which is then found among those alone.
func (b *binder) tagged(x *leaf) bool {
	if !b.tags || x.tag != tagType {
		return false
	}
	before := bytes.TrimRight(b.src[:x.Start], " \t\r\n")
	word := before[bytes.LastIndexFunc(before, func(r rune) bool { return r >= 0x80 || !IsWord(byte(r)) })+1:]
	switch string(word) {
	case "struct", "union", "enum":
		return true
	}
	return false
}

// subscripted steps back over the [i] before end.
func (b *binder) subscripted(end uint32) uint32 {
	if !b.subscripts {
		return end
	}
	at, depth := int(end), 0
	for floor := max(0, at-256); at > floor; {
		switch at--; b.src[at] {
		case ']':
			depth++
		case '[':
			depth--
		case ';', '{', '}', '"':
			return end
		}
		if depth == 0 && b.src[at] != '[' {
			return uint32(at + 1)
		}
	}
	return end
}
