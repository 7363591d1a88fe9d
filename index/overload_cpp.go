package index

import (
	"bytes"
	"slices"
	"strings"
)

// Overloads of C++ are told apart by how many arguments they take, and no further: which of two with as many a call means,
// the types of its arguments say, which nobody has written there. Default arguments stand in one declaration of a function
// alone, so that those of one name with as many parameters are taken together.

// arity is with how many arguments a function may be called.
type arity struct{ fewest, most int }

// untold is the arity of a function whose parameters cannot be counted: a macro or a condition stands among them.
var untold = arity{0, 1 << 30}

// arity is what one declaration states.
func (r *Resolver) arity(s Symbol) arity {
	if known, ok := r.arities[s]; ok {
		return known
	}
	if r.arities == nil {
		r.arities = map[Symbol]arity{}
	}
	d, n := &r.w.File(s.Path).Defs[s.Def], untold
	if src := r.w.Read(s.Path); int(d.End) <= len(src) {
		if parts, ok := cText(src[:d.End]).listed(int(d.NameEnd), true); ok {
			n = counted(parts)
		}
	}
	r.arities[s] = n
	return n
}

// counted is the arity of a list of parameters.
func counted(parts []string) arity {
	n := arity{0, len(parts)}
	if len(parts) == 1 && parts[0] == "void" {
		return arity{}
	}
	given := false
	for _, p := range parts {
		switch {
		case capitals([]byte(p)):
			return untold
		case strings.HasPrefix(p, "this "): // the object, of C++23
			n.most--
			continue
		case strings.Contains(p, "..."):
			n.most = untold.most
			given = true
		case strings.Contains(p, "="):
			given = true
		}
		if !given {
			n.fewest++
		}
	}
	return n
}

// differ says whether definitions are functions of C++ that do not all have as many parameters.
func (r *Resolver) differ(found []Symbol) bool {
	cpp, most := false, map[int]bool{}
	for _, s := range found {
		f := r.w.File(s.Path)
		if !related(f.Language, "cpp") || !f.Defs[s.Def].Kind.local() {
			return false
		}
		cpp = cpp || f.Language == "cpp"
		if n := r.arity(s); n != untold {
			most[n.most] = true
		}
	}
	return cpp && len(most) > 1
}

// sameOverload keeps of declarations of one name those that have as many parameters as the one that is named at an offset.
func (x *lookup) sameOverload(found []Symbol, at uint32) []Symbol {
	self := untold
	for _, s := range found {
		if s.Path == x.from && x.def(s).NameStart == at {
			self = x.arity(s)
		}
	}
	if self == untold {
		return found
	}
	return slices.DeleteFunc(found, func(s Symbol) bool { n := x.arity(s); return n != untold && n.most != self.most })
}

// callable keeps of functions those that take as many arguments as stand behind a call; none: another is called. What is
// no function stays, and all do where the arguments cannot be counted.
func (x *lookup) callable(found []Symbol, call uint32) []Symbol {
	for _, s := range found {
		if !x.def(s).Kind.local() {
			return found
		}
	}
	t := cText(x.w.Read(x.from))
	if int(call) >= len(t) {
		return found
	}
	parts, ok := t.listed(t.token(int(call)), false)
	for _, p := range parts {
		ok = ok && !strings.Contains(p, "...") && p != "__VA_ARGS__"
	}
	if !ok {
		return found
	}
	fewest := map[int]int{} // by the most
	for _, s := range found {
		n := x.arity(s)
		if least, known := fewest[n.most]; !known || n.fewest < least {
			fewest[n.most] = n.fewest
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(s Symbol) bool {
		most := x.arity(s).most
		return len(parts) > most || len(parts) < fewest[most]
	})
}

// listed splits what stands in the parentheses behind an offset at its commas. In a list of types < > are brackets, but not
// for sure in a default argument or where they do not pair; in one of values they may be. A list is not split where that
// matters, nor where conditions stand in it. What is in brackets of another kind matters to nothing outside of them.
func (t cText) listed(at int, types bool) (parts []string, ok bool) {
	at = t.skip(at)
	if t.at0(at) != '(' {
		return nil, false
	}
	depth, angles, start := 0, 0, at+1
	given := false // a default argument may have begun
	for at < len(t) {
		end := t.token(at)
		next := t.skip(end)
		switch t[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				if types && angles > 0 {
					return nil, false
				}
				if last := string(bytes.TrimSpace(t[start:at])); last != "" || len(parts) > 0 {
					parts = append(parts, last)
				}
				return parts, true
			}
		case '=':
			given = given || depth == 1
		case '<', '>':
			if depth != 1 || t[at] == '>' && t[at-1] == '-' {
				break
			}
			if types && (given || t[at] == '>' && angles == 0) {
				return nil, false
			}
			if t[at] == '<' {
				angles++
			} else {
				angles = max(0, angles-1)
			}
		case ';':
			if depth == 1 {
				return nil, false
			}
		case ',':
			if depth == 1 && angles > 0 && !types {
				return nil, false
			}
			if depth == 1 && angles == 0 {
				parts = append(parts, string(bytes.TrimSpace(t[start:at])))
				start, given = end, false
			}
		}
		if bytes.IndexByte(t[end:next], '#') >= 0 {
			return nil, false
		}
		at = next
	}
	return nil, false
}
