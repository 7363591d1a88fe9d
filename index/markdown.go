package index

import "bytes"

// maxBlocks is how deep quotes and lists may nest. The grammar's scanner saves its open blocks, 4
// bytes each, in a buffer of 1024 bytes without looking at the size: the 255th overruns it, and a few
// thousand end the process.
const maxBlocks = 200

// sanitizeMarkdown blanks the lines that could open more than maxBlocks quotes and lists. A block
// takes its place in the line that opens it, a quote one column and an item two, so no line with a
// shorter beginning can.
func sanitizeMarkdown(src []byte) []byte {
	out := src
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexAny(src[at:], "\r\n"); i >= 0 {
			end = at + i
		}
		if blocks(src[at:end]) > maxBlocks {
			if &out[0] == &src[0] {
				out = bytes.Clone(src)
			}
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
