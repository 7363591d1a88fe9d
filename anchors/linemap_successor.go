package anchors

// Successor returns the region of the new text that stands for s. It is a guess for people to look
// at, except that it is never outside of the lines that became of s and the hunks that replaced
// lines of it. The zero Span means that s was deleted and nothing stands in its place.
//
// When lines of s are kept, it goes from the first to the last of them, with what was put between
// and, where the first or the last line of s itself is gone, with what replaced that. When more lines
// moved than were kept, it is the largest moved block. When no line is mapped, it is what stands
// between the nearest lines that were kept before and behind s.
//
// Of a hunk that replaced lines outside of s too, s gets as many lines as it lost to it, and where a hunk
// has as many new lines as old ones, the ones in the same places: such hunks are most often lines
// changed one by one.
func (m *LineMap) Successor(s Span) Span {
	s.First, s.Last = max(s.First, 1), min(s.Last, m.oldLen)
	if s.Len() == 0 {
		return Span{}
	}
	var first, last, block lineRun // first and last kept piece, largest moved one
	kept, moved := 0, 0
	m.pieces(s, func(p lineRun, out bool) bool {
		switch {
		case out:
			moved += int(p.n)
			if p.n > block.n {
				block = p
			}
			return true
		case kept == 0:
			first = p
		}
		last = p
		kept += int(p.n)
		return true
	})
	switch {
	case moved > kept:
		return Span{int(block.new), block.newEnd() - 1}
	case kept == 0:
		return m.replaced(s)
	}
	region := Span{int(first.new), last.newEnd() - 1}
	if lost := int(first.old) - s.First; lost > 0 && m.Line(s.First) == 0 {
		h := m.hunk(Span{s.First, int(first.old) - 1})
		region.First = h.new.First
		if h.old.First < s.First {
			region.First = max(h.new.First, h.new.Last+1-lost)
		}
	}
	if lost := s.Last + 1 - last.oldEnd(); lost > 0 && m.Line(s.Last) == 0 {
		h := m.hunk(Span{last.oldEnd(), s.Last})
		region.Last = h.new.Last
		if h.old.Last > s.Last {
			region.Last = min(h.new.Last, h.new.First-1+lost)
		}
	}
	return region
}

// A hunk is a place where the texts differ: lines old became lines new. Either may be empty, with
// Last before First.
type hunk struct{ old, new Span }

// hunk returns the hunk around s, none of whose lines is kept in place.
func (m *LineMap) hunk(s Span) hunk {
	h := hunk{Span{1, m.oldLen}, Span{1, m.newLen}}
	i := runs2old(m.kept, s.First)
	if i > 0 {
		h.old.First, h.new.First = m.kept[i-1].oldEnd(), m.kept[i-1].newEnd()
	}
	if i < len(m.kept) {
		h.old.Last, h.new.Last = int(m.kept[i].old)-1, int(m.kept[i].new)-1
	}
	return h
}

// replaced returns what stands for s, none of whose lines is mapped. Blocks that came here from
// elsewhere stand for what they were.
func (m *LineMap) replaced(s Span) Span {
	h := m.hunk(s)
	region := h.new
	for region.Len() > 0 {
		i := runs2new(m.arrived, region.First)
		if i == len(m.arrived) || int(m.arrived[i].new) > region.First {
			break
		}
		region.First = m.arrived[i].newEnd()
	}
	for region.Len() > 0 {
		i := runs2new(m.arrived, region.Last)
		if i == len(m.arrived) || int(m.arrived[i].new) > region.Last {
			break
		}
		region.Last = int(m.arrived[i].new) - 1
	}
	switch {
	case region.Len() == 0:
		return Span{}
	case region == h.new && h.old.Len() == h.new.Len():
		by := h.new.First - h.old.First
		return Span{s.First + by, s.Last + by}
	}
	return region
}
