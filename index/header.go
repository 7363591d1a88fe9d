package index

import (
	"bytes"
	"regexp"
)

// headerSniff is how many bytes of a .h file are looked at.
const headerSniff = 64 << 10

// isCPlusPlus decides whether a .h file is C++ and not C, by its first 64 KiB alone, so that one tree
// can hold both. Evidence is a line, outside comments, that only C++ has: class, namespace, template
// or using at its start, an access label, a standard header without a dot, or std:: anywhere. What
// stands between #ifdef __cplusplus and its #endif is no evidence: that is how C headers serve C++.
func isCPlusPlus(src []byte) bool {
	src = src[:min(len(src), headerSniff)]
	comment := false // in a block comment
	guard := 0       // depth of #if within and with #ifdef __cplusplus
	for line := range bytes.FieldsFuncSeq(src, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, comment = uncomment(line, comment)
		switch {
		case guard > 0 && openIf.Match(line), guardIf.Match(line):
			guard++
		case guard > 0 && closeIf.Match(line):
			guard--
		case guard == 1 && elseIf.Match(line):
			guard = 0 // the other branch; its #endif is nobody's here
		case guard == 0 && evidence.Match(line):
			return true
		}
	}
	return false
}

var (
	guardIf  = regexp.MustCompile(`^\s*#\s*(ifdef|if|if\s+defined)[\s(]+__cplusplus\b`)
	openIf   = regexp.MustCompile(`^\s*#\s*if`)
	elseIf   = regexp.MustCompile(`^\s*#\s*(else|elif)`)
	closeIf  = regexp.MustCompile(`^\s*#\s*endif`)
	evidence = regexp.MustCompile(`^\s*((enum\s+)?class\s+[A-Za-z_]|(inline\s+)?namespace(\s+[A-Za-z_][\w:]*)?\s*(\{|$)|template\s*<|using\s+[A-Za-z_]|(public|private|protected)\s*:|#\s*include\s*<\w+>)|\bstd::`)
)

// uncomment is the line without comments. open says whether a block comment is open before, and after.
func uncomment(line []byte, open bool) ([]byte, bool) {
	var out []byte
	for {
		if open {
			_, rest, closed := bytes.Cut(line, []byte("*/"))
			if !closed {
				return out, true
			}
			line, open = rest, false
		}
		i := bytes.IndexByte(line, '/')
		for i >= 0 && (i+1 == len(line) || line[i+1] != '*' && line[i+1] != '/') {
			next := bytes.IndexByte(line[i+1:], '/')
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		switch {
		case i < 0:
			return append(out, line...), false
		case line[i+1] == '/':
			return append(out, line[:i]...), false
		}
		out = append(out, line[:i]...)
		line, open = line[i+2:], true
	}
}
