package index

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// sound checks what must hold of any text: tokens in order, none over another; ranges around a place within each other,
// from the place to all; folds of more than one line.
func sound(t *testing.T, path string, src []byte) {
	t.Helper()
	f := Build(path, src)
	s := ReadSyntax(path, src)
	if s == nil {
		return
	}
	end := uint32(0)
	for _, x := range s.Tokens(f) {
		if x.Start < end || x.End <= x.Start || int(x.End) > len(src) {
			t.Fatalf("%s: token %+v behind %d of %d bytes", path, x, end, len(src))
		}
		end = x.End
	}
	for _, x := range s.Folds(f) {
		if x.Start >= x.End || int(x.End) > len(src) {
			t.Fatalf("%s: fold %+v of %d bytes", path, x, len(src))
		}
	}
	for offset := 0; offset <= len(src); offset += 1 + len(src)/10 {
		var inner *Range
		for _, r := range s.Around(offset) {
			if inner != nil && (r.Start > inner.Start || r.End < inner.End || r == *inner) || int(r.Start) > offset || int(r.End) < offset {
				t.Fatalf("%s: %v around %v at %d", path, r, inner, offset)
			}
			inner = &r
		}
	}
}

// Every sample of every language, whole and cut short.
func TestSyntaxOfAllLanguages(t *testing.T) {
	archives, err := filepath.Glob("languages/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			sound(t, f.Name, f.Data)
			sound(t, f.Name, f.Data[:len(f.Data)*2/3])
		}
	}
}

func FuzzSyntax(f *testing.F) {
	for _, s := range []string{"", "def f(\n", "func f() {\n\tx := `a\nb`\n}\n", "a {{{ }} \n\r\n", "/* c", "\xff\xfe", "x = \"é😀\"\n"} {
		for _, path := range []string{"a.py", "a.go", "a.ts", "a.c", "a.md"} {
			f.Add(path, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, path string, src []byte) { sound(t, path, src) })
}
