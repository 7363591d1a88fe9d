package anchors

// A Sketch is the line digests of a text without the text: 8 bytes a line. It can tell whether an anchor stood at
// given lines. It is immutable.
type Sketch struct{ digests []byte }

// Sketch returns the digests of t. It keeps nothing else of it.
func (t *Table) Sketch() Sketch { return Sketch{t.digests} }

// Len returns the number of lines.
func (s Sketch) Len() int { return len(s.digests) / lineBytes }

// Digest returns the digest of the lines of span that exist, as Table.Digest does.
func (s Sketch) Digest(span Span) Digest {
	var lines []byte
	if first, last := max(span.First, 1), min(span.Last, s.Len()); first <= last {
		lines = s.digests[(first-1)*lineBytes : last*lineBytes]
	}
	h := newHasher(anchorScheme)
	sum, _ := h.sum(lines, nil)
	return sum
}

// Has says whether the lines of sel are there and have its anchor.
func (s Sketch) Has(sel Selector) bool {
	if sel.First < 1 || sel.Last < sel.First || sel.Last > s.Len() {
		return false
	}
	return s.Digest(sel.Span).Anchor() == sel.Anchor
}
