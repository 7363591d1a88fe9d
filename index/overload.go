package index

import (
	"bytes"
	"strings"
)

// anyArity: a call whose arguments cannot be counted.
const anyArity = -1

// Overloaded says whether definitions share a name so that each use means one of them, though not which: functions and
// methods of one container in a language that tells them apart by their parameters. Definitions that are one in several
// places, as under different build constraints, are not, nor are functions of C++ with as many parameters.
func (r *Resolver) Overloaded(found []Symbol) bool {
	if len(found) < 2 {
		return false
	}
	if r.differ(found) {
		return true
	}
	for _, s := range found {
		f := r.w.File(s.Path)
		if l := languageNamed(f.Language); l == nil || !l.overloads {
			return false
		}
		switch f.Defs[s.Def].Kind {
		case Function, Method, Constructor:
		default:
			return false
		}
	}
	return true
}

// ofArity keeps the methods that can be called with as many arguments as stand behind a call; none: what is called is
// another. Where they cannot be counted all are kept.
func (x *lookup) ofArity(found []Symbol, call uint32) []Symbol {
	src := x.w.Read(x.from)
	n := argumentCount(src, call)
	if n == anyArity {
		return found
	}
	var kept []Symbol
	for _, s := range found {
		if fewest, most := arityOf(x.w.Read(s.Path), x.def(s)); fewest <= n && n <= most {
			kept = append(kept, s)
		}
	}
	return kept
}

// argumentCount counts the arguments of the call whose name starts at an offset: f(a, b). A comma in < > may be one between
// type arguments or not; then they are not counted.
func argumentCount(src []byte, name uint32) int {
	at := int(name)
	for at < len(src) && IsWord(src[at]) {
		at++
	}
	parts, ok := listed(src, at, false)
	if !ok {
		return anyArity
	}
	return len(parts)
}

// arityOf says with how many arguments at least and at most a method may be called.
func arityOf(src []byte, d *Def) (fewest, most int) {
	if int(d.SigEnd) > len(src) || d.NameEnd > d.SigEnd {
		return 0, 1 << 30
	}
	parts, ok := listed(src[:d.SigEnd], int(d.NameEnd), true)
	if !ok {
		return 0, 1 << 30
	}
	if len(parts) > 0 && strings.HasSuffix(parts[0], " this") { // of which the method is one: no argument
		parts = parts[1:]
	}
	if n := len(parts); n > 0 && strings.Contains(parts[n-1], "...") {
		return n - 1, 1 << 30
	}
	return len(parts), len(parts)
}

// listed splits what stands in the parentheses behind an offset at its commas. In a list of types < > are brackets; in one
// of values they may be, and a list is not split where that matters. What is in brackets of another kind matters to nothing
// outside of them: @A(1 << 2) int a.
func listed(src []byte, at int, types bool) (parts []string, ok bool) {
	for at < len(src) && isSpace(src[at]) {
		at++
	}
	if at == len(src) || src[at] != '(' {
		return nil, false
	}
	depth, angles, start := 0, 0, at+1
	var text []byte // of the part, without comments
	part := func(end int) {
		text = append(text, src[start:end]...)
		if p := strings.TrimSpace(string(text)); p != "" || len(parts) > 0 {
			parts = append(parts, p)
		}
		text, start = text[:0], end+1
	}
	for ; at < len(src); at++ {
		switch c := src[at]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				if types && angles > 0 {
					return nil, false
				}
				part(at)
				return parts, true
			}
		case '<':
			if depth == 1 {
				angles++
			}
		case '>':
			if depth == 1 && src[at-1] != '-' {
				angles = max(0, angles-1)
			}
		case ',':
			switch {
			case depth > 1 || types && angles > 0:
			case angles > 0:
				return nil, false
			default:
				part(at)
			}
		case '"', '\'':
			at = literalEnd(src, at)
		case '/':
			if end := commentEnd(src, at); end > at {
				text = append(text, src[start:at]...)
				at, start = end-1, end
			}
		}
	}
	return nil, false
}

// literalEnd is the last byte of the string, text block or character that begins at a quote.
func literalEnd(src []byte, at int) int {
	quote := src[at : at+1]
	if bytes.HasPrefix(src[at:], []byte(`"""`)) {
		quote = src[at : at+3]
	}
	for at += len(quote); at < len(src); at++ {
		if src[at] == '\\' {
			at++
		} else if bytes.HasPrefix(src[at:], quote) {
			return at + len(quote) - 1
		}
	}
	return at
}

// commentEnd is the offset behind the comment that begins at an offset; that offset itself when none does.
func commentEnd(src []byte, at int) int {
	if at+1 == len(src) {
		return at
	}
	until := ""
	switch src[at+1] {
	case '/':
		until = "\n"
	case '*':
		until = "*/"
	default:
		return at
	}
	if end := bytes.Index(src[at+2:], []byte(until)); end >= 0 {
		return at + 2 + end + len(until)
	}
	return len(src)
}
