package anchors

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSelector: what is read prints as something that reads the same, and what is refused is
// refused in one printable line.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{"4:5", "4:5@07407f1c", " 007:8\n", "5:4", "0:3@07407f1c", "4:5@short", "٤:٥", "9223372036854775808:1", "+1:2", "\x1b[2J\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sel, err := ParseSelector(s)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || sel != (Selector{}) {
				t.Fatalf("%q: %v, %T", s, sel, err)
			}
			for _, r := range err.Error() {
				if r < ' ' || r == 0x7f {
					t.Fatalf("%q: the error has control characters: %q", s, err)
				}
			}
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 600 {
				t.Fatalf("%q: error %q", s, err)
			}
			return
		}
		if sel.Len() < 1 || strings.Trim(s, "0123456789:@abcdef \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000") != "" {
			t.Fatalf("%q reads as %v", s, sel)
		}
		again, err := ParseSelector(sel.String())
		if err != nil || again != sel || again.String() != sel.String() {
			t.Fatalf("%q reads as %v, which reads as %v, %v", s, sel, again, err)
		}
	})
}

// FuzzTable: the lines partition the bytes, and no number outside the text does harm.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"", "a", "a\n", "a\r\r\nb\n\rc", "\n\n\r\n", "a\fb\u2028c\u0085d\n", "caf\xe9\x00\n", strings.Repeat("x", 1100) + "\r"} {
		f.Add([]byte(s), 1, 2)
	}
	f.Fuzz(func(t *testing.T, src []byte, first, last int) {
		tab := NewTable(src)
		checkTable(t, src, tab)
		checkTable(t, src, newTable(src, true))
		checkOutside(t, tab)
		span := Span{first, last}
		start, end := tab.Content(span)
		if start < 0 || start > end || end > len(src) {
			t.Fatalf("%v is at %d:%d of %d bytes", span, start, end, len(src))
		}
		if got := NewTable(src[start:end]); tab.Clamp(span).Len() != got.Len() || tab.Digest(span) != got.Digest(all(got)) || tab.Known(span) != got.Known(all(got)) {
			t.Fatalf("%v: %q alone has another digest", span, src[start:end])
		}
		if n := tab.LineAt(first); n < min(1, tab.Len()) || n > tab.Len() {
			t.Fatalf("byte %d is in line %d of %d", first, n, tab.Len())
		}
	})
}

// FuzzResolve mints a span, splices the text anywhere and resolves: exactly the addressed lines, or
// a refusal that a plain search agrees with.
func FuzzResolve(f *testing.F) {
	f.Add([]byte("def beta():\n    return 2\n"), 1, 2, 0, 0, []byte("import os\n"))
	f.Add([]byte("dup\ndup\nx\ndup\ndup\ny\ndup\ndup\n"), 4, 5, 8, 2, []byte(""))
	f.Add([]byte("a\r\nb\r\nc"), 2, 3, 1, 2, []byte("\n"))
	f.Add([]byte("x\nx\nx\nx\n"), 2, 4, 2, 4, []byte("x\ry"))
	f.Fuzz(func(t *testing.T, src []byte, first, last, at, cut int, put []byte) {
		if len(src)+len(put) > 2000 { // the plain search is quadratic
			return
		}
		before := NewTable(src)
		span := before.Clamp(Span{first, last})
		sel, known := mint(before, span)
		want := normal(before, span)

		at = min(max(at, 0), len(src))
		cut = min(max(cut, 0), len(src)-at)
		changed := bytes.Join([][]byte{src[:at], put, src[at+cut:]}, nil)
		after := NewTable(changed)
		for name, k := range partial(known) {
			r := after.Resolve(sel, k, nil)
			windows := r.Windows
			r.Windows = 0
			naive := Resolution{Complete: true, Checked: r.Checked}
			if span.Len() > 0 {
				naive = naiveResolve(naiveLines(changed), sel, k)
			}
			if r != naive || windows > after.Len()+1 {
				t.Fatalf("%s: %v: %+v, want %+v", name, sel, r, naive)
			}
			if r.Outcome == Lost {
				continue
			}
			if got := normal(after, r.Span); !bytes.Equal(got, want) {
				t.Fatalf("%s: %v is %q, want %q", name, sel, got, want)
			}
		}
	})
}
