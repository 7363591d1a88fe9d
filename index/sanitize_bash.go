package index

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// aliases are an alias command up to the = of its first alias: the word alias, the alias.
var aliases = regexp.MustCompile("(?m)(?:^|[\\s;&|(])(alias)(?:[ \\t]+-\\w+)*(?:[ \\t]+--)?[ \\t]+([^\\s=;|&'\"`$()<>]+)=")

// sanitizeBash makes alias x=y the declaration local x=y, to the grammar alias is a command like any
// other, with x=y for an argument; the query tells the two apart by the source. And it keeps the grammar's
// scanner from asking the C library whether a character is a digit that is not one byte, which reads
// outside of a table: see sanitizeMarkdown.
func sanitizeBash(src []byte) []byte {
	out := rewrite(src, aliases, func(out []byte, at []int) {
		copy(out[at[2]:at[3]], "local")
		for i := at[4]; i < at[5]; i++ {
			if !asciiWord(out[i]) || i == at[4] && '0' <= out[i] && out[i] <= '9' {
				out[i] = '_'
			}
		}
	})
	copied := len(src) > 0 && &out[0] != &src[0]
	for i, b := range out {
		if b >= utf8.RuneSelf {
			if !copied {
				out, copied = bytes.Clone(out), true
			}
			out[i] = 'x'
		}
	}
	return out
}
