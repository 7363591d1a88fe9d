package anchors

import "sort"

// mostRounds limits how often patience looks for unique lines between unique lines. In each round but
// the first a line can be unique for its copies being elsewhere, which real files have in 2 or
// 3 rounds and texts can be made to have in any number.
const mostRounds = 8

// patience aligns r by the method of Bram Cohen's patience diff: the longest sequence of lines that are
// unique in both parts and in the same order, then the same between them, and a shortest edit script
// where there are none. It is for what is left when the histogram has taken too long: a round
// takes lines × log lines for any text, and splits at all places at once.
func (h *histogram) patience(r region) {
	type part struct {
		region
		round int
	}
	todo := []part{{r, 1}}
	if h.seen == nil {
		h.seen, h.partner = make([]int32, len(h.count)), make([]int32, len(h.count))
	}
	for len(todo) > 0 && !h.budget.stopped {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p.region = h.trim(p.region)
		if p.empty() {
			continue
		}
		pairs := longestAscending(h.uniquePairs(p.region))
		if len(pairs) == 0 || p.round == mostRounds {
			h.shortest(p.region)
			continue
		}
		for _, m := range pairs {
			if m.a < p.a || m.b < p.b {
				continue // it was reached by trimming
			}
			before := h.trim(region{p.a, m.a + 1, p.b, m.b + 1})
			todo = append(todo, part{before, p.round + 1})
			p.a, p.b = m.a+1, m.b+1
			for p.a < p.aEnd && p.b < p.bEnd && h.oldClass[p.a] == h.newClass[p.b] {
				h.keepAt(match{p.a, p.b, 1})
				p.a, p.b = p.a+1, p.b+1
			}
		}
		todo = append(todo, part{p.region, p.round + 1})
	}
}

// uniquePairs returns the lines that are unique in both parts of r, in the order of old.
func (h *histogram) uniquePairs(r region) []match {
	for i := r.a; i < r.aEnd; i++ {
		h.count[h.oldClass[i]]++
	}
	for i := r.b; i < r.bEnd; i++ {
		if c := h.newClass[i]; c >= 0 {
			h.seen[c]++
			h.partner[c] = int32(i)
		}
	}
	h.budget.spend(2 * stepCost * (r.aEnd - r.a + r.bEnd - r.b))
	count := 0
	for i := r.a; i < r.aEnd; i++ {
		if c := h.oldClass[i]; h.count[c] == 1 && h.seen[c] == 1 {
			count++
		}
	}
	pairs := make([]match, 0, count)
	for i := r.a; i < r.aEnd; i++ {
		if c := h.oldClass[i]; h.count[c] == 1 && h.seen[c] == 1 {
			pairs = append(pairs, match{i, int(h.partner[c]), 1})
		}
	}
	for i := r.a; i < r.aEnd; i++ {
		h.count[h.oldClass[i]] = 0
	}
	for i := r.b; i < r.bEnd; i++ {
		if c := h.newClass[i]; c >= 0 {
			h.seen[c] = 0
		}
	}
	return pairs
}

// longestAscending returns a longest part of pairs, ascending in old, that ascends in new too.
func longestAscending(pairs []match) []match {
	ends := make([]int, 0, len(pairs)) // by length: the pair that such a sequence ends with, as early in new as can be
	previous := make([]int, len(pairs))
	for i, p := range pairs {
		n := len(ends)
		if n > 0 && pairs[ends[n-1]].b > p.b {
			n = sort.Search(n, func(k int) bool { return pairs[ends[k]].b > p.b })
		}
		previous[i] = -1
		if n > 0 {
			previous[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	longest := make([]match, len(ends))
	if len(ends) == 0 {
		return longest
	}
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k, i = k-1, previous[i] {
		longest[k] = pairs[i]
	}
	return longest
}

// trim keeps the lines at both ends of r that are equal, and returns the rest.
func (h *histogram) trim(r region) region {
	n := 0
	for r.a+n < r.aEnd && r.b+n < r.bEnd && h.oldClass[r.a+n] == h.newClass[r.b+n] {
		n++
	}
	h.keepAt(match{r.a, r.b, n})
	r.a, r.b = r.a+n, r.b+n
	n = 0
	for r.a < r.aEnd-n && r.b < r.bEnd-n && h.oldClass[r.aEnd-1-n] == h.newClass[r.bEnd-1-n] {
		n++
	}
	r.aEnd, r.bEnd = r.aEnd-n, r.bEnd-n
	h.keepAt(match{r.aEnd, r.bEnd, n})
	return r
}
