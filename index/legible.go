package index

import (
	"bytes"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// legible gives the grammars that stop at them, or end a name there, other bytes for those that are no
// text: a letter for each that is not UTF-8, a space for a NUL, spaces for a byte order mark.
func legible(src []byte) []byte {
	if utf8.Valid(src) && bytes.IndexByte(src, 0) < 0 && !bytes.Contains(src, byteOrderMark) {
		return src
	}
	out := bytes.Clone(src)
	for at := 0; at < len(out); {
		r, size := utf8.DecodeRune(out[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			out[at] = 'x'
		case r == 0:
			out[at] = ' '
		case r == '\ufeff':
			copy(out[at:], "   ")
		}
		at += size
	}
	return out
}

// shallow takes away the brackets that are more than limit deep.
func shallow(src []byte, limit int) []byte {
	out, depth := src, 0
	for i, b := range src {
		closes := b == ')' || b == ']' || b == '}'
		if !closes && b != '(' && b != '[' && b != '{' {
			continue
		}
		if !closes {
			depth++
		}
		if depth > limit {
			if &out[0] == &src[0] {
				out = bytes.Clone(src)
			}
			out[i] = ' '
		}
		if closes {
			depth = max(0, depth-1)
		}
	}
	return out
}
