package index

import "regexp"

// escapes in a name: \: or a code point, which a space may end.
var escapes = regexp.MustCompile(`\\(?:[0-9a-fA-F]{1,6} ?|[^0-9a-fA-F\r\n])`)

// sanitizeCSS makes escapes letters, which the grammar has no names with: .hover\:red, .\31 st.
func sanitizeCSS(src []byte) []byte {
	return rewrite(src, "\\", escapes, func(out []byte, at []int) {
		for i := at[0]; i < at[1]; i++ {
			out[i] = 'x'
		}
	})
}
