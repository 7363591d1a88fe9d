package anchors

import (
	"bytes"
	"testing"
)

// FuzzLineMap maps any two texts, and a third: partners are equal and one to one, what is kept keeps its
// order, ends that are equal are mapped unless a hunk was slid there, and spans, successors and
// compositions say what the lines say one by one.
func FuzzLineMap(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nx\nc\n"), []byte("x\nc\na\n"), 1, 2)
	f.Add([]byte("x\nx\nx\nx\n"), []byte("x\nx\n"), []byte("x\nx\nx\n"), 2, 3)
	f.Add([]byte("def a\n  return\n\ndef b\n  return\n"), []byte("def b\n  return\n"), []byte("\n\n\n"), 1, 3)
	f.Add([]byte("a\nb\na\nb\na\n"), []byte("b\na\nb\na\nb\n"), []byte(""), 4, 5)
	f.Add([]byte("twenty letters and more\n1\n2\n"), []byte("1\n2\ntwenty letters and more"), []byte("2\r1\r\n"), 1, 1)
	f.Fuzz(func(t *testing.T, x, y, z []byte, first, last int) {
		if len(x)+len(y)+len(z) > 1<<14 {
			return
		}
		a, b, c := NewTable(x), NewTable(y), NewTable(z)
		ab, bc := MapLines(a, b, nil), MapLines(b, c, nil)
		ac := ab.Then(bc)
		checkMap(t, a, b, ab)
		checkMap(t, a, c, ac)
		if !ab.Complete() || !ac.Complete() {
			t.Fatal("a map is not complete, and nobody said stop")
		}
		for n := 1; n <= a.Len(); n++ {
			if ac.Line(n) != bc.Line(ab.Line(n)) {
				t.Fatalf("line %d is %d in the composition, want %d", n, ac.Line(n), bc.Line(ab.Line(n)))
			}
		}
		s := Span{first, last}
		if clamped := a.Clamp(s); clamped == s {
			checkSpan(t, ab, s)
			checkSpan(t, ac, s)
		} else if s := ab.Successor(s); s != (Span{}) && (s.Len() == 0 || s.Last > b.Len()) {
			t.Fatalf("a successor outside the text: %v", s)
		}
		if same := MapLines(a, NewTable(bytes.Clone(x)), nil); same.Survivors(all(a)) != a.Len() {
			t.Fatal("a text is not itself")
		}
	})
}
