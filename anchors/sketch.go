package anchors

// A Sketch is the line digests of a text without the text: 8 bytes a line. It can tell whether an anchor stood at
// given lines. It is immutable.
type Sketch struct{ digests []byte }

// Sketch returns the digests of t. It keeps nothing else of it.
func (t *Table) Sketch() Sketch { return Sketch{t.digests} }

// Len returns the number of lines.
func (s Sketch) Len() int { return len(s.digests) / lineBytes }

// Has says whether the lines of sel are there and have its anchor.
func (s Sketch) Has(sel Selector) bool {
	if sel.First < 1 || sel.Last < sel.First || sel.Last > s.Len() {
		return false
	}
	h := newHasher(anchorScheme)
	sum, _ := h.sum(s.digests[(sel.First-1)*lineBytes:sel.Last*lineBytes], nil)
	return Digest(sum).Anchor() == sel.Anchor
}
