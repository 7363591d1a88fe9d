package index

// Names in the body of a class of Python. The body sees the functions around it, and of itself what was bound before; a
// name that it binds anywhere is, until then, the file's and no function's (CPython: LOAD_NAME, where a name that it does
// not bind is LOAD_CLASSDEREF). A comprehension in it is a function: it sees nothing of the class but in what its first
// clause goes over.

// beginClauses notes what the first clause of a comprehension goes over; scope is the comprehension's.
func (b *binder) beginClauses(scope int32, clause span) {
	s := &b.scopes[scope]
	if scope == 0 || s.tag != tagScope || s.iterable.End > 0 {
		return
	}
	s.iterable = span{Start: clause.End, End: clause.End} // of a clause that is cut off
	depth := 0
	for at := clause.Start; at < clause.End; at++ {
		switch c := b.src[at]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case IsWord(c):
			start := at
			for at+1 < clause.End && IsWord(b.src[at+1]) {
				at++
			}
			if depth == 0 && string(b.src[start:at+1]) == "in" {
				s.iterable.Start = at + 1
				return
			}
		}
	}
}

// comprehended says whether a name stands in a comprehension within the function or class in, other than in what is looked
// up around it.
func (b *binder) comprehended(x *leaf, in int32) bool {
	for at := x.scope; at > 0 && at != in; at = b.scopes[at].up {
		if s := &b.scopes[at]; s.iterable.End > 0 && (x.Start < s.iterable.Start || s.iterable.End <= x.Start) {
			return true
		}
	}
	return false
}

// classBody says whether a name stands in the body of the class in, which binds it.
func (b *binder) classBody(x *leaf, in int32) bool {
	if b.scopes[in].tag != tagClass || b.comprehended(x, in) {
		return false
	}
	key := scoped{x.name, in}
	_, taken := b.taken[key]
	if !taken {
		_, taken = b.locals[key]
	}
	return taken
}
