package index

import (
	"sort"

	"ctxd/index/internal/sitter"
)

// signature ends where the body starts or, for a definition without one, with the line of the name;
// comments at its end are not part of it.
func (c *collected) signature(n *node) uint32 {
	end := n.body
	if end == sitter.None || end <= n.sigStart || end > n.End {
		for end = n.name.End; end < n.End && c.src[end] != '\n' && c.src[end] != '\r'; end++ {
		}
	}
	end = c.trimEnd(span{Start: n.sigStart, End: end})
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start >= end })
	for i--; i >= 0 && c.pieces[i].Start >= n.name.End && c.trimEnd(c.pieces[i].span) == end; i-- {
		end = c.trimEnd(span{Start: n.sigStart, End: c.pieces[i].Start})
	}
	return end
}
