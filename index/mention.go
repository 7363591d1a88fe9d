package index

import (
	"bytes"
	"slices"
)

// MayDefine is false only if Build(path, src) lists no definition with one of names. It costs a search of the bytes
// and, in the languages that have a rule for it (language.uses), a look at the files that hold one of names as a whole
// word: of the 284 files of the Go library that hold ReadFile, 24 may define it, and 24 do.
func MayDefine(path string, src []byte, names ...[]byte) (may bool) {
	at := mentions(src, names)
	if len(at) == 0 {
		return false
	}
	l := languageOf(path, src)
	if l == nil || l.uses == nil {
		return l != nil
	}
	defer func() {
		if recover() != nil {
			may = true // a fault of ours: the grammar decides
		}
	}()
	return !l.uses(src, at)
}

// Mentions is false only if Build(path, src) lists no reference to one of names, and no import of it.
func Mentions(path string, src []byte, names ...[]byte) bool {
	return len(mentions(src, names)) > 0
}

// mentions are the offsets in src, ascending, at which one of names stands as a whole word: with no ASCII letter,
// digit or underscore on either side that would make it part of a longer one. A byte beyond ASCII may be a letter,
// but also a byte order mark or a blank.
func mentions(src []byte, names [][]byte) []int {
	var found []int
	for _, name := range names {
		if len(name) == 0 {
			continue
		}
		for at := 0; ; {
			i := bytes.Index(src[at:], name)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(name)
			if wholeWord(src, start, end) {
				found = append(found, start)
			}
			at = start + 1
		}
	}
	slices.Sort(found)
	return found
}

// wholeWord says whether src[start:end] is no part of a longer word, as what a grammar leaves of one may be that it could
// not read.
func wholeWord(src []byte, start, end int) bool {
	return !(start > 0 && asciiWord(src[start]) && asciiWord(src[start-1]) && wordStarts(src, start)) &&
		!(end < len(src) && asciiWord(src[end-1]) && asciiWord(src[end]))
}

func asciiWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// wordStarts says whether the word around at is one for every grammar. Tokens that are no names swallow its first
// letters, and in broken code a name is what they leave: "0xFFoo" (a number, oo), "1.e5x", "'bad" (no rune, ad),
// "!red" (a conversion in Python, ed), "\\Xyz". So the word must start with a letter, and what stands before it must
// be a blank or begin no longer token. Words of hundreds of bytes are not gone through for each mention in them.
func wordStarts(src []byte, at int) bool {
	for range 256 {
		switch {
		case at > 0 && asciiWord(src[at-1]):
			at--
		case '0' <= src[at] && src[at] <= '9':
			return false
		case at > 1 && src[at-1] == '.' && asciiWord(src[at-2]):
			at -= 2
		default:
			return at == 0 || bytes.IndexByte([]byte(" \t\r\n.,;()[]{}=&*:<>+-|"), src[at-1]) >= 0
		}
	}
	return false
}
