package index

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ctxd/index/internal/sitter"
)

// A sample writes one definition of a given name. Its lines end in \n.
type sample struct{ path, format string }

// samples has one for each language.
var samples = []sample{
	{"a.sh", "%s() {\n\techo\n}\n"},
	{"a.c", "int %s(int x) {\n\treturn x;\n}\n"},
	{"a.cpp", "int %s(int x) {\n\treturn x;\n}\n"},
	{"a.cs", "class %s {\n\n}\n"},
	{"a.css", ".%s {\n\ta: b;\n}\n"},
	{"a.cue", "%s: {\n\n}\n"},
	{"a.dockerfile", "ARG %s=1\nRUN x\n"},
	{"a.ex", "def %s(x) do\n\tx\nend\n"},
	{"a.elm", "%s x =\n    x\n\n"},
	{"a.go", "func %s(x int) int {\n\treturn x\n}\n"},
	{"a.groovy", "def %s(x) {\n\treturn x\n}\n"},
	{"a.tf", "variable \"%s\" {\n\tx = 1\n}\n"},
	{"A.java", "class %s {\n\n}\n"},
	{"a.js", "function %s(x) {\n\treturn x;\n}\n"},
	{"a.kt", "fun %s(x: Int): Int {\n\treturn x\n}\n"},
	{"a.lua", "function %s(x)\n\treturn x\nend\n"},
	{"a.md", "# %s\n\ntext\n"},
	{"a.ml", "let %s x =\n\tx\n\n"},
	{"a.mli", "\n\nval %s : int -> int\n"},
	{"a.php", "<?php\nfunction %s($x) {\n\treturn $x;\n}\n"},
	{"a.proto", "syntax = \"proto3\";\nmessage %s {\n}\n"},
	{"a.py", "def %s(x):\n\n\treturn x\n"},
	{"a.rb", "def %s(x)\n\tx\nend\n"},
	{"a.rs", "fn %s(x: u8) -> u8 {\n\tx\n}\n"},
	{"a.scala", "def %s(x: Int) = {\n\tx\n}\n"},
	{"a.sql", "CREATE VIEW %s AS\n\tSELECT 1;\n"},
	{"a.svelte", "<script>\nfunction %s(x) {\n}\n</script>\n"},
	{"a.swift", "func %s(x: Int) -> Int {\n\treturn x\n}\n"},
	{"a.toml", "%s = 1\n\n"},
	{"a.tsx", "function %s(x: number) {\n\treturn x;\n}\n"},
	{"a.ts", "function %s(x: number) {\n\treturn x;\n}\n"},
	{"a.vue", "<script>\nfunction %s(x) {\n}\n</script>\n"},
	{"a.yaml", "%s:\n  - 1\n"},
}

func (s sample) define(name string) string { return fmt.Sprintf(s.format, name) }

// eachLanguage runs a subtest with the sample of each language, and fails when a language has none.
func eachLanguage(t *testing.T, test func(*testing.T, sample)) {
	left := map[string]bool{}
	for _, name := range Languages() {
		left[name] = true
	}
	for _, s := range samples {
		name := Language(s.path, nil)
		if !left[name] {
			t.Errorf("%s: a second sample of %q", s.path, name)
		}
		delete(left, name)
		if raced && languageNamed(name).resolver == nil && name != "markdown" {
			continue // what these cases are about is the grammar; .ci/run runs them without the detector, too
		}
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
	if len(left) > 0 {
		t.Errorf("no sample of %v", left)
	}
}

// TestEngine holds the reported bugs, and the traps of the parser's library, that are about how files
// are parsed rather than what is found in them.
func TestEngine(t *testing.T) {
	for _, c := range []struct {
		id   string
		test func(*testing.T)
	}{
		{"P1", func(t *testing.T) { eachLanguage(t, testBudget) }},
		{"P2", func(t *testing.T) { eachLanguage(t, testNasty) }},
		{"P6", func(t *testing.T) { eachLanguage(t, testDeep) }},
		{"P9", testAfterInner},
		{"P18", testEndings},
		{"P20", testWholeFiles},
		{"M14", func(t *testing.T) { eachLanguage(t, testOddBytes) }},
		{"M21", testNoHandles},
	} {
		t.Run(c.id, c.test)
	}
}

// P1, M9: after a file that is too much work the next has its own definitions and no others. A parser of
// the library would go on with the file before.
func testBudget(t *testing.T, s sample) {
	l := languageOf(s.path, nil)
	big := []byte(strings.Repeat(s.define("big"), 1<<19/len(s.format)))
	for range 2 {
		f := &File{}
		l.describe(f, s.path, big, sitter.Budget{Work: 10})
		if f.Status != BudgetWork || len(f.Defs) > 0 {
			t.Fatalf("%v with %d definitions, want none for too much work", f.Status, len(f.Defs))
		}
		src := []byte(s.define("small"))
		f = Build(s.path, src)
		checkFile(t, s.path, src, f)
		if got := names(f); got != "small" {
			t.Errorf("after a file that was too much: %q", got)
		}
	}
}

// P2, M15: what is said to hang parsers ends, is marked when it was too much, and the file after it is
// served. The first is the input of the report, which does not hang in this version.
func testNasty(t *testing.T, s sample) {
	t.Parallel()
	l := languageOf(s.path, nil)
	for _, c := range []struct {
		src  string
		want []Status
	}{
		{"{ try { } catch { (, e\n", []Status{Parsed}},
		{strings.Repeat("try { x(", 3_000), []Status{Parsed, BudgetWork, BudgetDepth}},
		{strings.Repeat("{ try { } catch { (, e\n", 1_000), []Status{Parsed, BudgetWork, BudgetDepth}},
		{"var x = [" + strings.Repeat("{\"a\": [1, 2]}, ", 1<<18/15), []Status{Parsed, BudgetWork}},
		{"var x = [" + strings.Repeat("1, ", 20<<20/3) + "]\n", []Status{TooLarge}},
		{strings.Repeat("x", 1<<18), []Status{Parsed}},
		{strings.Repeat("f(\"", 5_000), []Status{Parsed, BudgetWork}},
		{strings.Repeat("class a < ", 3_000), []Status{Parsed, BudgetWork, BudgetDepth}},
	} {
		src := []byte(c.src)
		f, _ := open(s.path, src)
		if f.Status == Parsed { // with a budget that ends the test soon
			l.describe(f, s.path, src, sitter.Budget{Work: 10_000, Time: time.Second / 4})
		}
		checkFile(t, s.path, src, f)
		if !slices.Contains(c.want, f.Status) {
			t.Errorf("%.30q…, %d bytes: %v", c.src, len(c.src), f.Status)
		}
		if got := names(Build(s.path, []byte(s.define("small")))); got != "small" {
			t.Errorf("after %.30q…: %q", c.src, got)
		}
	}
}

// deepEnv makes this test binary the child that describes deep files of the language of that path.
const deepEnv = "CTX_TEST_DEEP"

func TestMain(m *testing.M) {
	if path := os.Getenv(deepEnv); path != "" {
		describeDeep(path)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// P6, M12: however deep a file is nested, the process lives, and the file is described or flagged. The
// grammars' C code cannot be survived from inside, so a child of this process tries.
func testDeep(t *testing.T, s sample) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), deepEnv+"="+s.path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(deepSources(s)) {
		t.Errorf("%d files, want %d", len(lines), len(deepSources(s)))
	}
	for _, line := range lines {
		if !strings.HasSuffix(line, ": found") && !strings.HasSuffix(line, ": flagged") {
			t.Error(line)
		}
	}
}

// describeDeep is the child. It prints a line for each file: whether what stands behind the depth was
// found, or the file says that something is missing.
func describeDeep(path string) {
	for _, s := range samples {
		if s.path != path {
			continue
		}
		for what, src := range deepSources(s) {
			f, l := open(path, []byte(src))
			if f.Status == Parsed {
				l.describe(f, path, []byte(src), sitter.Budget{Work: 40_000, Time: time.Second / 2}) // most need less; some take any that they get
			}
			switch {
			case strings.HasSuffix(names(f), "last"):
				fmt.Printf("%s: found\n", what)
			case f.Status != Parsed && f.Status != Failed || len(f.Errors) > 0:
				fmt.Printf("%s: flagged\n", what)
			default:
				fmt.Printf("%s: %v, %q\n", what, f.Status, names(f))
			}
		}
	}
}

// deepSources are deep files of the language of s, with the definition last behind the depth. Brackets
// are 400,000 deep, an eighth of that in the languages of the structural tier, to which most of the time
// would go; conditions are a quarter of that, where the grammars' time grows faster than the depth
// (400,000 take over 2 s in most), and Python's indentation is 2,000 deep: its size is the square.
func deepSources(s sample) map[string]string {
	condition := "if (x) "
	sources := map[string]string{}
	last := "\n\n" + s.define("last")
	switch s.path {
	case "a.go", "a.rs":
		condition = "if x {"
	case "a.py":
		condition = "1 if x else "
		var b strings.Builder
		for i := range 2_000 {
			b.WriteString(strings.Repeat("\t", i) + "if x:\n")
		}
		sources["indented"] = b.String() + strings.Repeat("\t", 2_000) + "pass" + last
	case "a.elm":
		condition = "x = if x then "
	case "a.yaml":
		condition = "- "
	case "a.md":
		condition = "> - 1. "
	}
	depth := 50_000
	switch s.path {
	case "a.c", "a.cpp", "a.go", "A.java", "a.js", "a.md", "a.py", "a.rs", "a.tsx", "a.ts":
		depth = 400_000
	}
	if raced {
		depth /= 4 // the whole depth without the detector
	}
	sources["if"] = strings.Repeat(condition, depth/4) + last
	for open, end := range map[string]string{"(": ")", "[": "]", "{": "}"} {
		if s.path == "a.yaml" && open == "(" {
			continue // it is text, as what follows is then
		}
		sources[open] = strings.Repeat(open, depth) + last
		sources[open+end] = strings.Repeat(open, depth) + strings.Repeat(end, depth) + last
	}
	return sources
}

// P9: what stands behind an inner definition belongs to the outer one.
func testAfterInner(t *testing.T) {
	for path, c := range map[string]struct{ src, want string }{
		"a.c":    {"int outer(void) {\n\tstruct inner { int x; };\n\tAFTER;\n}\n", "outer"},
		"a.cpp":  {"struct S {\n\tvoid outer() {\n\t\tstruct inner { void m() {} };\n\t\tauto f = [] { return 1; };\n\t\tAFTER;\n\t}\n};\n", "S.outer"},
		"a.go":   {"package p\n\nfunc outer() {\n\ttype inner struct{ x int }\n\tf := func() {}\n\tAFTER()\n}\n", "outer"},
		"A.java": {"class A {\n\tvoid outer() {\n\t\tclass Inner { void m() {} }\n\t\tAFTER();\n\t}\n}\n", "A.outer"},
		"a.js":   {"function outer() {\n\tfunction inner() {}\n\tconst f = () => { g(); };\n\tAFTER();\n}\n", "outer"},
		"a.md":   {"# outer\n\n## inner\n\ntext\n\n# outer2\n\nAFTER\n", "outer2"},
		"a.py":   {"def outer():\n    def inner():\n        pass\n    # of the outer one\n    AFTER = 1\n", "outer"},
		"a.rs":   {"fn outer() {\n\tfn inner() {}\n\tstruct S;\n\timpl S { fn m() {} }\n\tAFTER();\n}\n", "outer"},
		"a.tsx":  {"function outer() {\n\tconst inner = () => <p/>;\n\treturn <b>{AFTER}</b>;\n}\n", "outer"},
		"a.ts":   {"class C {\n\touter() {\n\t\tfunction inner(): void {}\n\t\tclass D { m() {} }\n\t\tAFTER();\n\t}\n}\n", "C.outer"},
	} {
		at := uint32(strings.Index(c.src, "AFTER"))
		enclosing, inner := "", false
		for _, d := range Build(path, []byte(c.src)).Defs {
			if d.Start <= at && at < d.End {
				enclosing = d.Qualified()
			}
			inner = inner || d.Start < at && d.End <= at
		}
		if enclosing != c.want || !inner {
			t.Errorf("%s: AFTER belongs to %q, want %q (an inner definition before it: %v)", path, enclosing, c.want, inner)
		}
	}
}

// P18, E3: the same definitions at the same lines, with the same text, whatever ends the lines.
func testEndings(t *testing.T) {
	files := archived(t)
	for _, c := range slices.Concat(cases, nestingCases, syntaxCases) {
		files = append(files, txtar.Parse([]byte(c.archive)).Files...)
	}
	compared := 0
	for _, file := range files {
		src := unescape(file.Data)
		if file.Name == "want" || bytes.IndexByte(src, '\r') >= 0 {
			continue
		}
		f := Build(file.Name, src)
		for _, end := range []string{"\r\n", "\r"} {
			if end == "\r" && filepath.Ext(file.Name) == ".h" {
				continue // which language a header has is read from lines that end in \n: see isCPlusPlus
			}
			other := bytes.ReplaceAll(src, []byte("\n"), []byte(end))
			g := Build(file.Name, other)
			checkFile(t, file.Name, other, g)
			want := strings.ReplaceAll(rows(src, &File{Defs: f.Defs}), "\n", end) // a heading's name may hold a line end
			got := strings.ReplaceAll(strings.ReplaceAll(rows(other, &File{Defs: g.Defs}), end, "\n"), "\n", end)
			if diff := cmp.Diff(want, got); diff != "" || len(f.Errors) != len(g.Errors) {
				t.Errorf("%s, lines that end in %q:\n%s", file.Name, end, diff)
				continue
			}
			for i, d := range g.Defs {
				text := strings.ReplaceAll(string(other[d.Start:d.End]), end, "\n")
				if want := string(src[f.Defs[i].Start:f.Defs[i].End]); text != want {
					t.Errorf("%s, lines that end in %q: %s is %q, want %q", file.Name, end, d.Qualified(), text, want)
				}
			}
			compared += len(g.Defs)
		}
	}
	if compared < 1500 {
		t.Errorf("only %d definitions were compared", compared)
	}
}

// M14: a byte order mark, lines that end in carriage returns alone, a byte that is no UTF-8, and a NUL
// hide nothing and shift nothing.
func testOddBytes(t *testing.T, s sample) {
	two := s.define("first") + s.define("last")
	plain := rows([]byte(two), Build(s.path, []byte(two)))
	for what, src := range map[string]string{
		"byte order mark": "\ufeff" + two,
		"CR":              strings.ReplaceAll(two, "\n", "\r"),
		"CRLF":            strings.ReplaceAll(two, "\n", "\r\n"),
	} {
		f := Build(s.path, []byte(src))
		checkFile(t, s.path, []byte(src), f)
		if got := rows([]byte(src), f); got != plain {
			t.Errorf("%s:\n%swant\n%s", what, got, plain)
		}
	}
	for what, c := range map[string]struct{ src, want string }{
		"Latin-1":    {s.define("h\xe9l") + s.define("last"), "h\xe9l last"},
		"late NUL":   {s.define("first") + strings.Repeat("\n", sniff) + "\x00\n\n" + s.define("last"), "first last"},
		"early NUL":  {"\x00" + two, ""},
		"only a BOM": {"\ufeff", ""},
		"two BOMs":   {s.define("first") + "\ufeff\n\n" + s.define("last"), "first last"},
	} {
		f := Build(s.path, []byte(c.src))
		checkFile(t, s.path, []byte(c.src), f)
		got := names(f)
		if (s.path == "a.c" || s.path == "a.cpp") && what == "Latin-1" && strings.HasSuffix(got, "last") && len(f.Errors) > 0 {
			continue // C and C++ cut the name, and say so
		}
		if got != c.want || what == "early NUL" && f.Status != Binary {
			t.Errorf("%s: %v, %q, want %q", what, f.Status, got, c.want)
		}
	}
}

// engineSource is the source of package sitter, by file, without its tests.
func engineSource(t *testing.T) map[string]string {
	files := map[string]string{}
	for _, pattern := range []string{"*.go", "*.c", "*.h"} {
		names, err := filepath.Glob("internal/sitter/" + pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				files[name] = string(text)
			}
		}
	}
	return files
}

// P20, M20: files are parsed whole. No function that edits a tree, or parses with an old one, is declared,
// and the one that could be given an old tree never is. M12: nor is the one that prints trees.
func testWholeFiles(t *testing.T) {
	banned := regexp.MustCompile(`\bts_(tree_edit|node_edit|tree_copy|tree_get_changed_ranges|parser_parse_string|parser_parse_string_encoding|` +
		`parser_set_included_ranges|node_string)\b|\bTSInputEdit\b`)
	parses := regexp.MustCompile(`ts_parser_parse\((.*)\)`)
	calls := 0
	for name, text := range engineSource(t) {
		if found := banned.FindString(text); found != "" {
			t.Errorf("%s has %s", name, found)
		}
		for _, call := range parses.FindAllStringSubmatch(text, -1) {
			calls++
			if args := strings.Split(call[1], ", "); len(args) < 3 || args[1] != "NULL" {
				t.Errorf("%s: %s", name, call[0])
			}
		}
	}
	if calls != 1 {
		t.Errorf("%d calls of the parser, want the one in work.c", calls)
	}
}

// M21: a tree is made and deleted within one call into C. Go names no type that points into one, no
// buffer that outlives the call holds one, and what the package exports holds nothing of C at all.
func testNoHandles(t *testing.T) {
	handle := regexp.MustCompile(`\bTS(Tree|Node|TreeCursor)\b|\bts_(tree|node)_`)
	fields := regexp.MustCompile(`(?s)typedef struct \{.*?\}`)
	trees := 0
	for name, text := range engineSource(t) {
		switch filepath.Ext(name) {
		case ".go":
			if found := handle.FindString(text); found != "" {
				t.Errorf("%s names %s", name, found)
			}
			checkExported(t, name, text)
		case ".c":
			made := strings.Count(text, "TSTree *tree = parse(") + strings.Count(text, "TSTree *tree = ctx_parse_tree(")
			deleted := strings.Count(text, "ts_tree_delete(tree);")
			if trees += made; made != deleted {
				t.Errorf("%s: %d trees are made and %d deleted", name, made, deleted)
			}
		case ".h":
			for _, found := range fields.FindAllString(text, -1) {
				if filepath.Base(name) == "facts.h" && handle.MatchString(found) {
					t.Errorf("%s keeps a handle: %s", name, found)
				}
			}
		}
	}
	if trees == 0 {
		t.Error("no trees are made")
	}
}

// checkExported: nothing that the file exports has a type of C's or an unsafe pointer in it.
func checkExported(t *testing.T, name, text string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && (x.Name == "C" || x.Name == "unsafe") {
					t.Errorf("%s: %s exports %s.%s", name, what, x.Name, s.Sel.Name)
				}
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				check(d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					continue
				}
				st, ok := s.Type.(*ast.StructType)
				if !ok {
					check(s.Name.Name, s.Type)
					continue
				}
				for _, field := range st.Fields.List {
					if len(field.Names) == 0 || field.Names[0].IsExported() {
						check(s.Name.Name, field.Type)
					}
				}
			}
		}
	}
}
