package index

import (
	"strings"
	"unicode/utf8"
)

// table collects the names of one file in one string, so that a file's names are one object for the
// garbage collector, and substrings of each other where they can be.
type table struct {
	strings.Builder
	limit int             // in bytes
	known map[string]text // joined texts
}

// text is a range in a table.
type text struct{ start, end uint32 }

func (t text) of(all string) string { return all[t.start:t.end] }
func (t text) in(all *table) string { return all.String()[t.start:t.end] }
func (t text) last(n int) text      { return text{t.end - uint32(n), t.end} }
func (t text) empty() bool          { return t.start == t.end }

// join is path.name, name alone when path is empty. It fails when the table is full.
func (t *table) join(path text, name string) (text, bool) {
	if name == "" {
		return path, true
	}
	need := len(name)
	if !path.empty() {
		need += int(path.end-path.start) + 1
	}
	if t.Len()+need > t.limit {
		return text{}, false
	}
	joined := name
	if !path.empty() {
		joined = path.in(t) + "." + name
	}
	if at, ok := t.known[joined]; ok {
		return at, true
	}
	at := text{uint32(t.Len()), uint32(t.Len() + need)}
	t.WriteString(joined)
	if t.known == nil {
		t.known = map[string]text{}
	}
	t.known[joined] = at
	return at, true
}

// plain is the dotted path that a type or a qualifier spells: a::B<T> is a.B, A\\B is A.B, *Stack[T] is Stack,
// &'a mut Buf is Buf. What has no name at its core ([T], (A, B)) stays as it is without white space.
func plain(source []byte) string {
	var out []byte
	depth := 0
	for i := 0; i < len(source); i++ {
		switch b := source[i]; {
		case b == '<' || b == '[' || b == '(':
			depth++
		case b == '>' || b == ']' || b == ')':
			depth = max(0, depth-1)
		case depth > 0 || b == '&' || b == '*':
		case b == '\'':
			for i+1 < len(source) && IsWord(source[i+1]) {
				i++
			}
		case b == ':' || b == '.' || b == '\\':
			if len(out) > 0 && out[len(out)-1] != '.' {
				out = append(out, '.')
			}
		case isSpace(b) || !IsWord(b) && b != '~' && b != '$' && b != '-':
			if modifier(string(out)) {
				out = out[:0]
			} else if len(out) > 0 && out[len(out)-1] != '.' && (b == '+' || nextWord(source[i:])) {
				i = len(source) // the rest is another type, or a keyword
			}
		default:
			out = append(out, b)
		}
	}
	if name := strings.Trim(string(out), "."); name != "" {
		return name
	}
	return strings.Join(strings.Fields(string(source)), "")
}

// nextWord says whether a new word, and not a dot, follows the white space at the start of rest.
func nextWord(rest []byte) bool {
	for _, b := range rest {
		if !isSpace(b) {
			return IsWord(b)
		}
	}
	return false
}

func modifier(word string) bool {
	switch word {
	case "mut", "dyn", "const", "struct", "class", "typename", "template", "impl", "unsafe":
		return true
	}
	return false
}

// IsWord says whether a byte may be part of an identifier: an ASCII letter or digit, _, or any byte of a character outside ASCII.
func IsWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= utf8.RuneSelf
}

// trimName gives a captured name its exact extent: without quotes, without the colon of a symbol or a
// keyword, without the # that close a heading, and with the bytes at which the grammar stopped because they are not UTF-8.
func (c *collected) trimName(name span, kind Kind) span {
	for name.Start < name.End && isSpace(c.src[name.Start]) {
		name.Start++
	}
	name.End = c.trimEnd(name)
	if kind == Heading {
		text := strings.TrimRight(string(c.src[name.Start:name.End]), "#")
		if trimmed := strings.TrimRight(text, " \t"); trimmed != text || trimmed == "" {
			name.End = name.Start + uint32(len(trimmed))
		}
		return name
	}
	name.End = name.Start + operatorEnd(c.src[name.Start:name.End])
	name = c.trimColons(name)
	if n := name.End - name.Start; n >= 2 {
		first, last := c.src[name.Start], c.src[name.End-1]
		if first == last && (first == '"' || first == '\'' || first == '`') {
			return span{Start: name.Start + 1, End: name.End - 1}
		}
	}
	if r, size := utf8.DecodeRune(c.src[name.End:]); r == utf8.RuneError && size == 1 {
		for int(name.End) < len(c.src) && IsWord(c.src[name.End]) {
			name.End++
		}
	}
	return name
}

// trimColons is name without the colon before it, :name, or after it, name:, which Ruby and Elixir have.
// Colons stay in operators.
func (c *collected) trimColons(name span) span {
	n := name.End - name.Start
	if n < 2 {
		return name
	}
	first, second := c.src[name.Start], c.src[name.Start+1]
	if first == ':' && (IsWord(second) || second == '"' || second == '\'') {
		name.Start++
	}
	if last, before := c.src[name.End-1], c.src[name.End-2]; last == ':' && first != '"' && (asciiWord(before) && before != '_' || before == '?' || before == '!') {
		name.End--
	}
	return name
}
