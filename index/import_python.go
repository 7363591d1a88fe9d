package index

import "strings"

// importsPython reads import a.b as c, d and from .a import (b as c, *). Of import a.b the file gets the name a, and has
// loaded a.b.
func importsPython(statement []byte) []Import {
	s := pythonScan{src: statement}
	switch s.next() {
	case "import":
		return s.modules()
	case "from":
		return s.names()
	}
	return nil
}

// pythonScan cuts a statement into words, and single bytes for the rest. Comments, white space and joined lines are passed.
type pythonScan struct {
	src        []byte
	start, end int // of the last token
}

func (s *pythonScan) next() string {
	at := s.end
	for at < len(s.src) {
		switch c := s.src[at]; {
		case isSpace(c) || c == '\\' || c == '\f':
			at++
		case c == '#':
			for at < len(s.src) && s.src[at] != '\n' && s.src[at] != '\r' {
				at++
			}
		default:
			s.start, s.end = at, at+1
			for isWord(c) && s.end < len(s.src) && isWord(s.src[s.end]) {
				s.end++
			}
			return string(s.src[s.start:s.end])
		}
	}
	s.start, s.end = at, at
	return ""
}

// dotted reads a path from the current token on, and leaves the token behind it current.
func (s *pythonScan) dotted(token string) (path string, first, last span, behind string) {
	var b strings.Builder
	for token == "." || token != "" && token != "import" && token != "as" && isWord(token[0]) {
		b.WriteString(token)
		if token != "." {
			last = span{Start: uint32(s.start), End: uint32(s.end)}
			if first.End == 0 {
				first = last
			}
		} else if first.End == 0 {
			last = span{Start: uint32(s.start), End: uint32(s.end)}
		}
		before := token
		if token = s.next(); token != "." && before != "." {
			break
		}
	}
	return b.String(), first, last, token
}

func (s *pythonScan) modules() (all []Import) {
	for token := s.next(); token != ""; token = s.next() {
		path, first, last, behind := s.dotted(token)
		if path == "" || first.End == 0 {
			return all
		}
		top, _, deep := strings.Cut(path, ".")
		m := Import{Path: path, Start: last.Start, End: last.End, AliasStart: last.Start}
		switch {
		case behind == "as":
			m.Alias = s.next()
			m.AliasStart = uint32(s.start)
			behind = s.next()
		case deep:
			all = append(all, Import{Path: top, Alias: top, Start: first.Start, End: first.End, AliasStart: first.Start})
		default:
			m.Alias = top
		}
		all = append(all, m)
		if behind != "," {
			return all
		}
	}
	return all
}

func (s *pythonScan) names() (all []Import) {
	path, _, at, token := s.dotted(s.next())
	if path == "" || token != "import" {
		return nil
	}
	for token = s.next(); token != ""; token = s.next() {
		m := Import{Path: path, Name: token, Alias: token, Start: uint32(s.start), End: uint32(s.end), AliasStart: uint32(s.start)}
		switch {
		case token == "(" || token == "," || token == ")":
			continue
		case token == "*":
			m.Alias = ""
			m.Start, m.End, m.AliasStart = at.Start, at.End, at.Start
			return append(all, m)
		case !isWord(token[0]):
			return all
		}
		behind := *s
		if behind.next() == "as" {
			*s = behind
			m.Alias = s.next()
			m.AliasStart = uint32(s.start)
			if m.Alias == "" || !isWord(m.Alias[0]) {
				return all
			}
		}
		all = append(all, m)
	}
	return all
}

// quotingPython: the strings of a statement that begins with __all__ are names, and so is the first argument of cast and a
// bound, and what stands in the brackets of a generic type; those of Literal and Annotated are not.
func quotingPython(src []byte, name span) (end uint32, names bool) {
	switch string(src[name.Start:name.End]) {
	case "__all__":
		return pythonEnd(src, name.End, false), true
	case "cast":
		if rest := src[name.End:]; len(rest) > 1 && rest[0] == '(' && (rest[1] == '"' || rest[1] == '\'') {
			return pythonString(src, name.End+1), true
		}
	case "bound":
		if rest := src[name.End:]; len(rest) > 1 && rest[0] == '=' && (rest[1] == '"' || rest[1] == '\'') {
			return pythonString(src, name.End+1), true
		}
	case "Union", "Optional", "Callable", "Type", "List", "Dict", "Set", "Tuple", "Sequence", "Iterable", "Mapping", "ClassVar":
		if int(name.End) < len(src) && src[name.End] == '[' { // a type's name in a value: T = Union["A", "B"]
			return pythonEnd(src, name.End, true), true
		}
	case "Literal", "Annotated":
		if int(name.End) < len(src) && src[name.End] == '[' {
			return pythonEnd(src, name.End, true), false
		}
	}
	return 0, false
}

// pythonEnd is where the statement ends in which at lies outside all brackets; bracket: where the first of its brackets
// closes.
func pythonEnd(src []byte, at uint32, bracket bool) uint32 {
	depth := 0
	for int(at) < len(src) {
		switch src[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 && bracket || depth < 0 {
				return at
			}
		case '\n', '\r', ';':
			if depth == 0 {
				return at
			}
		case '\\':
			at++
		case '#':
			for int(at)+1 < len(src) && src[at+1] != '\n' && src[at+1] != '\r' {
				at++
			}
		case '"', '\'':
			at = pythonString(src, at)
			continue
		}
		at++
	}
	return uint32(len(src))
}

// pythonString is where the string ends that starts at a quote: behind the closing one, or with the line where there is
// none.
func pythonString(src []byte, at uint32) uint32 {
	quote := src[at]
	if int(at)+2 < len(src) && src[at+1] == quote && src[at+2] == quote {
		for at += 3; int(at) < len(src); at++ {
			if src[at] == '\\' {
				at++
			} else if int(at)+2 < len(src) && src[at] == quote && src[at+1] == quote && src[at+2] == quote {
				return at + 3
			}
		}
		return uint32(len(src))
	}
	for at++; int(at) < len(src) && src[at] != '\n' && src[at] != '\r'; at++ {
		if src[at] == '\\' {
			at++
		} else if src[at] == quote {
			return at + 1
		}
	}
	return min(at, uint32(len(src)))
}

// typePython is the name in T, a.T, "T", T | None, Optional[T], type[T] and T[int].
func typePython(src []byte, typ span) span {
	for range 4 {
		for typ.Start < typ.End && isSpace(src[typ.Start]) {
			typ.Start++
		}
		for typ.Start < typ.End && isSpace(src[typ.End-1]) {
			typ.End--
		}
		text := string(src[typ.Start:typ.End])
		bracket := strings.IndexByte(text, '[')
		switch before, none := strings.CutSuffix(text, "None"); {
		case len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]:
			typ.Start, typ.End = typ.Start+1, typ.End-1
		case none && strings.HasSuffix(strings.TrimRight(before, " "), "|"):
			typ.End = typ.Start + uint32(strings.LastIndexByte(text, '|'))
		case bracket > 0 && text[len(text)-1] == ']':
			switch head := text[:bracket]; head[strings.LastIndexByte(head, '.')+1:] {
			case "Optional", "Type", "type", "Final", "ClassVar":
				typ.Start, typ.End = typ.Start+uint32(bracket)+1, typ.End-1
			default:
				typ.End = typ.Start + uint32(bracket)
			}
		default:
			for i := range len(text) {
				if !isWord(text[i]) && text[i] != '.' {
					return span{}
				}
			}
			return typ
		}
	}
	return span{}
}
