package index

import (
	"bytes"
	"regexp"
)

var (
	// foreignKeys have a name that the grammar does not expect.
	foreignKeys = regexp.MustCompile(`(?i)\b(constraint\s+(?:\w+|"[^"\n]*"|\x60[^\x60\n]*\x60|\[[^\]\n]*\]))\s+foreign\s+key\b`)
	procedures  = regexp.MustCompile(`(?i)\bcreate\s+(?:or\s+(?:replace|alter)\s+)?(procedure)\s`)

	// sqlBracketed names, and the word that ends a batch, are Microsoft's.
	sqlBracketed = regexp.MustCompile(`\[([A-Za-z_][\w ]*)\]`)
	batches      = regexp.MustCompile(`(?mi)^[ \t]*(go)[ \t]*\r?$`)
)

// sanitizeSQL makes of what the grammar does not know something of the same length that it does.
func sanitizeSQL(src []byte) []byte {
	out := rewrite(src, "[", sqlBracketed, func(out []byte, at []int) {
		out[at[0]], out[at[1]-1] = ' ', ' '
		for i := at[2]; i < at[3]; i++ {
			if out[i] == ' ' {
				out[i] = '_'
			}
		}
	})
	out = rewrite(out, "", foreignKeys, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, "", procedures, func(out []byte, at []int) { copy(out[at[2]:], "function ") })
	return rewrite(out, "", batches, func(out []byte, at []int) {
		if bytes.HasSuffix(bytes.TrimSpace(out[:at[2]]), []byte{';'}) {
			erase(out, at[2], at[3])
		} else {
			copy(out[at[2]:], "; ")
		}
	})
}
