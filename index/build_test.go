package index

import (
	"bytes"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ctxd/index/internal/sitter"
)

// CASES P19.
func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
}

// CASES P2.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		path string
		src  string
		want Status
	}{
		{"a.go", "package a", Parsed},
		{"a.unknown", "package a", NoLanguage},
		{"a.go", "package a\x00", Binary},
		{"a.unknown", "\x00", Binary},
		{"a.go", "package a\n//" + strings.Repeat(" ", sniff) + "\x00", Parsed},
		{"a.go", strings.Repeat("\n", MaxSize), Parsed},
		{"a.go", strings.Repeat("\n", MaxSize+1), TooLarge},
		{"", "", NoLanguage},
	} {
		if f := Build(c.path, []byte(c.src)); f.Status != c.want {
			t.Errorf("Build(%q, %.20q…): %v, want %v", c.path, c.src, f.Status, c.want)
		}
		if got := ParseOnly(c.path, []byte(c.src)); got != (c.want == Parsed) {
			t.Errorf("ParseOnly(%q, %.20q…): %v", c.path, c.src, got)
		}
	}
}

// A file that is too much work says so, and the next on the same parser has its own definitions.
// LIBRARIES M9.
func TestBudget(t *testing.T) {
	l := languageOf("a.py", nil)
	big := bytes.Repeat([]byte("class Big:\n    def method(self): return [1, 2, 3]\n"), 60000)
	f := &File{}
	l.describe(f, "a.py", big, sitter.Budget{Work: 10})
	if f.Status != BudgetWork || len(f.Defs) != 0 {
		t.Errorf("%v with %d definitions, want none for too much work", f.Status, len(f.Defs))
	}
	small := []byte("class Small:\n    x = 1\n")
	if got, want := names(Build("b.py", small)), "Small Small.x"; got != want {
		t.Errorf("after a file that was too much: %s, want %s", got, want)
	}
}

func names(f *File) string {
	var all []string
	for _, d := range f.Defs {
		all = append(all, d.Qualified())
	}
	return strings.Join(all, " ")
}

// Deep trees crash what walks them by recursion (the binding's Node.String did at 100,000 levels).
// Nothing here recurses, so depth itself is no limit; some files are too much work.
// CASES P6.
func TestDeepNesting(t *testing.T) {
	const n = 400_000
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "package p\nvar x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + "\nfunc f() {}\n", "x f"},
		{"a.go", "package p\nfunc g() " + strings.Repeat("{", n) + strings.Repeat("}", n) + "\nfunc f() {}\n", "g f"},
		{"a.go", "package p\nvar x = " + strings.Repeat("[", n) + "\nfunc f() {}\n", ""},
		{"a.py", "x = " + strings.Repeat("[", n) + "\ndef f(): pass\n", ""},
		{"a.md", strings.Repeat("> ", n) + "x\n\n# a\n", "a"},
		{"a.md", strings.Repeat("- ", n) + "x\n\n# a\n", "a"},
		{"a.md", strings.Repeat("1. ", n) + "x\n\n# a\n", "a"},
	} {
		f := Build(c.path, []byte(c.src))
		if f.Status != BudgetWork && (f.Status != Parsed || names(f) != c.want) {
			t.Errorf("%.40q…: %v, %q, want %q", c.src, f.Status, names(f), c.want)
		}
	}
}

// Quotes and lists below the limit are not touched; over many lines they reach it too.
func TestMarkdownBlocks(t *testing.T) {
	var ladder strings.Builder
	for i := range 400 {
		ladder.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	if got := names(Build("a.md", []byte(ladder.String()+"\n# a\n"))); got != "a" {
		t.Errorf("a ladder of lists: %q", got)
	}
	for _, c := range []struct {
		line string
		want int
	}{
		{"> > # a", 3}, {"- a", 1}, {"1. - a", 3}, {"12", 0}, {"12x", 0}, {"", 0}, {"-----", 0}, {"    text", 0},
		{"\t- a", 3}, {"-", 1}, {"**bold**", 0}, {"9", 0}, {"9.", 1},
	} {
		if got := blocks([]byte(c.line)); got != c.want {
			t.Errorf("blocks(%q) = %d, want %d", c.line, got, c.want)
		}
	}
	line := strings.Repeat("> ", 100) + "# deep"
	if got := names(Build("a.md", []byte(line))); got != "deep" {
		t.Errorf("100 quotes: %q", got)
	}
}

// Containers of ever deeper definitions would grow with the square of the file.
// CASES P6.
func TestBudgetDepth(t *testing.T) {
	const n = 20_000
	src := []byte("package p\ntype x " + strings.Repeat("struct { a ", n) + "int" + strings.Repeat("}", n) + "\nfunc f() {}\n")
	f := Build("a.go", src)
	if f.Status != BudgetDepth || !strings.HasPrefix(names(f), "x x.a x.a.a") {
		t.Errorf("%v with %d definitions", f.Status, len(f.Defs))
	}
	total := 0
	for _, d := range f.Defs {
		total = max(total, len(d.Container))
	}
	if total > 5*len(src) {
		t.Errorf("a container of %d bytes for a file of %d", total, len(src))
	}
}

// Build is a function of path and bytes, whoever calls it at the same time.
func TestBuildIsPure(t *testing.T) {
	files := map[string][]byte{}
	for _, f := range archived(t) {
		files[f.Name] = unescape(f.Data)
	}
	want := map[string]*File{}
	for path, src := range files {
		want[path] = Build(path, src)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				for path, src := range files {
					before := bytes.Clone(src)
					if got := Build(path, src); !reflect.DeepEqual(got, want[path]) {
						t.Errorf("%s: another description at the second time", path)
					}
					if !bytes.Equal(src, before) {
						t.Errorf("%s: the source was changed", path)
					}
				}
			}
		})
	}
	wg.Wait()
}

// Trees are freed in C: 20 parses of 420 kB, whose trees would hold some 600 MB, leave nothing.
// LIBRARIES M11. CASES Q2.
func TestMemoryStaysFlat(t *testing.T) {
	src := []byte("package p\n" + strings.Repeat("func f(a, b int) int { return a + b*(a-b) }\n", 10_000))
	for range 3 {
		Build("a.go", src)
	}
	runtime.GC()
	before := residentMB(t)
	for range 20 {
		Build("a.go", src)
		ParseOnly("a.go", src)
	}
	runtime.GC()
	if grown := residentMB(t) - before; grown > 150 {
		t.Errorf("%d MB more after 20 parses", grown)
	}
}

func residentMB(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() >> 20
}

// Inputs that are said to hang or crash tree-sitter grammars end, one way or the other.
// CASES P2.
func TestNastyInputs(t *testing.T) {
	for _, c := range []struct{ path, src string }{
		{"a.py", strings.Repeat("try: ", 20_000)},
		{"a.py", strings.Repeat("class ", 20_000)},
		{"a.py", "x = [" + strings.Repeat("{'a': 1, 'b': [1, 2]}, ", 20_000) + "]"},
		{"a.go", "package p\nvar x = []int{" + strings.Repeat("1, ", 200_000) + "}\n"},
		{"a.go", strings.Repeat("\x01\x02\xff", 100_000)},
		{"a.go", "package p\nfunc f() {" + strings.Repeat("try { catch ( ", 10_000)},
		{"a.md", strings.Repeat("[", 50_000) + strings.Repeat("](", 50_000)},
	} {
		f := Build(c.path, []byte(c.src))
		checkFile(t, c.path, []byte(c.src), f)
		if f.Status == Failed || f.Status == NoLanguage {
			t.Errorf("%s %.20q…: %v", c.path, c.src, f.Status)
		}
	}
}

// The statement after an inner function belongs to the outer one: ranges nest and end where they do.
func TestEnclosing(t *testing.T) {
	src := "def outer():\n    def inner():\n        pass\n    after = 1\n"
	at := uint32(strings.Index(src, "after"))
	enclosing := ""
	for _, d := range Build("a.py", []byte(src)).Defs {
		if d.Start <= at && at < d.End {
			enclosing = d.Qualified()
		}
	}
	if enclosing != "outer" {
		t.Errorf("the statement after inner belongs to %q", enclosing)
	}
}

// Names assigned in a chain are siblings, each the rest of the line.
func TestChain(t *testing.T) {
	src := "x = " + strings.Repeat("x = ", 20_000) + "1\n"
	f := Build("a.py", []byte(src))
	if len(f.Defs) != 20_001 || f.Defs[20_000].Container != "" {
		t.Errorf("%d definitions", len(f.Defs))
	}
}
