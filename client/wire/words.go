package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Thousands prints n as 1,204.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count is n with its noun: 1 file, 1,204 files.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return Thousands(n) + " " + stem + "ies"
	}
	return Thousands(n) + " " + noun + "s"
}

// Clip is text of at most n bytes; of a longer one those, cut between characters, and … behind them.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
