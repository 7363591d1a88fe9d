package anchors

// mostCopies is how often the rarest line of a match may stand in the old part of a region, as in
// git. What is more frequent, such as blank lines of a long file, says nothing about identity.
const mostCopies = 64

// histogramSteps limits the lines that a histogram looks at, which is lines × depth of the
// recursion. Ordinary files need 3 to 40 for each line. The limit is for files whose longest matches are
// all at one end of what is left, which would take quadratic time.
func histogramSteps(r region) int { return 1<<24 + 64*(r.aEnd-r.a+r.bEnd-r.b) }

// A histogram aligns two sequences of line classes by the method of JGit's HistogramDiff (Shawn
// Pearce, 2010), which git has as --histogram: of all matches of lines, each as long as it goes in both
// directions, take one whose rarest line stands least often in the old part of the region, of
// these the longest, of these the first in the new part; then do the same before and behind it. It is
// written anew from that description.
type histogram struct {
	*differ
	at       region  // where the classes are in the texts
	oldClass []int32 // by line
	newClass []int32 // by line; -1: old does not have it
	next     []int32 // by old line: the next one of that class; -1: none
	first    []int32 // by class: the first line of the region at hand, where count is not 0
	count    []int32 // by class: how many lines of the old part of the region are of it
	seen     []int32 // by class, for patience: as count, in the new part; nil before the first use
	partner  []int32 // by class, for patience: a new line of it
	script   *script // nil before the first use
	limit    int     // steps left
}

// link makes what is known of the old lines by class.
func (h *histogram) link(classes int) {
	h.next = make([]int32, len(h.oldClass))
	h.first = make([]int32, classes)
	h.count = make([]int32, classes)
	for c := range h.first {
		h.first[c] = -1
	}
	for i := len(h.oldClass) - 1; i >= 0; i-- {
		h.next[i] = h.first[h.oldClass[i]]
		h.first[h.oldClass[i]] = int32(i)
	}
}

// run aligns the whole.
func (h *histogram) run() {
	todo := []region{{0, len(h.oldClass), 0, len(h.newClass)}}
	for len(todo) > 0 && !h.budget.stopped {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for !r.empty() && h.budget.spend(stepCost) {
			if h.limit <= 0 {
				h.patience(r)
				break
			}
			m, common := h.rarest(r)
			if m.n == 0 {
				if common {
					h.shortest(r)
				}
				break
			}
			h.keepAt(m)
			todo = append(todo, region{m.a + m.n, r.aEnd, m.b + m.n, r.bEnd})
			r.aEnd, r.bEnd = m.a, m.b
		}
	}
}

// keepAt keeps a match of classes.
func (h *histogram) keepAt(m match) { h.keep(match{h.at.a + m.a, h.at.b + m.b, m.n}) }

// spend accounts for n lines looked at.
func (h *histogram) spend(n int) {
	h.limit -= n
	h.budget.spend(stepCost * n)
}

// rarest returns the match to take of r; none when the lines it has in common, if any, are all too
// frequent.
func (h *histogram) rarest(r region) (best match, common bool) {
	for i := r.aEnd - 1; i >= r.a; i-- {
		c := h.oldClass[i]
		h.first[c] = int32(i)
		h.count[c]++
	}
	h.spend(2 * (r.aEnd - r.a))
	fewest := int32(mostCopies)
	for b := r.b; b < r.bEnd && !h.budget.stopped; {
		behind := b + 1
		if c := h.newClass[b]; c >= 0 && h.count[c] > 0 {
			common = true
			if h.count[c] <= fewest {
				behind = h.tryLine(r, b, &best, &fewest)
			}
		}
		b = behind
	}
	h.spend(r.bEnd - r.b)
	for i := r.a; i < r.aEnd; i++ {
		h.count[h.oldClass[i]] = 0
	}
	return best, common
}

// tryLine looks at the matches that new line b is in, and returns the first line of new that none of
// them reaches.
func (h *histogram) tryLine(r region, b int, best *match, fewest *int32) (behind int) {
	behind = b + 1
	for a := int(h.first[h.newClass[b]]); a >= 0 && a < r.aEnd; {
		m := match{a, b, 1}
		count := h.count[h.oldClass[a]]
		for m.a > r.a && m.b > r.b && h.oldClass[m.a-1] == h.newClass[m.b-1] {
			m.a, m.b, m.n = m.a-1, m.b-1, m.n+1
			count = min(count, h.count[h.oldClass[m.a]])
		}
		end := a + 1
		for end < r.aEnd && m.b+m.n < r.bEnd && h.oldClass[end] == h.newClass[m.b+m.n] {
			count = min(count, h.count[h.oldClass[end]])
			end, m.n = end+1, m.n+1
		}
		h.spend(m.n)
		behind = max(behind, m.b+m.n)
		if best.n == 0 || m.n > best.n || count < *fewest {
			*best, *fewest = m, count
		}
		for a = int(h.next[a]); a >= 0 && a < end; {
			a = int(h.next[a])
		}
	}
	return behind
}
