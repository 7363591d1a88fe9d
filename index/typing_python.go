package index

import "strings"

// typingPython reads : T, : T = value, = T(...) and = None, each up to the end of rest.
func typingPython(src []byte, rest span) (span, rank) {
	rest = trimmed(src, rest)
	if rest.Start == rest.End {
		return span{}, rankUntold
	}
	value := trimmed(src, span{Start: rest.Start + 1, End: rest.End})
	switch src[rest.Start] {
	case ':':
		value.End = pythonEnd(src[:rest.End], value.Start, '=')
		if named := typePython(src, value); named.End > named.Start {
			return named, rankDeclared
		}
	case '=':
		if string(src[value.Start:value.End]) == "None" {
			return span{}, rankNone
		}
		callee := value
		callee.End = callee.Start
		for callee.End < value.End && (IsWord(src[callee.End]) || src[callee.End] == '.') {
			callee.End++
		}
		if callee.End < value.End && src[callee.End] == '(' && pythonEnd(src[:value.End], callee.End, ')') == value.End-1 {
			return callee, rankValue
		}
	}
	return span{}, rankUntold
}

// typePython is the name in T, a.T, "T", T | None, Optional[T], type[T] and T[int]; empty for other types.
func typePython(src []byte, typ span) span {
	for range 4 {
		typ = trimmed(src, typ)
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
				if !IsWord(text[i]) && text[i] != '.' {
					return span{}
				}
			}
			return typ
		}
	}
	return span{}
}

func trimmed(src []byte, s span) span {
	for s.Start < s.End && isSpace(src[s.Start]) {
		s.Start++
	}
	for s.Start < s.End && isSpace(src[s.End-1]) {
		s.End--
	}
	return s
}

// quotingPython: the strings of a statement that begins with __all__ are names, and so is the first argument of cast and a
// bound, and what stands in the brackets of a generic type; those of Literal and Annotated are not.
func quotingPython(src []byte, name span, inside bool) (end uint32, names bool) {
	next, after := byte(0), byte(0)
	if rest := src[name.End:]; len(rest) > 1 {
		next, after = rest[0], rest[1]
	}
	switch string(src[name.Start:name.End]) {
	case "Literal", "Annotated":
		if next == '[' {
			return pythonEnd(src, name.End, ']'), false
		}
		return 0, false
	case "__all__":
		if !inside {
			return pythonEnd(src, name.End, 0), true
		}
	case "cast":
		if !inside && next == '(' && (after == '"' || after == '\'') {
			return pythonString(src, name.End+1), true
		}
	case "bound":
		if !inside && next == '=' && (after == '"' || after == '\'') {
			return pythonString(src, name.End+1), true
		}
	case "Union", "Optional", "Callable", "Type", "List", "Dict", "Set", "Tuple", "Sequence", "Iterable", "Mapping", "ClassVar":
		if !inside && next == '[' { // a type's name in a value: T = Union["A", "B"]
			return pythonEnd(src, name.End, ']'), true
		}
	}
	return 0, false
}

// pythonEnd is where the statement ends, at the start of which, or outside all its brackets, at lies. It ends before at an
// until of '=' outside all brackets and, for one that closes, where the first bracket is closed.
func pythonEnd(src []byte, at uint32, until byte) uint32 {
	depth := 0
	for int(at) < len(src) {
		switch src[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 || depth == 0 && (until == ')' || until == ']') {
				return at
			}
		case '\n', '\r', ';', '=':
			if depth == 0 && (src[at] != '=' || until == '=') {
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
