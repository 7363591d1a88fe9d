package anchors

// shortest keeps the lines of a shortest edit script for r, or of one that is not much longer where
// that would take too long.
func (h *histogram) shortest(r region) {
	if h.script == nil {
		h.script = newScript(h)
	}
	todo := []region{r}
	for len(todo) > 0 && !h.budget.stopped {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for !r.empty() {
			r = h.trim(r)
			if r.empty() || !h.budget.spend(stepCost) {
				break
			}
			x, y := h.script.middle(r)
			todo = append(todo, region{x, r.aEnd, y, r.bEnd})
			r.aEnd, r.bEnd = x, y
		}
	}
}

// A script finds shortest edit scripts by the method of Myers (An O(ND) Difference Algorithm and Its
// Variations, 1986, section 4b): paths are followed from both ends of a region until they meet.
type script struct {
	*histogram
	most     int   // edits followed from each end before a region is split where the best path is
	forward  []int // by diagonal a-b of the region: the farthest old line reached from the beginning
	backward []int // the same from the end
}

// scriptSteps limits the steps of shortest edit scripts in texts of more than 65,536 lines; shorter ones take less.
const scriptSteps = 1 << 26

// newScript limits the edits that are followed: with d of them, a region costs d² steps and is
// split d lines from its end at least, which makes lines × d for the whole.
func newScript(h *histogram) *script {
	lines := len(h.oldClass) + len(h.newClass)
	most := min(max(scriptSteps/lines, 16), 1024, lines)
	return &script{h, most, make([]int, 2*most+3), make([]int, 2*most+3)}
}

// unreached is less than any line, also after a step.
const unreached = -1 << 40

// middle returns a point on a path through r, which is neither of its corners. The ends of r differ.
func (s *script) middle(r region) (x, y int) {
	n, m := r.aEnd-r.a, r.bEnd-r.b
	delta, mid := n-m, s.most+1
	used := min(s.most, n+m) + 1
	for i := mid - used; i <= mid+used; i++ {
		s.forward[i], s.backward[i] = unreached, -unreached
	}
	s.forward[mid+1], s.backward[mid-1] = 0, n
	for d := 0; ; d++ {
		for k := -d; k <= d; k += 2 {
			if k < -m || k > n {
				continue
			}
			x := max(s.forward[mid+k-1]+1, s.forward[mid+k+1])
			if x > n || x-k > m || x < 0 {
				s.forward[mid+k] = unreached
				continue
			}
			x = s.follow(r, x, x-k)
			s.forward[mid+k] = x
			if back := k - delta; delta&1 != 0 && back >= 1-d && back <= d-1 && x >= s.backward[mid+back] {
				return r.a + x, r.b + x - k
			}
		}
		for k := -d; k <= d; k += 2 {
			diagonal := k + delta
			if diagonal < -m || diagonal > n {
				continue
			}
			x := min(s.backward[mid+k-1], s.backward[mid+k+1]-1)
			if x < 0 || x-diagonal < 0 || x > n {
				s.backward[mid+k] = -unreached
				continue
			}
			x = s.retrace(r, x, x-diagonal)
			s.backward[mid+k] = x
			if delta&1 == 0 && diagonal >= -d && diagonal <= d && x <= s.forward[mid+diagonal] {
				return r.a + x, r.b + x - diagonal
			}
		}
		if d == s.most || s.budget.stopped {
			return s.farthest(r, d)
		}
	}
}

// follow returns how far the lines are equal from x, y on.
func (s *script) follow(r region, x, y int) int {
	from := x
	for x < r.aEnd-r.a && y < r.bEnd-r.b && s.oldClass[r.a+x] == s.newClass[r.b+y] {
		x, y = x+1, y+1
	}
	s.budget.spend(stepCost * (x - from + 1))
	return x
}

// retrace is follow toward the beginning.
func (s *script) retrace(r region, x, y int) int {
	from := x
	for x > 0 && y > 0 && s.oldClass[r.a+x-1] == s.newClass[r.b+y-1] {
		x, y = x-1, y-1
	}
	s.budget.spend(stepCost * (from - x + 1))
	return x
}

// farthest returns the end of the path that got farthest in d edits from either end.
func (s *script) farthest(r region, d int) (x, y int) {
	n, m := r.aEnd-r.a, r.bEnd-r.b
	delta, mid, best := n-m, s.most+1, -1
	for k := -d; k <= d; k += 2 {
		if fx := s.forward[mid+k]; fx >= 0 && fx+fx-k > best {
			best, x, y = fx+fx-k, fx, fx-k
		}
		if bx := s.backward[mid+k]; bx <= n && n-bx+m-(bx-k-delta) > best {
			best, x, y = n-bx+m-(bx-k-delta), bx, bx-k-delta
		}
	}
	return r.a + x, r.b + y
}
