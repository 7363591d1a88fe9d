package index

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// sanitizers by the path that selects them.
var sanitizers = map[string]func([]byte) []byte{"x.cc": sanitizeC, "x.rs": sanitizeRust}

// checkSanitized: the same length, the same line breaks, no byte made up but for the few words that
// stand in for macros, the argument unchanged.
func checkSanitized(t *testing.T, name string, src []byte) {
	t.Helper()
	before := bytes.Clone(src)
	out := sanitizers[name](src)
	switch {
	case !bytes.Equal(src, before):
		t.Errorf("%s: the source was changed", name)
	case len(out) != len(src):
		t.Fatalf("%s: %d bytes became %d", name, len(src), len(out))
	}
	for i := range out {
		if (out[i] == '\n') != (src[i] == '\n') || (out[i] == '\r') != (src[i] == '\r') {
			t.Fatalf("%s: line break at %d: %q became %q", name, i, src[i], out[i])
		}
		if out[i] != src[i] && !strings.ContainsRune(" abcdefghijklmnopqrstuvwxyz_();", rune(out[i])) {
			t.Fatalf("%s: %q at %d became %q", name, src[i], i, out[i])
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, l := range []string{"c", "cpp", "rust"} {
		for _, name := range []string{"definitions", "broken", "macros"} {
			if data, err := os.ReadFile("languages/" + l + "/" + name + ".txtar"); err == nil {
				f.Add(data)
			}
		}
	}
	f.Add([]byte("class A B"))
	f.Add([]byte("#if\n#else"))
	f.Add([]byte("template <AA("))
	f.Add([]byte("cfg_if! { if"))
	f.Add([]byte("AA AA(AA) R\"x("))
	f.Fuzz(func(t *testing.T, src []byte) {
		for name := range sanitizers {
			checkSanitized(t, name, src)
		}
		isCPlusPlus(src)
	})
}

// Looking ahead must not make the time grow with the square of the file: 1 MiB of each of these would
// run into the test's time limit then, and takes milliseconds.
// CASES P2.
func TestSanitizeIsLinear(t *testing.T) {
	for _, unit := range []string{"AA(", "(", "AA ", "AA\n", "class ", "class AA ", "template <", "AA() ", "a() ", "#if\nx\n#else\n",
		"#if\n", "enum AA(", "AA<", "operator ", "cfg_if!{", "a;", "a!{", "#[a]", "#[", "/*", "R\"(", "'", "public ", "AA:",
		"template AA ", "x AA(1) ", "[[", "{", "}", "struct AA {", "a\\\n", "friend AA ", "!{ /*", "cfg_if!{a;", "aa::"} {
		src := []byte("x! {}" + strings.Repeat(unit, 1<<20/len(unit)))
		for _, sanitize := range sanitizers {
			sanitize(src)
		}
		isCPlusPlus(src)
	}
}

// CASES P15.
func TestHeaderLanguage(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "c"},
		{"int f(int x);\nstruct s { int class; };\n", "c"},
		{"#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n", "c"},
		{"#ifdef __cplusplus\nnamespace a { class B {}; }\n#else\nint f(void);\n#endif\n", "c"},
		{"#if defined(__cplusplus) && X\ntemplate <class T> struct S;\n#endif\n", "c"},
		{"/* a::b, class X { */ int f(void); // template <\nconst char *s = \"namespace x {\";\n", "c"},
		{"#include <string.h>\n#include <sys/types.h>\n", "c"},
		{"int operator, template, new, public;\nvoid using(void);\n", "c"},
		{"enum e { private, protected };\nint x = private ? public : protected;\n", "c"},
		{"class W {\n};\n", "cpp"},
		{"class API_EXPORT W final : public V {};\n", "cpp"},
		{"class W;\nW *make(void);\n", "cpp"},
		{"namespace a {\nint f(int);\n}\n", "cpp"},
		{"inline namespace {}\n", "cpp"},
		{"template <typename T> T max(T, T);\n", "cpp"},
		{"#include <vector>\nint f();\n", "cpp"},
		{"std::size_t f();\n", "cpp"},
		{"#ifndef __cplusplus\n#error C++\n#endif\nusing size = int;\n", "cpp"},
		{"struct S { virtual void f() = 0; };\n", "cpp"},
		{"struct S {\npublic:\n int x; };\n", "cpp"},
		{"bool operator==(S a, S b);\n", "cpp"},
		{"constexpr int x = 1;\n", "cpp"},
	} {
		if got := Language("a/x.h", []byte(c.src)); got != c.want {
			t.Errorf("%q: %s, want %s", c.src, got, c.want)
		}
	}
	for name, want := range map[string]string{"x.c": "c", "x.cc": "cpp", "x.hpp": "cpp", "X.HPP": "cpp", "x.cpp": "cpp"} {
		if got := Language(name, []byte("int x;\n")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
