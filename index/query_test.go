package index

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ctxd/index/internal/sitter"
)

// The C library keeps predicates and applies none: of a right and a wrong candidate both come back.
// CASES P19; LIBRARIES M10.
func TestPredicates(t *testing.T) {
	const src = "package p\nfunc right(right int) {}\nfunc wrong(other int) {}\n"
	const pattern = "((function_declaration name: (identifier) @name parameters: (parameter_list (parameter_declaration name: (identifier) @_p))) @definition.function "
	for _, predicate := range []string{
		`(#eq? @name "right")`, `(#not-eq? @name "wrong")`, `(#match? @name "^ri")`, `(#not-match? @name "^w.*g$")`,
		`(#any-of? @name "a" "right")`, `(#not-any-of? @name "a" "wrong")`, `(#eq? @name @_p)`, `(#not-eq? @_p "other")`,
		`(#match? @name "r") (#not-eq? @name "wrong")`,
	} {
		q, err := compileQuery("go", []byte(pattern+predicate+")"), nil)
		if err != nil {
			t.Errorf("%s: %v", predicate, err)
			continue
		}
		facts := q.language.Run([]byte(src), budget(len(src)))
		if n := len(facts.Captures); n != 6 {
			t.Errorf("%s: %d captures before the predicate, want both candidates'", predicate, n)
		}
		f := &File{}
		q.collect([]byte(src), facts.Captures, new(scratch)).nest(f)
		if got := names(f); got != "right" {
			t.Errorf("%s: %q, want right", predicate, got)
		}
	}
}

// CASES P19.
func TestQueryErrors(t *testing.T) {
	const pattern = "\n((function_declaration name: (identifier) @name) @definition.function "
	for query, want := range map[string]string{
		pattern + `(#like? @name "x"))`:                   "languages/go/tags.scm:2: unknown predicate #like?",
		pattern + `(#eq? @name))`:                         "needs a capture and a value",
		pattern + `(#match? @name "("))`:                  "missing closing )",
		pattern + `(#eq? @name "a" "b"))`:                 "wrong arguments",
		"\n\n(comment) @coment":                           "tags.scm:3: unknown capture @coment",
		"(function_declaration) @definition.fun":          "unknown capture @definition.fun",
		"(no_such_node) @comment":                         "unknown node type",
		"\n(_) @comment":                                  "tags.scm:2: a pattern must start at a named node",
		"(comment) @comment\n\"func\" @comment":           "tags.scm:2: a pattern must start at a named node",
		"(_expression) @scope":                            "no pattern can start at _expression",
		"(function_declaration name: (identifier @name)":  "syntax error",
		"(function_declaration nome: (identifier) @name)": "unknown field",
	} {
		_, err := compileQuery("go", []byte(query), nil)
		var q1 *QueryError
		var q2 *sitter.QueryError
		if !errors.As(err, &q1) && !errors.As(err, &q2) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}

// Descriptions are cached by Version, so it must change with the grammars.
func TestVersion(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), sitter.Module) {
		t.Errorf("go.mod does not require %s: raise sitter.Module", sitter.Module)
	}
	if len(Version()) != 16 || Version() != Version() {
		t.Errorf("version %q", Version())
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"a/b.go", "", "go"},
		{"a/b.GO", "", "go"},
		{"b.pyi", "", "python"},
		{"script", "#!/usr/bin/env python3\n", "python"},
		{"script", "#!/usr/bin/env -S LANG=C python3.11 -u\n", "python"},
		{"script", "#!/usr/bin/python\r\n", "python"},
		{"script", "#!/bin/sh\n", "bash"},
		{"script", "#!/bin/awk\n", ""},
		{"script", "#!", ""},
		{"script.sh", "#!/usr/bin/python\n", "bash"},
		{"script.awk", "#!/usr/bin/python\n", ""},
		{"go", "", ""},
		{"README.md", "", "markdown"},
		{"", "", ""},
	} {
		if got := Language(c.path, []byte(c.src)); got != c.want {
			t.Errorf("Language(%q, %q) = %q, want %q", c.path, c.src, got, c.want)
		}
	}
}

func TestModulePath(t *testing.T) {
	rule := modulePath("__init__", "index")
	for path, want := range map[string]string{
		"a/b/c.py": "a.b.c", "a/b/__init__.py": "a.b", "__init__.py": "", "./a.ts": "a", "a.d.ts": "a", "a.test.ts": "a.test",
		"": "", "../a.py": "a", "a b/ü.py": "a b.ü",
	} {
		if got := rule(path, ""); got != want {
			t.Errorf("module of %q: %q, want %q", path, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for source, want := range map[string]string{
		"Stack": "Stack", "*Stack[T]": "Stack", "a::B<T>::C": "a.B.C", "&'a mut Buf<'a, T>": "Buf", "dyn Error + Send": "Error",
		"std :: vector < int >": "std.vector", "::A": "A", "~A": "~A", "[T]": "[T]", "(A, B)": "(A,B)", "const A&": "A",
		"a.b.c": "a.b.c", "": "", "<": "<", "template A": "A", "Ünï::x": "Ünï.x",
	} {
		if got := plain([]byte(source)); got != want {
			t.Errorf("plain(%q) = %q, want %q", source, got, want)
		}
	}
}
