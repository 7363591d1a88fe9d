package anchors

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

// checkTable holds what is true of the table of any text.
func checkTable(t *testing.T, src []byte, tab *Table) {
	t.Helper()
	want := naiveLines(src)
	if tab.Len() != len(want) || !bytes.Equal(tab.Source(), src) {
		t.Fatalf("%q: %d lines, want %d", src, tab.Len(), len(want))
	}
	at := 0
	for i, line := range want {
		n := i + 1
		start, end := tab.Content(Span{n, n})
		if start != at || start != tab.LineStart(n) || end <= start {
			t.Fatalf("%q: line %d is at %d:%d, want it at %d", src, n, start, end, at)
		}
		at = end
		if !bytes.Equal(tab.Line(n), line) || !bytes.HasPrefix(src[start:end], line) {
			t.Fatalf("%q: line %d is %q, want %q", src, n, tab.Line(n), line)
		}
		if cap(tab.Line(n)) != len(line) {
			t.Fatalf("%q: appending to line %d would write into the text", src, n)
		}
		switch nl := string(src[start+len(line) : end]); {
		case nl == "\n" || nl == "\r\n" || nl == "\r":
		case nl == "" && n == len(want):
		default:
			t.Fatalf("%q: line %d ends in %q", src, n, nl)
		}
		if tab.LineDigest(n) != DigestLine(line) || tab.Tag(n) != DigestLine(line).Tag() {
			t.Fatalf("%q: line %d has another digest than %q alone", src, n, line)
		}
		for _, offset := range []int{start, (start + end) / 2, end - 1} {
			if got := tab.LineAt(offset); got != n {
				t.Fatalf("%q: byte %d is in line %d, want %d", src, offset, got, n)
			}
		}
	}
	if at != len(src) {
		t.Fatalf("%q: lines end at %d of %d bytes", src, at, len(src))
	}
}

// checkOutside asks for what is not there.
func checkOutside(t *testing.T, tab *Table) {
	t.Helper()
	const most = int(^uint(0) >> 1)
	n, size := tab.Len(), len(tab.Source())
	for _, bad := range []int{-most - 1, -1, 0, n + 1, most} {
		if tab.Line(bad) != nil || tab.Tag(bad) != "" || tab.LineDigest(bad) != (LineDigest{}) {
			t.Errorf("there is a line %d of %d", bad, n)
		}
		want := 0
		if bad > n {
			want = size
		}
		if got := tab.LineStart(bad); got != want {
			t.Errorf("line %d of %d starts at %d, want %d", bad, n, got, want)
		}
	}
	if first, last := tab.LineAt(-most-1), tab.LineAt(most); first != min(1, n) || last != n {
		t.Errorf("outside offsets are in lines %d and %d of %d", first, last, n)
	}
	nothing := NewTable(nil).Digest(Span{1, 1})
	for _, s := range []Span{{}, {0, 0}, {5, 4}, {n + 1, most}, {-most - 1, 0}, {most, most}} {
		start, end := tab.Content(s)
		if tab.Clamp(s) != (Span{}) || start != 0 || end != 0 || tab.Digest(s) != nothing || tab.Known(s).Full != nothing {
			t.Errorf("%v of %d lines has content", s, n)
		}
	}
	if n > 0 {
		wide := Span{-most - 1, most}
		start, end := tab.Content(wide)
		if start != 0 || end != size || tab.Digest(wide) != tab.Digest(all(tab)) || tab.Clamp(wide) != all(tab) {
			t.Errorf("%v does not hold the whole text: %d:%d of %d", wide, start, end, size)
		}
	}
}

// CASES E2.
func TestTable(t *testing.T) {
	texts := []string{
		"", "a", "\n", "\r", "\r\n", "\n\r", "a\n", "a\n\n", "a\r\r\nb", "a\rb\nc\r\nd", "\r\n\r\n\r",
		"a\x00b\n\xff\xfe\n", "\ufeffa\n", "a\fb\vc\x1cd\u0085e\u2028f\u2029g\nh",
		strings.Repeat("x", 1008) + "\n" + strings.Repeat("x", 1009) + "\n" + strings.Repeat("x", 1010), // around the buffer
		strings.Repeat("y", pollEvery+1) + "\nz",
	}
	for _, src := range texts {
		for _, wide := range []bool{false, true} {
			tab := newTable([]byte(src), wide)
			checkTable(t, []byte(src), tab)
			checkOutside(t, tab)
		}
	}
}

func TestTableRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		src := make([]byte, rnd.IntN(40))
		for i := range src {
			src[i] = "ab\r\n"[rnd.IntN(4)]
		}
		checkTable(t, src, NewTable(src))
		checkTable(t, src, newTable(src, true))
	}
}

// TestTableSize holds the promise of 12 bytes a line, with nothing to spare.
func TestTableSize(t *testing.T) {
	tab := NewTable(bytes.Repeat([]byte("a\r\nb\rc\n"), 1000))
	if tab.Len() != 3000 || cap(tab.digests) != 8*3000 || cap(tab.narrow) != 3000 || tab.wide != nil {
		t.Errorf("%d lines, %d bytes of digests, %d starts", tab.Len(), cap(tab.digests), cap(tab.narrow))
	}
	if got := unsafe.Sizeof(tab.narrow[0]); got != 4 {
		t.Errorf("a start takes %d bytes", got)
	}
}

// TestContentDecisions pins what is content and what is not.
// CASES E1, E3, A6.
func TestContentDecisions(t *testing.T) {
	anchor := func(src string) Anchor {
		tab := NewTable([]byte(src))
		return tab.Digest(all(tab)).Anchor()
	}
	same := [][2]string{
		{"c", "c\n"}, {"a\nb\n", "a\r\nb\r\n"}, {"a\nb\n", "a\rb"}, {"\n", "\r\n"},
	}
	for _, c := range same {
		if anchor(c[0]) != anchor(c[1]) {
			t.Errorf("%q and %q have different anchors", c[0], c[1])
		}
	}
	differ := [][2]string{
		{"    x = 1\n", "x = 1\n"}, {"\tx\n", "        x\n"}, {"a  \n", "a\n"}, {"", "\n"}, {"a\n\n", "a\n"},
		{"caf\xe9\n", "caf\xe8\n"}, {"caf\u00e9\n", "cafe\u0301\n"}, {"b\nc\n", "c\nb\n"}, {"a\fb\n", "a\nb\n"},
		{"ab\n", "a\nb\n"},
	}
	for _, c := range differ {
		if anchor(c[0]) == anchor(c[1]) {
			t.Errorf("%q and %q have one anchor", c[0], c[1])
		}
	}
}

// TestDigestLong compares the two ways of hashing a span, in one call and in pieces.
func TestDigestLong(t *testing.T) {
	for _, n := range []int{125, 126, 127, 128, pollEvery/lineBytes + 3} {
		var src bytes.Buffer
		for i := range n {
			fmt.Fprintln(&src, i%7)
		}
		tab := NewTable(src.Bytes())
		if got, want := tab.Digest(all(tab)), naiveDigest(naiveLines(src.Bytes())); got != want {
			t.Errorf("%d lines: %x, want %x", n, got, want)
		}
	}
}
