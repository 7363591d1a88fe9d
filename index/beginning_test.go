package index

import (
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, test := range []struct{ begins, src, want string }{
		{"get", "Get getX widget GETy get get", "Get getX GETy get"},
		{"get", "get", "get"},
		{"e", "e E _e ee", "e E ee"},
		{"ask", "a\u017f\u212a1 asK2", "a\u017f\u212a1* asK2"},
		{"\u00e9t", "\u00c9Ta \u00e9t\u00e9", "\u00c9Ta* \u00e9t*"},
		{".ne", "# .NET Core", ".NET"},
		{"a b", "A b c", "A b"},
		{"x", "1.xe 0xFFx", "xe xFFx x"}, // what is left of a number may be a name
	} {
		b, ok := NewBeginning(test.begins)
		if !ok {
			t.Fatal(test.begins)
		}
		var got []string
		for _, w := range b.Words([]byte(test.src)) {
			text := w.Text
			if w.Open {
				text += "*"
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q in %q: %q, want %q", test.begins, test.src, s, test.want)
		}
	}
	for _, bad := range []string{"", "\xff"} {
		if _, ok := NewBeginning(bad); ok {
			t.Errorf("%q is a beginning", bad)
		}
	}
}

// FuzzWords: the fast way finds what the pattern does.
func FuzzWords(f *testing.F) {
	f.Add("get", "Get getX widget GETy")
	f.Add("sk", "\u017fk SK")
	f.Add("_a", "__A _a1")
	f.Fuzz(func(t *testing.T, begins, src string) {
		b, ok := NewBeginning(begins)
		if !ok {
			return
		}
		slow := &Beginning{pattern: b.pattern}
		if got, want := fmt.Sprint(b.Words([]byte(src))), fmt.Sprint(slow.Words([]byte(src))); got != want {
			t.Errorf("%q in %q: %s, the pattern finds %s", begins, src, got, want)
		}
	})
}
