package wire

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParseAddress(t *testing.T) {
	for s, want := range map[string]Address{
		"repo:m.py":                             {Ref: "repo:m.py"},
		"repo:m.py --lines 4:5@07407f1c":        {Ref: "repo:m.py", Lines: "4:5@07407f1c"},
		" ctx get repo:m.py --span b34a0fcd32 ": {Ref: "repo:m.py", Span: "b34a0fcd32"},
		"snapshot:cf3db50116cd --bytes 1:20":    {Ref: "snapshot:cf3db50116cd", Bytes: "1:20"},
		"m.py --symbol Stack.push":              {Ref: "m.py", Symbol: "Stack.push"},
		"a --lines b --lines 1:2":               {Ref: "a --lines b", Lines: "1:2"},
		"":                                      {},
		"--lines 1:2":                           {Ref: "--lines 1:2"},
	} {
		if got := ParseAddress(s); got != want {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
	}
}

func TestEncodePath(t *testing.T) {
	for path, want := range map[string]string{
		"a/b-c_d.py": "a/b-c_d.py", "50% #1:2": "50%25%20%231%3A2", "naïve/文": "naïve/文",
		"\xff\n\x1b": "%FF%0A%1B", "a\u202eb": "a%E2%80%AEb", "\u00a0": "%C2%A0", "'\"`$": "%27%22%60%24", "\ufffd": "�",
	} {
		if got := EncodePath(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	for s, want := range map[string]string{"100%": "100%", "%zz": "%zz", "%4": "%4", "%41%4": "A%4", "%c3%a9": "é"} {
		if got := DecodePath(s); got != want {
			t.Errorf("decode %q: %q, want %q", s, got, want)
		}
	}
}

// Any bytes come back from their reference, which is printable, and a whole address is taken
// apart as it was put together.
func FuzzPathRoundTrip(f *testing.F) {
	for _, seed := range []string{"m.py", "a b", "50%25", "#x", "x:4", "a\nb", "\xff\xfe", "\u202e", " --lines 1:2", "ctx get ", "%", "\ufffd", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		ref := RepoRef(path)
		encoded, ok := strings.CutPrefix(ref, "repo:")
		if !ok || DecodePath(encoded) != path {
			t.Fatalf("%q: %q names %q", path, ref, DecodePath(encoded))
		}
		for _, r := range ref {
			if r == ' ' || !unicode.IsGraphic(r) {
				t.Fatalf("%q: %q holds %U", path, ref, r)
			}
		}
		if !utf8.ValidString(ref) {
			t.Fatalf("%q: %q", path, ref)
		}
		want := Address{Ref: ref, Lines: "4:5@07407f1c"}
		if got := ParseAddress(ref + " --lines 4:5@07407f1c"); got != want {
			t.Fatalf("%q: %+v", path, got)
		}
	})
}
