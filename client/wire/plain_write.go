package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainWriter writes an object field by field, leaving out what omitempty leaves out.
type plainWriter struct {
	b   []byte
	odd bool
}

func (w *plainWriter) name(name string) {
	if len(w.b) == 0 || w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

// value writes a string with the escapes of encoding/json. One that is not UTF-8, or holds a separator that JavaScript took
// for the end of a line, is odd.
func (w *plainWriter) value(s string) {
	w.b = append(w.b, '"')
	from, ascii := 0, true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		w.b = append(w.b, s[from:i]...)
		from = i + 1
		switch at := strings.IndexByte("\"\\\b\f\n\r\t", c); {
		case at >= 0:
			w.b = append(w.b, '\\', "\"\\bfnrt"[at])
		default:
			const hex = "0123456789abcdef"
			w.b = append(w.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	w.b = append(append(w.b, s[from:]...), '"')
	w.odd = w.odd || !ascii && (!utf8.ValidString(s) || strings.ContainsAny(s, "\u2028\u2029"))
}

func (w *plainWriter) string(name, s string) {
	if s != "" {
		w.name(name)
		w.value(s)
	}
}

func (w *plainWriter) int(name string, n int) {
	if n != 0 {
		w.name(name)
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
}

func (w *plainWriter) bool(name string, is bool) {
	if is {
		w.name(name)
		w.b = append(w.b, "true"...)
	}
}

func (w *plainWriter) common(c *Common) {
	w.string("root", c.Root)
	w.string("dir", c.Dir)
	w.bool("noSync", c.NoSync)
}

func (w *plainWriter) open(name string) {
	w.name(name)
	w.b = append(w.b, '{')
}

func (w *plainWriter) close() { w.b = append(w.b, '}') }

// list writes an array of n elements, or null.
func (w *plainWriter) list(name string, is bool, n int, element func(i int)) {
	w.name(name)
	if !is {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		element(i)
	}
	w.b = append(w.b, ']')
}

func (w *plainWriter) text(name, s string) {
	w.name(name)
	w.value(s)
}

func (w *plainWriter) number(name string, n int) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *plainWriter) pair(name string, p [2]int) {
	w.name(name)
	w.b = strconv.AppendInt(append(w.b, '['), int64(p[0]), 10)
	w.b = append(strconv.AppendInt(append(w.b, ','), int64(p[1]), 10), ']')
}

func (w *plainWriter) span(name string, r Range) {
	w.open(name)
	for _, end := range [2]struct {
		name string
		at   Position
	}{{"start", r.Start}, {"end", r.End}} {
		w.open(end.name)
		w.number("line", end.at.Line)
		w.number("character", end.at.Character)
		w.close()
	}
	w.close()
}

func (w *plainWriter) null(name string) {
	w.name(name)
	w.b = append(w.b, "null"...)
}

func (w *plainWriter) captured(name string, c *Captured) {
	if c == nil {
		w.null(name)
		return
	}
	w.open(name)
	w.text("snapshot", c.Snapshot)
	w.text("span", c.Span)
	w.pair("lines", c.Lines)
	w.text("address", c.Address)
	w.close()
}

func (w *plainWriter) live(name string, l *Live) {
	if l == nil {
		w.null(name)
		return
	}
	w.open(name)
	w.text("anchor", l.Anchor)
	w.pair("lines", l.Lines)
	w.text("address", l.Address)
	w.close()
}

func (w *plainWriter) coverage(name string, c *Coverage) {
	w.open(name)
	w.number("files", c.Files)
	w.number("parsed", c.Parsed)
	w.number("unparsed", c.Unparsed)
	w.number("pending", c.Pending)
	w.int("unlisted", c.Unlisted)
	w.text("freshness", c.Freshness)
	w.close()
}
