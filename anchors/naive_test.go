package anchors

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"slices"
)

// What follows says again, as plainly as possible, what the package should do. It shares no code
// with it.

var terminator = regexp.MustCompile(`\r\n|\r|\n`)

func naiveLines(src []byte) [][]byte {
	var lines [][]byte
	for len(src) > 0 {
		end := terminator.FindIndex(src)
		if end == nil {
			return append(lines, src)
		}
		lines = append(lines, src[:end[0]])
		src = src[end[1]:]
	}
	return lines
}

func naiveDigest(lines [][]byte) Digest {
	all := []byte("ctx.anchor/v1\x00")
	for _, line := range lines {
		sum := sha256.Sum256(append([]byte("ctx.linetag/v1\x00"), line...))
		all = append(all, sum[:8]...)
	}
	return sha256.Sum256(all)
}

// naiveResolve tries every window, sorted by distance and then by line.
func naiveResolve(lines [][]byte, sel Selector, known *Known) Resolution {
	r := Resolution{Complete: true}
	if known != nil {
		r.Checked = Full
	}
	m := sel.Last - sel.First + 1
	var starts []int
	for i := 1; i+m-1 <= len(lines); i++ {
		starts = append(starts, i)
	}
	near := max(1, min(sel.First, len(lines)))
	distance := func(i int) int { return max(i-near, near-i) }
	slices.SortFunc(starts, func(a, b int) int {
		if d := distance(a) - distance(b); d != 0 {
			return d
		}
		return a - b
	})
	for _, i := range starts {
		window := lines[i-1 : i-1+m]
		d := naiveDigest(window)
		if d.Anchor() != sel.Anchor || known != nil && d != known.Full {
			continue
		}
		r.Outcome, r.Span = Relocated, Span{i, i + m - 1}
		if r.Span == sel.Span {
			r.Outcome = Verified
		}
		for _, j := range starts {
			if slices.EqualFunc(window, lines[j-1:j-1+m], bytes.Equal) {
				r.Copies++
			}
		}
		break
	}
	return r
}
