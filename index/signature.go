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
		end = min(n.End, c.lineEnd(n.name.End))
	}
	end = c.trimEnd(span{Start: n.sigStart, End: end})
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].Start >= end })
	for i--; i >= 0 && c.pieces[i].Start >= n.name.End && c.trimEnd(c.pieces[i].span) == end; i-- {
		end = c.trimEnd(span{Start: n.sigStart, End: c.pieces[i].Start})
	}
	return end
}

// lineEnd is the end of the line that at stands in. The last answer is remembered: definitions come
// in order, and a file of one line may have 100,000 of them.
func (c *collected) lineEnd(at uint32) uint32 {
	if at < c.line.Start || at > c.line.End {
		end := at
		for int(end) < len(c.src) && c.src[end] != '\n' && c.src[end] != '\r' {
			end++
		}
		c.line = span{Start: at, End: end}
	}
	return c.line.End
}
