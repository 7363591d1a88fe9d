package main

import (
	"strings"
	"testing"

	"ctxd/client/wire"
)

func TestStratum(t *testing.T) {
	for _, c := range []struct {
		kind     int
		outer    []int
		line     string
		language string
		want     string
	}{
		{kindFunction, nil, "func F() {", "go", aFunction},
		{kindFunction, nil, "type F func()", "go", aType},
		{kindFunction, []int{kindFunction}, "  function f() {", "typescript", aFunction},
		{kindMethod, nil, "func (t T) M() {", "go", aMethod},
		{kindStruct, nil, "type T struct {", "go", aType},
		{kindField, []int{kindStruct}, "	x int", "go", aField},
		{18, nil, "type T []int", "go", aType},
		{18, nil, "x: [1]", "typescript", ""},
		{kindVariable, nil, "X = 1", "python", aValue},
		{kindVariable, []int{kindClass}, "    x = 1", "python", aField},
		{kindVariable, []int{kindClass, kindMethod}, "        x = 1", "python", aLocal},
		{kindConstant, []int{kindFunction}, "const x = 1", "typescript", aLocal},
		{kindProperty, []int{kindVariable}, "a: 1,", "typescript", aField},
		{3, nil, "namespace a {", "cpp", ""},
	} {
		if got := stratum(c.kind, c.outer, c.line, c.language); got != c.want {
			t.Errorf("%d in %v, %q: %q, want %q", c.kind, c.outer, c.line, got, c.want)
		}
	}
}

// A place is named by the line on which @ stands before it.
func TestCause(t *testing.T) {
	for line, want := range map[string]string{
		"x := @name":              "plain name",
		"@name(1)":                "call",
		"return a.@name":          "member of a name",
		"this.@name = 1":          "member of self or this",
		"f().@name":               "member of an expression",
		"p->@name":                "member of a name",
		"import { @name } from x": "on a line that imports or exports",
		"// see @name":            "in a comment",
		" * see @name":            "in a comment",
		`say("@name")`:            "in a string",
		"T{@name: 1}":             "key, label or keyword argument",
		"f(a, @name=1)":           "key, label or keyword argument",
		"if a == 1 { @name := 2":  "plain name",
		"func (t T) @name() {":    "on a line that declares",
		"struct @name *n;":        "tag",
		"x := @other":             "another name",
		"`a ${@name}`":            "in a template string",
		"`a ${b} @name`":          "in a string",
	} {
		at := strings.Index(line, "@")
		tree := &tree{lines: map[string][]string{"a": {strings.Replace(line, "@", "", 1)}}}
		c := &comparer{t: tree, l: languages["go"]}
		if want == "tag" {
			c.l = languages["c"]
		}
		if got := c.cause(site{"a", 1, at + 1}, "name"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestBeyondClangd(t *testing.T) {
	tree := &tree{files: []string{"a.c"}, lines: map[string][]string{"a.c": {
		"# define twice(x) \\",
		"  (f(x) + f(x))",
		"#if 0",
		"int y = f(1);",
		"#endif",
		"int z = f(2);",
		"#define once f(1)",
		"int f(int);",
	}}}
	c := &comparer{tree, languages["c"], &answers{Dark: map[string][]wire.Lines{"a.c": {{4, 4}}}}}
	for at, want := range map[site]string{
		{"a.c", 1, 10}: "", {"a.c", 2, 4}: macroBody, {"a.c", 4, 9}: darkLines, {"a.c", 6, 9}: "", {"a.c", 7, 9}: "", {"a.c", 7, 14}: macroBody,
		{"a.c", 8, 5}: "", {"b.py", 1, 1}: otherLanguage,
	} {
		if got := c.reason(at); got != want {
			t.Errorf("%v: %q, want %q", at, got, want)
		}
	}
	// A language without a preprocessor has no macros.
	c.l = languages["go"]
	if got := c.reason(site{"a.c", 7, 14}); got != "" {
		t.Errorf("got %q", got)
	}
}

// What a macro puts at a place is not counted, an alias is.
func TestExpanded(t *testing.T) {
	tree := &tree{files: []string{"a.c"}, lines: map[string][]string{"a.c": {"int f(int);", "twice(2) f(1)"}}}
	of := &symbol{Site: site{"a.c", 1, 5}, Name: "f", Kind: aFunction, References: []site{{"a.c", 2, 1}, {"a.c", 2, 10}}}
	for language, want := range map[string]score{"c": {symbols: 1, server: 1, expanded: 1}, "typescript": {symbols: 1, server: 2}} {
		c := &comparer{tree, languages[language], &answers{}}
		if got, _ := c.compare(of, nil, nil); got != want {
			t.Errorf("%s: %+v", language, got)
		}
	}
}

// A plain search for words has all of the server's, and more.
func TestWordsBesideTheServer(t *testing.T) {
	tree := &tree{files: []string{"a.go"}, lines: map[string][]string{"a.go": {"n, n", "n // n"}}}
	c := &comparer{tree, languages["go"], &answers{}}
	own := site{"a.go", 1, 1}
	of := &symbol{Site: own, Name: "n", Kind: aValue, References: []site{own, {"a.go", 1, 4}, {"a.go", 2, 1}}}
	words := []site{own, {"a.go", 1, 4}, {"a.go", 2, 1}, {"a.go", 2, 6}}
	got, missed := c.compare(of, nil, words)
	if want := (score{symbols: 1, server: 2, words: 3, same: 2, wordFound: 2}); got != want || len(missed) != 2 {
		t.Errorf("%+v, %v", got, missed)
	}
	all := []claim{{own, wire.TierLocal, ""}, {site{"a.go", 1, 4}, wire.TierLocal, ""}, {site{"a.go", 2, 1}, wire.TierName, ""}}
	got, none := c.compare(of, all, nil)
	if want := (score{symbols: 1, server: 2, found: 2, sure: 1, right: 1, named: 1, hits: 1, exact: 1}); got != want || none != nil {
		t.Errorf("%+v, %v", got, none)
	}
}
