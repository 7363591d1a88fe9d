package main

import (
	"fmt"
	"strings"
	"testing"
)

// line is one tag as ctags prints it.
func line(language, kind, name, scope, scopeKind, pattern string) string {
	return fmt.Sprintf(`{"_type": "tag", "name": %q, "path": "./a.x", "pattern": %q, "language": %q, "line": 3, "kind": %q, "scope": %q, "scopeKind": %q}`,
		name, "/^"+pattern+"$/", language, kind, scope, scopeKind)
}

func TestReadTags(t *testing.T) {
	for _, c := range []struct{ tag, want string }{
		{line("Go", "func", "Serve", "http", "package", "func Serve() {"), "Go func Serve"},
		{line("Go", "var", "_", "http", "package", "var _ = 1"), ""},
		{line("Go", "package", "http", "", "", "package http"), ""},
		{line("Python", "variable", "x", "f", "function", "    x = 1"), ""},
		{line("Python", "variable", "x", "C", "class", "    x = 1"), "Python variable x"},
		{line("Python", "function", "inner", "f", "function", "    def inner():"), "Python function inner"},
		{line("JavaScript", "function", "AnonymousFunctionb86f61d90100", "", "", "f(function() {"), ""},
		{line("C", "enum", "__anon0879eedc1003", "", "", "enum { A };"), ""},
		{line("C", "local", "i", "main", "function", "  int i;"), ""},
		{line("C++", "function", "operator []", "A", "class", "  int operator[](int i) {"), "C++ function operator[]"},
		{line("C++", "function", "operator bool", "A", "class", "  operator bool() {"), "C++ function operator bool"},
		{line("C++", "function", "operator new", "A", "class", "  void* operator new(size_t) {"), "C++ function operator new"},
		{line("C++", "function", "TEST", "", "", "TEST(suite, name) {"), "C++ function TEST, call of a macro"},
		{line("C++", "function", "TEST", "", "", "int TEST(int a) {"), "C++ function TEST"},
		{line("C", "function", "DEFINE_x", "", "", "DEFINE_x(int)") + "\n" + line("C", "macro", "DEFINE_x", "", "", "#define DEFINE_x(t) t f() {}"),
			"C function DEFINE_x, call of a macro; C macro DEFINE_x"},
		{line("C", "function", "main", "", "", "main(void) {"), "C function main"},
		{line("C", "prototype", "DECLARE", "", "", "DECLARE(int);"), "C prototype DECLARE, call of a macro"},
		{line("TypeScript", "constant", "x", "", "", "const x = 1"), "TypeScript constant x"},
		{line("TypeScript", "constant", "x", "", "", "    const x = 1"), "TypeScript constant x, local in a function"},
		{line("TypeScript", "constant", "symbol", "", "", "export const A: unique symbol = Symbol("), "TypeScript constant symbol, misread by ctags"},
		{line("TypeScript", "alias", "App", "", "", "import { type App } from 'vue'"), "TypeScript alias App, misread by ctags"},
		{line("TypeScript", "alias", "App", "", "", "export { Text, type App } from 'vue'"), "TypeScript alias App, misread by ctags"},
		{line("TypeScript", "alias", "App", "", "", "export type App = X"), "TypeScript alias App"},
		{line("TypeScript", "enumerator", "x9", "Codes", "enum", "  Tab = 0x9,"), "TypeScript enumerator x9, misread by ctags"},
		{line("TypeScript", "enumerator", "Tab", "Codes", "enum", "  Tab = 0x9,"), "TypeScript enumerator Tab"},
		{line("TypeScript", "property", "x", "A", "class", "    x = 1"), "TypeScript property x"},
		{line("Rust", "function", "TEST", "", "", "TEST(x)"), "Rust function TEST"},
		{line("C", "function", "f", "", "", "void f() {") + "\n" + line("C", "enumerator", "A", "f::__anon1", "enum", "  enum { A };"),
			"C function f; C enumerator A, local in a function"},
		{line("C", "function", "f", "", "", "void f() {") + "\n" + line("C", "enumerator", "A", "f::colour", "enum", "  enum colour { A };"),
			"C function f; C enumerator A"},
		{line("C", "function", "colour", "", "", "int colour() {") + "\n" + line("C", "enumerator", "A", "colour", "enum", "  A,"),
			"C function colour; C enumerator A"},
		{line("C", "enumerator", "A", "__anon1", "enum", "enum { A };"), "C enumerator A"},
		{line("C", "enumerator", "A", "colour", "enum", "  A,"), "C enumerator A"},
		{strings.Replace(line("C++", "macro", "X", "", "", "#define X"), "./a.x", "./a.h.in", 1), "C++ macro X, in a template (.in)"},
		{`{"_type": "ptag", "name": "TAG_FILE_FORMAT"}`, ""},
		{"ctags: Warning: no JSON", ""},
	} {
		tags, err := readTags(strings.NewReader(c.tag))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tag := range tags {
			if strings.HasPrefix(tag.Path, "./") {
				t.Errorf("the path %s is none that ctx prints", tag.Path)
			}
			s := tag.Language + " " + tag.Kind + " " + tag.Name
			if tag.apart != "" {
				s += ", " + tag.apart
			}
			got = append(got, s)
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s\n gave %q, want %q", c.tag, got, c.want)
		}
	}
}

// What is counted apart counts neither for nor against a language.
func TestTally(t *testing.T) {
	tags := []tag{
		{Language: "C", Kind: "function", Name: "a"},
		{Language: "C", Kind: "function", Name: "b"},
		{Language: "C", Kind: "macro", Name: "c"},
		{Language: "C", Kind: "function", Name: "TEST", apart: macroCall},
		{Language: "Go", Kind: "func", Name: "d"},
	}
	counts := tally(tags, []bool{false, true, false, true, false})
	for key, want := range map[string]string{
		"C": "3 1 66.667", "C function": "2 1 50.000", "C macro": "1 0 100.000", "C function, call of a macro": "1 1 0.000", "Go": "1 0 100.000",
	} {
		c := counts[key]
		if c == nil {
			t.Errorf("%s is not counted", key)
		} else if got := fmt.Sprintf("%d %d %.3f", c.all, len(c.missed), c.percent()); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if err := under(counts, 66); err != nil {
		t.Errorf("%v", err)
	}
	if err := under(counts, 99.5); err == nil || !strings.Contains(err.Error(), "C 66.667 %") || strings.Contains(err.Error(), "Go") {
		t.Errorf("%v", err)
	}
	var out strings.Builder
	(&bench{out: &out, misses: 5}).report(counts)
	if got := out.String(); strings.Count(got, ": b ") != 1 || strings.Count(got, "(not counted)") != 1 {
		t.Errorf("%s", got)
	}
}
