package wire

import "strings"

// ShellWord is a word as it is pasted into a shell: as it is when no shell reads anything into it,
// else in single quotes.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special says whether a shell may read something into a character: into all but the few that
// are known to be safe in every shell.
func special(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("_./:@%+,=-", r)
}
