package cli

import (
	"strings"
	"testing"

	"ctxd/client/wire"
)

func mapEntry(path, name, container, signature string, lines wire.Lines) wire.MapEntry {
	symbol := name
	if container != "" {
		symbol = container + "." + name
	}
	return wire.MapEntry{Target: wire.RepoRef(path), Symbol: symbol, Definition: wire.Definition{
		Path: path, Name: name, Container: container, Kind: "function", Signature: signature, Lines: lines,
		Live: &wire.Live{Anchor: "07407f1c", Lines: lines}}}
}

// TestMapText: the text of both shapes, what is asked, and that nothing in a name reaches a terminal raw.
func TestMapText(t *testing.T) {
	placed := mapEntry("b c.md", "bell \x1b[31m", "", "# bell \x1b[31m", wire.Lines{3, 9})
	placed.Target, placed.Symbol = "repo:b%20c.md:3:3", ""
	placed.Note = "not captured: no space left on device"
	odd := wire.MapFile{Path: "m\ufffd.py", PathBase64: "bf8ucHk=", Size: 7}
	tree := wire.MapResult{
		Path: "repo:src", Engine: "tree-sitter", Budget: 1000, Total: wire.MapCount{Files: 1204, Symbols: 9},
		Files: []wire.MapFile{{Path: "m.py", Size: 8000, Definitions: 12, ImportedBy: 4}, {Path: "b c.md", Size: 10, Definitions: 1}, odd,
			{Path: "x.rs", Size: 4, Problem: "nested too deep"}},
		Entries: []wire.MapEntry{mapEntry("m.py", "run", "Foo", "def run(self)", wire.Lines{4, 5}), mapEntry("m.py", "it's", "", "", wire.Lines{7, 7}), placed},
		Omitted: wire.MapCount{Files: 1200, Symbols: 6}, Next: "3@1f3a9c02", Note: "changed", Coverage: wire.Coverage{Unparsed: 2},
	}
	want := `[ctx map repo:src · 1,204 files · budget 1,000 tok · engine tree-sitter]
repo:m.py · ~2k tok · 12d · imported-by 4
  repo:m.py --symbol Foo.run · L4:5@07407f1c · def run(self)
  repo:m.py --symbol 'it'\''s' · L7:7@07407f1c
repo:b%20c.md · ~3 tok · 1d
  repo:b%20c.md:3:3 · L3:9@07407f1c
repo:m%FF.py · ~2 tok
repo:x.rs · ~1 tok · not parsed: nested too deep
note: not captured: no space left on device
omitted: 1,200 files · 6 symbols
not parsed: 2 files of the worktree (ctx status names them)
note: changed
next: ctx map repo:src --budget 1000 --anchors --after 3@1f3a9c02
`
	f := daemon(t, map[string]any{wire.MethodMap: tree})
	out, errs, code := ctx("map", "repo:src", "--budget", "1000", "--anchors")
	if out != want || errs != "" || code != 0 {
		t.Errorf("%s%s exit %d, want\n%s", out, errs, code, want)
	}
	if p := asked[wire.MapParams](t, f); p.Path != "repo:src" || p.Budget != 1000 || !p.Anchors || p.After != "" {
		t.Errorf("asked %+v", p)
	}
	inner := mapEntry("m.py", "run", "Foo", "def run(self)", wire.Lines{4, 5})
	inner.Depth = 1
	file := wire.MapResult{
		Path: "repo:m.py", Outline: true, Engine: "tree-sitter", Budget: 1200, Total: wire.MapCount{Files: 1, Symbols: 14},
		Files:   []wire.MapFile{{Path: "m.py", Language: "python", Size: 8000, Definitions: 14, Imports: 1}},
		Entries: []wire.MapEntry{mapEntry("m.py", "Foo", "", "class Foo(\u202eBar)", wire.Lines{1, 9}), inner, mapEntry("m.py", "far", "Bar", "def far()", wire.Lines{11, 12})},
		Omitted: wire.MapCount{Symbols: 11}, Kinds: []wire.MapKind{{Kind: "method", Count: 9}, {Kind: "class", Count: 2}}, Next: "3@1f3a9c02",
		Coverage: wire.Coverage{Freshness: "none", Unparsed: 2},
	}
	want = `[ctx map repo:m.py · budget 1,200 tok · engine tree-sitter]
language: python · 14 symbols · 1 import · ~2k tok
outline:
function Foo L1:9 · class Foo(\u202eBar)
  function run L4:5 · def run(self)
function Bar.far L11:12 · def far()
… +11 symbols omitted (budget): method:9 · class:2
freshness: none (the tree was not compared with the index)
next: ctx map repo:m.py --budget 1200 --after 3@1f3a9c02
`
	f = daemon(t, map[string]any{wire.MethodMap: file})
	if out, errs, code := ctx("map", "repo:m.py", "--after", "7@00000000"); out != want || errs != "" || code != 0 {
		t.Errorf("%s%s exit %d, want\n%s", out, errs, code, want)
	}
	if p := asked[wire.MapParams](t, f); p.Budget != 0 || p.After != "7@00000000" {
		t.Errorf("asked %+v", p)
	}
	file.Terse = true
	daemon(t, map[string]any{wire.MethodMap: file})
	if out, _, _ := ctx("map", "m.py"); !strings.Contains(out, "\noutline (signatures left out, for the budget):\n") || strings.Contains(out, "def ") {
		t.Error(out)
	}
}

func TestMapUsage(t *testing.T) {
	for _, args := range [][]string{{"a", "b"}, {"--budget", "63"}, {"--budget", "-1"}, {"--budget", "1000001"}, {""}} {
		if out, errs, code := ctx(append([]string{"map"}, args...)...); code != 2 || out != "" || !strings.HasPrefix(errs, "ctx map: ") {
			t.Errorf("%q: %s%s exit %d", args, out, errs, code)
		}
	}
}
