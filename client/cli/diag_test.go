package cli

import (
	"strings"
	"testing"

	"ctxd/client/wire"
)

func diagResult() wire.DiagResult {
	return wire.DiagResult{
		Path: "repo:", Engine: "tree-sitter", Total: 3, Errors: 2, Warnings: 1, Next: 2, Clock: "0123456789ab",
		Diagnostics: []wire.Diagnostic{
			{Path: "m.py", Lines: wire.Lines{4, 4}, Severity: wire.SeverityError, Source: "tree-sitter", Message: "missing `:`",
				Live: &wire.Live{Address: "repo:m.py --lines 4:4@07407f1c"}},
			{Path: "a b.py", Lines: wire.Lines{9, 9}, Severity: wire.SeverityWarning, Source: "ruff", Code: "F401", Message: "two\nlines \x1b[31m"},
		},
		Coverage: wire.DiagCoverage{
			Scope: 5, Checked: 3, Unchecked: 2, Bytes: 1234,
			Sources: []wire.DiagSource{{Name: "eslint", Note: "not installed: eslint"}, {Name: "ruff", Files: 2}, {Name: "tree-sitter", Files: 3}},
			Reasons: []wire.DiagReason{{Reason: "binary", Files: 2, Paths: []string{"repo:x.bin"}}},
		},
	}
}

func TestDiag(t *testing.T) {
	f := daemon(t, map[string]any{wire.MethodDiag: diagResult()})
	out, errs, code := ctx("diag")
	want := `[ctx diag repo: · engine tree-sitter · checker ruff]
diagnostics: 3 · error 2 · warning 1
repo:m.py:L4: missing ` + "`:`" + ` · tree-sitter
repo:a%20b.py:L9: warning: two lines \x1b[31m (F401) · ruff
… +1 more diagnostics
coverage:
  checked: 3 of 5 files · 1.2 KiB
  eslint: 0 files · not installed: eslint
  ruff: 2 files
  tree-sitter: 3 files
  none: 2 files
    2 · binary: repo:x.bin, …
clock: 0123456789ab
next: ctx diag repo: --after 2
`
	if out != want || errs != "" || code != 3 {
		t.Errorf("got\n%s%s exit %d", out, errs, code)
	}
	if p := asked[wire.DiagParams](t, f); p.Path != "" || p.Since != "" || p.Root == "" {
		t.Errorf("asked %+v", p)
	}
	out, _, _ = ctx("diag", "src", "--anchors", "--since", "abc", "--limit", "2", "--after", "4")
	if p := asked[wire.DiagParams](t, f); p.Path != "src" || p.Since != "abc" || p.Limit != 2 || p.After != 4 {
		t.Errorf("asked %+v", p)
	}
	for _, line := range []string{"repo:m.py --lines 4:4@07407f1c: missing `:` · tree-sitter\n", "next: ctx diag repo: --anchors --since abc --limit 2 --after 2\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("%s\nlacks %s", out, line)
		}
	}
	if out, _, code := ctx("diag", "--json"); code != 3 || !strings.Contains(out, `"clock": "0123456789ab"`) {
		t.Errorf("%s exit %d", out, code)
	}
	for _, args := range [][]string{{"diag", "a", "b"}, {"diag", "--limit", "-1"}, {"diag", "--limit"}} {
		if _, errs, code := ctx(args...); code != 2 || errs == "" {
			t.Errorf("%q: %s exit %d", args, errs, code)
		}
	}
}

// Warnings are no failure, and nothing new is said as such.
func TestDiagNone(t *testing.T) {
	r := diagResult()
	r.Total, r.Errors, r.Warnings, r.Next, r.Diagnostics = 0, 0, 0, 0, nil
	r.Since, r.Solved = "abc", 2
	daemon(t, map[string]any{wire.MethodDiag: r})
	out, _, code := ctx("diag", "--since", "abc")
	if !strings.Contains(out, "since: abc · solved: 2\nnew diagnostics: none\ncoverage:\n") || code != 0 {
		t.Errorf("%s exit %d", out, code)
	}
	r.Fresh = true
	daemon(t, map[string]any{wire.MethodDiag: r})
	if out, _, _ := ctx("diag", "--since", "abc"); !strings.Contains(out, "since: abc is not known any more: everything is listed\ndiagnostics: none\n") {
		t.Error(out)
	}
}

func TestTrust(t *testing.T) {
	r := wire.TrustResult{Trusted: true, Changed: true, Checkers: []wire.TrustChecker{
		{Name: "ruff", Languages: []string{"python", "*.py"}, Command: []string{"ruff", "check", "{files}"}, Problem: "not installed: ruff"}}}
	f := daemon(t, map[string]any{wire.MethodTrust: r})
	out, _, code := ctx("trust")
	if want := "trusted: yes, from now on\nchecker: ruff (python, *.py): ruff check '{files}' · not installed: ruff\n"; out != want || code != 0 {
		t.Errorf("%s exit %d", out, code)
	}
	if p := asked[wire.TrustParams](t, f); p.Revoke || p.Show || p.Root == "" {
		t.Errorf("asked %+v", p)
	}
	for changed, want := range map[bool]string{true: "trusted: no more\n", false: "trusted: no\n"} {
		f := daemon(t, map[string]any{wire.MethodTrust: wire.TrustResult{Changed: changed}})
		if out, _, _ := ctx("trust", "--revoke"); !strings.HasPrefix(out, want) || !strings.Contains(out, "none are configured") {
			t.Error(out)
		}
		if p := asked[wire.TrustParams](t, f); !p.Revoke {
			t.Errorf("asked %+v", p)
		}
	}
	for _, args := range [][]string{{"trust", "x"}, {"trust", "--revoke", "--show"}} {
		if _, errs, code := ctx(args...); code != 2 || errs == "" {
			t.Errorf("%q: %s exit %d", args, errs, code)
		}
	}
}
