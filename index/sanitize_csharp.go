package index

import "regexp"

// bodyless are types without a body, with what stands before them in the line.
var bodyless = regexp.MustCompile(`(?:\brecord[ \t]+)?((?:\b(?:public|internal|private|protected|file|static|sealed|abstract|partial|unsafe|readonly|ref)[ \t]+)*\b(?:class|struct|interface)[ \t]+)[A-Za-z_]\w*[^{};="]*;`)

// appDirectives configure a program of one file.
var appDirectives = regexp.MustCompile(`(?m)^#:[^\r\n]*`)

// sanitizeCSharp makes records of the types without a body, class Two(int a);, which are newer than the
// grammar; the query tells them apart by the source. #:package lines are, too.
func sanitizeCSharp(src []byte) []byte {
	out := rewrite(src, "#:", appDirectives, func(out []byte, at []int) { erase(out, at[0], at[1]) })
	return rewrite(out, "", bodyless, func(out []byte, at []int) {
		start := at[2]
		switch {
		case at[0] < start: // a record
			return
		case at[3]-start > len("record"):
		case start > 1 && isSpace(out[start-1]) && !IsWord(out[start-2]):
			start--
		default:
			return
		}
		erase(out, start, at[3])
		copy(out[start:], "record")
	})
}
