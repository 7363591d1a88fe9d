package wire

import (
	"os/exec"
	"testing"
)

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"repo:a/b-c_d.py:X.y": "repo:a/b-c_d.py:X.y", "m%20y.py@1+2,3=4": "m%20y.py@1+2,3=4",
		"": "''", "operator()": "'operator()'", "it's": `'it'\''s'`, "a b": "'a b'", "$HOME": "'$HOME'", "~": "'~'", "é": "'é'", "a\nb": "'a\nb'",
		"x&&y;z|!`*?[#<>\\\"{}^": "'x&&y;z|!`*?[#<>\\\"{}^'",
	} {
		got := ShellWord(word)
		if got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: sh reads %s as %q, %v", word, got, out, err)
		}
	}
}
