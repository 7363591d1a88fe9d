package checkers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func ready(t *testing.T, name string) Checker {
	t.Helper()
	c, problem := Checker{Name: name}.Complete()
	if problem != "" {
		t.Fatal(problem)
	}
	return c
}

// What the ready checkers print, as it was printed by go 1.26, python 3.11, ruff 0.4, node 20, typescript 5, eslint 9,
// clang 14, cargo 1.95, ruby 3.1, php 8.2 and bash 5.2.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"go vet", "# m\n# [m]\n./a.go:5:25: fmt.Printf format %d has arg \"x\" of wrong type string\n", "a.go:5:25 warning fmt.Printf format %d has arg \"x\" of wrong type string"},
		{"go vet", "# m\nvet: ./a.go:3:8: undefined: x\n", "a.go:3:8 warning undefined: x"},
		{"gofmt", "b.go:2:9: expected ')', found '{'\nb.go:2:11: missing ',' in parameter list\n", "b.go:2:9 error expected ')', found '{'|b.go:2:11 error missing ',' in parameter list"},
		{"py_compile", "  File \"a.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n", "a.py:1:0 error invalid syntax"},
		{"py_compile", "  File \"a.py\", line 3\n    x\n    ^\nIndentationError: expected an indented block after 'if' statement on line 2\n", "a.py:3:0 error expected an indented block after 'if' statement on line 2"},
		{"ruff", "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n", "a.py:1:8 warning F401 [*] `os` imported but unused"},
		{"node --check", "/root/a.js:1\nlet x = (;\n         ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n\nNode.js v20.20.2\n", "a.js:1:10 error Unexpected token ';'"},
		{"tsc", "a.ts(2,10): error TS1003: Identifier expected.\nsrc/b.tsx(3,1): error TS1005: ')' expected.\n", "a.ts:2:10 error TS1003: Identifier expected.|src/b.tsx:3:1 error TS1005: ')' expected."},
		{"eslint", "\n/root/src/a.js\n  1:7   error    'x' is assigned a value but never used  no-unused-vars\n  2:1  warning  Unexpected console statement  no-console\n\n✖ 2 problems (1 error, 1 warning)\n\n", "src/a.js:1:7 error 'x' is assigned a value but never used no-unused-vars|src/a.js:2:1 warning Unexpected console statement no-console"},
		{"clang", "a.c:1:8: error: expected parameter declarator\na.c:1:6: note: to match this '('\na.c:9:1: fatal error: 'x.h' file not found\na.c:3:4: warning: unused\n3 errors generated.\n", "a.c:1:8 error expected parameter declarator|a.c:9:1 error 'x.h' file not found|a.c:3:4 warning unused"},
		{"cargo check", "src/lib.rs:1:21: error[E0308]: mismatched types: expected `i32`, found `&str`\nsrc/lib.rs:2:4: warning: function `unused` is never used\nerror: could not compile `m` (lib) due to 1 previous error\n", "src/lib.rs:1:21 error [E0308]: mismatched types: expected `i32`, found `&str`|src/lib.rs:2:4 warning function `unused` is never used"},
		{"ruby", "a.rb:2: syntax error, unexpected `end', expecting ')'\n", "a.rb:2:0 error syntax error, unexpected `end', expecting ')'"},
		{"php", "PHP Parse error:  Unclosed '(' on line 2 in a.php on line 3\nErrors parsing a.php\n", "a.php:3:0 error Unclosed '(' on line 2"},
		{"php", "\nParse error: syntax error, unexpected token \";\" in src/a.php on line 3\nErrors parsing src/a.php\n", "src/a.php:3:0 error syntax error, unexpected token \";\""},
		{"bash", "a.sh: line 2: syntax error near unexpected token `newline'\na.sh: line 2: `echo ('\n", "a.sh:2:0 error syntax error near unexpected token `newline'"},
		{"gofmt", "../out/b.go:2:9: x\n/elsewhere/c.go:1:1: y\nnothing that is known\n" + strings.Repeat("z", 100_000) + "\nb.go:1:1: after a long line\n", "b.go:1:1 error after a long line"},
	} {
		checker := ready(t, c.name)
		found, err := checker.parse("/root", []byte(c.output))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range found {
			text := fmt.Sprintf("%s:%d:%d %s ", p.Path, p.Line, p.Column, p.Severity)
			if p.Code != "" {
				text += p.Code + " "
			}
			got = append(got, text+p.Message)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, strings.Join(got, "|"), c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, r := range Ready {
		if _, problem := (Checker{Name: r.Name}).Complete(); problem != "" {
			t.Errorf("%s: %s", r.Name, problem)
		}
	}
	for want, c := range map[string]Checker{
		"needs a name":          {Command: []string{"x"}},
		"needs a command":       {Name: "x"},
		"needs languages":       {Name: "x", Command: []string{"x"}},
		"needs a format":        {Name: "x", Command: []string{"x"}, Files: []string{"*"}},
		"has severity":          {Name: "ruff", Severity: "bad"},
		"has timeout_seconds":   {Name: "ruff", TimeoutSeconds: -1},
		"has the pattern":       {Name: "ruff", Files: []string{"[a"}},
		"format that cannot be": {Name: "ruff", Format: []string{"%X%Y%f%f"}},
	} {
		if _, problem := c.Complete(); !strings.Contains(problem, want) {
			t.Errorf("%+v: %q, want %q", c, problem, want)
		}
	}
	c, problem := Checker{Name: "ruff", Command: []string{"uvx", "ruff", "{file}"}, Severity: "info"}.Complete()
	if problem != "" || c.Command[0] != "uvx" || c.Severity != "info" || len(c.Format) == 0 || c.Batch() != 1 || c.Whole() {
		t.Errorf("%+v %s", c, problem)
	}
}

// shell is a checker that runs a script.
func shell(script string) Checker {
	return Checker{Name: "test", Files: []string{"*"}, Command: []string{"sh", "-c", script, "{file}", "{files}"}, Format: []string{"%f:%l: %m", "%-G%.%#"}}
}

func TestRun(t *testing.T) {
	root, cache, slots := t.TempDir(), t.TempDir(), NewSlots(1)
	run := func(c Checker, files ...string) ([]Problem, error) {
		return c.Run(context.Background(), slots, root, cache, files)
	}
	found, err := run(shell(`for f; do echo "$f:1: wrong"; done; pwd >&2; exit 1`), "a", "-b")
	if err != nil || len(found) != 2 || found[1].Path != "-b" {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := run(shell("cat; exit 0"), "a"); err != nil || len(found) != 0 {
		t.Errorf("without input: %v, %v", found, err)
	}
	var failed *FailedError
	if _, err := run(shell("echo cannot >&2; exit 3"), "a"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "exit status 3: cannot") {
		t.Errorf("no verdict: %v", err)
	}
	if _, err := run(shell("kill -9 $$"), "a"); !errors.As(err, &failed) {
		t.Errorf("killed: %v", err)
	}
	if _, err := run(shell("yes"), "a"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "printed more than") {
		t.Errorf("endless output: %v", err)
	}
	slow := shell("sleep 100")
	slow.TimeoutSeconds = 1
	if _, err := run(slow, "a"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("endless: %v", err)
	}
	absent := shell("")
	absent.Command[0] = "no-such-program-anywhere"
	if _, err := run(absent, "a"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "not installed") || absent.Missing(root) == "" {
		t.Errorf("absent: %v", err)
	}
}

// Nothing that a command started in its group is left when it ended, nor when it was given up.
func TestGroupIsKilled(t *testing.T) {
	root, cache, slots := t.TempDir(), t.TempDir(), NewSlots(1)
	for _, end := range []string{"exit 0", "wait"} {
		held, started := filepath.Join(t.TempDir(), "held"), filepath.Join(t.TempDir(), "started")
		for _, fifo := range []string{held, started} {
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := shell(fmt.Sprintf(`sleep 1000 >%s & echo > %s; %s`, held, started, end))
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { // ends with the run
			_, err := c.Run(ctx, slots, root, cache, []string{"a"})
			done <- err
		}()
		child, err := os.Open(held) // waits for the child to open it
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(started); err != nil {
			t.Fatal(err)
		}
		if end == "wait" {
			cancel()
		}
		err = <-done
		cancel()
		if end == "wait" && !errors.Is(err, context.Canceled) || end != "wait" && err != nil {
			t.Errorf("%s: %v", end, err)
		}
		if _, err := io.ReadAll(child); err != nil { // comes to an end when the child has
			t.Error(err)
		}
		child.Close()
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range Ready {
		f.Add(r.Name, []byte("a.go:1:2: x\n  File \"a\", line 1\n^\nSyntaxError: y\n"))
	}
	f.Fuzz(func(t *testing.T, name string, output []byte) {
		c, problem := Checker{Name: name}.Complete()
		if problem != "" {
			return
		}
		found, err := c.parse("/root", output)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.Line < 1 || p.Column < 0 || strings.HasPrefix(p.Path, "../") || filepath.IsAbs(p.Path) || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}
