package grep

import (
	"bytes"
	"strings"
)

// needle is a literal that is looked for in a whole text. With fold its letters, which are small ones of ASCII,
// stand for large ones too.
type needle struct {
	text []byte
	fold bool
	at   int // with fold: index of the letter that is looked for first
}

// common are the letters of English and of code, the commonest first.
const common = "etaoinsrlcdufpmhgybvwxkqjz"

// folded is a needle whose letters match in either case; text has small letters alone. The rarest of its bytes is
// looked for by itself, in both cases.
func folded(text []byte) needle {
	n := needle{text: text, fold: true}
	for i, b := range text {
		if rank, best := strings.IndexByte(common, b), strings.IndexByte(common, text[n.at]); rank < 0 && best >= 0 || rank > best && best >= 0 {
			n.at = i
		}
	}
	return n
}

// cases are the next places of the byte that a folded needle is looked for by, small and large: to look for
// both anew each time would take quadratic time where one of them is rare.
type cases struct{ small, large int }

// index is where the needle stands from a place on; the length of src when it does not. next belongs to src
// and the needle.
func (n *needle) index(src []byte, from int, next *cases) int {
	if !n.fold {
		return indexFrom(src, from, n.text)
	}
	small := n.text[n.at : n.at+1]
	large := bytes.ToUpper(small)
	for i := from + n.at; i < len(src); i++ {
		if next.small < i {
			next.small = indexFrom(src, i, small)
		}
		if next.large < i {
			next.large = indexFrom(src, i, large)
		}
		if i = min(next.small, next.large); i == len(src) {
			break
		}
		if start := i - n.at; n.stands(src[start:]) {
			return start
		}
	}
	return len(src)
}

func indexFrom(src []byte, from int, text []byte) int {
	if k := bytes.Index(src[from:], text); k >= 0 {
		return from + k
	}
	return len(src)
}

// stands says whether src begins with the folded needle.
func (n *needle) stands(src []byte) bool {
	if len(src) < len(n.text) {
		return false
	}
	for i, want := range n.text {
		got := src[i]
		if 'A' <= got && got <= 'Z' {
			got += 'a' - 'A'
		}
		if got != want {
			return false
		}
	}
	return true
}
