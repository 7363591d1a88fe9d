package index

import "bytes"

// isCPlusPlus tells a C++ header from a C header: .h is both. The rule: a file is C++ when it has, outside
// comments, literals and the parts under #ifdef __cplusplus, one of
//
//	class x		namespace x {	template <	using x		a::b
//	virtual x	typename x	constexpr x	operator+	public:  private:  protected:
//	#include <x>, a name without an ending
//
// and C otherwise. A header with none of these defines nothing that reads differently in C++, and words
// of C++ as names (int class;) do not make a C header C++. The file alone decides, not its neighbours, so
// that a repository may hold both.
func isCPlusPlus(src []byte) bool {
	t := cText(lineFeeds(src))
	hidden, depth := 0, 0 // depth of #if; hidden is the depth of an #ifdef __cplusplus
	before := byte(0)     // the token before
	for at := 0; at < len(t); {
		b := t[at]
		switch {
		case isSpace(b):
			at++
			continue
		case b == '#':
			end := t.directiveEnd(at)
			line := bytes.TrimLeft(t[at+1:end], " \t")
			switch {
			case bytes.HasPrefix(line, []byte("if")):
				depth++
				if hidden == 0 && cPlusPlusOnly(line) {
					hidden = depth
				}
			case bytes.HasPrefix(line, []byte("el")) && hidden == depth:
				hidden = 0
			case bytes.HasPrefix(line, []byte("endif")):
				if hidden == depth {
					hidden = 0
				}
				depth = max(0, depth-1)
			case hidden == 0 && includesLibrary(line):
				return true
			}
			at = end
		case hidden > 0:
			at = t.token(at)
		case b == ':' && t.at0(at+1) == ':':
			return true
		case IsWord(b):
			end := t.token(at)
			if before != '?' && t.speaksCPlusPlus(at, end) {
				return true
			}
			at = end
		default:
			at = t.token(at)
		}
		before = b
	}
	return false
}

// cPlusPlusOnly says whether a line #if … holds for C++ alone.
func cPlusPlusOnly(line []byte) bool {
	return bytes.Contains(line, []byte("__cplusplus")) && !bytes.HasPrefix(line, []byte("ifndef")) &&
		!bytes.Contains(line, []byte("!")) && !bytes.Contains(line, []byte("||"))
}

// includesLibrary recognizes #include <vector>.
func includesLibrary(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("include"))
	rest = bytes.TrimLeft(rest, " \t")
	if !ok || len(rest) < 2 || rest[0] != '<' {
		return false
	}
	end := bytes.IndexByte(rest, '>')
	return end > 1 && bytes.IndexAny(rest[:end], "./\\") < 0
}

func (t cText) speaksCPlusPlus(at, end int) bool {
	next := t.skip(end)
	word := func(i int) bool { return i < len(t) && IsWord(t[i]) }
	switch string(t[at:end]) {
	case "template":
		return t.at0(next) == '<'
	case "public", "private", "protected":
		return t.at0(next) == ':'
	case "class", "using", "virtual", "typename", "constexpr":
		return word(next)
	case "namespace":
		if t.at0(next) == '{' {
			return true
		}
		return word(next) && t.at0(t.skip(t.token(next))) == '{'
	case "operator":
		return next < len(t) && bytes.IndexByte([]byte("=+-*/<>!&|^~%"), t[next]) >= 0 && t.at0(next+1) != ';'
	}
	return false
}
