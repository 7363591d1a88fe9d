package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// script is a checker that runs a shell script, which counts its runs.
func script(body string, more string) string {
	return `
[[diag.checker]]
name = "test"
files = ["*.txt"]
command = ["sh", "-c", '''echo run >> "$0"; ` + body + `''', "{cache}/../../runs", "{files}"]
format = ["%f:%l:%c: %m", "%-G%.%#"]
severity = "warning"
` + more
}

func trustIt(t testing.TB, d *Daemon, root string) *wire.TrustResult {
	t.Helper()
	r, err := d.Trust(t.Context(), wire.TrustParams{Common: wire.Common{Root: root}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sourceNote(res *wire.DiagResult, name string) (files int, note string) {
	for _, s := range res.Coverage.Sources {
		if s.Name == name {
			return s.Files, s.Note
		}
	}
	return 0, "absent"
}

const grepper = `for f in "$@"; do grep -n bad "$f" | sed "s|^\([0-9]*\):.*|$f:\1:2: it is bad|"; done`

// Nothing runs before the workspace is trusted, and nothing after that was revoked. A verdict is of the present bytes,
// and is kept for as long as they are.
func TestCheckers(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "ctx.toml"), script(grepper, "alone = true"))
	write(t, filepath.Join(root, "a.txt"), "good\nbad\n")
	write(t, filepath.Join(root, "b.txt"), "good\n")
	ws := use(t, d, root)
	runs := func() int {
		text, _ := os.ReadFile(filepath.Join(ws.checkerState, "runs"))
		return strings.Count(string(text), "run")
	}
	rows, res := diag(t, ws, wire.DiagParams{})
	if _, note := sourceNote(res, "test"); len(rows) != 0 || runs() != 0 || !strings.Contains(note, "not trusted") {
		t.Fatalf("not trusted: %q, %s, %d runs", rows, note, runs())
	}
	if r := trustIt(t, d, root); !r.Trusted || !r.Changed || len(r.Checkers) != 1 || r.Checkers[0].Name != "test" {
		t.Fatalf("%+v", r)
	}
	want := []string{"a.txt:2 warning it is bad (test)"}
	for range 3 {
		rows, res = diag(t, ws, wire.DiagParams{})
		if files, note := sourceNote(res, "test"); !slices.Equal(rows, want) || files != 2 || note != "" || res.Warnings != 1 || res.Coverage.Checked != 3 { // ctx.toml by the grammar
			t.Fatalf("trusted: %q, %d files, %s, %+v", rows, files, note, res.Coverage)
		}
	}
	if n := runs(); n != 1 {
		t.Errorf("%d runs on the same bytes, want 1", n)
	}
	for i := range 5 {
		write(t, filepath.Join(root, "b.txt"), strings.Repeat("good\n", i)+"bad\n")
		rows, _ = diag(t, ws, wire.DiagParams{Path: "b.txt"})
		if len(rows) != 1 || !strings.HasPrefix(rows[0], "b.txt:"+string(rune('1'+i))) {
			t.Fatalf("round %d: %q", i, rows)
		}
	}
	if r, err := d.Trust(t.Context(), wire.TrustParams{Common: wire.Common{Root: root}, Revoke: true}); err != nil || r.Trusted || !r.Changed {
		t.Fatalf("%+v, %v", r, err)
	}
	before := runs()
	write(t, filepath.Join(root, "b.txt"), "bad again\n")
	if rows, _ := diag(t, ws, wire.DiagParams{}); len(rows) != 0 || runs() != before {
		t.Errorf("revoked: %q", rows)
	}
}

// A checker that comes to no verdict is told, and its files count as not judged.
func TestCheckerWithoutVerdict(t *testing.T) {
	for body, want := range map[string]string{
		"echo cannot >&2; exit 7":    "exit status 7: cannot",
		`echo changed >> "$1"; true`: "changed while it ran",
	} {
		d := newDaemon(t)
		root := t.TempDir()
		write(t, filepath.Join(root, "ctx.toml"), script(body, ""))
		write(t, filepath.Join(root, "a.txt"), "text\n")
		ws := use(t, d, root)
		trustIt(t, d, root)
		rows, res := diag(t, ws, wire.DiagParams{Path: "a.txt"})
		if files, note := sourceNote(res, "test"); len(rows) != 0 || files != 0 || !strings.Contains(note, want) || res.Coverage.Unchecked != 1 {
			t.Errorf("%s: %q, %d files, %q", body, rows, files, note)
		}
	}
}

// A checker that is not installed is told.
func TestCheckerMissing(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "ctx.toml"), "[[diag.checker]]\nname = \"ruff\"\ncommand = [\"no-such-program\", \"{files}\"]\n[[diag.checker]]\nname = \"nothing\"\n")
	write(t, filepath.Join(root, "a.py"), "x = 1\n")
	ws := use(t, d, root)
	trustIt(t, d, root)
	_, res := diag(t, ws, wire.DiagParams{})
	if files, note := sourceNote(res, "ruff"); files != 0 || note != "not installed: no-such-program" {
		t.Errorf("%d files, %s", files, note)
	}
	if problems := ws.config.Load().problems; len(problems) != 1 || !strings.Contains(problems[0], "nothing is no ready checker") {
		t.Errorf("%q", problems)
	}
}

// Where a checker that knows the syntax judged a file, the grammar is silent.
func TestCheckerBeatsGrammar(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "ctx.toml"), "[[diag.checker]]\nname = \"ours\"\nlanguages = [\"python\"]\ncommand = [\"sh\", \"-c\", \"echo a.py:1: from outside\", \"{file}\"]\nformat = [\"%f:%l: %m\"]\nsyntax = true\n")
	write(t, filepath.Join(root, "a.py"), "def f(x)\n    return x\n")
	ws := use(t, d, root)
	if rows, _ := diag(t, ws, wire.DiagParams{}); len(rows) != 1 || !strings.Contains(rows[0], "tree-sitter") {
		t.Errorf("%q", rows)
	}
	trustIt(t, d, root)
	if rows, _ := diag(t, ws, wire.DiagParams{}); !slices.Equal(rows, []string{"a.py:1 error from outside (ours)"}) {
		t.Errorf("%q", rows)
	}
}

// Trust is of a directory, not of its name.
func TestTrustIdentity(t *testing.T) {
	trust := newTrusts(t.TempDir())
	parent := t.TempDir()
	root, other := filepath.Join(parent, "w"), filepath.Join(parent, "v")
	for _, dir := range []string{root, other} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	trusted := func(root string) bool { yes, _ := trust.trusted(root, "c1"); return yes }
	if trusted(root) {
		t.Error("trusted from the start")
	}
	if err := trust.set(root, "c1", true); err != nil || !trusted(root) || trusted(other) {
		t.Errorf("set: %v", err)
	}
	if yes, others := newTrusts(filepath.Dir(trust.path)).trusted(root, "c1"); !yes || others {
		t.Error("forgotten by the next daemon")
	}
	if yes, others := trust.trusted(root, "c2"); yes || !others {
		t.Error("other commands are trusted")
	}
	if err := os.Rename(root, root+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, root); err != nil {
		t.Fatal(err)
	}
	if trusted(root) || trusted(root+"2") {
		t.Error("another directory of that name is trusted")
	}
	write(t, trust.path, "{damaged")
	if trusted(root) || trust.set(root, "c1", true) == nil {
		t.Error("a damaged file is written over")
	}
}

// What was trusted is a list of commands: when ctx.toml names others nothing runs until they are trusted too. What else
// stands in it does not matter.
func TestTrustCommands(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	config := filepath.Join(root, "ctx.toml")
	write(t, config, script(grepper, ""))
	write(t, filepath.Join(root, "a.txt"), "bad\n")
	ws := use(t, d, root)
	trustIt(t, d, root)
	runs := func(what string, want int, says string) {
		t.Helper()
		rows, res := diag(t, ws, wire.DiagParams{})
		if _, note := sourceNote(res, "test"); len(rows) != want || !strings.Contains(note, says) {
			t.Errorf("%s: %q, %q", what, rows, note)
		}
	}
	runs("trusted", 1, "")
	write(t, config, script(grepper, "")+"\n# a comment\n[budgets]\nmax_matches = 70\n")
	runs("another budget", 1, "")
	write(t, config, script(grepper+"; true", ""))
	runs("another command", 0, "others than those that were trusted")
	show, err := d.Trust(t.Context(), wire.TrustParams{Common: wire.Common{Root: root}, Show: true})
	if err != nil || show.Trusted || !show.Others || show.Changed {
		t.Errorf("shown: %+v, %v", show, err)
	}
	write(t, config, script(grepper, ""))
	runs("the same again", 1, "")
	write(t, config, script(grepper, `env = ["A=1"]`))
	runs("another environment", 0, "others than")
	if r := trustIt(t, d, root); !r.Trusted || !r.Changed || r.Others {
		t.Errorf("%+v", r)
	}
	runs("trusted again", 1, "")
}
