package index

import (
	"bytes"
	"unicode/utf8"
)

// maxBlocks is how deep quotes and lists may nest. The grammar's scanner saves its open blocks, 4
// bytes each, in a buffer of 1024 bytes without looking at the size: the 255th overruns it, and a few
// thousand end the process.
const maxBlocks = 200

// sanitizeMarkdown keeps the grammar's scanner from what it cannot survive. It asks the C library
// whether a character is a digit without asking whether it is one byte, which reads far outside a
// table ("1" and then an emoji at the start of a line can end the process): every byte that is not
// ASCII becomes a letter, a byte order mark spaces. And it blanks the lines that could open more than
// maxBlocks quotes and lists. A block takes its place in the line that opens it, a quote one column
// and an item two, so no line with a shorter beginning can.
func sanitizeMarkdown(src []byte) []byte {
	out := bytes.Clone(src)
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		copy(out, "   ")
	}
	for i, b := range out {
		if b >= utf8.RuneSelf {
			out[i] = 'x'
		}
	}
	for at := 0; at < len(out); {
		end := len(out)
		if i := bytes.IndexAny(out[at:], "\r\n"); i >= 0 {
			end = at + i
		}
		if blocks(out[at:end]) > maxBlocks {
			for i := at; i < end; i++ {
				out[i] = ' '
			}
		}
		at = end + 1
	}
	return out
}

// blocks bounds the number of blocks that are open after line, 0 when it opens none.
func blocks(line []byte) int {
	columns, markers := 0, 0
scan:
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == ' ':
			columns++
			continue
		case b == '\t':
			columns += 4
			continue
		case b == '>':
			markers++
			continue
		case b >= '0' && b <= '9':
			for i+1 < len(line) && line[i] >= '0' && line[i] <= '9' {
				i++
			}
			if line[i] != '.' && line[i] != ')' {
				break scan
			}
		case b != '-' && b != '+' && b != '*':
			break scan
		}
		if i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
			break scan // a word or a rule, no item
		}
		markers++
	}
	if markers == 0 {
		return 0
	}
	return columns/2 + markers
}
