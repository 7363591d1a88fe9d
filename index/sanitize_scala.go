package index

import "regexp"

var (
	// injected are the annotations of a constructor: class A @Inject() (b: B).
	injected = regexp.MustCompile(`\bclass[ \t]+\w+(?:\[[^\]\n]*\])?\s*((?:@\w+(?:\([^()\n]*\))?\s*)+)(?:(?:private|protected)(?:\[\w+\])?\s*)?\(`)

	// annotated are those of a parameter.
	annotated = regexp.MustCompile(`[(,]\s*(@\w+(?:\([^()\n]*\))?)\s+(?:(?:override|private|protected|val|var)\s+)*\w+\s*:`)
)

// sanitizeScala takes the annotations of constructors and parameters away: the grammar knows only those of
// whole definitions.
func sanitizeScala(src []byte) []byte {
	out := rewrite(src, "@", injected, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	return rewrite(out, "@", annotated, func(out []byte, at []int) { erase(out, at[2], at[3]) })
}
