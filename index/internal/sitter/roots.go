package sitter

import (
	"slices"
	"strings"
)

// roots lists the node types at which the patterns of a query can start, sorted: "(a (b))" starts at
// a, "((a) @x (#eq? @x ""))" too, "[(a) (b)]" at either. The C library knows them and does not tell.
// A pattern that starts at a wildcard, a literal or an alternative of such is an error, given as the
// offset of the place.
func roots(query string) (names []string, problem int) {
	r := reader{text: query}
	for r.skip(); r.at < len(query); r.skip() {
		found, ok := r.roots()
		if !ok {
			return nil, r.at
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), -1
}

// reader goes through the text of a query, which the C library has found well-formed.
type reader struct {
	text string
	at   int
}

// roots reads one form with the captures, quantifiers and predicates behind it.
func (r *reader) roots() ([]string, bool) {
	start := r.at
	if r.text[r.at] != '(' && r.text[r.at] != '[' {
		return nil, false
	}
	alternatives := r.text[r.at] == '['
	r.at++
	r.skip()
	if !alternatives && !strings.ContainsRune("([", rune(r.peek())) {
		name := r.word()
		r.at = start
		r.form()
		r.suffix()
		return []string{name}, name != "" && name != "_" && name != "MISSING"
	}
	var names []string
	for first := true; r.peek() != ')' && r.peek() != ']' && r.at < len(r.text); first = false {
		if first || alternatives {
			found, ok := r.roots()
			if !ok {
				return nil, false
			}
			names = append(names, found...)
		} else {
			r.form()
		}
		r.suffix()
	}
	r.at = min(r.at+1, len(r.text))
	r.suffix()
	return names, true
}

// form skips one form: a bracketed one, a string or a word.
func (r *reader) form() {
	depth := 0
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == ';':
			r.skip()
			continue
		case c == '"':
			r.literal()
			r.at--
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
		r.at++
		if depth <= 0 && (r.at == len(r.text) || r.text[r.at-1] == ')' || r.text[r.at-1] == ']' || strings.IndexByte(" \t\r\n()[]", r.text[r.at]) >= 0) {
			return
		}
	}
}

// suffix skips captures and quantifiers.
func (r *reader) suffix() {
	for r.skip(); r.at < len(r.text) && strings.IndexByte("@*+?.", r.text[r.at]) >= 0; r.skip() {
		r.at++
		r.word()
	}
}

// skip skips white space and comments.
func (r *reader) skip() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\r', '\n':
			r.at++
		case ';':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

func (r *reader) literal() {
	for r.at++; r.at < len(r.text) && r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at = min(r.at+1, len(r.text))
}

func (r *reader) word() string {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n()[]@*+?\"!#:;", r.text[r.at]) < 0 {
		r.at++
	}
	return r.text[start:r.at]
}

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}
