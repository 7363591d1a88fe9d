package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

// diag asks and lists the rows as "path:line severity message (source)".
func diag(t testing.TB, ws *Workspace, p wire.DiagParams) ([]string, *wire.DiagResult) {
	t.Helper()
	res, err := ws.Diag(t.Context(), p)
	if err != nil {
		t.Fatalf("diag %s: %v", p.Path, err)
	}
	rows := []string{}
	for _, d := range res.Diagnostics {
		rows = append(rows, fmt.Sprintf("%s:%d %s %s (%s)", d.Path, d.Lines[0], d.Severity, d.Message, d.Source))
	}
	return rows, res
}

// runGit runs git in the workspace under nobody's configuration.
func runGit(t testing.TB, ws *Workspace, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", ws.Root, "-c", "user.email=a@b", "-c", "user.name=a", "-c", "gc.auto=0"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func commitAll(t testing.TB, ws *Workspace) {
	t.Helper()
	runGit(t, ws, "add", "-A")
	runGit(t, ws, "commit", "-qm", "x")
}

var sound = map[string]string{
	"a.go":       "package a\n\nfunc f() {\n\tg(1)\n}\n",
	"b/m.py":     "def f(x):\n    return x\n",
	"b/n.py":     "def g(x):\n    return x\n",
	"gap.c":      "int g(void) { return a <=> b; }\nint f(void) { return 1; }\n",
	"README.md":  "# (((\n",
	"plain.txt":  "(((",
	"testdata/x": "(((",
}

// A clean tree has no rows, and the coverage counts every file.
func TestDiagClean(t *testing.T) {
	ws := newWorkspace(t, sound)
	for _, committed := range []bool{false, true} {
		if committed {
			runGit(t, ws, "init", "-q")
			commitAll(t, ws)
		}
		rows, res := diag(t, ws, wire.DiagParams{})
		c := res.Coverage
		if len(rows) != 0 || res.Total != 0 || c.Checked != 3 || c.Unchecked != 4 || c.Scope != c.Checked+c.Unchecked {
			t.Errorf("committed %v: %q, %+v", committed, rows, c)
		}
		reasons := map[string]int{}
		for _, r := range c.Reasons {
			reasons[r.Reason] = r.Files
		}
		doubt := index.DoubtGrammar
		if committed {
			doubt = doubtStanding
		}
		if reasons[index.DoubtNoLanguage] != 3 || reasons[doubt] != 1 {
			t.Errorf("committed %v: %v", committed, reasons)
		}
	}
}

// What is written is diagnosed at once, and what is mended is gone at once.
func TestDiagFresh(t *testing.T) {
	ws := newWorkspace(t, sound)
	runGit(t, ws, "init", "-q")
	commitAll(t, ws)
	for range 3 {
		write(t, filepath.Join(ws.Root, "b/m.py"), "def f(x)\n    return x\n")
		write(t, filepath.Join(ws.Root, "gap.c"), "int g(void) { return a <=> b; }\nint f(void) { return (1; }\n")
		write(t, filepath.Join(ws.Root, "new.go"), "package a\n\nfunc h() {\n")
		rows, res := diag(t, ws, wire.DiagParams{})
		want := []string{
			"b/m.py:1 error missing `:` (tree-sitter)",
			"gap.c:2 error unclosed `(` opened at L2 (tree-sitter)",
			"new.go:3 error unclosed `{` opened at L3 (go/parser)",
		}
		if !slices.Equal(rows, want) {
			t.Fatalf("%q", rows)
		}
		for _, d := range res.Diagnostics {
			if d.Captured == nil || d.Live == nil {
				t.Errorf("%s has no addresses: %s", d.Path, d.Note)
				continue
			}
			got := get(t, ws, wire.GetParams{Ref: d.Live.Address})
			if got.Outcome != wire.Verified {
				t.Errorf("%s: %s", d.Live.Address, got.Outcome)
			}
			if got := get(t, ws, wire.GetParams{Ref: d.Captured.Address}); got.Span != d.Captured.Span {
				t.Errorf("%s: %+v", d.Captured.Address, got)
			}
		}
		for path, content := range sound {
			write(t, filepath.Join(ws.Root, path), content)
		}
		if err := os.Remove(filepath.Join(ws.Root, "new.go")); err != nil {
			t.Fatal(err)
		}
		if rows, _ := diag(t, ws, wire.DiagParams{}); len(rows) != 0 {
			t.Fatalf("mended: %q", rows)
		}
	}
}

// After a switch of branches the evidence is the commit that is checked out now.
func TestDiagSwitch(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.c": "int f(void) { return (1); }\n"})
	runGit(t, ws, "init", "-q")
	commitAll(t, ws)
	runGit(t, ws, "tag", "good")
	write(t, filepath.Join(ws.Root, "m.c"), "int f(void) { return (1; }\n")
	rows, _ := diag(t, ws, wire.DiagParams{})
	if len(rows) != 1 {
		t.Fatalf("%q", rows)
	}
	commitAll(t, ws)
	if rows, res := diag(t, ws, wire.DiagParams{}); len(rows) != 0 || res.Coverage.Reasons[0].Reason != doubtStanding {
		t.Errorf("committed as it is: %q", rows)
	}
	runGit(t, ws, "reset", "-q", "--soft", "good")
	if again, _ := diag(t, ws, wire.DiagParams{}); !slices.Equal(again, rows) {
		t.Errorf("another commit, the same bytes: %q, want %q", again, rows)
	}
}

// Without a repository the last state that was read without an error is the evidence, for every language.
func TestDiagLastSound(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.rs": "fn f() -> i32 {\n    1 + 2\n}\n", "new/x": ""})
	if rows, _ := diag(t, ws, wire.DiagParams{}); len(rows) != 0 {
		t.Fatalf("%q", rows)
	}
	write(t, filepath.Join(ws.Root, "m.rs"), "fn f() -> i32 {\n    1 + = 2\n}\n")
	write(t, filepath.Join(ws.Root, "n.rs"), "fn f() -> i32 {\n    1 + = 2\n}\n") // nothing is known of it
	rows, res := diag(t, ws, wire.DiagParams{})
	if !slices.Equal(rows, []string{"m.rs:2 error unexpected `=` (tree-sitter)"}) {
		t.Errorf("%q", rows)
	}
	if r := res.Coverage.Reasons; len(r) != 2 || r[1].Reason != index.DoubtGrammar || r[1].Paths[0] != "repo:n.rs" {
		t.Errorf("%+v", r)
	}
}

// Only what is new since a clock; moved lines are not new, and a clock that nobody knows lists everything.
func TestDiagSince(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def f(x)\n    return x\n", "n.py": "x = 1\n"})
	file := filepath.Join(ws.Root, "m.py")
	_, first := diag(t, ws, wire.DiagParams{})
	write(t, file, "import os\nimport re\n\ndef f(x)\n    return x\n")
	rows, res := diag(t, ws, wire.DiagParams{Since: first.Clock})
	if len(rows) != 0 || res.Solved != 0 || res.Fresh || res.Clock != first.Clock {
		t.Errorf("shifted: %q, %+v", rows, res)
	}
	write(t, filepath.Join(ws.Root, "n.py"), "x = (1\n")
	rows, res = diag(t, ws, wire.DiagParams{Since: first.Clock})
	if len(rows) != 1 || !strings.HasPrefix(rows[0], "n.py:1 ") || res.Solved != 0 {
		t.Errorf("one more: %q, %+v", rows, res)
	}
	write(t, file, "def f(x):\n    return x\n")
	rows, res = diag(t, ws, wire.DiagParams{Since: res.Clock})
	if len(rows) != 0 || res.Solved != 1 {
		t.Errorf("one less: %q, %+v", rows, res)
	}
	rows, res = diag(t, ws, wire.DiagParams{Since: "no such clock"})
	if len(rows) != 1 || !res.Fresh {
		t.Errorf("unknown clock: %q, %+v", rows, res)
	}
	if _, other := diag(t, ws, wire.DiagParams{Path: "repo:m.py"}); other.Clock == res.Clock {
		t.Error("two scopes have one clock")
	}
}

// Following next lists every row once.
func TestDiagNext(t *testing.T) {
	files := map[string]string{}
	for i := range 7 {
		files[fmt.Sprintf("m%d.py", i)] = "def f(x)\n    return x\n"
	}
	ws := newWorkspace(t, files)
	whole, res := diag(t, ws, wire.DiagParams{})
	if len(whole) != 7 || res.Next != 0 || res.Errors != 7 {
		t.Fatalf("%q", whole)
	}
	var got []string
	p := wire.DiagParams{Limit: 3}
	for {
		rows, res := diag(t, ws, p)
		got = append(got, rows...)
		if res.Total != 7 || res.Next != 0 && res.Next <= p.After {
			t.Fatalf("%+v", res)
		}
		if p.After = res.Next; p.After == 0 {
			break
		}
	}
	if !slices.Equal(got, whole) {
		t.Errorf("%q", got)
	}
}

// What cannot be asked about says why.
func TestDiagScope(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"d/m.py": "x = (\n", "d.py": "x = (\n", "d0/m.py": "x = (\n", ".gitignore": "out\n", "out/m.py": "x = (\n", "a b.py": "x = (\n"})
	for path, want := range map[string]int{"": 4, "repo:": 4, ".": 4, "repo:d": 1, "d/": 1, "repo:d.py": 1, "d0": 1, "repo:a%20b.py": 1, ws.Root: 4, filepath.Join(ws.Root, "d"): 1} {
		if rows, res := diag(t, ws, wire.DiagParams{Path: path}); len(rows) != want || res.Coverage.Scope < want {
			t.Errorf("%q: %q", path, rows)
		}
	}
	if rows, _ := diag(t, ws, wire.DiagParams{Common: wire.Common{Dir: "d"}, Path: "m.py"}); len(rows) != 1 {
		t.Errorf("from a directory: %q", rows)
	}
	if rows, _ := diag(t, ws, wire.DiagParams{Common: wire.Common{Dir: "d"}, Path: ".."}); len(rows) != 4 {
		t.Errorf("the root, from a directory: %q", rows)
	}
	for path, want := range map[string]wire.Word{"nosuch.py": wire.NotFound, "repo:../x": wire.PathDenied, "out/m.py": wire.NotFound, "repo:.git": wire.NotFound} {
		if _, err := ws.Diag(t.Context(), wire.DiagParams{Path: path}); word(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// An empty file may be wrong, and has no line to address; test data that nobody committed may be wrong on purpose.
func TestDiagEmptyAndTestData(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"empty.go": "", "testdata/bad.go": "package\n", "x/tests/bad.py": "x = (\n", "bad.py": "x = (\n"})
	rows, res := diag(t, ws, wire.DiagParams{})
	if want := []string{"bad.py:1 error unclosed `(` opened at L1 (tree-sitter)", "empty.go:1 error expected 'package', found 'EOF' (go/parser)"}; !slices.Equal(rows, want) {
		t.Errorf("%q", rows)
	}
	if d := res.Diagnostics[1]; d.Live != nil || d.Captured != nil || d.Note == "" {
		t.Errorf("%+v", d)
	}
	if r := res.Coverage.Reasons; len(r) != 1 || r[0].Reason != doubtTestData || r[0].Files != 2 {
		t.Errorf("%+v", r)
	}
	runGit(t, ws, "init", "-q")
	runGit(t, ws, "add", "bad.py")
	runGit(t, ws, "commit", "-qm", "x")
	rows, _ = diag(t, ws, wire.DiagParams{Path: "x/tests"})
	if len(rows) != 1 { // new in a tree under version control: nobody has said that it is wrong on purpose
		t.Errorf("%q", rows)
	}
}

// A page behind the last row is refused; a symbolic link is counted as what it is.
func TestDiagPagesAndLinks(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.py": "def f(:\n    pass\n"})
	if err := os.Symlink("a.py", filepath.Join(ws.Root, "b.py")); err != nil {
		t.Fatal(err)
	}
	rows, res := diag(t, ws, wire.DiagParams{})
	if len(rows) != 1 || len(res.Coverage.Reasons) != 1 || res.Coverage.Reasons[0].Reason != doubtLink {
		t.Errorf("%q, %+v", rows, res.Coverage.Reasons)
	}
	for _, after := range []int{1, 999} {
		if _, err := ws.Diag(t.Context(), wire.DiagParams{After: after}); word(err) != wire.InvalidRequest {
			t.Errorf("after %d: %v", after, err)
		}
	}
	write(t, filepath.Join(ws.Root, "a.py"), "def f():\n    pass\n")
	if _, err := ws.Diag(t.Context(), wire.DiagParams{}); err != nil {
		t.Error(err)
	}
}

// Characters of a text are those that positions count: each byte that is no UTF-8 is one.
func TestDisplay(t *testing.T) {
	src := "a\xe9\xe8\xff\U0001F600\xf0\x9fz"
	table := anchors.NewTable([]byte(src))
	if got, want := display([]byte(src)), "a\ufffd\ufffd\ufffd\U0001F600\ufffd\ufffdz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for offset := range len(src) + 1 {
		if !utf8.RuneStart(append([]byte(src), 0)[offset]) && offset > 4 && offset < 8 {
			continue // within a character
		}
		if got, want := UTF16.position(table, offset).Character, len(utf16.Encode([]rune(display([]byte(src[:offset]))))); got != want {
			t.Errorf("offset %d: %d, want %d", offset, got, want)
		}
	}
}
