package anchors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pair is two texts of lines.
type pair struct {
	name     string
	old, new *Table
}

// linePairs are texts of n lines that are hard, or common.
func linePairs(n int) []pair {
	lines := func(f func(i int) string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = f(i)
		}
		return all
	}
	unique := lines(func(i int) string { return fmt.Sprint("line ", i) })
	long := lines(func(i int) string { return fmt.Sprint("a long line that is evidence of a move ", i) })
	reversed := func(s []string) []string {
		s = slices.Clone(s)
		slices.Reverse(s)
		return s
	}
	few := slices.Clone(unique)
	for i := n / 20; i < n; i += n / 10 {
		few[i] = "changed"
	}
	many := slices.Clone(unique)
	for i := 0; i < n; i += 100 {
		many[i] = "changed"
	}
	r := rand.New(rand.NewPCG(1, 2))
	coin := func(int) string { return fmt.Sprint(r.IntN(2)) }
	word := func(int) string { return fmt.Sprint(r.IntN(n / 50)) }
	// The longest matches are all at the beginning of what is left.
	var descending []string
	for length := 1; len(descending) < n; length++ {
		descending = append(descending, fmt.Sprint("new ", length))
		descending = append(descending, unique[max(n-len(descending)-length, 0):max(n-len(descending), 0)]...)
	}
	shuffled := slices.Clone(long)
	r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	period := func(k int) []string { return lines(func(i int) string { return fmt.Sprint(i % k) }) }
	equal := lines(func(int) string { return "x" })
	texts := func(name string, old, new []string) pair {
		return pair{name, NewTable([]byte(strings.Join(old, "\n"))), NewTable([]byte(strings.Join(new, "\n")))}
	}
	return []pair{
		texts("ten edits", unique, few),
		texts("one in a hundred changed", unique, many),
		texts("equal lines, one more", equal, append(slices.Clone(equal), "x")),
		texts("equal lines between others", append(append([]string{"a"}, equal...), "b"), append(append([]string{"c"}, equal[n/3:]...), "d")),
		texts("reversed", unique, reversed(unique)),
		texts("reversed long lines", long, reversed(long)),
		texts("shuffled long lines", long, shuffled),
		texts("two periods", period(2), period(3)),
		texts("two periods shifted", period(2), append(slices.Clone(period(2)[1:]), "y")),
		texts("two long periods", period(1000), period(1001)),
		texts("two periods under the limit", period(n/60), period(n/59)),
		texts("coins", lines(coin), lines(coin)),
		texts("words", lines(word), lines(word)),
		texts("descending matches", unique, descending),
		texts("nothing in common", unique, long),
	}
}

// BenchmarkMapLines is a million lines, for each of the pairs: a tenth of a second to one second
// for the worst, and tens of milliseconds for ten edits.
func BenchmarkMapLines(b *testing.B) {
	for _, p := range linePairs(1_000_000) {
		b.Run(strings.ReplaceAll(p.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			var m *LineMap
			for b.Loop() {
				m = MapLines(p.old, p.new, nil)
			}
			b.ReportMetric(float64(m.Survivors(Span{1, p.old.Len()})), "mapped")
			b.ReportMetric(float64(12*(len(m.kept)+2*len(m.moved))), "bytes")
		})
	}
}

func BenchmarkLineMapLine(b *testing.B) {
	p := linePairs(1_000_000)[1]
	m := MapLines(p.old, p.new, nil)
	n := 0
	for b.Loop() {
		n = (n + 7919) % 1_000_000
		m.Line(n + 1)
	}
}
