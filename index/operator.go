package index

import "bytes"

// operatorEnd is the length of a name: all of it, but of a C++ conversion operator, which the grammar
// gives with its parameters, "operator bool() const", the part before them.
func operatorEnd(name []byte) uint32 {
	rest, ok := bytes.CutPrefix(name, []byte("operator"))
	if !ok || len(rest) == 0 || !isSpace(rest[0]) {
		return uint32(len(name))
	}
	depth := 0
	for i, b := range rest {
		switch {
		case b == '<':
			depth++
		case b == '>':
			depth--
		case b == '(' && depth == 0 && len(bytes.TrimSpace(rest[:i])) > 0:
			return uint32(len("operator") + len(bytes.TrimRight(rest[:i], " \t\r\n")))
		}
	}
	return uint32(len(name))
}
