package index

import (
	"bytes"
	"regexp"
)

// scriptTags are the first tag of a script, with its attributes, the last, and comments.
var scriptTags = regexp.MustCompile(`(?is)<!--.*?-->|<script((?:\s+(?:"[^"]*"|'[^']*'|[^"'>])*)?)>|</script\s*>`)

// data are the types of a script that is none.
var data = regexp.MustCompile(`(?i)\btype\s*=\s*["']?(?:[\w.+-]*/)?(?:[\w.+-]*json|importmap|speculationrules|html|text|x-template|plain)\b`)

// sanitizeComponent leaves of a component of Svelte or Vue its scripts: everything else becomes spaces.
func sanitizeComponent(src []byte) []byte {
	out := bytes.Clone(src)
	from, inside := 0, false
	for _, at := range scriptTags.FindAllSubmatchIndex(src, -1) {
		switch opens := at[2] >= 0; {
		case !inside && opens && !data.Match(src[at[2]:at[3]]):
			erase(out, from, at[1])
			inside = true
		case inside && !opens && src[at[0]+1] == '/':
			from, inside = at[0], false
		}
	}
	if !inside {
		erase(out, from, len(out))
	}
	return out
}
