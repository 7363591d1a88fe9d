package index

import (
	"bytes"
	"regexp"
)

const annotation = `@[\w.]+(?:\((?:[^()\n]|\([^()\n]*\))*\))?`

var (
	funInterfaces = regexp.MustCompile(`\b(fun)[ \t\r\n]+interface\b`)
	binaries      = regexp.MustCompile(`\b0[bB][01_]+`)

	// constructed is what stands between a class and its constructor, class A @Inject constructor(b: B),
	// often on lines of its own.
	constructed = regexp.MustCompile(`\bclass[ \t]+\w+(?:<[^<>{}()]*>)?(\s+(?:@[\w.:]+(?:\([^()\n]*\))?\s*)*(?:(?:private|internal|protected|public)\s+)?)constructor[ \t]*\(`)

	// annotatedTypes have several annotations.
	annotatedTypes = regexp.MustCompile(`(?m)` + annotation + `[ \t\r]*(?://[^\n]*)?\s\s*` + annotation + `[ \t\r]*(?://[^\n]*)?\s\s*(?:\w+[ \t]+)*?(?:class|interface)[ \t]+\w+[^\n]*\{[ \t\r]*$`)

	// bodiless is a class without a body that annotations follow.
	bodiless = regexp.MustCompile(`(?m)^[ \t]*(?:\w+[ \t]+)*(?:class|object|interface)[ \t]+\w+[^{}\n]*\n([ \t]*)\r?\n[ \t]*@\w`)
)

// sanitizeKotlin takes away what the grammar does not know: the fun of fun interface, what stands before a
// constructor, binary numbers. And it keeps it from two misreadings, in which a class is lost without an
// error, being part of an expression, by semicolons: one after a class without a body that annotations
// follow, one after the brace that closes a type with several annotations.
func sanitizeKotlin(src []byte) []byte {
	out := rewrite(src, "interface", funInterfaces, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, "constructor", constructed, func(out []byte, at []int) {
		for i := at[2]; i < at[3]; i++ {
			out[i] = ' '
		}
	})
	out = rewrite(out, "@", bodiless, func(out []byte, at []int) { out[at[3]] = ';' })
	left := 16 << 20 // bytes to look through for closing braces
	out = rewrite(out, "@", annotatedTypes, func(out []byte, at []int) {
		if left > 0 {
			left -= closeType(out, at[1])
		}
	})
	return rewrite(out, "0", binaries, func(out []byte, at []int) {
		for i := at[0]; i < at[1]; i++ {
			out[i] = '1'
		}
	})
}

// closeType makes a semicolon of the line break behind the brace that closes the type whose first line ends
// at at: the first one in the same column. It gives the number of bytes that it looked through.
func closeType(out []byte, at int) int {
	line := out[bytes.LastIndexByte(out[:at], '\n')+1 : at]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	closing := append(append([]byte{'\n'}, indent...), '}')
	n := bytes.Index(out[at:], closing)
	if n < 0 {
		return len(out) - at
	}
	if end := at + n + len(closing); end < len(out) && (out[end] == '\n' || out[end] == '\r') {
		out[end] = ';'
	}
	return n
}
