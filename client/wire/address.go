package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Address is a whole address as it is printed: a reference and at most one selector.
//
//	repo:m.py --lines 4:5@07407f1c
//	repo:m.py --span b34a0fcd32
//	snapshot:cf3db50116cd --lines 4:5
//	repo:m.py --bytes 1:20
type Address struct {
	Ref    string // repo:PATH, snapshot:ID, blob:ID, or PATH, still encoded
	Lines  string
	Span   string
	Bytes  string
	Symbol string
}

// printed are the words that ctx prints before an address.
var printed = []string{"definition: ", "live: ", "next: ", "try: ", "ctx get "}

// ParseAddress splits an address at its last selector. It never fails: what has no selector is a
// bare reference. Lines that ctx printed can be handed back whole:
//
//	live: ctx get repo:m.py --lines 4:5@07407f1c
//	definition: repo:m.py L4:5@07407f1c (function)
func ParseAddress(s string) Address {
	s = strings.TrimSpace(s)
	for _, word := range printed {
		s = strings.TrimPrefix(s, word)
	}
	if i := strings.Index(s, " L"); i > 0 && strings.HasPrefix(s, "repo:") {
		if lines, _, _ := strings.Cut(s[i+2:], " ("); strings.Trim(lines, "0123456789abcdef:@") == "" && strings.Contains(lines, ":") {
			return Address{Ref: s[:i], Lines: lines}
		}
	}
	for at := strings.LastIndex(s, " --"); at >= 0; at = strings.LastIndex(s[:at], " --") {
		name, value, more := strings.Cut(s[at+len(" --"):], " ")
		a := Address{Ref: strings.TrimSpace(s[:at])}
		if selector := a.selector(name); selector != nil && more {
			*selector = strings.TrimSpace(value)
			return a
		}
	}
	return Address{Ref: s}
}

// selector is the field of the flag that is called name; nil: no address carries it.
func (a *Address) selector(name string) *string {
	switch name {
	case "lines":
		return &a.Lines
	case "span":
		return &a.Span
	case "bytes":
		return &a.Bytes
	case "symbol":
		return &a.Symbol
	}
	return nil
}

// RepoRef is the printed reference of a path: repo: and the path with every byte percent-encoded
// that a shell, a terminal or the grammar would read as something else. Letters of any script
// stay as they are, so that names remain readable.
func RepoRef(path string) string { return "repo:" + EncodePath(path) }

// plain are the ASCII bytes that need no encoding anywhere in an address.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=@,"

// EncodePath percent-encodes path for an address; DecodePath is its inverse for any bytes.
func EncodePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		ok := r < utf8.RuneSelf && strings.IndexByte(plain, byte(r)) >= 0 ||
			r >= utf8.RuneSelf && !(r == utf8.RuneError && n == 1) && unicode.IsGraphic(r) && !unicode.IsSpace(r)
		for _, c := range []byte(path[i : i+n]) {
			if ok {
				b.WriteByte(c)
				continue
			}
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
		i += n
	}
	return b.String()
}

// DecodePath undoes EncodePath. A percent sign that two hex digits do not follow stands for
// itself, so that addresses written by hand or by another system are read as they look.
func DecodePath(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
