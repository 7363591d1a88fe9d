package index

import "regexp"

const proto3 = `syntax="proto3";`

var (
	// leading is what stands before the first word of a file.
	leading = regexp.MustCompile(`\A(?:\s|\xef\xbb\xbf|//[^\n]*\n?|/\*(?s:.*?)\*/)*`)

	// syntaxClause is the first statement, when it says what language the file is in.
	syntaxClause = regexp.MustCompile(`\A(?:syntax|edition)\s*=\s*(?:"[^"\n]*"|'[^'\n]*')\s*;`)

	// sacrificed is a first statement that can make room for the clause, where the comments cannot.
	sacrificed = regexp.MustCompile(`\A(?:import|option|package)\b[^;{}\n]*;`)

	extensions = regexp.MustCompile(`(?m)^[ \t]*(extensions)\s+\d`)
	required   = regexp.MustCompile(`(?m)\b(required)\s+[\w.]+\s+\w+\s*=`)
	groups     = regexp.MustCompile(`\b(optional|required|repeated)\s+(group)\s+\w+\s*(=\s*\d+)\s*\{`)
	adjacent   = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"((?:\s+"(?:[^"\\\n]|\\.)*")+)`)
	extends    = regexp.MustCompile(`(?m)^[ \t]*(extend\s+[\w.]+)\s*\{`)
)

// sanitizeProtobuf makes proto2 and editions proto3, the only language that the grammar reads: without the
// clause that says so, and it must be the first statement, it finds nothing at all. A file without a
// clause gives the comments at its top, or its first statement, for one. Of strings in a row it leaves the first.
func sanitizeProtobuf(src []byte) []byte {
	at := len(leading.Find(src))
	out := rewrite(src, "group", groups, func(out []byte, at []int) {
		erase(out, at[2], at[7])
		copy(out[at[2]:], "message")
		copy(out[at[5]:at[6]], src[at[5]:at[6]])
	})
	out = rewrite(out, "extensions", extensions, func(out []byte, at []int) { copy(out[at[2]:], "reserved  ") })
	out = rewrite(out, "required", required, func(out []byte, at []int) { copy(out[at[2]:], "optional") })
	out = rewrite(out, "extend", extends, func(out []byte, at []int) {
		if at[3]-at[2] >= len("message x") {
			erase(out, at[2], at[3])
			copy(out[at[2]:], "message x")
		}
	})
	out = rewrite(out, `"`, adjacent, func(out []byte, at []int) { erase(out, at[2], at[3]) })
	found := syntaxClause.Find(out[at:])
	start, end := at, at+len(found)
	if found == nil {
		start, end = 0, at
		if end < len(proto3) {
			end += len(sacrificed.Find(out[at:]))
		}
	}
	if end-start >= len(proto3) {
		out = append([]byte(nil), out...)
		erase(out, start, end)
		copy(out[start:], proto3)
	}
	return out
}
