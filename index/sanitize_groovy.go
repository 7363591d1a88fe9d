package index

import "regexp"

var (
	// docComments open a comment that the grammar cannot read when it is short.
	docComments = regexp.MustCompile(`/\*\*`)

	// traits and what a type implements.
	traits     = regexp.MustCompile(`(?m)^[ \t]*(?:(?:public|abstract|static|@\w+)[ \t]+)*(trait)[ \t]+[A-Z]`)
	implements = regexp.MustCompile(`\b(?:class|trait|enum|interface)[ \t]+\w[^{}();]*?(\bimplements\b[^{}();]*)\{`)

	// arguments of annotations.
	arguments = regexp.MustCompile(`@[A-Z][\w.]*(\((?:[^()]|\([^()]*\))*\))`)

	// repeated are the annotations after the first.
	repeated = regexp.MustCompile(`@[A-Z][\w.]*[ \t]*\s\s*((?:@[A-Z][\w.]*[ \t]*\s\s*)+)`)

	// typeParameters of a method.
	typeParameters = regexp.MustCompile(`\b(?:def[ \t]+|(?:static|public|private|protected|final)[ \t]+)(<[^<>(){};=]*(?:<[^<>(){};=]*>[^<>(){};=]*)*>)[ \t]+\w`)

	// types are the names that classes and enums get; constructors begin with one, and modifiers.
	types        = regexp.MustCompile(`\b(?:class|enum)[ \t]+([A-Z]\w*)`)
	constructors = regexp.MustCompile(`(?m)^([ \t]+(?:(?:public|private|protected)[ \t]+)?)([A-Z]\w*)[ \t]*\([^{}]*\)[^{};]*\{`)

	// quotedNames are those of methods: def "adds two numbers"().
	quotedNames = regexp.MustCompile(`(?m)^[ \t]*(?:(?:def|void|public|private|protected)[ \t]+)+("(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')[ \t]*\(`)
)

// sanitizeGroovy makes of what the grammar does not know something of the same length that it does.
func sanitizeGroovy(src []byte) []byte {
	out := rewrite(src, "/**", docComments, func(out []byte, at []int) { out[at[1]-1] = ' ' })
	out = rewrite(out, "implements", implements, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, "trait", traits, func(out []byte, at []int) { copy(out[at[2]:], "class") })
	out = rewrite(out, "<", typeParameters, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, "@", arguments, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = rewrite(out, "@", repeated, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	out = groovyConstructors(out)
	return rewrite(out, "(", quotedNames, func(out []byte, at []int) {
		for i := at[2]; i < at[3]; i++ {
			out[i] = '_'
		}
	})
}

// groovyConstructors gives constructors the def of a method, in the place of what stands before them.
func groovyConstructors(src []byte) []byte {
	named := map[string]bool{}
	for _, m := range types.FindAllSubmatch(src, -1) {
		named[string(m[1])] = true
	}
	if len(named) == 0 {
		return src
	}
	return rewrite(src, "{", constructors, func(out []byte, at []int) {
		if named[string(src[at[4]:at[5]])] && at[3]-at[2] >= len("def ") {
			erase(out, at[2], at[3])
			copy(out[at[3]-len("def "):], "def ")
		}
	})
}
