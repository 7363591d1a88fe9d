package lsp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

const (
	mPy = `"""The module."""


def alpha(x):
    """Says hello."""
    total = x + 1
    return total


def beta():
    return alpha(2)
`
	nPy = `from m import alpha


class Greeter:
    def greet(self):
        return alpha(3)


class Loud(Greeter):
    def greet(self):
        return alpha(5)


def gamma():
    g = Greeter()
    return g.greet() + alpha(4)
`
	small = "-- m.py --\n" + mPy + "-- n.py --\n" + nPy
)

// Every navigation, as locations from 0.
func TestNavigation(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	use := e.at("n.py", nPy, "alpha(3)")
	for _, test := range []struct {
		method string
		params map[string]any
		want   string
	}{
		{"definition", use, "m.py:3:4"},
		{"declaration", use, "m.py:3:4"},
		{"definition", e.at("n.py", nPy, "g.greet"), "n.py:14:4"},
		{"definition", e.at("n.py", nPy, "greet() +"), "n.py:4:8"},
		{"definition", e.at("n.py", nPy, "return"), ""},
		{"definition", e.at("n.py", nPy, "def gamma"), ""},
		{"definition", e.at("n.py", nPy, "gamma"), "n.py:13:4"},
		{"typeDefinition", e.at("n.py", nPy, "Greeter:"), "n.py:3:6"},
		{"implementation", e.at("n.py", nPy, "Greeter:"), "n.py:8:6"},
		{"implementation", e.at("n.py", nPy, "greet(self)"), "n.py:9:8"},
		{"references", use, "m.py:3:4 m.py:10:11 n.py:0:14 n.py:5:15 n.py:10:15 n.py:15:23"},
		{"references", e.at("m.py", mPy, "total"), "m.py:5:4 m.py:6:11"},
		{"references", e.at("m.py", mPy, "\n\n"), ""},
	} {
		if got := e.jump("textDocument/"+test.method, test.params); got != test.want {
			t.Errorf("%s %v: got %s, want %s", test.method, test.params["position"], got, test.want)
		}
	}
	use["context"] = map[string]any{"includeDeclaration": false}
	if got, want := e.jump("textDocument/references", use), "m.py:10:11 n.py:0:14 n.py:5:15 n.py:10:15 n.py:15:23"; got != want {
		t.Errorf("without declaration: got %s, want %s", got, want)
	}
	var marks []protocol.DocumentHighlight
	e.must("textDocument/documentHighlight", e.at("m.py", mPy, "total"), &marks)
	if len(marks) != 2 || marks[0].Kind != protocol.DocumentHighlightKindWrite || marks[1].Kind != protocol.DocumentHighlightKindRead {
		t.Errorf("highlights: %+v", marks)
	}
}

// The type of what has one, where the syntax shows it, in whatever file that is.
func TestTypeDefinition(t *testing.T) {
	const (
		lib  = "package lib\n\ntype Thing struct{ Part *Part }\n\ntype Part struct{}\n\nfunc New() (*Thing, error) { return nil, nil }\n\nfunc (t *Thing) Other() Part { return Part{} }\n"
		main = "package main\n\nimport \"x/lib\"\n\nfunc main() {\n\tmade, err := lib.New()\n\tvar kept lib.Part\n\tfn := lib.New\n\tpart := made.Part\n\tother := made.Other()\n\tagain := kept\n\tlist := []lib.Part{}\n\tfirst := list[0]\n\tn := 1\n\tprintln(made, err, kept, fn, part, other, again, first, n)\n}\n"
		py   = "from n import Greeter\n\n\ndef f(g: Greeter, h: int):\n    k = Greeter()\n    g.greet()\n    k.greet()\n    made = make()\n    made.greet()\n    return h\n\n\ndef make() -> Greeter:\n    return Greeter()\n"
	)
	h := tree(t, small+"-- go.mod --\nmodule x\n-- lib/lib.go --\n"+lib+"-- main.go --\n"+main+"-- p.py --\n"+py)
	e := h.edit("")
	for _, test := range []struct{ name, text, word, want string }{
		{"main.go", main, "made, err, kept", "lib/lib.go:2:5"},
		{"main.go", main, "made.Part", "lib/lib.go:2:5"},
		{"main.go", main, "err, kept", ""},
		{"main.go", main, "kept lib", "lib/lib.go:4:5"},
		{"main.go", main, "fn, part", ""},
		{"main.go", main, "part, other", "lib/lib.go:4:5"},
		{"main.go", main, "other, again", "lib/lib.go:4:5"},
		{"main.go", main, "again, first", "lib/lib.go:4:5"},
		{"main.go", main, "first, n", ""},
		{"main.go", main, "n)", ""},
		{"main.go", main, "New()", "lib/lib.go:2:5"},
		{"main.go", main, "Part\n", "lib/lib.go:4:5"},
		{"lib/lib.go", lib, "t *Thing", "lib/lib.go:2:5"},
		{"lib/lib.go", lib, "Part *Part", "lib/lib.go:4:5"},
		{"p.py", py, "g.greet", "n.py:3:6"},
		{"p.py", py, "k.greet", "n.py:3:6"},
		{"p.py", py, "made.greet", "n.py:3:6"},
		{"p.py", py, "h\n", ""},
		{"n.py", nPy, "self", "n.py:3:6"},
		{"n.py", nPy, "g.greet", "n.py:3:6"},
	} {
		if got := e.jump("textDocument/typeDefinition", e.at(test.name, test.text, test.word)); got != test.want {
			t.Errorf("%s %q: got %s, want %s", test.name, test.word, got, test.want)
		}
	}
}

// CASES L11: links only for who asked for them.
func TestLinkSupport(t *testing.T) {
	h := tree(t, small)
	plain, linked := h.edit(""), h.edit(`{"textDocument":{"definition":{"linkSupport":true}}}`)
	p := plain.at("n.py", nPy, "alpha(3)")
	var locations []protocol.Location
	plain.must("textDocument/definition", p, &locations)
	if len(locations) != 1 || locations[0].URI == "" {
		t.Errorf("locations: %+v", locations)
	}
	var links []protocol.LocationLink
	linked.must("textDocument/definition", p, &links)
	if len(links) != 1 || links[0].OriginSelectionRange == nil || links[0].OriginSelectionRange.Start.Character != 15 ||
		links[0].TargetRange.End.Line != 6 || links[0].TargetSelectionRange.Start.Line != 3 {
		t.Errorf("links: %+v", links)
	}
	plain.must("textDocument/declaration", p, &locations)
	a := linked.call("textDocument/declaration", p)
	if strings.Contains(string(a.Result), "targetUri") {
		t.Errorf("links for declaration, which were not asked for: %s", a.Result)
	}
}

func TestHover(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"textDocument":{"hover":{"contentFormat":["markdown","plaintext"]}}}`)
	var got protocol.Hover
	e.must("textDocument/hover", e.at("n.py", nPy, "alpha(3)"), &got)
	want := "```python\ndef alpha(x):\n```\n\nSays hello.\n\nfunction · tier `import`\n\nlive: `repo:m.py --lines 4:7@e5887da1`\n\ncaptured: `repo:m.py --span d594a56d54`"
	if got.Contents.Kind != "markdown" || got.Contents.Value != want {
		t.Errorf("got %s\n%s\nwant\n%s", got.Contents.Kind, got.Contents.Value, want)
	}
	plain := h.edit("")
	plain.must("textDocument/hover", e.at("m.py", mPy, "total", 1), &got)
	if want := "total = x + 1\n\nlocal · tier local\n\nlive: repo:m.py --lines 6:6@"; got.Contents.Kind != "plaintext" || !strings.HasPrefix(got.Contents.Value, want) {
		t.Errorf("got %s %q, want the beginning %q", got.Contents.Kind, got.Contents.Value, want)
	}
	if a := e.call("textDocument/hover", e.at("m.py", mPy, "\n\n")); string(a.Result) != "null" {
		t.Errorf("hover on nothing: %s", a.Result)
	}
}

// The addresses that a hover shows are those of every other face.
func TestHoverAddressResolves(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	var got protocol.Hover
	e.must("textDocument/hover", e.at("n.py", nPy, "alpha(3)"), &got)
	address := regexp.MustCompile(`repo:m.py --lines \S+`).FindString(got.Contents.Value)
	h.write("m.py", "import os\n\n"+mPy)
	var r struct {
		Outcome string
		Lines   []int
	}
	if err := h.shell("ctx/get", map[string]any{"ref": address}, &r); err != nil || r.Outcome != "relocated" || fmt.Sprint(r.Lines) != "[6 9]" {
		t.Errorf("%s: %+v, %v", address, r, err)
	}
}

// symbolNames prints an outline.
func symbolNames(all []protocol.DocumentSymbol) string {
	var out []string
	for _, s := range all {
		text := s.Name
		if len(s.Children) > 0 {
			text += "(" + symbolNames(s.Children) + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestSymbols(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}},"workspace":{"symbol":{"resolveSupport":{"properties":["location.range"]}}}}`)
	var outlined []protocol.DocumentSymbol
	e.must("textDocument/documentSymbol", e.doc("n.py"), &outlined)
	if got, want := symbolNames(outlined), "Greeter(greet) Loud(greet) gamma"; got != want {
		t.Errorf("outline: got %s, want %s", got, want)
	}
	flat := h.edit("")
	var flats []protocol.SymbolInformation
	flat.must("textDocument/documentSymbol", e.doc("n.py"), &flats)
	if len(flats) != 5 || flats[1].Name != "greet" || flats[1].ContainerName != "Greeter" || flats[1].Location.Range.End.Line != 5 {
		t.Errorf("flat: %+v", flats)
	}
	names := func(e *editor, query string) string {
		var rows []workspaceSymbol
		e.must("workspace/symbol", map[string]any{"query": query}, &rows)
		var out []string
		for _, r := range rows {
			out = append(out, strings.TrimPrefix(r.ContainerName+"."+r.Name, "."))
		}
		return strings.Join(out, " ")
	}
	for query, want := range map[string]string{
		"alpha": "m.alpha", "ALPHA": "m.alpha", "gree": "Greeter.greet Loud.greet n.Greeter", "ggr": "", "Greeter.gr": "Greeter.greet",
		"lpa": "m.alpha", "zz": "", "": "m.alpha m.beta n.Greeter Greeter.greet n.Loud Loud.greet n.gamma",
	} {
		if got := names(e, query); got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
	var rows []workspaceSymbol
	e.must("workspace/symbol", map[string]any{"query": "Loud.greet"}, &rows)
	if len(rows) != 1 || rows[0].Location.Range != nil {
		t.Fatalf("rows to be resolved: %+v", rows)
	}
	h.write("n.py", "# one more line\n"+nPy)
	var resolved workspaceSymbol
	e.must("workspaceSymbol/resolve", rows[0], &resolved)
	if resolved.Location.Range == nil || resolved.Location.Range.Start.Line != 10 {
		t.Errorf("resolved: %+v", resolved.Location)
	}
	flat.must("workspace/symbol", map[string]any{"query": "Loud.greet"}, &rows)
	if len(rows) != 1 || rows[0].Location.Range == nil || rows[0].Location.Range.Start.Line != 10 {
		t.Errorf("rows with ranges: %+v", rows)
	}
	h.write("n.py", "")
	e.fails(codeContentModified, "workspaceSymbol/resolve", resolved)
}

func TestCallHierarchy(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	item := func(word string) json.RawMessage {
		var items []json.RawMessage
		e.must("textDocument/prepareCallHierarchy", e.at("n.py", nPy, word), &items)
		if len(items) != 1 {
			t.Fatalf("%s: %d items", word, len(items))
		}
		return items[0]
	}
	var in []struct {
		From       callItem
		FromRanges []protocol.Range
	}
	e.must("callHierarchy/incomingCalls", map[string]any{"item": item("alpha(3)")}, &in)
	var got []string
	for _, c := range in {
		got = append(got, fmt.Sprintf("%s.%s:%d", c.From.Detail, c.From.Name, c.FromRanges[0].Start.Line))
	}
	if want := []string{".beta:10", "Greeter.greet:5", "Loud.greet:10", ".gamma:15"}; !slices.Equal(got, want) {
		t.Errorf("incoming: got %v, want %v", got, want)
	}
	var out []struct {
		To         callItem
		FromRanges []protocol.Range
	}
	e.must("callHierarchy/outgoingCalls", map[string]any{"item": item("gamma")}, &out)
	got = nil
	for _, c := range out {
		got = append(got, fmt.Sprintf("%s.%s:%d", c.To.Detail, c.To.Name, c.FromRanges[0].Start.Line))
	}
	if want := []string{".Greeter:14", "Greeter.greet:15", ".alpha:15"}; !slices.Equal(got, want) {
		t.Errorf("outgoing: got %v, want %v", got, want)
	}
	if a := e.call("textDocument/prepareCallHierarchy", e.at("m.py", mPy, "\n\n")); string(a.Result) != "null" {
		t.Errorf("nothing: %s", a.Result)
	}
}

// What is declared apart from its body is one item, and one call; hover shows the one with the body.
func TestPrototypes(t *testing.T) {
	const src = "/* Declared. */\nint f(int x);\n\n/* Does it. */\nint f(int x) { return x; }\n\nint g(void) { return f(1); }\n"
	h := tree(t, "-- a.c --\n"+src)
	e := h.edit("")
	var items []callItem
	e.must("textDocument/prepareCallHierarchy", e.at("a.c", src, "f(int"), &items)
	if len(items) != 1 || items[0].Range.Start.Line != 4 {
		t.Errorf("items: %+v", items)
	}
	e.must("textDocument/prepareCallHierarchy", e.at("a.c", src, "g(void"), &items)
	var out []struct {
		To         callItem
		FromRanges []protocol.Range
	}
	if e.must("callHierarchy/outgoingCalls", map[string]any{"item": items[0]}, &out); len(out) != 1 || out[0].To.Range.Start.Line != 4 || len(out[0].FromRanges) != 1 {
		t.Errorf("calls: %+v", out)
	}
	var hover protocol.Hover
	if e.must("textDocument/hover", e.at("a.c", src, "f(int"), &hover); !strings.Contains(hover.Contents.Value, "Does it.") {
		t.Errorf("hover: %s", hover.Contents.Value)
	}
}

func TestFoldingAndSelection(t *testing.T) {
	const text = "import os\nimport sys\n\n# one\n# two\ndef f(\n    a,\n    b,\n):\n    if a:\n        return {\n            1: 2,\n        }\n    return b\n"
	h := tree(t, "-- f.py --\n"+text)
	e := h.edit("")
	var folds []protocol.FoldingRange
	e.must("textDocument/foldingRange", e.doc("f.py"), &folds)
	var got []string
	for _, f := range folds {
		got = append(got, fmt.Sprintf("%d-%d%s", f.StartLine, f.EndLine, f.Kind))
	}
	if want := "0-1imports 3-4comment 5-13 9-12 10-11"; strings.Join(got, " ") != want {
		t.Errorf("folds: got %v, want %s", got, want)
	}
	p := e.doc("f.py")
	p["positions"] = []any{pos(13, 12), pos(0, 8), pos(99, 0)}
	var ranges []protocol.SelectionRange
	e.must("textDocument/selectionRange", p, &ranges)
	if len(ranges) != 3 {
		t.Fatalf("%d selection ranges", len(ranges))
	}
	var words []string
	m := newMapper(newLines([]byte(text)), utf16Units)
	for r := &ranges[0]; r != nil; r = r.Parent {
		start, end, _ := m.bytesOf(r.Range)
		words = append(words, fmt.Sprintf("%d", end-start))
		if r.Parent != nil {
			s, e, _ := m.bytesOf(r.Parent.Range)
			if s > start || e < end || s == start && e == end {
				t.Errorf("parent %v of %v", r.Parent.Range, r.Range)
			}
		}
	}
	if len(words) < 4 || words[0] != "1" || words[1] != "8" || words[len(words)-1] != fmt.Sprint(len(text)) {
		t.Errorf("sizes of the ranges around b: %v", words)
	}
}

func TestSemanticTokens(t *testing.T) {
	const text = "package p\n\n// Add adds.\nfunc Add(a, b int) int {\n\tconst s = `x\ny`\n\treturn a + b*2\n}\n"
	h := tree(t, "-- p.go --\n"+text)
	e := h.edit("")
	decode := func(method string, params any) string {
		var r protocol.SemanticTokens
		e.must(method, params, &r)
		m := newMapper(newLines([]byte(text)), utf16Units)
		var out []string
		var at protocol.Position
		for i := 0; i+4 < len(r.Data); i += 5 {
			if r.Data[i] > 0 {
				at.Line, at.Character = at.Line+r.Data[i], 0
			}
			at.Character += r.Data[i+1]
			start := m.offsetOf(at)
			out = append(out, text[start:start+int(r.Data[i+2])]+":"+tokenTypes[r.Data[i+3]])
		}
		return strings.Join(out, " ")
	}
	want := "package:keyword // Add adds.:comment func:keyword Add:function a:parameter b:parameter int:type int:type const:keyword " +
		"s:variable `x:string y`:string return:keyword a:parameter b:parameter 2:number"
	if got := decode("textDocument/semanticTokens/full", e.doc("p.go")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p := e.doc("p.go")
	p["range"] = span(6, 0, 7, 0)
	if got, want := decode("textDocument/semanticTokens/range", p), "return:keyword a:parameter b:parameter 2:number"; got != want {
		t.Errorf("range: got %s", got)
	}
}
