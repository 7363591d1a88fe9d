package index

import "regexp"

var (
	funInterfaces = regexp.MustCompile(`\b(fun)[ \t\r\n]+interface\b`)
	binaries      = regexp.MustCompile(`\b0[bB][01_]+`)

	// constructed are the annotations of a constructor: class A @Inject constructor(b: B).
	constructed = regexp.MustCompile(`((?:@[\w.]+(?:\([^()\n]*\))?\s*)+(?:(?:private|internal|protected|public)\s+)?)constructor[ \t]*\(`)
)

// sanitizeKotlin takes away what the grammar does not know: the fun of fun interface, the annotations of
// constructors, binary numbers.
func sanitizeKotlin(src []byte) []byte {
	out := rewrite(src, funInterfaces, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, constructed, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	return rewrite(out, binaries, func(out []byte, at []int) {
		for i := at[0]; i < at[1]; i++ {
			out[i] = '1'
		}
	})
}
