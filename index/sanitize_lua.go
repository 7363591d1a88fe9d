package index

import "regexp"

// newerLua is what the grammar, of Lua 5.1, does not know: attributes of locals, jumps and their labels.
var newerLua = regexp.MustCompile(`<[ \t]*(?:const|close)[ \t]*>|\bgoto[ \t]+[A-Za-z_]\w*|::[ \t]*[A-Za-z_]\w*[ \t]*::`)

// sanitizeLua takes away what is newer than the grammar. None of it defines anything.
func sanitizeLua(src []byte) []byte {
	return rewrite(src, "", newerLua, func(out []byte, at []int) { erase(out, at[0], at[1]) })
}
