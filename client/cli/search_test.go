package cli

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"ctxd/client/wire"
)

func match(path string, line int, text string) wire.Match {
	return wire.Match{Path: path, Lines: wire.Lines{line, line}, Text: text, Complete: true,
		TextBytes: wire.Bytes{10, 10 + len(text)}, LineBytes: wire.Bytes{10, 10 + len(text)},
		Captured: &wire.Captured{Snapshot: "cf3db50116cd", Span: "b34a0fcd32", Lines: wire.Lines{line, line}},
		Live:     &wire.Live{Anchor: "07407f1c", Lines: wire.Lines{line, line}, Address: "repo:" + path + " --lines 4:4@07407f1c"}}
}

// searchText is one answer of ctx search, and how it is printed.
type searchText struct {
	name   string
	args   []string
	result wire.SearchResult
	want   string
}

func searchTexts() []searchText {
	cut := match("long.js", 1, "a needle b")
	cut.Complete, cut.LineBytes = false, wire.Bytes{0, 10240}
	head := match("long.js", 2, "head")
	head.Complete, head.LineBytes = false, wire.Bytes{10, 10240}
	odd := match("m\ufffd.py", 3, "caf\ufffd \x1b[31m")
	odd.PathBase64 = base64.StdEncoding.EncodeToString([]byte("m\xff.py"))
	odd.TextBase64 = base64.StdEncoding.EncodeToString([]byte("caf\xe9 \x1b[31m"))
	bare := match("m.py", 9, "x")
	bare.Captured, bare.Note = nil, "not captured: no space left on device"
	scanned := wire.Scanned{Files: 1204, Lines: 77000}
	return []searchText{
		{"rows", []string{"a", "b"}, wire.SearchResult{Total: 3, Scanned: scanned, Matches: []wire.Match{match("m.py", 4, "\ta b"), match("m.py", 7, "b"), match("n.py", 1, "a")}},
			`patterns: 'a' 'b' (any)
repo:m.py:
  L4: 	a b
  L7: b
repo:n.py:
  L1: a
coverage:
  scanned: 1,204 targets · 77,000 lines
  matches: 3 · shown: 3
snapshots:
  repo:m.py → snapshot:cf3db50116cd
  repo:n.py → snapshot:cf3db50116cd
`},
		{"none", []string{"--all", "--regex", "a", "b"}, wire.SearchResult{Scanned: wire.Scanned{Files: 1, Lines: 1, Binary: 2, Secrets: 3, Unreadable: 1,
			Problems: []wire.Problem{{Path: "p q", Reason: "denied"}}}, Coverage: wire.Coverage{Freshness: "none"}},
			`patterns: 'a' 'b' (all, regex)
coverage:
  scanned: 1 target · 1 line · 2 binary skipped · 3 secret skipped · 1 unreadable skipped
  unreadable: repo:p%20q: denied
  matches: 0 · shown: 0
freshness: none (the tree was not compared with the index)
`},
		{"cut, with anchors", []string{"--anchors", "needle"}, wire.SearchResult{Total: 2, Scanned: scanned, Matches: []wire.Match{cut, head, odd, bare}},
			`patterns: 'needle' (any)
repo:long.js:
  L1:1@07407f1c: …a needle b… [10 of 10,240 bytes]
  L2:2@07407f1c: head… [4 of 10,230 bytes]
repo:m%FF.py:
  L3:3@07407f1c: caf\xe9 \x1b[31m
repo:m.py:
  L9:9@07407f1c: x
    note: not captured: no space left on device
coverage:
  scanned: 1,204 targets · 77,000 lines
  matches: 2 · shown: 4
snapshots:
  repo:long.js → snapshot:cf3db50116cd
  repo:m%FF.py → snapshot:cf3db50116cd
`},
		{"next", []string{"--limit", "1", "--regex", "--path", "sub dir", "a b", "file:*.py", "case:no", "-e", "-x", "--", "-v"},
			wire.SearchResult{Total: 2, Scanned: scanned, Matches: []wire.Match{match("m.py", 4, "a b")}, Next: "repo:m.py --lines 4:4@07407f1c", Note: "it moved"},
			`patterns: 'a b' '-v' '-x' (any, regex)
repo:m.py:
  L4: a b
coverage:
  scanned: 1,204 targets · 77,000 lines
  matches: 2 · shown: 1 · truncated
snapshots:
  repo:m.py → snapshot:cf3db50116cd
note: it moved
next: ctx search 'a b' 'file:*.py' case:no --regex --path 'sub dir' --limit 1 -e -x --after 'repo:m.py --lines 4:4@07407f1c' -- -v
`},
	}
}

func TestSearchText(t *testing.T) {
	for _, tt := range searchTexts() {
		t.Run(tt.name, func(t *testing.T) {
			tt.result.Path = "repo:."
			daemon(t, map[string]any{wire.MethodSearch: tt.result})
			out, errs, code := ctx(append([]string{"search"}, tt.args...)...)
			if want := "[ctx search repo:.]\n" + tt.want; out != want || errs != "" || code != 0 {
				t.Errorf("got\n%swant\n%s%s exit %d", out, want, errs, code)
			}
		})
	}
}

// What is typed arrives: filters as such, other words as patterns, bytes that are not UTF-8 exactly.
func TestSearchParams(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want wire.SearchParams
	}{
		{[]string{"a"}, wire.SearchParams{Patterns: []string{"a"}}},
		{[]string{"std::vector", "http://x", "k:v", "!a"}, wire.SearchParams{Patterns: []string{"std::vector", "http://x", "k:v", "!a"}}},
		{[]string{"a", "file:*.go", "path:x", "!file:y", "!path:z", "lang:go", "case:no"}, wire.SearchParams{Patterns: []string{"a"}, Files: []string{"*.go", "x"}, NotFiles: []string{"y", "z"}, Languages: []string{"go"}, IgnoreCase: true}},
		{[]string{"-e", "file:x", "-e", "-v", "case:no", "case:yes"}, wire.SearchParams{Patterns: []string{"file:x", "-v"}}},
		{[]string{"a", "--regex", "--all", "--limit", "7", "--path", "repo:sub", "--after", "repo:m.py --lines 4:4@07407f1c"},
			wire.SearchParams{Patterns: []string{"a"}, Regex: true, All: true, Limit: 7, Path: "repo:sub", After: "repo:m.py --lines 4:4@07407f1c"}},
		{[]string{"caf\xe9", "b"}, wire.SearchParams{Patterns: []string{"caf\ufffd", "b"}, PatternsBase64: []string{"Y2Fm6Q==", ""}}},
	} {
		d := daemon(t, map[string]any{wire.MethodSearch: wire.SearchResult{}})
		if _, errs, code := ctx(append([]string{"search"}, tt.args...)...); errs != "" || code != 0 {
			t.Errorf("%q: %s exit %d", tt.args, errs, code)
			continue
		}
		got := asked[wire.SearchParams](t, d)
		got.Common = wire.Common{}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, want %+v", tt.args, got, tt.want)
		}
	}
	for want, args := range map[string][]string{
		"a pattern is missing": {}, "filters alone find nothing": {"file:x", "case:no"}, "has no value; -e lang: searches": {"a", "lang:"}, "--limit": {"a", "--limit", "-1"},
	} {
		if _, errs, code := ctx(append([]string{"search"}, args...)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%q: %s exit %d", args, errs, code)
		}
	}
}
