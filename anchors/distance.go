package anchors

import "slices"

// Distance is the number of lines that stand in one of two texts and not in the other, their order and position
// aside: 0 for two texts with the same lines. It takes time n log n in the lines between the equal beginning and the equal
// end. A shortest edit script would tell more and take longer; which of several texts resembles another most is all that is
// asked.
func Distance(a, b *Table) int {
	n, m := a.Len(), b.Len()
	head := 0
	for head < n && head < m && a.word(head) == b.word(head) {
		head++
	}
	for n > head && m > head && a.word(n-1) == b.word(m-1) {
		n, m = n-1, m-1
	}
	x, y := a.words(head, n), b.words(head, m)
	same := 0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			same++
			x, y = x[1:], y[1:]
		}
	}
	return n - head + m - head - 2*same
}

// words are the digests of the lines from first to before end, from 0, in ascending order.
func (t *Table) words(first, end int) []uint64 {
	words := make([]uint64, 0, end-first)
	for i := first; i < end; i++ {
		words = append(words, t.word(i))
	}
	slices.Sort(words)
	return words
}
