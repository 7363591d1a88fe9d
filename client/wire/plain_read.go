package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// plainReader reads compact JSON from its front. Once it has met anything that is not plain it is odd, and whatever it
// returns means nothing.
type plainReader struct {
	b   []byte // not read yet
	odd bool
}

// readPlain reads all of data with read.
func readPlain(data []byte, read func(*plainReader)) bool {
	r := plainReader{b: data}
	read(&r)
	return !r.odd && len(r.b) == 0
}

// take takes c off, and says whether it was there.
func (r *plainReader) take(c byte) bool {
	if len(r.b) == 0 || r.b[0] != c {
		return false
	}
	r.b = r.b[1:]
	return true
}

func (r *plainReader) want(c byte) {
	if !r.take(c) {
		r.odd = true
	}
}

// object calls field with each name, in their order: field reads the value, and calls a name odd that it does not know. One
// that is there twice is odd here: encoding/json would merge the two.
func (r *plainReader) object(field func(name string)) {
	r.want('{')
	if r.take('}') {
		return
	}
	var room [24]string // the largest result has 19 fields
	names := room[:0]
	for !r.odd {
		name := r.string()
		r.want(':')
		if r.odd = r.odd || slices.Contains(names, name); !r.odd {
			names = append(names, name)
			field(name)
		}
		if r.take('}') {
			return
		}
		r.want(',')
	}
}

// array calls element for each element, which it reads.
func (r *plainReader) array(element func()) {
	r.want('[')
	if r.take(']') {
		return
	}
	for !r.odd {
		element()
		if r.take(']') {
			return
		}
		r.want(',')
	}
}

// null takes null off, and says whether it was there.
func (r *plainReader) null() bool {
	if len(r.b) < 4 || string(r.b[:4]) != "null" {
		return false
	}
	r.b = r.b[4:]
	return true
}

// string is a string; one with escapes by number is read by encoding/json, which needs no types for it.
func (r *plainReader) string() (s string) {
	if len(r.b) == 0 || r.b[0] != '"' {
		r.odd = true
		return ""
	}
	escaped, ascii := false, true
	for i := 1; i < len(r.b); i++ {
		switch c := r.b[i]; {
		case c == '"':
			whole := r.b[:i+1]
			r.b = r.b[i+1:]
			switch {
			case escaped:
				var ok bool
				if s, ok = unescaped(whole[1:i]); !ok {
					r.odd = r.odd || json.Unmarshal(whole, &s) != nil
				}
			case ascii || utf8.Valid(whole):
				s = string(whole[1:i])
			default:
				r.odd = true
			}
			return s
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			r.odd = true
			return ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	r.odd = true
	return ""
}

// unescaped is the string that stands between quotes as text; false where it has an escape by number, one that there is not, or
// bytes that are not UTF-8. Nearly every line of code has a tab, and to have encoding/json read nine of them took a fresh
// process 0.03 ms.
func unescaped(text []byte) (string, bool) {
	if !utf8.Valid(text) {
		return "", false
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			i++
			at := strings.IndexByte(`"\/bfnrt`, text[i]) // there is one more: it would have escaped the quote else
			if at < 0 {
				return "", false
			}
			c = "\"\\/\b\f\n\r\t"[at]
		}
		plain = append(plain, c)
	}
	return string(plain), true
}

// int is a number of at most 18 digits without a fraction.
func (r *plainReader) int() (n int) {
	minus := r.take('-')
	digits := 0
	for digits < len(r.b) && '0' <= r.b[digits] && r.b[digits] <= '9' {
		n = n*10 + int(r.b[digits]-'0')
		digits++
	}
	if digits == 0 || digits > 18 || digits > 1 && r.b[0] == '0' {
		r.odd = true
		return 0
	}
	r.b = r.b[digits:]
	if minus {
		return -n
	}
	return n
}

// into reads an object of a type that is not worth code of its own.
func (r *plainReader) into(v any) {
	depth, quoted := 0, false
	for i := 0; i < len(r.b); i++ {
		switch c := r.b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				r.odd = r.odd || json.Unmarshal(r.b[:i+1], v) != nil
				r.b = r.b[i+1:]
				return
			}
		}
		if depth == 0 {
			break // no object
		}
	}
	r.odd = true
}

func (r *plainReader) bool() bool {
	switch {
	case len(r.b) >= 4 && string(r.b[:4]) == "true":
		r.b = r.b[4:]
		return true
	case len(r.b) >= 5 && string(r.b[:5]) == "false":
		r.b = r.b[5:]
	default:
		r.odd = true
	}
	return false
}

// pair is an array of two numbers.
func (r *plainReader) pair() (p [2]int) {
	r.want('[')
	p[0] = r.int()
	r.want(',')
	p[1] = r.int()
	r.want(']')
	return p
}

func (r *plainReader) strings() []string {
	list := []string{}
	r.array(func() { list = append(list, r.string()) })
	return list
}

// position, captured and live are those of types.go.
func (r *plainReader) position() (p Position) {
	r.object(func(name string) {
		switch name {
		case "line":
			p.Line = r.int()
		case "character":
			p.Character = r.int()
		default:
			r.odd = true
		}
	})
	return p
}

func (r *plainReader) span() (s Range) {
	r.object(func(name string) {
		switch name {
		case "start":
			s.Start = r.position()
		case "end":
			s.End = r.position()
		default:
			r.odd = true
		}
	})
	return s
}

func (r *plainReader) captured() *Captured {
	if r.null() {
		return nil
	}
	c := new(Captured)
	r.object(func(name string) {
		switch name {
		case "snapshot":
			c.Snapshot = r.string()
		case "span":
			c.Span = r.string()
		case "lines":
			c.Lines = r.pair()
		case "address":
			c.Address = r.string()
		default:
			r.odd = true
		}
	})
	return c
}

func (r *plainReader) live() *Live {
	if r.null() {
		return nil
	}
	l := new(Live)
	r.object(func(name string) {
		switch name {
		case "anchor":
			l.Anchor = r.string()
		case "lines":
			l.Lines = r.pair()
		case "address":
			l.Address = r.string()
		default:
			r.odd = true
		}
	})
	return l
}

func (r *plainReader) coverage() (c Coverage) {
	r.object(func(name string) {
		switch name {
		case "files":
			c.Files = r.int()
		case "parsed":
			c.Parsed = r.int()
		case "unparsed":
			c.Unparsed = r.int()
		case "pending":
			c.Pending = r.int()
		case "unlisted":
			c.Unlisted = r.int()
		case "freshness":
			c.Freshness = r.string()
		default:
			r.odd = true
		}
	})
	return c
}

// common is a field that every request about a worktree carries.
func (r *plainReader) common(name string, c *Common) {
	switch name {
	case "root":
		c.Root = r.string()
	case "dir":
		c.Dir = r.string()
	case "noSync":
		c.NoSync = r.bool()
	default:
		r.odd = true
	}
}
