package grep

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNeed is how many literals are looked for at once: each is a pass of its own.
	maxNeed = 8
	// leastWorth is what a set of literals is worth to be looked for: a single common letter stands on
	// nearly every line.
	leastWorth = 2
)

// required lists literals one of which stands in every match of an expression; nil when it cannot tell.
func required(re *syntax.Regexp) [][]byte {
	switch re.Op {
	case syntax.OpLiteral:
		return longest(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		var best [][]byte
		for _, sub := range re.Sub {
			if need := required(sub); worth(need) > worth(best) {
				best = need
			}
		}
		return best
	case syntax.OpAlternate:
		var all [][]byte
		for _, sub := range re.Sub {
			need := required(sub)
			if need == nil || len(all)+len(need) > maxNeed {
				return nil
			}
			all = append(all, need...)
		}
		return all
	}
	return nil
}

// longest is the longest run of runes that stand for their bytes alone: not U+FFFD, which bytes that are
// not UTF-8 match as well, and with fold no letter that has another case.
func longest(runes []rune, fold bool) [][]byte {
	var best, run []byte
	for _, r := range runes {
		if r == utf8.RuneError || fold && unicode.SimpleFold(r) != r {
			run = nil
			continue
		}
		run = utf8.AppendRune(run, r)
		if len(run) > len(best) {
			best = run
		}
	}
	if best == nil {
		return nil
	}
	return [][]byte{best}
}

// worth estimates how seldom the literals of a set stand on a line: by the commonest of them, in which
// a lower-case letter or a space counts 1 and anything else 2. 0 for an empty set.
func worth(need [][]byte) int {
	least := 0
	for i, literal := range need {
		sum := 0
		for _, b := range literal {
			if sum++; !('a' <= b && b <= 'z' || b == ' ' || b == '\t') {
				sum++
			}
		}
		if i == 0 || sum < least {
			least = sum
		}
	}
	return least
}
