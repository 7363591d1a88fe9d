package index

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

var (
	// aliases are an alias command up to the = of its first alias: the word alias, the alias.
	aliases = regexp.MustCompile("(?m)(?:^|[\\s;&|(])(alias)(?:[ \\t]+-\\w+)*(?:[ \\t]+--)?[ \\t]+([^\\s=;|&'\"`$()<>]+)=")

	// anonymous functions, tests of what is set, and qualifiers of patterns are zsh's.
	anonymous  = regexp.MustCompile(`(?m)^[ \t]*(function|\(\))[ \t]*\{`)
	tests      = regexp.MustCompile(`\$\{?(\+)\w`)
	qualifiers = regexp.MustCompile(`[\w*/](\([NDn./@*]+\))`)
)

// sanitizeBash makes alias x=y the declaration local x=y, to the grammar alias is a command like any
// other, with x=y for an argument; the query tells the two apart by the source. It writes what only zsh
// has in words of Bash. And it keeps the grammar's scanner from asking the C library whether a
// character is a digit that is not one byte, which reads outside of a table: see sanitizeMarkdown.
func sanitizeBash(src []byte) []byte {
	out := bytes.Clone(src)
	for _, at := range aliases.FindAllSubmatchIndex(src, -1) {
		copy(out[at[2]:at[3]], "local")
		for i := at[4]; i < at[5]; i++ {
			if !asciiWord(out[i]) || i == at[4] && '0' <= out[i] && out[i] <= '9' {
				out[i] = '_'
			}
		}
	}
	for _, pattern := range []*regexp.Regexp{anonymous, qualifiers} {
		for _, at := range pattern.FindAllSubmatchIndex(src, -1) {
			erase(out, at[2], at[3])
		}
	}
	for _, at := range tests.FindAllSubmatchIndex(src, -1) {
		out[at[2]] = '_'
	}
	expansions(out)
	for i, b := range out {
		if b >= utf8.RuneSelf {
			out[i] = 'x'
		}
	}
	return out
}

// expansions fills those that are zsh's, ${(f)x} and ${${x}%y}, with letters.
func expansions(out []byte) {
	for at := 0; at+2 < len(out); at++ {
		if out[at] != '$' || out[at+1] != '{' || out[at+2] != '(' && out[at+2] != '$' && out[at+2] != '=' && out[at+2] != '~' {
			continue
		}
		depth := 0
		for end := at + 1; end < min(len(out), at+128) && out[end] != '\n'; end++ {
			if out[end] == '{' {
				depth++
			}
			if out[end] == '}' {
				if depth--; depth == 0 {
					for i := at + 2; i < end; i++ {
						out[i] = 'x'
					}
					at = end
					break
				}
			}
		}
	}
}
