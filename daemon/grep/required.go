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
func required(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		return longest(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if need := required(sub); worth(need) > worth(best) {
				best = need
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
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

// longest is the longest run of runes that can be looked for as bytes: without U+FFFD, which bytes that are not
// UTF-8 match as well, and with fold without letters that have another case beyond ASCII, as k and s do.
func longest(runes []rune, fold bool) []needle {
	var best, run []byte
	for _, r := range runes {
		letter := fold && unicode.SimpleFold(r) != r
		if low := unicode.ToLower(r); letter && 'a' <= low && low <= 'z' && low != 'k' && low != 's' {
			r, letter = low, false
		}
		if r == utf8.RuneError || letter {
			run = nil
			continue
		}
		run = utf8.AppendRune(run, r)
		if len(run) > len(best) {
			best = run
		}
	}
	switch {
	case best == nil:
		return nil
	case fold:
		return []needle{folded(best)}
	}
	return []needle{{text: best}}
}

// worth estimates how seldom the literals of a set stand on a line: by the commonest of them, in which
// a lower-case letter or a space counts 1 and anything else 2. 0 for an empty set.
func worth(need []needle) int {
	least := 0
	for i, literal := range need {
		sum := 0
		for _, b := range literal.text {
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
