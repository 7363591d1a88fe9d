package index

import "bytes"

// sanitizeC rewrites C and C++ for the grammars, which read it without a preprocessor, in two steps:
//
//	conditionals  of code that #if … #else … #endif divide, the parts that fit together are left
//	macros        attributes, wrapped types, namespace macros, Qt's words are taken out of declarations
//
// Both only ever overwrite, so that all offsets stay. Neither looks a macro up: most are defined in
// other files, and a description depends on its file alone. What says that a word is a macro is where
// it stands and that it is written in capitals.
func sanitizeC(src []byte) []byte {
	out := bytes.Clone(src)
	conditionals(out)
	macros(out)
	return out
}

// cText is C or C++ source, with what is needed to step over its tokens.
type cText []byte

// token is the end of the token or comment at at: words, numbers and literals of all kinds are one, of
// the rest each byte is. It is past at, unless at is the end.
func (t cText) token(at int) int {
	if at >= len(t) {
		return len(t)
	}
	b := t[at]
	switch {
	case IsWord(b):
		return t.word(at)
	case b == '"' || b == '\'':
		return t.literal(at)
	case b == '/' && at+1 < len(t) && (t[at+1] == '/' || t[at+1] == '*'):
		return t.commentEnd(at)
	}
	return at + 1
}

// word is the end of a word or number. R"delimiter( … )delimiter" is one word.
func (t cText) word(at int) int {
	number := t[at] >= '0' && t[at] <= '9'
	end := at + 1
	for end < len(t) && (IsWord(t[end]) || number && (t[end] == '.' || t[end] == '\'' && end+1 < len(t) && IsWord(t[end+1]))) {
		end++
	}
	if end < len(t) && t[end] == '"' && t[end-1] == 'R' && end-at <= 3 {
		open := bytes.IndexByte(t[end:min(end+20, len(t))], '(')
		if open < 0 {
			return end
		}
		close := append(append([]byte{')'}, t[end+1:end+open]...), '"')
		if n := bytes.Index(t[end+open:], close); n >= 0 {
			return end + open + n + len(close)
		}
		return len(t)
	}
	return end
}

// literal is the end of a string or character; the end of the line ends it too.
func (t cText) literal(at int) int {
	quote := t[at]
	for at++; at < len(t); at++ {
		switch t[at] {
		case quote:
			return at + 1
		case '\\':
			at++
		case '\n':
			return at
		}
	}
	return len(t)
}

func (t cText) commentEnd(at int) int {
	if t[at+1] == '/' {
		return t.lineEnd(at)
	}
	if n := bytes.Index(t[at+2:], []byte("*/")); n >= 0 {
		return at + 2 + n + 2
	}
	return len(t)
}

// lineEnd is where the line of at ends, with the lines that a backslash joins to it. The line break is
// not included.
func (t cText) lineEnd(at int) int {
	for at < len(t) {
		n := bytes.IndexByte(t[at:], '\n')
		if n < 0 {
			return len(t)
		}
		end := at + n
		before := end
		if before > at && t[before-1] == '\r' {
			before--
		}
		if before == at || t[before-1] != '\\' {
			return end
		}
		at = end + 1
	}
	return at
}

// directiveEnd is the end of a preprocessor line. A comment that starts in it may go on below.
func (t cText) directiveEnd(at int) int {
	end := t.lineEnd(at)
	for i := at; i+1 < end; i++ {
		switch {
		case t[i] == '"' || t[i] == '\'':
			i = min(t.literal(i), end) - 1
		case t[i] == '/' && t[i+1] == '/':
			return end
		case t[i] == '/' && t[i+1] == '*':
			if i = t.commentEnd(i); i > end {
				return i
			}
			i--
		}
	}
	return end
}

// skip steps over white space, comments and preprocessor lines.
func (t cText) skip(at int) int {
	for at < len(t) {
		switch b := t[at]; {
		case isSpace(b):
			at++
		case b == '#':
			at = t.directiveEnd(at)
		case b == '\\' && at+1 < len(t) && isSpace(t[at+1]):
			at++
		case b == '/' && at+1 < len(t) && (t[at+1] == '/' || t[at+1] == '*'):
			at = t.commentEnd(at)
		default:
			return at
		}
	}
	return at
}

// brackets is the end of the bracketed text that starts at at.
func (t cText) brackets(at int) int {
	depth := 0
	for at < len(t) {
		switch t[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return at + 1
			}
		}
		at = t.skip(t.token(at))
	}
	return at
}

// at0 is the byte at at, 0 beyond the end.
func (t cText) at0(at int) byte {
	if at < len(t) {
		return t[at]
	}
	return 0
}
