package index

import "regexp"

var funInterface = regexp.MustCompile(`\b(fun)[ \t\r\n]+interface\b`)

// sanitizeKotlin takes the fun from fun interface, which the grammar does not know.
func sanitizeKotlin(src []byte) []byte {
	return rewrite(src, funInterface, func(out []byte, at []int) { erase(out, at[2], at[3]) })
}
