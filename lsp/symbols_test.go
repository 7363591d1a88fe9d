package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestSymbolsHostile: outlines of documents that are broken, deep or of odd bytes nest as clients demand (the name within
// its symbol, a symbol within the one around it), and queries of any text are answered.
func TestSymbolsHostile(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}`)
	symbols := 0
	for name, text := range map[string]string{
		"a.py":   strings.Repeat("class A:\n", 50) + "\t def f(",
		"b.py":   "\ufeffclass é😀:\r\n  def 𝒻(self): pass\r  x = 1\r\ndef",
		"c.js":   strings.Repeat("class A { m() { ", 300) + strings.Repeat("} }", 200),
		"d.c":    "#define F(x) struct x {\nF(a) int b; };\n#if 1\nint f(void) {\n#else\nint g(void) {\n#endif\n}\n",
		"e.ts":   "class A { 'a\\u0000b' = 1; [Symbol.x]() {} ''() {} }\nexport default class {}\n",
		"f.md":   "# \n## \n#\n###### x\n# y",
		"g.go":   "package p\nfunc (\x00) ( {\ntype T struct { a, b struct { c int } }\n",
		"h.json": "{\"a\":",
		"i.rs":   "impl<T> fn mod { struct X; }\n macro_rules! m { () => { fn x() {} } }",
		"j.yaml": "a: &x\n  b: *x\n? c\n: d\n",
		"k.py":   "",
	} {
		e.open(name, text)
		var roots []protocol.DocumentSymbol
		e.must("textDocument/documentSymbol", e.doc(name), &roots)
		symbols += checkNested(t, name, roots, protocol.Range{End: protocol.Position{Line: 1 << 30}})
	}
	if symbols < 100 { // of them 50 and 300 are nested in one another
		t.Errorf("only %d symbols in all", symbols)
	}
	for _, query := range []string{"", " ", "\x00", "a\nb", "é😀", ".*(", "\\", "%s", "::", "../", "𝒻", strings.Repeat("a", 300), strings.Repeat(".", 200)} {
		var rows []workspaceSymbol
		if a := e.call("workspace/symbol", map[string]any{"query": query}); a.Error == nil {
			e.must("workspace/symbol", map[string]any{"query": query}, &rows)
		} else if a.Error.Code != codeInvalidParams {
			t.Errorf("%q: %+v", query, a.Error)
		}
		if len(rows) > mostSymbols {
			t.Errorf("%q: %d rows", query, len(rows))
		}
	}
	for _, nth := range []int{-1, 1, 1 << 30} {
		row := map[string]any{"name": "alpha", "kind": 12, "location": map[string]any{"uri": h.uri("m.py")}, "data": map[string]any{"symbol": "alpha", "nth": nth}}
		e.fails(codeContentModified, "workspaceSymbol/resolve", row)
	}
}

// checkNested checks that symbols lie in the one around them, each with its name in it, and counts them.
func checkNested(t *testing.T, name string, list []protocol.DocumentSymbol, around protocol.Range) int {
	n := len(list)
	for _, s := range list {
		if !within(s.SelectionRange, s.Range) || !within(s.Range, around) || s.Name == "" {
			t.Errorf("%s: %q: name %v, range %v, within %v", name, s.Name, s.SelectionRange, s.Range, around)
		}
		n += checkNested(t, name, s.Children, s.Range)
	}
	return n
}

func within(a, b protocol.Range) bool {
	before := func(p, q protocol.Position) bool {
		return p.Line < q.Line || p.Line == q.Line && p.Character <= q.Character
	}
	return before(b.Start, a.Start) && before(a.End, b.End)
}
