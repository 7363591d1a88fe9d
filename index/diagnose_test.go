package index

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// told is a diagnosis as one line for each fault: L4 `token": message.
func told(src []byte, d Diagnosis) string {
	if d.Doubt != "" {
		return "doubt: " + d.Doubt
	}
	var rows []string
	for _, f := range d.Faults {
		line := 1 + bytes.Count(src[:f.Start], []byte("\n"))
		rows = append(rows, fmt.Sprintf("L%d %q: %s", line, src[f.Start:f.End], f.Message))
	}
	return strings.Join(rows, " | ")
}

// tenLists are the rows of a text in which a list is left open in every other line.
var tenLists = func() string {
	var rows []string
	for i := range maxFaults {
		rows = append(rows, fmt.Sprintf("L%d \")\": unclosed `<` opened at L%d", 2*i+1, 2*i+1))
	}
	return strings.Join(rows, " | ")
}()

var diagnoseCases = []struct {
	name, path string
	base, now  string // base "": none is known
	want       string
}{
	{"sound", "a.py", "", "def f():\n    return 1\n", ""},
	{"deleted colon", "a.py", "def f(x):\n    return x\n", "def f(x)\n    return x\n", "L1 \")\": missing `:`"},
	{"deleted bracket", "a.js", "f(1, [2, 3]);\ng();\n", "f(1, [2, 3);\ng();\n", "L1 \"3\": unclosed `[` opened at L1"},
	{"bracket of another line", "a.go", "package a\n\nfunc f() {\n\tif x {\n\t\tg()\n\t}\n}\n", "package a\n\nfunc f() {\n\tif x {\n\t\tg()\n}\n", "L6 \"\": unclosed `{` opened at L4"},
	{"doubled bracket", "A.java", "class A { int f() { return g(1); } }\n", "class A { int f() { return g(1)); } }\n", "L1 \")\": unexpected `)`"},
	{"replaced", "a.rs", "fn f() -> i32 { 1 + 2 }\n", "fn f() -> i32 { 1 = = 2 }\n", "L1 \"=\": unexpected `=`"},
	{"two places", "a.py", "a = (1)\nb = 2\nc = 3\nd = (4)\n", "a = (1\nb = 2\nc = 3\nd = 4)\n", "L1 \"1\": unclosed `(` opened at L1 | L4 \"=\": missing `(`"},
	{"two faults", "a.js", "let a = (1);\nlet b = 2;\nlet c = [3];\n", "let a = (1;\nlet b = 2;\nlet c = 3];\n", "L1 \"1\": unclosed `(` opened at L1 | L3 \"=\": missing `[`"},
	{"far from the change", "a.ts", "class A {\n  f() {\n    g();\n  }\n}\nclass B {\n  h() {}\n}\n", "class A {\n  f() {\n    g();\n}\nclass B {\n  h() {}\n}\n", "L4 \"}\": unclosed `{` opened at L2"},
	{"below another change", "a.py", "import os\n\ndef f(a):\n    return a\n", "# one\n# two\nimport os\n\ndef f(a:\n    return a\n", "L5 \"a\": unclosed `(` opened at L5"},
	{"below a change that is taken back", "a.js", "a();\nb();\nc();\nf(1, [2, 3]);\n", "a();\nf(1, [2, 3);\n", "L2 \")\": unclosed `[` opened at L2"},
	{"between changes", "a.js", "a();\nf(1, [2, 3]);\nb();\n", "x();\ny();\na();\nf(1, [2, 3);\nbb();\n", "L4 \")\": unclosed `[` opened at L4"},
	{"new lines", "a.py", "import os\n", "import os\n\n\ndef f(a, b):\n    x = [a, b\n    return x\n", "L5 \"b\": unclosed `[` opened at L5"},
	{"end of line", "a.py", "x = 1\ny = 2\n", "x =\ny = 2\n", "L1 \"=\": unexpected end of line after `=`"},
	{"indentation", "a.py", "def f():\n    a()\n    b()\n", "def f():\n    a()\n   b()\n", "L3 \"b\": unexpected indentation: the block has another"},
	{"keyword", "a.py", "def f(name):\n    pass\n", "def f(None):\n    pass\n", "L1 \"None\": unexpected `None`"},
	{"comma", "a.ts", "f(a, b)\n", "f(a,, b)\n", "L1 \",\": unexpected `,`"},
	{"unclosed tag", "a.tsx", "const a = <p>text</p>;\n", "const a = <p>text</q>;\n", "L1 \"</q>\": unclosed `<p>` opened at L1"},
	{"directive", "a.c", "#define A 1\nint f(void);\n", "#defne A 1\nint f(void);\n", "L1 \"defne\": unknown directive `#defne`"},
	{"string", "a.go", "package a\n\nvar s = \"x\"\n", "package a\n\nvar s = \"x\n", "L3 \"\\\"\": unclosed string"},
	{"line ends", "a.py", "def f(x):\r\n    return x\r\n", "def f(x)\r\n    return x\r\n", "L1 \")\": missing `:`"},
	{"carriage returns", "a.py", "def f(x):\r    return x\r", "def f(x)\r    return x\r", "L1 \")\": missing `:`"},
	{"emptied", "a.py", "x = 1\n", "", ""},
	{"precise, no base", "a.py", "", "def f(x)\n    return x\n", "L1 \")\": missing `:`"},
	{"go, no base", "a.go", "", "package a\n\nfunc f( {\n}\n", "L3 \"(\": unclosed `(` opened at L3"},
	{"two errors, no base", "a.py", "", "def f(x)\n    return x\n\n\ny = (1 +\nclass\n", "doubt: " + DoubtGrammar},
	{"imprecise, no base", "a.c", "", "int f( {\n}\n", "doubt: " + DoubtGrammar},
	{"a gap of the grammar", "a.c", "int g(void) { return a <=> b; }\nint f(void) { return 1; }\n",
		"int g(void) { return a <=> b; }\nint f(void) { return 2; }\n", "doubt: " + DoubtBefore},
	{"beside a gap", "a.c", "int g(void) { return a <=> b; }\nint f(void) { return 1; }\n",
		"int g(void) { return a <=> b; }\nint f(void) { return (1; }\n", "L2 \"(\": unclosed `(` opened at L2"},
	{"a macro that stands for nothing", "a.c", "static int count;\nint f(void) { return 1; }\n",
		"static shared size_t count = 0;\nstatic int more;\nint f(void) { return count; }\n", "doubt: " + DoubtMacros},
	{"a macro in a declaration as it was", "a.c", "static size_t count = 0;\n", "static shared size_t count = 0;\n", "doubt: " + DoubtMacros},
	{"a name twice", "a.c", "static size_t count = 0;\n", "static size_t size_t count = 0;\n", "L1 \"size_t\": unexpected `size_t`"},
	{"a macro that is given a block", "a.c", "void f(void) {\n\tint a;\n\twhile (next(a)) {\n\t\tg(a);\n\t}\n}\n\nint h(void) {\n\treturn 1;\n}\n",
		"void f(void) {\n\tforEach(all, struct one, a,\n\t\tif (a) {\n\t\t\tg(a);\n\t\t}\n\t);\n}\n\nint h(void) {\n\treturn 2;\n}\n", "doubt: " + DoubtMacros},
	{"a type in capitals", "a.cc", "static string name(int line) {\n  return s;\n}\n",
		"static auto name(int line) -> string {\n  return s;\n}\n\nauto open(const char* name) -> FILE* {\n#if defined(A)\n  FILE* f = nullptr;\n  return f;\n#else\n  return std::fopen(name);\n#endif\n}\n", "doubt: " + DoubtMacros},
	{"an empty declaration", "a.c", "struct a { int x; int y; };\n", "struct a { int x;; int y; };\n", ""},
	{"an empty member", "a.cpp", "struct a { int x; void f() {} int y; };\n", "struct a { int x;; void f() {}; int y; };\n", ""},
	{"a list of types", "a.cpp", "int f() { return g(max_value<int>(), 1); }\n", "int f() { return g(max_value<int(), 1); }\n", "L1 \"1\": unclosed `<` opened at L1"},
	{"a list of types in several lines", "a.cpp", "int f() {\n  return g<a,\n           b>(1);\n}\n", "int f() {\n  return g<a,\n           b(1);\n}\n", "L3 \")\": unclosed `<` opened at L2"},
	{"a list that two changes left open", "a.cpp", "int f() {\n  return g<a,\n           b1,\n           c,\n           d>(1);\n}\n", "int f() {\n  return g<a,\n           b2,\n           c,\n           d(1);\n}\n", "L5 \")\": unclosed `<` opened at L2"},
	{"more lists than rows", "a.cpp", strings.Repeat("int a = f<int>(1);\nint b;\n", 12), strings.Repeat("int a = f<int(1);\nint b;\n", 12), tenLists},
	{"a list that became another", "a.cpp", "int f() { return g<a>(1); }\n", "int f() { return g<a, h<b>>(2); }\n", ""},
	{"a comparison", "a.cpp", "int f() { return a < b && c > (d); }\n", "int f() { return a < b && c; }\n", ""},
	{"no language", "a.xyz", "", "(((", "doubt: " + DoubtNoLanguage},
	{"prose", "a.md", "", "# (((", "doubt: " + DoubtNoLanguage},
	{"binary", "a.go", "", "\x00", "doubt: " + DoubtNoLanguage},
}

func TestDiagnose(t *testing.T) {
	for _, c := range diagnoseCases {
		base := Base{}
		if c.base != "" {
			base.Src = []byte(c.base)
			if got := told(base.Src, Diagnose(c.path, base.Src, Base{})); got != "" && !strings.HasPrefix(got, "doubt") {
				t.Errorf("%s: the base itself: %s", c.name, got)
			}
		}
		if got := told([]byte(c.now), Diagnose(c.path, []byte(c.now), base)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A diagnosis is a function of its arguments: the same in every run.
func TestDiagnoseIsDeterministic(t *testing.T) {
	for _, c := range diagnoseCases {
		base := Base{}
		if c.base != "" {
			base.Src = []byte(c.base)
		}
		first := told([]byte(c.now), Diagnose(c.path, []byte(c.now), base))
		for range 3 {
			if again := told([]byte(c.now), Diagnose(c.path, []byte(c.now), base)); again != first {
				t.Errorf("%s: %s, then %s", c.name, first, again)
			}
		}
	}
}

// The test archives of all languages are sound: no rule beyond a grammar may find anything in them, but in what is
// broken on purpose.
func TestStrictRulesOnSoundFiles(t *testing.T) {
	tried := 0
	for _, name := range Languages() {
		files, err := filepath.Glob("languages/" + name + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.Contains(file, "broken") {
				continue
			}
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				src := unescape(f.Data)
				l := languageOf(f.Name, src)
				if l == nil || strictRules[l.name] == nil {
					continue
				}
				tr := l.parseTree(src)
				if len(tr.errors()) > 0 {
					continue
				}
				tried++
				for _, fault := range strictRules[l.name](tr) {
					t.Errorf("%s/%s:%d: %s", file, f.Name, 1+bytes.Count(src[:fault.Start], []byte("\n")), fault.Message)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d files were tried", tried)
	}
}

// FuzzDiagnose: no bytes make Diagnose panic or give a range outside of them, in any language, and a text is never
// worse than itself.
func FuzzDiagnose(f *testing.F) {
	for _, c := range diagnoseCases {
		f.Add(c.path, []byte(c.base), []byte(c.now))
	}
	f.Fuzz(func(t *testing.T, path string, base, now []byte) {
		if len(base) > 4096 || len(now) > 4096 {
			return
		}
		if Language(path, now) == "" {
			path = "a" + languages[len(path)%len(languages)].extensions[0]
		}
		for _, b := range []Base{{}, {Src: base}, {Sound: true}} {
			d := Diagnose(path, now, b)
			for _, fault := range d.Faults {
				if fault.Start > fault.End || int(fault.End) > len(now) || fault.Message == "" || !utf8.ValidString(fault.Message) {
					t.Errorf("%s, %q -> %q: %+v", path, base, now, fault)
				}
			}
			if (d.Source == "") != (d.Doubt != "") {
				t.Errorf("%s, %q -> %q: %+v", path, base, now, d)
			}
		}
		if d := Diagnose(path, base, Base{Src: base}); len(d.Faults) > 0 {
			t.Errorf("%s: %q is worse than itself: %+v", path, base, d.Faults)
		}
	})
}
