package index

import (
	"bytes"
	"regexp"
)

// sanitizeInterface makes of an OCaml interface the structure that the grammar reads; the grammar of
// signatures is not in the module. Most items are the same in both. A value becomes a type,
//
//	val f : int -> int		type f = int -> int
//
// whose extra letter takes the place of the white space before it. Where that would touch a word, the value
// goes on the type before it, and f = int -> int, or an open or include right before it is taken out. An included
// signature becomes a module.
func sanitizeInterface(src []byte) []byte {
	src = legible(src)
	r := interfaceReader{src: src, out: bytes.Clone(src), opened: -1}
	for at := 0; at < len(src); {
		at = r.step(at)
	}
	return r.out
}

// firstItem is the rest of an item, up to an empty line, a comment or the next.
var firstItem = regexp.MustCompile(`\A(?:[ \t]*\r?\n)?[ \t]*[^\s][^\r\n]*(?:\r?\n[ \t]+[^\s(][^\r\n]*)*`)

type interfaceReader struct {
	src, out []byte
	depth    int // of sig … end and the like, whose values the grammar reads
	opened   int // start of the item before, where that is an open or include, else -1
}

func (r *interfaceReader) step(at int) int {
	rest := r.src[at:]
	switch b := r.src[at]; {
	case bytes.HasPrefix(rest, []byte("(*")) && !bytes.HasPrefix(rest, []byte("(*)")):
		return r.comment(at)
	case b == '"':
		return r.literal(at)
	case IsWord(b):
		end := at
		for end < len(r.src) && (IsWord(r.src[end]) || r.src[end] == '\'') {
			end++
		}
		switch string(r.src[at:end]) {
		case "open":
			if r.depth == 0 {
				r.opened = at
			}
		case "type", "module", "exception", "external", "class":
			if r.opened >= 0 && r.opensLine(at) {
				r.opened = -1
			}
		case "sig", "struct", "object":
			r.depth++
		case "end":
			r.depth = max(0, r.depth-1)
		case "val":
			if r.depth == 0 {
				return r.value(at, end)
			}
		case "include":
			if r.depth > 0 {
				break
			}
			r.opened = at
			if r.free(at) && end < len(r.src) && isSpace(r.src[end]) {
				copy(r.out[at-1:end+1], "module X:")
				r.opened--
			}
		}
		return end
	}
	return at + 1
}

// free says whether the byte before at can become a letter.
func (r *interfaceReader) free(at int) bool {
	if at == 0 || !isSpace(r.src[at-1]) {
		return false
	}
	before := at - 2
	if before >= 0 && r.src[at-1] == '\n' && r.src[before] == '\r' { // as in a file without
		before--
	}
	return before < 0 || !IsWord(r.src[before]) && r.src[before] != '\''
}

// opensLine says whether nothing but blanks stands before at in its line.
func (r *interfaceReader) opensLine(at int) bool {
	for at > 0 && (r.src[at-1] == ' ' || r.src[at-1] == '\t') {
		at--
	}
	return at == 0 || r.src[at-1] == '\n' || r.src[at-1] == '\r'
}

// value rewrites val name :, and gives the offset behind it.
func (r *interfaceReader) value(at, end int) int {
	name := r.blank(end)
	colon := name
	for colon < len(r.src) && (IsWord(r.src[colon]) || r.src[colon] == '\'') {
		colon++
	}
	operator := name < len(r.src) && r.src[name] == '('
	if operator {
		n := bytes.IndexByte(r.src[name:min(len(r.src), name+32)], ')')
		if n < 0 {
			return end
		}
		colon = name + n + 1
	}
	after := r.blank(colon)
	if colon == name || after >= len(r.src) || r.src[after] != ':' {
		return end // val mutable x, in a class
	}
	if operator {
		for i := name; i < colon; i++ {
			if b := r.src[i]; b == '(' || b == ')' {
				r.out[i] = ' '
			} else if !isSpace(b) {
				r.out[i] = 'x'
			}
		}
	}
	switch {
	case at == 0: // no room for a type: let f = xxx
		copy(r.out, "let")
		end := after + 1 + len(firstItem.Find(r.src[after+1:]))
		for i := after + 1; i < end; i++ {
			r.out[i] = 'x'
		}
		r.out[after], r.opened = '=', -1
		return end
	case r.free(at):
		copy(r.out[at-1:end], "type")
	case r.opened >= 0: // which defines nothing
		erase(r.out, r.opened, at)
		copy(r.out[at-1:end], "type")
	default:
		copy(r.out[at:end], "and")
	}
	r.opened = -1
	r.out[after] = '='
	return after + 1
}

// blank is the end of the white space at at.
func (r *interfaceReader) blank(at int) int {
	for at < len(r.src) && isSpace(r.src[at]) {
		at++
	}
	return at
}

// comment is the end of the comment, which may hold others, at at.
func (r *interfaceReader) comment(at int) int {
	depth := 0
	for at < len(r.src) {
		switch rest := r.src[at:]; {
		case bytes.HasPrefix(rest, []byte("(*")):
			depth++
			at += 2
		case bytes.HasPrefix(rest, []byte("*)")):
			at += 2
			if depth--; depth == 0 {
				return at
			}
		case rest[0] == '"':
			at = r.literal(at)
		default:
			at++
		}
	}
	return at
}

func (r *interfaceReader) literal(at int) int {
	for at++; at < len(r.src) && r.src[at] != '"'; at++ {
		if r.src[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(r.src))
}
