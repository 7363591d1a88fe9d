package index

import (
	"bytes"
	"cmp"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Each row is a rule: what it keeps (may) or drops, and why.
func TestMayDefine(t *testing.T) {
	const body = "package p\nfunc f() {\n"
	for _, c := range []struct {
		why, path, src string
		may            bool
	}{
		{"no mention", "a.go", "package p\nfunc f() {}", false},
		{"part of a longer word", "a.go", "package p\nfunc Foot() { aFoo() }", false},
		{"no language, no definition", "a.unknown", "Foo", false},
		{"a byte order mark is no letter", "a.py", "\ufeffFoo = 1", true},
		{"a letter beyond ASCII may be none", "a.py", "\u00a0Foo = 1", true},
		{"a number ends inside a word", "a.go", "package p\nfunc 4Foo() {}", true},
		{"so does its exponent", "a.go", "package p\nfunc 1.e5Foo() {}", true},
		{"a conversion ends inside a word", "a.py", "def ge!tFoo(): pass", true},
		{"a broken rune ends inside a word", "a.go", "package p\nfunc x'xFoo() {}", true},
		{"a word of hundreds of bytes", "a.py", strings.Repeat("x", 300) + "Foo = 1", true},
		{"a string key is a word", "a.go", "package p\nvar x = T{\"xFoo\": 1}", false},

		{"function", "a.go", "package p\nfunc Foo() {}", true},
		{"method", "a.go", "package p\nfunc (t *T) Foo() {}", true},
		{"generic function", "a.go", "package p\nfunc Foo[T any](x T) {}", true},
		{"receiver, parameters, results", "a.go", "package p\nfunc (Foo *Foo) f(Foo Foo) (Foo, error) { }", false},
		{"type in a function", "a.go", body + "type Foo int\n}", true},
		{"type in a group", "a.go", "package p\ntype (\n\tA int\n\tFoo int\n)", true},
		{"field", "a.go", "package p\ntype T struct {\n\ta, Foo int\n}", true},
		{"embedded field", "a.go", "package p\ntype T struct {\n\tx.Foo\n}", true},
		{"field in a value", "a.go", "package p\nvar x = struct{ Foo int }{}", true},
		{"interface method", "a.go", "package p\ntype T interface { Foo() }", true},
		{"constant, variable", "a.go", "package p\nconst (\n\ta = iota\n\tFoo\n)", true},
		{"variable in a function: the grammar lists it where the head is broken", "a.go", body + "var Foo int\n}", true},
		{"value", "a.go", "package p\nvar a, b = x.Foo, Foo + 1", false},
		{"call", "a.go", body + "a, err := x.Foo(Foo)\nreturn Foo()\n}", false},
		{"key of a literal", "a.go", body + "return T{Foo: 1}\n}", false},
		{"local variable, label, case", "a.go", body + "Foo := 1\nFoo:\nfor Foo := range Foo {\nswitch Foo {\ncase Foo: break Foo\n}\n}\n}", false},
		{"assertion", "a.go", body + "switch x := Foo.(type) {\ncase Foo:\n}\n}", false},
		{"result of a literal", "a.go", body + "g(func(x int) Foo { })\n}", false},
		{"comments and strings", "a.go", "package p\n// func Foo() {}\n/* Foo */ var x = `\nfunc Foo() {}` + \"Foo\" + `'`", false},
		{"package and imports", "a.go", "package Foo\nimport Foo \"Foo\"\nimport (\n\t. \"x\"\n\tFoo \"Foo\"\n)", false},
		{"a name of several tokens", "a.go", body + "os.Foo()\n}", false},
		{"CR LF", "a.go", "package p\r\nfunc f() {\r\n\tx.Foo()\r\n}\r\n", false},

		{"CR alone: the grammar reads other lines", "a.go", "package p\rfunc f() { Foo() }\n", true},
		{"not UTF-8", "a.go", body + "x(\"\xff\", Foo)\n}", true},
		{"letters beyond ASCII", "a.go", body + "\u00b5 := Foo\n}", true},
		{"a keyword as a name", "a.go", "package p\nvar func Foo() {}", true},
		{"tokens that the grammar skips", "a.go", "package p\nfunc x, err := os.Foo() {}", true},
		{"a brace is missing", "a.go", "package p\ntype T struct {\n\ta int\n\nfunc f() {\n\tx.Foo()\n}", true},
		{"a bracket too many", "a.go", body + "x.Foo())\n}", true},
		{"statements in a struct", "a.go", "package p\ntype T struct {\n{Name: \"Foo\"},\n}", true},
		{"two operands", "a.go", body + "a b\nx.Foo()\n}", true},
		{"an operand is missing", "a.go", body + "a := \nif x { x.Foo() }\n}", true},
		{"a declaration goes on over a line break", "a.go", "package p\nimport \"math\" ,\nfunc () Foo()\n", true},
		{"what comes behind is not read", "a.go", body + "x.Foo()\n}\nfunc func(", false},
		{"a bracket at the start of a line that ends nothing", "a.go", body + "x.Foo(func() {\n}, `\n)`, Foo)\n}\n", false},
		{"statement between declarations", "a.go", "package p\nx.Foo()\n", true},
		{"misread by the grammar: [P *T]", "a.go", "package p\ntype x [Foo *T]struct{}", true},

		{"the other languages have no rule yet", "a.py", "x.Foo()", true},
	} {
		src, names := []byte(c.src), [][]byte{[]byte("Foo"), []byte("os.Foo")}
		if got := MayDefine(c.path, src, names...); got != c.may {
			t.Errorf("%s: %v\n%s", c.why, got, c.src)
		}
		for _, d := range Build(c.path, src).Defs {
			if d.Name == "Foo" && !c.may {
				t.Errorf("%s: Build lists a %v\n%s", c.why, d.Kind, c.src)
			}
		}
	}
	if MayDefine("a.go", []byte("package p\nfunc f() {}"), nil, []byte{}) {
		t.Error("no name may be defined")
	}
}

// checkMayDefine: what Build lists may be defined. In large files it asks for as many of the names, evenly, as
// searching 1 MiB takes.
func checkMayDefine(t *testing.T, path string, src []byte) (f *File) {
	t.Helper()
	f = Build(path, src)
	known := map[string]bool{}
	for i := 0; i < len(f.Defs); i += 1 + len(f.Defs)*len(src)>>20 {
		d := f.Defs[i]
		if !known[d.Name] && !MayDefine(path, src, []byte(d.Name)) {
			t.Errorf("%s: %v %q is listed at %d", path, d.Kind, d.Name, d.NameStart)
		}
		known[d.Name] = true
	}
	return f
}

// trees reads source files: of the test archives, one in every of GOROOT/src, and all of the directories in CTX_TREES,
// separated as in PATH.
func trees(t *testing.T, every int, each func(path string, src []byte)) {
	for _, f := range archived(t) {
		each(f.Name, unescape(f.Data))
	}
	roots := append(filepath.SplitList(os.Getenv("CTX_TREES")), filepath.Join(runtime.GOROOT(), "src"))
	for i, root := range roots {
		n := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || Language(path, nil) == "" {
				return err
			}
			if n++; i == len(roots)-1 && n%every != 0 {
				return nil
			}
			src, err := os.ReadFile(path)
			if err == nil {
				each(path, src)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestMayDefineTrees(t *testing.T) {
	files, defs := 0, 0
	trees(t, 30, func(path string, src []byte) {
		files++
		defs += len(checkMayDefine(t, path, src).Defs)
	})
	if files < 200 || defs < 10_000 {
		t.Errorf("only %d files with %d definitions", files, defs)
	}
	t.Logf("%d files, %d definitions", files, defs)
}

// TestMayDefineDamaged damages files in all ways that editing passes through. CTX_MUTANTS is how many mutants are made
// of each file, 1 if unset; the seed is fixed.
func TestMayDefineDamaged(t *testing.T) {
	each, _ := strconv.Atoi(os.Getenv("CTX_MUTANTS"))
	random := rand.New(rand.NewPCG(7, 11))
	mutants, defs, broken := 0, 0, 0
	trees(t, 30, func(path string, src []byte) {
		if len(src) > 40_000 {
			return
		}
		for range cmp.Or(each, 1) {
			m := damaged(random, src)
			mutants++
			f := checkMayDefine(t, path, m)
			if defs += len(f.Defs); len(f.Errors) > 0 {
				broken++
			}
		}
	})
	if defs == 0 || broken < mutants/3 {
		t.Errorf("of %d mutants %d do not parse, %d definitions: that is no test", mutants, broken, defs)
	}
	t.Logf("%d mutants, %d of them do not parse, %d definitions", mutants, broken, defs)
}

// damaged is src with up to four tokens, lines, blocks or bytes deleted, moved, doubled or put in.
func damaged(random *rand.Rand, src []byte) []byte {
	words := strings.Fields("func type struct{ interface{ var const import class def fn impl enum export let function return if( => self. " +
		"( ) { } [ ] < > ; : , . = + - * / \" ' ` # @ ! & | \\ 0x // /* */")
	for range 1 + random.IntN(4) {
		if len(src) < 2 {
			break
		}
		at, to := random.IntN(len(src)), random.IntN(len(src))
		start, end := tokenAround(src, at)
		line, lineEnd := lineAround(src, at)
		_, blockEnd := lineAround(src, min(len(src)-1, lineEnd+random.IntN(300)))
		toLine, _ := lineAround(src, to)
		switch random.IntN(10) {
		case 0, 1:
			src = slice(src, start, end, nil)
		case 2:
			src = slice(src, line, lineEnd, nil)
		case 3:
			src = slice(src, to, to, src[start:end])
		case 4:
			src = slice(src, toLine, toLine, src[line:lineEnd])
		case 5:
			block := bytes.Clone(src[line:blockEnd])
			src = slice(src, line, blockEnd, nil)
			src = slice(src, min(toLine, len(src)), min(toLine, len(src)), block)
		case 6:
			src = slice(src, at, at+1, []byte{byte(random.IntN(256))})
		case 7:
			src = slice(src, start, start, []byte(words[random.IntN(len(words))]+" "))
		case 8:
			src = slice(src, line, line, []byte(words[random.IntN(len(words))]+" "))
		case 9:
			src = slice(src, at, min(len(src), at+1+random.IntN(200)), nil)
		}
	}
	switch random.IntN(40) {
	case 0:
		return bytes.ReplaceAll(src, []byte("\n"), []byte("\r"))
	case 1:
		return bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
	case 2:
		return slice(src, 0, 0, []byte("\xef\xbb\xbf"))
	case 3:
		return src[:random.IntN(len(src)+1)]
	}
	return src
}

// slice is src with text in place of what is between from and to.
func slice(src []byte, from, to int, text []byte) []byte {
	return bytes.Join([][]byte{src[:from], text, src[to:]}, nil)
}

func tokenAround(src []byte, at int) (start, end int) {
	for at < len(src)-1 && isSpace(src[at]) {
		at++
	}
	start, end = at, at+1
	for IsWord(src[at]) && start > 0 && IsWord(src[start-1]) {
		start--
	}
	for IsWord(src[at]) && end < len(src) && IsWord(src[end]) {
		end++
	}
	return start, end
}

func lineAround(src []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(src[:at], '\n') + 1
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return start, at + n + 1
	}
	return start, len(src)
}

// FuzzMayDefine: no bytes, broken or not, define what MayDefine rules out.
func FuzzMayDefine(f *testing.F) {
	for _, file := range archived(f) {
		f.Add(file.Name, unescape(file.Data))
	}
	f.Fuzz(func(t *testing.T, path string, src []byte) {
		if Language(path, src) == "" { // as most mutated paths: any language will do
			path = "a" + languages[len(path)%len(languages)].extensions[0]
		}
		checkMayDefine(t, path, src)
	})
}

// BenchmarkMayDefine asks all of GOROOT/src, on one core, for a name that is rare, one that is called often, and one
// that is everywhere.
func BenchmarkMayDefine(b *testing.B) {
	files := sources(b)
	size := int64(0)
	for _, src := range files {
		size += int64(len(src))
	}
	for _, name := range []string{"DesultoryRead", "ReadFile", "err"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			held, may := 0, 0
			for b.Loop() {
				held, may = 0, 0
				for path, src := range files {
					if len(mentions(src, [][]byte{[]byte(name)})) > 0 {
						held++
					}
					if MayDefine(path, src, []byte(name)) {
						may++
					}
				}
			}
			b.ReportMetric(float64(held), "held")
			b.ReportMetric(float64(may), "left")
		})
	}
}
