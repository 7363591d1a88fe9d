package index

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// Taking back every change gives the base, taking back none gives the text, and equal lines are in no hunk.
func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(strings.Repeat("x", r.IntN(4)) + "\n")
		}
		return b.String()
	}
	for range 2000 {
		base, now := []byte(text()), []byte(text())
		hunks := diff(base, now)
		if got := without(now, base, hunks); !bytes.Equal(got, base) {
			t.Fatalf("%q -> %q: %v gives %q", base, now, hunks, got)
		}
		if len(hunks) == 0 && !bytes.Equal(base, now) {
			t.Fatalf("%q -> %q: no hunks", base, now)
		}
	}
	for _, c := range []struct {
		base, now string
		want      int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", 0}, {"a\nb\nc\n", "a\nx\nc\n", 1}, {"a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n", 2},
		{"", "a\n", 1}, {"a\n", "", 1}, {"a\nb\nc\n", "a\nc\n", 1}, {"a\nc\n", "a\nb\nc\n", 1},
	} {
		if got := diff([]byte(c.base), []byte(c.now)); len(got) != c.want {
			t.Errorf("%q -> %q: %v, want %d hunks", c.base, c.now, got, c.want)
		}
	}
}

func TestMapped(t *testing.T) {
	base, now := []byte("a\nb\nc\nd\n"), []byte("a\nxx\nyy\nc\nd\n")
	hunks := diff(base, now) // b became xx, yy
	for _, c := range [][4]uint32{{0, 1, 0, 1}, {4, 5, 8, 9}, {2, 3, 2, 8}, {0, 7, 0, 11}} {
		if from, to := mapped(hunks, c[0], c[1]); from != c[2] || to != c[3] {
			t.Errorf("mapped(%d, %d) = %d, %d, want %d, %d", c[0], c[1], from, to, c[2], c[3])
		}
	}
}
