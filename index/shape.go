package index

import (
	"bytes"
	"slices"
)

// shaped is the leaf in which the members of x are looked up, where node is its type or the first value assigned to it;
// -1 when its form does not tell. Forms of a type: T, *a.T, T[int], and (T, error) for the results of a function. Forms
// of a value: T{}, &a.T{}, f(x), a.b, y.(T). That is read off the text: a pattern for each costs three times as much.
//
// A function has the members of its first result, so that f(x) and a variable of its type need no rule of their own.
func (b *binder) shaped(x *leaf, node span) int32 {
	text := b.src[node.Start:node.End]
	between := b.src[x.End:node.Start]
	if !bytes.ContainsRune(between, '=') {
		return b.typeIn(text, node.Start)
	}
	if before := bytes.TrimRight(b.src[:x.Start], " \t\r\n"); bytes.HasSuffix(before, []byte(",")) {
		return -1 // the first value is that of the first name
	}
	return b.valueIn(text, node.Start)
}

// typeIn is the last leaf of a plain named type.
func (b *binder) typeIn(text []byte, start uint32) int32 {
	if len(text) > 2 && text[0] == '(' {
		from, to := firstResult(text)
		text, start = text[from:to], start+uint32(from)
	}
	path, skipped := dottedPath(text)
	if len(path) == 0 || len(pastArguments(text[skipped+len(path):])) > 0 {
		return -1
	}
	return b.lastLeafIn(span{Start: start + uint32(skipped), End: start + uint32(skipped+len(path))})
}

// firstResult is where the first type stands in (T, error), (n, m T, err error).
func firstResult(text []byte) (from, to int) {
	names := false
	for start, end := 1, 1; start < len(text); start, end = end+1, end+1 {
		for depth := 0; end < len(text)-1 && (text[end] != ',' || depth > 0); end++ {
			switch text[end] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		part := bytes.TrimSpace(text[start:end])
		at := start + bytes.Index(text[start:end], part)
		name, _, two := bytes.Cut(part, []byte(" "))
		switch {
		case two && isName(name):
			return at + len(name) + 1, at + len(part)
		case !isName(name):
			return at, at + len(part)
		case start == 1:
			from, to, names = at, at+len(part), true
		}
	}
	if names {
		return from, to
	}
	return 0, 0
}

// isName says whether text is one word, and none that a type begins with.
func isName(text []byte) bool {
	switch string(text) {
	case "", "chan", "func", "map", "interface", "struct":
		return false
	}
	return !slices.ContainsFunc(text, func(c byte) bool { return !IsWord(c) })
}

// valueIn is the last leaf of the path that a value begins with.
func (b *binder) valueIn(text []byte, start uint32) int32 {
	path, skipped := dottedPath(text)
	if len(path) == 0 {
		return -1
	}
	rest := pastArguments(text[skipped+len(path):])
	if len(rest) > 0 && (rest[0] != '(' && rest[0] != '{' || !closesAtEnd(rest)) {
		return -1
	}
	if path[len(path)-1] == '.' { // y.(T)
		if len(rest) < 3 || rest[0] != '(' {
			return -1
		}
		inner := rest[1 : len(rest)-1]
		return b.typeIn(inner, start+uint32(len(text)-len(rest)+1))
	}
	if slices.Contains(b.opaque, string(path)) {
		return -1
	}
	return b.lastLeafIn(span{Start: start + uint32(skipped), End: start + uint32(skipped+len(path))})
}

// dottedPath is the name, with those it is a member of, that text begins with behind the signs of a pointer.
func dottedPath(text []byte) (path []byte, skipped int) {
	path = bytes.TrimLeft(text, "*& ")
	skipped = len(text) - len(path)
	n := 0
	for n < len(path) && (IsWord(path[n]) || path[n] == '.') {
		n++
	}
	return path[:n], skipped
}

// pastArguments is text without the type arguments that it begins with.
func pastArguments(text []byte) []byte {
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '<':
			depth++
		case ']', '>':
			depth--
		}
		if depth <= 0 {
			if i > 0 {
				return text[i+1:]
			}
			return text
		}
	}
	return text[len(text):]
}

// closesAtEnd says whether the bracket that text begins with is closed by its last byte. Brackets in strings do not count.
func closesAtEnd(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		}
	}
	return false
}
