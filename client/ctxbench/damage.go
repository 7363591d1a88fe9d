package main

import (
	"bytes"
	"math/rand/v2"
)

// damage is one change of one token of a file.
type damage struct {
	Path  string  `json:"path"`
	Kind  string  `json:"kind"`  // deleted, doubled or replaced
	Start int     `json:"start"` // byte offsets of the token, end excluded
	End   int     `json:"end"`
	New   string  `json:"new"`   // what stands there instead
	Fault refusal `json:"fault"` // what the compiler says of it; Line 0: nothing
}

// apply is the damaged text.
func (d damage) apply(src []byte) []byte {
	return append(append(append([]byte{}, src[:d.Start]...), d.New...), src[d.End:]...)
}

// line is the line of the damage, from 1.
func (d damage) line(src []byte) int { return 1 + bytes.Count(src[:d.Start], []byte("\n")) }

// damaged changes one token of src at random. The token may stand in a comment or a string: the compiler
// says whether that matters.
func damaged(r *rand.Rand, path string, src []byte) (damage, bool) {
	all := tokens(src)
	if len(all) == 0 {
		return damage{}, false
	}
	at := all[r.IntN(len(all))]
	old := string(src[at[0]:at[1]])
	d := damage{Path: path, Start: at[0], End: at[1]}
	switch r.IntN(3) {
	case 0:
		d.Kind = "deleted"
	case 1:
		d.Kind, d.New = "doubled", old+old
		if wordy(old[0]) {
			d.New = old + " " + old
		}
	case 2:
		other := all[r.IntN(len(all))]
		d.Kind, d.New = "replaced", string(src[other[0]:other[1]])
		if d.New == old {
			return d, false
		}
	}
	return d, true
}

// operators of more than one character that several of the languages have.
var operators = []string{"...", "===", "!==", ">>>", "<<=", ">>=", "**=", "??=", "==", "!=", "<=", ">=", "&&", "||", "->", "=>", "::", ":=",
	"++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**", "//", "/*", "*/", "??", "?.", ".."}

// tokens splits src into words and operators, much as a lexer of any of the languages would.
func tokens(src []byte) [][2]int {
	var all [][2]int
	for i := 0; i < len(src); {
		start := i
		switch {
		case src[i] <= ' ':
			i++
			continue
		case wordy(src[i]):
			for i < len(src) && wordy(src[i]) {
				i++
			}
		default:
			i++
			for _, op := range operators {
				if bytes.HasPrefix(src[start:], []byte(op)) {
					i = start + len(op)
					break
				}
			}
		}
		all = append(all, [2]int{start, i})
	}
	return all
}

func wordy(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
