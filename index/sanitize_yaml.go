package index

import (
	"bytes"
	"regexp"
)

// maxIndents is how many indentations may be open. The grammar's scanner saves them, two bytes each after
// five, in a buffer of 1024 bytes, and writes one byte too many when it is full: the 510th ends the
// process.
const maxIndents = 400

// nearby is how many bytes around a template are looked at.
const nearby = 256

// templates are what Helm and Jinja fill in, on one line.
var templates = regexp.MustCompile(`\{\{[^{}\r\n]*\}\}|\{%[^\r\n]*?%\}`)

// sanitizeYAML makes words of templates, and spaces of those that have lines to themselves. And it blanks the lines that could open more than maxIndents. Each is opened in a column of its own,
// by the white space or the markers before it; in one column a list may stand in a mapping.
func sanitizeYAML(src []byte) []byte {
	out := rewrite(src, "{", templates, func(out []byte, at []int) {
		line := src[max(0, at[0]-nearby):at[0]]
		line = bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:])
		rest, _, _ := bytes.Cut(src[at[1]:min(len(src), at[1]+nearby)], []byte{'\n'})
		rest = bytes.TrimSpace(rest)
		alone := (len(line) == 0 || line[len(line)-1] == '}') && (len(rest) == 0 || rest[0] == '{')
		for i := at[0]; i < at[1]; i++ {
			out[i] = 'x'
			if alone {
				out[i] = ' '
			}
		}
	})
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexAny(src[at:], "\r\n"); i >= 0 {
			end = at + i
		}
		if indents(src[at:end]) > maxIndents {
			if &out[0] == &src[0] { // nothing was rewritten yet
				out = bytes.Clone(src)
			}
			erase(out, at, end)
		}
		at = end + 1
	}
	return out
}

// indents bounds the number of indentations that are open after line.
func indents(line []byte) int {
	n := 2 * (len(line) - len(bytes.TrimLeft(line, " \t-?:")))
	if len(line) < maxIndents {
		return min(n, 2*len(line))
	}
	for i, b := range line[:len(line)-1] {
		if (b == '-' || b == '?' || b == ':') && (line[i+1] == ' ' || line[i+1] == '\t') {
			n++
		}
	}
	return n
}
