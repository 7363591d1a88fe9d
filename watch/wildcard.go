package watch

import "strings"

// A wildcard is a compiled shell pattern in git's dialect ("wildmatch"): ? and [] match one
// byte, * a run of bytes, ** a run that may cross slashes where it stands for whole path
// elements. Everything is bytes; no locale, no UTF-8.
type wildcard struct {
	tokens []token
	fold   bool // ASCII letters match in either case
	never  bool // malformed: matches nothing, as in git
}

type token struct {
	kind tokenKind
	char byte
	set  *byteSet
}

type tokenKind uint8

const (
	literal  tokenKind = iota // char
	anyByte                   // ?: one byte, not a slash when matching paths
	oneOf                     // [...]: one byte of set
	star                      // *: any run without a slash
	anything                  // any run
	anyDirs                   // "**/": nothing, or any run that ends with a slash
)

type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// compileWildcard never fails: what git would refuse to match is a wildcard that matches
// nothing. paths says that slashes are special; without it every * crosses them.
func compileWildcard(p string, paths, fold bool) wildcard {
	w := wildcard{fold: fold}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '?':
			if paths {
				w.add(token{kind: anyByte})
			} else {
				w.add(token{kind: oneOf, set: everyByte})
			}
			i++
		case '*':
			start := i
			for i < len(p) && p[i] == '*' {
				i++
			}
			whole := i-start >= 2 && (start == 0 || p[start-1] == '/') &&
				(i == len(p) || p[i] == '/' || strings.HasPrefix(p[i:], `\/`))
			switch {
			case !paths:
				w.add(token{kind: anything})
			case whole && i < len(p) && p[i] == '/':
				w.add(token{kind: anyDirs})
				i++
			case whole:
				w.add(token{kind: anything})
			default:
				w.add(token{kind: star})
			}
		case '[':
			set, n := parseSet(p[i:], fold)
			if n == 0 {
				w.never = true
				return w
			}
			if paths {
				set[0] &^= 1 << '/'
			}
			w.add(token{kind: oneOf, set: set})
			i += n
		case '\\':
			if i++; i == len(p) {
				w.never = true
				return w
			}
			// An escaped letter is compared as it stands even when case is folded: the text's
			// letters are lowered, so an escaped capital never matches.
			w.add(token{kind: oneOf, set: single(p[i])})
			i++
		default:
			w.add(token{kind: literal, char: w.lower(c)})
			i++
		}
	}
	return w
}

func (w *wildcard) add(t token) { w.tokens = append(w.tokens, t) }

func (w *wildcard) lower(c byte) byte {
	if w.fold && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

var everyByte = &byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

func single(c byte) *byteSet {
	s := new(byteSet)
	s.add(c)
	return s
}

// match reports whether text matches from end to end. It keeps two places to go back to, the
// last star and the last token that crosses slashes: what lies between two of the latter is
// found at its first possible end, which leaves the later one the most room, and a star cannot
// reach over the slash that ends its element, so no earlier choice needs to be reconsidered.
// Time is at most proportional to len(text)² for patterns that alternate both, never exponential.
func (w *wildcard) match(text string) bool {
	if w.never {
		return false
	}
	const none = -1
	starTok, starPos := none, 0
	wideTok, widePos := none, 0
	tok, pos := 0, 0
	for {
		if tok < len(w.tokens) {
			t := &w.tokens[tok]
			switch t.kind {
			case star:
				starTok, starPos = tok, pos
				tok++
				continue
			case anything, anyDirs:
				wideTok, widePos = tok, pos
				starTok = none
				tok++
				continue
			default:
				if pos < len(text) && w.one(t, text[pos]) {
					tok++
					pos++
					continue
				}
			}
		} else if pos == len(text) {
			return true
		}
		switch {
		case starTok != none && starPos < len(text) && text[starPos] != '/':
			starPos++
			tok, pos = starTok+1, starPos
		case wideTok != none && widePos < len(text):
			if w.tokens[wideTok].kind == anyDirs {
				n := strings.IndexByte(text[widePos:], '/')
				if n < 0 {
					return false
				}
				widePos += n
			}
			widePos++
			starTok = none
			tok, pos = wideTok+1, widePos
		default:
			return false
		}
	}
}

func (w *wildcard) one(t *token, c byte) bool {
	switch t.kind {
	case literal:
		return w.lower(c) == t.char
	case anyByte:
		return c != '/'
	default:
		return t.set.has(w.lower(c))
	}
}

// parseSet reads a bracket expression at the start of p: the bytes that it matches and its
// length, 0 when it is malformed. The grammar is git's: ! or ^ negates, a ] that comes first is
// itself, \ escapes, ranges, POSIX classes of ASCII. When case is folded the text is lowered
// first, so capitals in the set match nothing except through ranges and [:upper:].
func parseSet(p string, fold bool) (*byteSet, int) {
	set := new(byteSet)
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := byte(0) // the start of a possible range; 0: none
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		c := p[i]
		switch {
		case c == ']' && !first:
			if negated {
				for k := range set {
					set[k] = ^set[k]
				}
			}
			return set, i + 1
		case c == '\\':
			if i++; i >= len(p) {
				return nil, 0
			}
			set.add(p[i])
			prev = p[i]
		case c == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i >= len(p) {
					return nil, 0
				}
			}
			for b := int(prev); b <= int(p[i]); b++ {
				set.add(byte(b))
				if fold && 'A' <= b && b <= 'Z' {
					set.add(byte(b) + 'a' - 'A')
				}
			}
			prev = 0
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			n := strings.IndexByte(p[i+2:], ']')
			if n < 0 {
				return nil, 0
			}
			name := p[i+2 : i+2+n]
			if !strings.HasSuffix(name, ":") { // no ":]": an ordinary bracket
				set.add('[')
				prev = '['
				break
			}
			in := class(strings.TrimSuffix(name, ":"), fold)
			if in == nil {
				return nil, 0
			}
			for b := range 128 {
				if in(byte(b)) {
					set.add(byte(b))
				}
			}
			prev = 0
			i += 2 + n
		default:
			set.add(c)
			prev = c
		}
		i++
	}
}

// class is the POSIX character class of that name, over ASCII as git defines it (its space has
// no vertical tab and no form feed); nil when there is none.
func class(name string, fold bool) func(byte) bool {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	alnum := func(c byte) bool { return lower(c) || upper(c) || digit(c) }
	space := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	print := func(c byte) bool { return ' ' <= c && c <= '~' }
	switch name {
	case "alnum":
		return alnum
	case "alpha":
		return func(c byte) bool { return lower(c) || upper(c) }
	case "blank":
		return func(c byte) bool { return c == ' ' || c == '\t' }
	case "cntrl":
		return func(c byte) bool { return c < ' ' || c == 0x7f }
	case "digit":
		return digit
	case "graph":
		return func(c byte) bool { return print(c) && c != ' ' }
	case "lower":
		return lower
	case "print":
		return print
	case "punct":
		return func(c byte) bool { return print(c) && c != ' ' && !alnum(c) }
	case "space":
		return space
	case "upper":
		return func(c byte) bool { return upper(c) || fold && lower(c) }
	case "xdigit":
		return func(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
	}
	return nil
}
