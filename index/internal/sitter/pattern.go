package sitter

import "strings"

// pattern is one pattern of a query. The C library keeps what it makes of them to itself.
type pattern struct {
	roots []*step // of which one is to fit
	// plain says that the pattern can be matched by match.c: it has no quantifiers, no groups of several nodes, no
	// supertypes, and no two alternatives that capture the same node, of which the library keeps the longest match.
	plain bool
}

// step is one node of a pattern.
type step struct {
	name      string    // of the node type; "_" for any
	literal   bool      // a token, in quotes; of "_": any node, not just named ones
	field     string    // that it has in its parent, "" for any
	not       []string  // fields of which it has no child
	immediate bool      // after an anchor
	last      bool      // before an anchor
	captures  []string  // without @
	items     [][]*step // its children; of each item one is to fit
}

// patterns reads the text of a query, which the C library has found well-formed. A pattern that starts at a wildcard or a
// literal is an error, given as the offset of the place; else problem is -1.
func patterns(query string) (all []pattern, problem int) {
	r := &reader{text: query}
	for r.skip(); r.at < len(query); r.skip() {
		start := r.at
		r.plain = true
		roots := r.item()
		for _, s := range roots {
			if s.literal || s.name == "_" || s.name == "MISSING" {
				return nil, start
			}
		}
		if len(roots) == 0 {
			return nil, start
		}
		all = append(all, pattern{roots: roots, plain: r.plain && distinct(roots)})
	}
	return all, -1
}

// reader goes through the text of a query.
type reader struct {
	text  string
	at    int
	plain bool // so far; see pattern
}

// item reads one form with the captures and quantifiers behind it: the steps of which one is to fit, none for a
// predicate.
func (r *reader) item() []*step {
	var steps []*step
	field := ""
	for r.skip(); r.peek() != '(' && r.peek() != '[' && r.peek() != '"'; r.skip() {
		word := r.word()
		if r.skip(); r.peek() != ':' {
			if word == "" {
				r.at++ // not well-formed
			}
			steps = []*step{{name: word, literal: true}}
			break
		}
		field = word
		r.at++
	}
	if steps == nil {
		switch r.peek() {
		case '"':
			steps = []*step{{name: r.literal(), literal: true}}
		case '[':
			steps = r.alternatives()
		case '(':
			steps = r.parenthesis()
		}
	}
	for _, s := range steps {
		if field != "" {
			s.field = field
		}
	}
	for r.skip(); r.at < len(r.text) && strings.IndexByte("@*+?", r.peek()) >= 0; r.skip() {
		if r.at++; r.text[r.at-1] != '@' {
			r.plain = false
			continue
		}
		name := r.word()
		for _, s := range steps {
			s.captures = append(s.captures, name)
		}
	}
	return steps
}

func (r *reader) alternatives() (steps []*step) {
	r.at++
	for r.skip(); r.at < len(r.text) && r.peek() != ']'; r.skip() {
		if r.peek() == '[' {
			r.plain = false // the library links the alternatives of alternatives in a way of its own
		}
		steps = append(steps, r.item()...)
	}
	r.at = min(r.at+1, len(r.text))
	r.plain = r.plain && distinct(steps)
	return steps
}

// distinct says whether no two of the steps fit one node and capture it.
func distinct(steps []*step) bool {
	for i, s := range steps {
		for _, other := range steps[:i] {
			both := s.name == "_" || other.name == "_" || s.name == other.name && s.literal == other.literal
			if both && (len(s.captures) > 0 || len(other.captures) > 0 || len(s.items) == 0 || len(other.items) == 0) {
				return false
			}
		}
	}
	return true
}

// parenthesis reads a node, a group or a predicate.
func (r *reader) parenthesis() []*step {
	r.at++
	r.skip()
	switch r.peek() {
	case '#', '.':
		for r.at < len(r.text) && r.peek() != ')' {
			if r.peek() == '"' {
				r.literal()
			} else {
				r.at++
			}
		}
		r.at = min(r.at+1, len(r.text))
		return nil
	case '(', '[', '"':
		return r.group()
	}
	s := &step{name: r.word()}
	if r.skip(); r.peek() == '/' {
		r.plain = false
		r.at++
		r.word()
	}
	anchor := false
	for r.skip(); r.at < len(r.text) && r.peek() != ')'; r.skip() {
		switch r.peek() {
		case '!':
			r.at++
			s.not = append(s.not, r.word())
			continue
		case '.':
			r.at++
			anchor = true
			continue
		}
		item := r.item()
		for _, child := range item {
			child.immediate = anchor
		}
		if len(item) > 0 {
			s.items = append(s.items, item)
		}
		anchor = false
	}
	if n := len(s.items); anchor && n > 0 {
		s.items[n-1][0].last = true // of alternatives the library asks it of the first alone
	}
	r.at = min(r.at+1, len(r.text))
	return []*step{s}
}

// group reads a node with predicates behind it. Of several nodes the first is given.
func (r *reader) group() (steps []*step) {
	for n := 0; r.at < len(r.text) && r.peek() != ')'; r.skip() {
		if r.peek() == '.' {
			r.plain = false
			r.at++
			continue
		}
		item := r.item()
		if len(item) == 0 {
			continue
		}
		if n++; n > 1 {
			r.plain = false
			continue
		}
		steps = item
	}
	r.at = min(r.at+1, len(r.text))
	return steps
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

// literal reads a string.
func (r *reader) literal() string {
	var text []byte
	for r.at++; r.at < len(r.text) && r.text[r.at] != '"'; r.at++ {
		c := r.text[r.at]
		if c == '\\' && r.at+1 < len(r.text) {
			r.at++
			switch c = r.text[r.at]; c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case '0':
				c = 0
			}
		}
		text = append(text, c)
	}
	r.at = min(r.at+1, len(r.text))
	return string(text)
}

func (r *reader) word() string {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n()[]@*+?\"!#:;/", r.text[r.at]) < 0 {
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
