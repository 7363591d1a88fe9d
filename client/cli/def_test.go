package cli

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"ctxd/client/wire"
)

func definition(path string, first, last int) wire.Definition {
	return wire.Definition{Path: path, Name: "beta", Kind: "function", Lines: wire.Lines{first, last},
		Captured: &wire.Captured{Snapshot: "cf3db50116cd", Span: "b34a0fcd32", Lines: wire.Lines{first, last},
			Address: fmt.Sprintf("repo:%s --span b34a0fcd32", path)},
		Live: &wire.Live{Anchor: "07407f1c", Lines: wire.Lines{first, last},
			Address: fmt.Sprintf("repo:%s --lines %d:%d@07407f1c", path, first, last)},
		Text: []string{"def beta():", "    return 2"}, Complete: true}
}

const betaBlock = `definition: repo:m.py L4:5@07407f1c (function)
snapshot: snapshot:cf3db50116cd
span: b34a0fcd32 (region L4:5) · as captured: ctx get repo:m.py --span b34a0fcd32
live: ctx get repo:m.py --lines 4:5@07407f1c
`

func TestDefText(t *testing.T) {
	long := definition("m.py", 4, 1203)
	long.Complete, long.Text = false, long.Text[:1]
	bare := definition("m.py", 4, 5)
	bare.Captured, bare.Live, bare.Note = nil, nil, "path is excluded from capture by policy: m.py"
	odd := definition("m.py", 4, 5)
	odd.Path, odd.PathBase64 = "m\ufffd.py", base64.StdEncoding.EncodeToString([]byte("m\xff y.py"))
	odd.Captured, odd.Live, odd.Text = nil, nil, nil
	odd.Complete = false
	for _, tt := range []struct {
		name   string
		args   []string
		result wire.DefResult
		want   string
	}{
		{"the seed's", nil, wire.DefResult{Total: 1, Definitions: []wire.Definition{definition("m.py", 4, 5)}},
			betaBlock + "body (complete):\nL4: def beta():\nL5:     return 2\n"},
		{"no body", []string{"--no-body"}, wire.DefResult{Total: 1, Definitions: []wire.Definition{definition("m.py", 4, 5)}}, betaBlock},
		{"long", nil, wire.DefResult{Total: 1, Definitions: []wire.Definition{long}}, `definition: repo:m.py L4:1203@07407f1c (function)
snapshot: snapshot:cf3db50116cd
span: b34a0fcd32 (region L4:1203) · as captured: ctx get repo:m.py --span b34a0fcd32
live: ctx get repo:m.py --lines 4:1203@07407f1c
body: 1,200 lines — showing first 1 · full body: ctx get repo:m.py --lines 4:1203@07407f1c
L4: def beta():
`},
		{"several, cut", []string{"--limit", "2", "--no-body", "--symbol", "beta"}, wire.DefResult{Total: 1300, Next: 2,
			Definitions: []wire.Definition{definition("m.py", 4, 5), bare},
			Coverage:    wire.Coverage{Files: 1500, Parsed: 1498, Unparsed: 2, Freshness: "none"}},
			"definitions: 1,300 · shown: 2\n" + betaBlock + `definition: repo:m.py L4:5 (function)
note: path is excluded from capture by policy: m.py
freshness: none (the tree was not compared with the index)
next: ctx def repo:m.py:beta --no-body --limit 2 --after 2
`},
		{"two", []string{"--no-body"}, wire.DefResult{Total: 2, Definitions: []wire.Definition{definition("m.py", 4, 5), definition("m.py", 4, 5)}},
			"definitions: 2\n" + betaBlock + betaBlock},
		{"odd name", nil, wire.DefResult{Total: 1, Definitions: []wire.Definition{odd}}, "definition: repo:m%FF%20y.py L4:5 (function)\n" +
			"body: 2 lines — not shown · full body: ctx get repo:m%FF%20y.py --lines 4:5\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.result.Target, tt.result.Engine = "repo:m.py:beta", "tree-sitter"
			daemon(t, map[string]any{wire.MethodDef: tt.result})
			out, errs, code := ctx(append([]string{"def", "repo:m.py:beta"}, tt.args...)...)
			want := "[ctx def repo:m.py:beta · engine tree-sitter]\n" + tt.want
			if out != want || errs != "" || code != 0 {
				t.Errorf("got\n%swant\n%s%s exit %d", out, want, errs, code)
			}
		})
	}
}

// The same bytes give the same text, however far the index is; JSON says how far.
func TestDefTextIsTheSameColdAndWarm(t *testing.T) {
	print := func(c wire.Coverage, args ...string) string {
		daemon(t, map[string]any{wire.MethodDef: wire.DefResult{Target: "beta", Total: 1, Coverage: c,
			Definitions: []wire.Definition{definition("m.py", 4, 5)}}})
		out, errs, code := ctx(append([]string{"def", "beta"}, args...)...)
		if errs != "" || code != 0 {
			t.Errorf("%s exit %d", errs, code)
		}
		return out
	}
	cold := wire.Coverage{Files: 1500, Parsed: 3, Pending: 1497, Freshness: "sweep"}
	warm := wire.Coverage{Files: 1500, Parsed: 1498, Unparsed: 2, Freshness: "events"}
	if a, b := print(cold), print(warm); a != b {
		t.Errorf("cold:\n%swarm:\n%s", a, b)
	}
	if out := print(cold, "--json"); !strings.Contains(out, `"pending": 1497`) {
		t.Errorf("%s", out)
	}
}

// What next: says can be pasted into a shell.
func TestDefNextIsQuoted(t *testing.T) {
	for _, tt := range []struct{ target, symbol, want string }{
		{"operator()", "", "next: ctx def 'operator()' --after 1"},
		{"repo:m.cc", "operator \"\"_s", `next: ctx def repo:m.cc --symbol 'operator ""_s' --after 1`},
		{"repo:m.py:it's", "", `next: ctx def 'repo:m.py:it'\''s' --after 1`},
		{"repo:m%20y.py:beta", "", "next: ctx def repo:m%20y.py:beta --after 1"},
	} {
		daemon(t, map[string]any{wire.MethodDef: wire.DefResult{Target: tt.target, Total: 2, Next: 1,
			Definitions: []wire.Definition{definition("m.py", 4, 5)}}})
		out, errs, code := ctx("def", tt.target, "--symbol", tt.symbol)
		if !strings.HasSuffix(out, "\n"+tt.want+"\n") || errs != "" || code != 0 {
			t.Errorf("%+v: %s%s exit %d", tt, out, errs, code)
		}
	}
}
