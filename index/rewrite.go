package index

import (
	"bytes"
	"regexp"
)

// rewrite gives a copy of src in which change has overwritten what it likes at each match of pattern, src
// itself where there is none. Every match holds word, which is looked for first: a search for it is a
// hundred times as fast as one for the pattern. at holds the offsets of the match and of its groups.
func rewrite(src []byte, word string, pattern *regexp.Regexp, change func(out []byte, at []int)) []byte {
	if !bytes.Contains(src, []byte(word)) {
		return src
	}
	matches := pattern.FindAllSubmatchIndex(src, -1)
	if matches == nil {
		return src
	}
	out := bytes.Clone(src)
	for _, at := range matches {
		change(out, at)
	}
	return out
}

// erase overwrites the bytes from start to end with spaces, but not the line breaks: a comment that ends
// with its line goes on ending there.
func erase(out []byte, start, end int) {
	for i := start; i < end; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
}
