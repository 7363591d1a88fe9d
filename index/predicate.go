package index

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"ctxd/index/internal/sitter"
)

// predicate is a compiled condition on one match. The C library stores predicates and does not
// apply them.
type predicate func(src []byte, match []sitter.Capture) bool

func compilePredicates(list []sitter.Predicate) ([]predicate, error) {
	var out []predicate
	for _, p := range list {
		test, err := compilePredicate(p)
		if err != nil {
			return nil, err
		}
		out = append(out, test)
	}
	return out, nil
}

// compilePredicate knows #eq? #not-eq? (capture; string or capture), #match? #not-match? (capture;
// regular expression in Go's syntax) and #any-of? #not-any-of? (capture; strings). A capture without a node in
// the match satisfies every condition; one with several must satisfy it with each.
func compilePredicate(p sitter.Predicate) (predicate, error) {
	if len(p.Args) < 2 || p.Args[0].Capture < 0 {
		return nil, fmt.Errorf("#%s needs a capture and a value", p.Op)
	}
	id := uint32(p.Args[0].Capture)
	var texts []string
	for _, a := range p.Args[1:] {
		if a.Capture < 0 {
			texts = append(texts, a.Text)
		}
	}
	onlyTexts := len(texts) == len(p.Args)-1
	switch {
	case (p.Op == "eq?" || p.Op == "not-eq?") && len(p.Args) == 2 && onlyTexts:
		want := []byte(texts[0])
		return each(id, p.Op == "eq?", func(text []byte) bool { return bytes.Equal(text, want) }), nil
	case (p.Op == "eq?" || p.Op == "not-eq?") && len(p.Args) == 2:
		return equalCaptures(id, uint32(p.Args[1].Capture), p.Op == "eq?"), nil
	case (p.Op == "match?" || p.Op == "not-match?") && len(p.Args) == 2 && onlyTexts:
		re, err := regexp.Compile(texts[0])
		if err != nil {
			return nil, err
		}
		return each(id, p.Op == "match?", re.Match), nil
	case (p.Op == "any-of?" || p.Op == "not-any-of?") && onlyTexts:
		return each(id, p.Op == "any-of?", func(text []byte) bool { return slices.Contains(texts, string(text)) }), nil
	}
	return nil, fmt.Errorf("unknown predicate #%s, or wrong arguments for it", p.Op)
}

func each(id uint32, want bool, test func(text []byte) bool) predicate {
	return func(src []byte, match []sitter.Capture) bool {
		for _, c := range match {
			if c.ID == id && test(src[c.Start:c.End]) != want {
				return false
			}
		}
		return true
	}
}

func equalCaptures(a, b uint32, want bool) predicate {
	return func(src []byte, match []sitter.Capture) bool {
		for _, c := range match {
			if c.ID != b {
				continue
			}
			if !each(a, want, func(text []byte) bool { return bytes.Equal(text, src[c.Start:c.End]) })(src, match) {
				return false
			}
		}
		return true
	}
}
