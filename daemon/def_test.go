package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxd/client/wire"
)

// def asks and lists the rows as "path:first-last kind Container.Name".
func def(t testing.TB, ws *Workspace, target string) []string {
	t.Helper()
	res, err := ws.Def(t.Context(), wire.DefParams{Target: target})
	if err != nil {
		if word(err) != wire.NotFound {
			t.Fatalf("def %s: %v", target, err)
		}
		return nil
	}
	var rows []string
	for _, d := range res.Definitions {
		name := d.Name
		if d.Container != "" {
			name = d.Container + "." + name
		}
		rows = append(rows, fmt.Sprintf("%s:%d-%d %s %s", d.Path, d.Lines[0], d.Lines[1], d.Kind, name))
	}
	return rows
}

// TestTargets: the ways to name a definition.
func TestTargets(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.go":      "package stack\n\ntype Stack[T any] struct{ items []T }\n",
		"b.go":      "package stack\n\nfunc (s *Stack[T]) Push(v T) {\n\ts.items = append(s.items, v)\n}\n\nfunc Push() {}\n",
		"w.cpp":     "namespace a { struct W { int m(); }; }\n\nint a::W::m() {\n  return 1;\n}\n",
		"doc.md":    "# 1.2 Scope\n\ntext\n\n## More\n",
		"pkg/m.py":  "@deco\n@other(\n    1)\ndef f(x):\n    def inner():\n        pass\n    return x\n",
		"c:d/e.py":  "def g():\n    pass\n",
		"pkg/ü.py":  "def größe():\n    pass\n",
		"plain.txt": "def f():\n",
	})
	push := "b.go:3-5 method Stack.Push"
	for target, want := range map[string][]string{
		"Stack.Push":               {push},
		"stack.Stack.Push":         {push},
		"Push":                     {push, "b.go:7-7 function Push"},
		"stack.Push":               {"b.go:7-7 function Push"},
		"ack.Push":                 nil,
		"repo:b.go:Stack.Push":     {push},
		"b.go:Stack.Push":          {push},
		"./b.go:Stack.Push":        {push},
		"b.go:4":                   {push},
		"b.go:3:20":                {push},
		"a::W::m":                  {"w.cpp:1-1 method a.W.m", "w.cpp:3-5 method a.W.m"},
		"W.m":                      {"w.cpp:1-1 method a.W.m", "w.cpp:3-5 method a.W.m"},
		"1.2 Scope":                {"doc.md:1-5 heading 1.2 Scope"},
		"f":                        {"pkg/m.py:1-7 function f"},
		"m.f":                      {"pkg/m.py:1-7 function f"},
		"pkg.m.f":                  {"pkg/m.py:1-7 function f"},
		"f.inner":                  {"pkg/m.py:5-6 function f.inner"},
		"pkg/m.py:2":               {"pkg/m.py:1-7 function f"},
		"pkg/m.py:1:2":             {"pkg/m.py:1-7 function f"},
		"pkg/m.py:7":               {"pkg/m.py:1-7 function f"},
		"repo:c%3Ad/e.py:g":        {"c:d/e.py:1-2 function g"},
		"c:d/e.py:g":               {"c:d/e.py:1-2 function g"},
		"repo:pkg/ü.py:größe":      {"pkg/ü.py:1-2 function größe"},
		"repo:pkg/m.py --symbol f": {"pkg/m.py:1-7 function f"},
		"absent":                   nil,
		"repo:pkg/m.py:absent":     nil,
		"F":                        nil,
		"deco":                     nil,
	} {
		if got := def(t, ws, target); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for target, want := range map[string]wire.Word{
		"": wire.InvalidRequest, "repo:b.go": wire.InvalidRequest, "repo:../b.go:f": wire.PathDenied,
		"repo:plain.txt:f": wire.Unsupported, "b.go:99": wire.AnchorNotFound, "repo:nosuch.go:f": wire.NotFound,
	} {
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: target}); word(err) != want {
			t.Errorf("%q: %v; want %s", target, err, want)
		}
	}
}

// TestPages: a long list is cut and goes on where it was cut; every row once.
func TestPages(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("f%02d.go", i)] = "package p\n\nfunc Same() {}\n\nfunc (T) Same() {}\n"
	}
	ws := newWorkspace(t, files)
	var all []string
	for after := 0; ; {
		res, err := ws.Def(t.Context(), wire.DefParams{Target: "Same", Limit: 7, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != 50 {
			t.Fatalf("total %d", res.Total)
		}
		for _, d := range res.Definitions {
			all = append(all, d.Live.Address)
		}
		if after = res.Next; after == 0 {
			break
		}
	}
	if len(all) != 50 || !slices.IsSorted(all) || len(slices.Compact(all)) != 50 {
		t.Errorf("%d rows: %q", len(all), all)
	}
}

// TestColdIsComplete: an answer from files that are still pending is the answer of a warm index.
func TestColdIsComplete(t *testing.T) {
	files := map[string]string{}
	for i := range 3 * inlineFiles {
		files[fmt.Sprintf("d%d/f%d.py", i%7, i)] = fmt.Sprintf("def f%d():\n    pass\n\nclass C%d:\n    def same(self):\n        return %d\n", i, i%10, i)
	}
	ws := newWorkspace(t, files)
	targets := []string{"same", "C3.same", "f17", "f383", "d3.f17.f17", "absent"}
	var cold [][]string
	for _, target := range targets {
		cold = append(cold, def(t, ws, target))
	}
	for ws.cur.Load().pending > 0 {
		if err := ws.sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, target := range targets {
		if warm := def(t, ws, target); !slices.Equal(cold[i], warm) {
			t.Errorf("%s: cold %q, warm %q", target, cold[i], warm)
		}
	}
	if len(cold[0]) != 80 || len(cold[2]) != 1 || cold[5] != nil {
		t.Errorf("%d %q %q", len(cold[0]), cold[2], cold[5])
	}
}

// TestSameTick: a second write within one tick of the clock, of the same size into the same inode,
// leaves the stat as it was; it must be seen all the same.
func TestSameTick(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def n_000():\n    pass\n"})
	f, err := os.OpenFile(filepath.Join(ws.Root, "m.py"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := 1; i < 200; i++ {
		if _, err := f.WriteAt(fmt.Appendf(nil, "%03d", i), int64(len("def n_"))); err != nil {
			t.Fatal(err)
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i)); len(got) != 1 {
			t.Fatalf("write %d is not seen", i)
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i-1)); got != nil {
			t.Fatalf("write %d: the name before is still answered: %q", i, got)
		}
	}
}

// TestForgedTime: mtime set back, or an hour ahead, hides no edit (CASES F15).
func TestForgedTime(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def one():\n    pass\n"})
	path := filepath.Join(ws.Root, "m.py")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	def(t, ws, "one")
	write(t, path, "def two():\n    pass\n")
	for _, at := range []time.Time{before.ModTime(), before.ModTime().Add(time.Hour)} {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if got := def(t, ws, "two"); len(got) != 1 {
			t.Errorf("mtime %v: %q", at, got)
		}
		if got := def(t, ws, "one"); got != nil {
			t.Errorf("mtime %v: %q", at, got)
		}
	}
}

// TestRootReplaced: the same path, another directory.
func TestRootReplaced(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def one():\n    pass\n"})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py"}).Live.Address
	if got := def(t, ws, "one"); len(got) != 1 {
		t.Fatal(got)
	}
	if err := os.RemoveAll(ws.Root); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Def(t.Context(), wire.DefParams{Target: "one"}); word(err) != wire.NotFound {
		t.Fatalf("without a root: %v", err)
	}
	write(t, filepath.Join(ws.Root, "m.py"), "\ndef one():\n    pass\n\ndef two():\n    pass\n")
	if got := def(t, ws, "two"); len(got) != 1 {
		t.Errorf("two: %q", got)
	}
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Outcome != wire.Relocated {
		t.Errorf("%+v", res)
	}
}

// TestUnreadable: a file that cannot be parsed or read has a reason, and hides no other.
func TestUnreadable(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"m.py":   "def f():\n    pass\n",
		"big.py": "def f():\n    pass\n" + strings.Repeat("x = 1\n", 1<<20),
		"nul.py": "def f():\n    pass\n\x00",
	})
	if got := def(t, ws, "f"); !slices.Equal(got, []string{"m.py:1-2 function f"}) {
		t.Errorf("%q", got)
	}
	for target, want := range map[string]wire.Word{"repo:big.py:f": wire.FileTooLarge, "repo:nul.py:f": wire.BinaryContent} {
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: target}); word(err) != want {
			t.Errorf("%s: %v; want %s", target, err, want)
		}
	}
	if w := ws.status(); len(w.Unparsed) != 2 {
		t.Errorf("%+v", w.Unparsed)
	}
	// Anchors work on them all the same.
	live := get(t, ws, wire.GetParams{Ref: "repo:big.py", Lines: "1:2"}).Live.Address
	write(t, filepath.Join(ws.Root, "big.py"), strings.Repeat("x = 1\n", 1<<20)+"def f():\n    pass\n")
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{1<<20 + 1, 1<<20 + 2}) {
		t.Errorf("%v", res.Lines)
	}
}
