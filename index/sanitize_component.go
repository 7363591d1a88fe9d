package index

import (
	"bytes"
	"regexp"
)

var (
	scriptStart = regexp.MustCompile(`(?i)\A<script(?:\s|>)`)
	scriptEnd   = regexp.MustCompile(`(?i)</script\s*>`)

	// data are the types of a script that is none.
	data = regexp.MustCompile(`(?i)\btype\s*=\s*["']?(?:[\w.+-]*/)?(?:[\w.+-]*json|importmap|speculationrules|html|text|x-template|plain)\b`)
)

// sanitizeComponent leaves of a component of Svelte or Vue its scripts: everything else becomes spaces.
func sanitizeComponent(src []byte) []byte {
	out := bytes.Clone(src)
	from := 0 // of what is no script
	for at := 0; at < len(src); {
		n := bytes.IndexByte(src[at:], '<')
		if n < 0 {
			break
		}
		at += n
		switch {
		case bytes.HasPrefix(src[at:], []byte("<!--")):
			at = behind(src, at, []byte("-->"))
		case scriptStart.Match(src[at:min(len(src), at+len("<script>"))]):
			end := tagEnd(src, at)
			if data.Match(src[at:end]) {
				at = end
				break
			}
			erase(out, from, end)
			at, from = len(src), len(src)
			if close := scriptEnd.FindIndex(src[end:]); close != nil {
				from, at = end+close[0], end+close[1]
			}
		default:
			at++
		}
	}
	erase(out, from, len(out))
	return out
}

// behind is the offset behind the next mark, the end where there is none.
func behind(src []byte, at int, mark []byte) int {
	if n := bytes.Index(src[at:], mark); n >= 0 {
		return at + n + len(mark)
	}
	return len(src)
}

// tagEnd is the end of the tag that starts at at; attributes may hold a > in quotes.
func tagEnd(src []byte, at int) int {
	for quote := byte(0); at < len(src); at++ {
		switch b := src[at]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '>':
			return at + 1
		}
	}
	return len(src)
}
