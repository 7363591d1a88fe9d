package anchors

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a\n", "a\n", 0}, {"a\nb\n", "b\na\n", 0}, {"a\n", "", 1}, {"a\na\n", "a\n", 1},
		{"a\nb\nc\n", "a\nx\nc\n", 2}, {"a\r\n", "a", 0},
	} {
		if got := Distance(NewTable([]byte(c.a)), NewTable([]byte(c.b))); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		return strings.Join(strings.Split("abcdefgh"[:1+rnd.IntN(8)]+strings.Repeat("xy", rnd.IntN(3)), ""), "\n")
	}
	for range 500 {
		a, b := text(), text()
		count := map[string]int{}
		for _, l := range strings.Split(a, "\n") {
			count[l]++
		}
		for _, l := range strings.Split(b, "\n") {
			count[l]--
		}
		want := 0
		for _, n := range count {
			want += max(n, -n)
		}
		if got := Distance(NewTable([]byte(a)), NewTable([]byte(b))); got != want {
			t.Errorf("%q, %q: %d, want %d", a, b, got, want)
		}
	}
}
