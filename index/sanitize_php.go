package index

import "bytes"

// sanitizePHP makes the constants of an enum cases without a value, which the grammar knows there.
// Without, the enum would end at its first constant and its methods be functions. The query tells the
// two apart by the source.
func sanitizePHP(src []byte) []byte {
	if !bytes.Contains(src, []byte("enum ")) {
		return src
	}
	out := bytes.Clone(src)
	e := enumReader{cText: src, out: out}
	for at := 0; at < len(src); {
		at = e.step(at)
	}
	return out
}

// enumReader goes over the tokens of a PHP file.
type enumReader struct {
	cText
	out    []byte
	depth  int  // of braces in an enum, 0 outside
	head   bool // after the word enum, before its brace
	start  bool // a member may start here
	first  int  // where its modifiers did
	broken bool // a constant had no end: the next ones have none either
}

// step reads one token and gives its end.
func (e *enumReader) step(at int) int {
	end := e.token(at)
	switch b := e.cText[at]; {
	case isSpace(b) || b == '/' && end > at+1:
		return end
	case IsWord(b):
		return e.name(at, end)
	case b == '#' && e.at0(at+1) != '[':
		return e.lineEnd(at)
	case b == '#' && e.start:
		end = e.brackets(at + 1)
	case b == '{' && (e.head || e.depth > 0):
		e.depth++
		e.head, e.start = false, e.depth == 1
	case b == '}' && e.depth > 0:
		e.depth--
		e.start = e.depth == 1
	case b == ';' || b == '(' && e.depth == 0:
		e.head, e.start = false, e.depth == 1
	default:
		e.start = false
	}
	e.first = end
	return end
}

// name reads a word.
func (e *enumReader) name(at, end int) int {
	switch word := string(bytes.ToLower(e.cText[at:end])); {
	case e.depth == 0:
		e.head = e.head || word == "enum"
	case !e.start:
	case word == "public" || word == "protected" || word == "private" || word == "final":
		return end
	case word == "const" && !e.broken:
		return e.constant(at, end)
	}
	e.start = false
	return end
}

// constant rewrites const TYPE NAME = VALUE; and gives the offset of its end.
func (e *enumReader) constant(at, end int) int {
	last, value := end, len(e.cText)
	for i := end; i < value && i < end+256; {
		next := e.token(i)
		switch b := e.cText[i]; {
		case IsWord(b):
			last = i // the name, as long as no = came
		case b == '=':
			value = i
		case b == ';' || b == '}' || b == '{':
			e.start = false
			return end
		}
		i = next
	}
	if value == len(e.cText) {
		e.start = false
		return end
	}
	stop := value
	for stop < len(e.cText) && e.cText[stop] != ';' && e.cText[stop] != '}' {
		stop = max(stop+1, e.token(stop))
	}
	if last == end || stop >= len(e.cText) {
		e.start, e.broken = false, stop >= len(e.cText)
		return end
	}
	erase(e.out, e.first, last)
	copy(e.out[at:end], "case ")
	erase(e.out, value, stop)
	e.start = false
	return stop
}
