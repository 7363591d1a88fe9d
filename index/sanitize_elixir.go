package index

import "regexp"

// moduleHeads name a module that is nested by its name, with the names of the modules around it.
var moduleHeads = regexp.MustCompile(`\bdef(?:module|protocol|impl)[ \t(]+([A-Z]\w*(?:\.[A-Z]\w*)+)`)

// sanitizeElixir makes commas of the dots in the name of a module at its definition. To the grammar A.B.C is
// one token; like this it gives A and B for containers and C for the name by which others refer to it.
func sanitizeElixir(src []byte) []byte {
	return rewrite(src, "def", moduleHeads, func(out []byte, at []int) {
		for i := at[2]; i < at[3]; i++ {
			if out[i] == '.' {
				out[i] = ','
			}
		}
	})
}
