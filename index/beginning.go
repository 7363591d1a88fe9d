package index

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Beginning finds the words that begin with some text, but for case as strings.EqualFold takes it.
type Beginning struct {
	lower   string // of ASCII alone, in small letters; "" when only pattern finds it
	rare    int    // of the letters of lower, one that is rare in source code
	folds   bool   // letters beyond ASCII fold to some of lower: k (U+212A) and s (U+017F)
	pattern *regexp.Regexp
}

// A Word is one spelling of a word that stands in a source. With Open a byte beyond ASCII is in it or follows, which may
// be a letter of it or not.
type Word struct {
	Text string
	Open bool
}

// NewBeginning is the Beginning with text, which is not empty; false when it is not UTF-8.
func NewBeginning(text string) (*Beginning, bool) {
	pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(text))
	if err != nil || text == "" {
		return nil, false
	}
	b := &Beginning{pattern: pattern}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return b, true
		}
	}
	b.lower = strings.ToLower(text)
	b.folds = strings.ContainsAny(b.lower, "ks")
	const common = " etaoinrsldcpfmug" // what is not in it stands at -1: rare
	for i := range len(b.lower) {
		if at := strings.IndexByte(common, b.lower[i]); at < 0 || at > strings.IndexByte(common, b.lower[b.rare]) && strings.IndexByte(common, b.lower[b.rare]) >= 0 {
			if b.rare = i; at < 0 {
				break
			}
		}
	}
	return b, true
}

// Words lists the words of src that begin so, each spelling once, by its first place. A word ends before the first
// byte that is no ASCII letter, digit or underscore, though not within the beginning; where Build lists a
// definition whose name begins so, the name begins with one of them, or is one, or that one is Open.
func (b *Beginning) Words(src []byte) (words []Word) {
	var seen map[Word]bool
	note := func(start, end int) {
		if start > 0 && asciiWord(src[start]) && asciiWord(src[start-1]) && wordStarts(src, start) {
			return // within a word
		}
		open := false
		for _, c := range src[start:end] {
			open = open || c >= utf8.RuneSelf
		}
		if asciiWord(src[end-1]) || src[end-1] >= utf8.RuneSelf {
			for end < len(src) && asciiWord(src[end]) {
				end++
			}
		}
		w := Word{string(src[start:end]), open || end < len(src) && src[end] >= utf8.RuneSelf}
		if !seen[w] {
			if seen == nil {
				seen = map[Word]bool{}
			}
			seen[w] = true
			words = append(words, w)
		}
	}
	if b.lower == "" || b.folds && (bytes.Contains(src, []byte("\u212a")) || bytes.Contains(src, []byte("\u017f"))) {
		for at := 0; at < len(src); {
			m := b.pattern.FindIndex(src[at:])
			if m == nil {
				break
			}
			note(at+m[0], at+m[1])
			at += m[0] + 1
		}
		return words
	}
	letter := b.lower[b.rare]
	other := letter
	if 'a' <= letter && letter <= 'z' {
		other -= 'a' - 'A'
	}
	next := [2]int{-1, -1} // places of letter and of other, from at on
	for at := 0; ; at++ {
		for i, c := range [2]byte{letter, other} {
			if next[i] < at {
				if n := bytes.IndexByte(src[at:], c); n >= 0 {
					next[i] = at + n
				} else {
					next[i] = len(src)
				}
			}
		}
		if at = min(next[0], next[1]); at == len(src) {
			return words
		}
		start := at - b.rare
		if end := start + len(b.lower); start >= 0 && end <= len(src) && b.equal(src[start:end]) {
			note(start, end)
		}
	}
}

// equal compares text of the same length with lower, but for the case of ASCII letters.
func (b *Beginning) equal(text []byte) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b.lower[i] {
			return false
		}
	}
	return true
}
