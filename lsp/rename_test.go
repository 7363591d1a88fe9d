package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
)

// apply gives the files of a tree after an edit.
func (h *host) apply(w protocol.WorkspaceEdit) map[string]string {
	h.t.Helper()
	after := map[string]string{}
	for uri, edits := range w.Changes {
		p, _ := filePath(string(uri))
		src, err := os.ReadFile(p)
		if err != nil {
			h.t.Fatal(err)
		}
		m := newMapper(newLines(src), utf16Units)
		text := string(src)
		for _, e := range slices.Backward(edits) {
			start, end, _ := m.bytesOf(e.Range)
			text = text[:start] + e.NewText + text[end:]
		}
		after[strings.TrimPrefix(p, h.root+"/")] = text
	}
	return after
}

func TestRename(t *testing.T) {
	const (
		goA = "package p\n\ntype T struct{ n int }\n\nfunc (t T) Get() int { return t.n }\n\nfunc use(v any) {\n\tvar x T\n\tx.Get()\n\tlocal := 1\n\tprintln(local)\n}\n"
		goB = "package p\n\nfunc other() int { return T{}.Get() }\n\nfunc open(v interface{ Get() int }) { v.Get() }\n"
	)
	h := tree(t, small+"-- p/a.go --\n"+goA+"-- p/b.go --\n"+goB+"-- go.mod --\nmodule x\n")
	e := h.edit("")
	for _, test := range []struct {
		name, text, word, to string
		want                 []string // files that are edited
		refused              string
	}{
		{"m.py", mPy, "total", "sum_", []string{"m.py"}, ""},
		{"n.py", nPy, "alpha(3)", "omega", []string{"m.py", "n.py"}, ""},
		{"p/a.go", goA, "local", "renamed", []string{"p/a.go"}, ""},
		{"p/a.go", goA, "T struct", "U", []string{"p/a.go", "p/b.go"}, ""},
		{"p/a.go", goA, "Get()", "Fetch", nil, "may be used at repo:p/b.go:"},
		{"m.py", mPy, "total", "x", nil, "is used in repo:m.py already"},
		{"m.py", mPy, "total", "class", nil, "no longer be bound"},
		{"m.py", mPy, "total", "a b", nil, "is no name"},
		{"m.py", mPy, "total", "", nil, "is no name"},
		{"n.py", nPy, "alpha(3)", "gamma", nil, "is used in repo:n.py already"},
		{"p/a.go", goA, "println", "x", nil, ""},
	} {
		p := e.at(test.name, test.text, test.word)
		p["newName"] = test.to
		if test.want == nil {
			a := e.call("textDocument/rename", p)
			if a.Error == nil || a.Error.Code != codeRequestFailed || !strings.Contains(a.Error.Message, test.refused) {
				t.Errorf("%s → %s: got %s, %+v; want a refusal with %q", test.word, test.to, a.Result, a.Error, test.refused)
			}
			continue
		}
		var prepared struct{ Placeholder string }
		e.must("textDocument/prepareRename", p, &prepared)
		if !strings.HasPrefix(test.word, prepared.Placeholder) {
			t.Errorf("%s: placeholder %q", test.word, prepared.Placeholder)
		}
		var w protocol.WorkspaceEdit
		e.must("textDocument/rename", p, &w)
		after := h.apply(w)
		if got := slices.Sorted(maps.Keys(after)); !slices.Equal(got, test.want) {
			t.Errorf("%s → %s: edits %v, want %v", test.word, test.to, got, test.want)
		}
		for name, text := range after {
			old, _ := os.ReadFile(filepath.Join(h.root, name))
			if strings.Count(text, test.to) <= strings.Count(string(old), test.to) || strings.Contains(text, prepared.Placeholder+"(") {
				t.Errorf("%s → %s: %s is\n%s", test.word, test.to, name, text)
			}
		}
	}
	// What is not parsed may hold one more use; what is kept back may not be edited.
	h.write("big.py", "alpha = 1\n"+strings.Repeat("# a line\n", 600_000))
	if got := e.fails(codeRequestFailed, "textDocument/prepareRename", e.at("n.py", nPy, "alpha(3)")); !strings.Contains(got, "repo:big.py") {
		t.Errorf("a file that is not parsed: %s", got)
	}
	e.must("textDocument/prepareRename", e.at("m.py", mPy, "total"), nil)
	h.write("big.py", "")
	h.write("secrets/k.py", "from m import alpha\nalpha()\n")
	if got := e.fails(codeRequestFailed, "textDocument/prepareRename", e.at("n.py", nPy, "alpha(3)")); !strings.Contains(got, "kept back by policy (2 times)") {
		t.Errorf("a file that is kept back: %s", got)
	}
	if a := e.call("textDocument/prepareRename", e.at("m.py", mPy, "\n\n")); string(a.Result) != "null" {
		t.Errorf("prepareRename on nothing: %s %+v", a.Result, a.Error)
	}
	e.fails(codeRequestFailed, "textDocument/prepareRename", e.at("p/a.go", goA, "Get()"))
}

// What cannot be read is refused before the new name is typed, for the reason for which the rename would be: null would
// say that there is no name.
func TestPrepareUnreadable(t *testing.T) {
	h := tree(t, small+"-- secrets/k.py --\ndef kept(): pass\n-- dir.py/x --\n")
	e := h.edit("")
	for name, reason := range map[string]string{"secrets/k.py": "secret", "dir.py": "is a directory", "gone.py": "no such path"} {
		p := e.doc(name)
		p["position"] = map[string]int{"line": 0, "character": 5}
		prepared := e.fails(codeRequestFailed, "textDocument/prepareRename", p)
		p["newName"] = "other"
		if renamed := e.fails(codeRequestFailed, "textDocument/rename", p); prepared != renamed || !strings.Contains(prepared, reason) {
			t.Errorf("%s: %q, and the rename %q", name, prepared, renamed)
		}
	}
}

// What an import calls by a name of its own may get another; the path and the name that it has from elsewhere may not.
func TestRenameOfImports(t *testing.T) {
	const (
		goA = "package main\n\nimport (\n\t\"context\"\n\tctx \"context\"\n)\n\nfunc main() {\n\tcontext.TODO()\n\tctx.TODO()\n\tcontext := 1\n\tprintln(context)\n}\n"
		py  = "import os.path\nimport json\nimport json as js\nfrom os import sep\ntry:\n    import a as one\nexcept ImportError:\n    import b as one\njson.loads(js, sep, one)\n"
		ts  = "import * as ns from './b'\nimport def from './b'\nns.f()\ndef()\n"
	)
	h := tree(t, "-- a.go --\n"+goA+"-- p.py --\n"+py+"-- t.ts --\n"+ts+"-- b.ts --\nexport function f() {}\n")
	e := h.edit("")
	for _, test := range []struct {
		name, text, word string
		nth, edits       int // 0 edits: it is refused
	}{
		{"a.go", goA, "context", 0, 0}, {"a.go", goA, "context", 2, 0}, {"a.go", goA, "ctx", 0, 2}, {"a.go", goA, "ctx.", 0, 2},
		{"a.go", goA, "context := 1", 0, 2}, {"a.go", goA, "context)", 0, 2},
		{"p.py", py, "os", 0, 0}, {"p.py", py, "json", 0, 0}, {"p.py", py, "json", 2, 0}, {"p.py", py, "js\n", 0, 2}, {"p.py", py, "js,", 0, 2},
		{"p.py", py, "sep", 0, 0}, {"p.py", py, "sep,", 0, 0}, {"p.py", py, "one", 0, 0}, {"p.py", py, "one)", 0, 0},
		{"t.ts", ts, "ns", 0, 2}, {"t.ts", ts, "ns.f", 0, 2}, {"t.ts", ts, "def ", 0, 2}, {"t.ts", ts, "def()", 0, 2},
	} {
		p := e.at(test.name, test.text, test.word, test.nth)
		p["newName"] = "other"
		a := e.call("textDocument/rename", p)
		var w protocol.WorkspaceEdit
		if a.Error == nil && string(a.Result) != "null" {
			if err := json.Unmarshal(a.Result, &w); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, edits := range w.Changes {
			n += len(edits)
		}
		if n != test.edits || (n == 0) != (a.Error != nil) {
			t.Errorf("%s, %q %d: %d edits, want %d: %s %+v", test.name, test.word, test.nth, n, test.edits, a.Result, a.Error)
		}
	}
}

// A rename is of the buffers, and carries their versions.
func TestRenameOfBuffer(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"workspace":{"workspaceEdit":{"documentChanges":true}}}`)
	text := "\n" + mPy
	e.open("m.py", text)
	e.change("m.py", 7, part(0, 0, 0, 0, "#"))
	p := e.at("m.py", "#"+text, "total")
	p["newName"] = "sum_"
	var w protocol.WorkspaceEdit
	e.must("textDocument/rename", p, &w)
	if len(w.DocumentChanges) != 1 || w.DocumentChanges[0].TextDocument.Version == nil || *w.DocumentChanges[0].TextDocument.Version != 7 ||
		len(w.DocumentChanges[0].Edits) != 2 || w.DocumentChanges[0].Edits[0].Range.Start.Line != 6 {
		t.Errorf("got %+v", w)
	}
}

// Addresses go on naming a file that is renamed.
func TestWillRenameFiles(t *testing.T) {
	h := tree(t, small+"-- notes.md --\nSee repo:m.py --lines 4:7@e5887da1 and repo:m.pyx --lines 1:1@00000000,\nrepo:m.py L10:11@6f9ed7b4.\n")
	e := h.edit("")
	var w protocol.WorkspaceEdit
	e.must("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": h.uri("m.py"), "newUri": h.uri("lib/m m.py")}}}, &w)
	want := "See repo:lib/m%20m.py --lines 4:7@e5887da1 and repo:m.pyx --lines 1:1@00000000,\nrepo:lib/m%20m.py L10:11@6f9ed7b4.\n"
	if got := h.apply(w)["notes.md"]; got != want {
		t.Errorf("got %s", got)
	}
	if a := e.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": h.uri("n.py"), "newUri": h.uri("k.py")}}}); string(a.Result) != "null" {
		t.Errorf("nothing names it: %s", a.Result)
	}
}

// Imports that are shown to name a file go on naming it, with the addresses in the same edit; buffers count, not the disk.
func TestWillRenameImports(t *testing.T) {
	const user = "import { a } from \"./util\" // repo:web/util.ts --lines 1:1@00000000\nimport { b } from 'util'\n"
	h := tree(t, "-- web/util.ts --\nexport const a = 1\n-- web/user.ts --\n\n-- c/x.c --\n#include \"x.h\"\n-- c/x.h --\nint x;\n")
	e := h.edit(`{"workspace":{"workspaceEdit":{"documentChanges":true}}}`)
	e.open("web/user.ts", user)
	move := func(old, fresh string) map[string]any {
		return map[string]any{"oldUri": h.uri(old), "newUri": h.uri(fresh)}
	}
	var w protocol.WorkspaceEdit
	e.must("workspace/willRenameFiles", map[string]any{"files": []any{move("web/util.ts", "web/lib/tools.ts"), move("c/x.h", "c/y.h")}}, &w)
	var got []string
	for _, change := range w.DocumentChanges {
		for _, edit := range change.Edits {
			got = append(got, fmt.Sprintf("%s %d:%d-%d %s", strings.TrimPrefix(string(change.TextDocument.URI), h.uri("")), edit.Range.Start.Line, edit.Range.Start.Character, edit.Range.End.Character, edit.NewText))
		}
	}
	want := []string{"/c/x.c 0:10-13 y.h", "/web/user.ts 0:19-25 ./lib/tools", "/web/user.ts 0:30-46 repo:web/lib/tools.ts"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// A directory, with what is in it.
	w = protocol.WorkspaceEdit{}
	e.must("workspace/willRenameFiles", map[string]any{"files": []any{move("web", "site")}}, &w)
	if len(w.DocumentChanges) != 1 || len(w.DocumentChanges[0].Edits) != 1 || w.DocumentChanges[0].Edits[0].NewText != "repo:site/util.ts" {
		t.Errorf("a directory: %+v", w)
	}
}

// What is moved on its own does not move with its directory, and no place is edited twice, in whatever order the moves come.
func TestWillRenameNested(t *testing.T) {
	h := tree(t, "-- web/util.ts --\nexport const a = 1\n-- web/more.ts --\nexport const b = 1\n-- user.ts --\nimport { a } from \"./web/util\"\nimport { b } from \"./web/more\"\n"+
		"-- notes.md --\nSee repo:web/util.ts --lines 1:1@00000000 and repo:web/more.ts --lines 1:1@00000000.\n")
	e := h.edit("")
	moves := []any{
		map[string]any{"oldUri": h.uri("web"), "newUri": h.uri("site")},
		map[string]any{"oldUri": h.uri("web/util.ts"), "newUri": h.uri("tools.ts")},
	}
	want := map[string]string{
		"notes.md": "See repo:tools.ts --lines 1:1@00000000 and repo:site/more.ts --lines 1:1@00000000.\n",
		"user.ts":  "import { a } from \"./tools\"\nimport { b } from \"./site/more\"\n",
	}
	for range 8 {
		slices.Reverse(moves)
		var w protocol.WorkspaceEdit
		e.must("workspace/willRenameFiles", map[string]any{"files": moves}, &w)
		if got := h.apply(w); !maps.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// A file that cannot be read is not renamed in, and that is said.
func TestRenameInNoFile(t *testing.T) {
	e := tree(t, small).edit("")
	p := e.at("none.py", mPy, "total")
	p["newName"] = "sum_"
	if a := e.call("textDocument/rename", p); a.Error == nil || !strings.Contains(a.Error.Message, "none.py") {
		t.Errorf("got %s, %+v; want a refusal that names the file", a.Result, a.Error)
	}
	if a := e.call("textDocument/hover", p); a.Error != nil || string(a.Result) != "null" {
		t.Errorf("hover: got %s, %+v; want null", a.Result, a.Error)
	}
}

func TestLinksAndCommands(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}},"window":{"showDocument":{"support":true}}}`)
	var c copied
	e.must("workspace/executeCommand", map[string]any{"command": commandCopy, "arguments": []any{map[string]any{"uri": h.uri("m.py"), "range": span(3, 2, 6, 5)}}}, &c)
	if c.Address != "repo:m.py --lines 4:7@e5887da1" || !strings.HasPrefix(c.Captured, "repo:m.py --span ") {
		t.Fatalf("copied %+v", c)
	}
	var of copied
	e.must("workspace/executeCommand", map[string]any{"command": commandCopy, "arguments": []any{map[string]any{"uri": h.uri("n.py"), "position": e.at("n.py", nPy, "alpha(3)")["position"]}}}, &of)
	if of.Address != c.Address {
		t.Errorf("of a use: %+v", of)
	}
	notes := "é See " + c.Address + ", and repo:m.py --lines 10:11@00000000; repo:m.py --lines 4:7 is none.\n"
	h.write("notes.txt", notes)
	h.write("m.py", "import os\n"+mPy)
	var links []protocol.DocumentLink
	e.must("textDocument/documentLink", e.doc("notes.txt"), &links)
	if len(links) != 1 || links[0].Range.Start.Character != 6 || string(links[0].Target) != h.uri("m.py")+"#L5" || !strings.Contains(links[0].Tooltip, "L4:7 → L5:8") {
		t.Errorf("links: %+v", links)
	}
	e.openURI("untitled:Notes", notes)
	e.must("textDocument/documentLink", map[string]any{"textDocument": map[string]any{"uri": "untitled:Notes"}}, &links)
	if len(links) != 1 {
		t.Errorf("links of a text that is no file: %+v", links)
	}
	var r fullReport
	e.must("textDocument/diagnostic", e.doc("notes.txt"), &r)
	if r.Items == nil || len(*r.Items) != 1 || (*r.Items)[0].Code != codeLost || !strings.Contains((*r.Items)[0].Message, "not found in repo:m.py") {
		t.Errorf("diagnostics: %+v", r)
	}
	p := e.doc("notes.txt")
	p["previousResultId"] = r.ResultID
	id := r.ResultID
	if r = (fullReport{}); true {
		e.must("textDocument/diagnostic", p, &r)
	}
	if r.Kind != "unchanged" || r.ResultID != id {
		t.Errorf("again: %+v", r)
	}
	p = e.doc("notes.txt")
	p["range"], p["context"] = span(0, 10, 0, 10), map[string]any{"diagnostics": []any{}}
	var actions []protocol.CodeAction
	e.must("textDocument/codeAction", p, &actions)
	var titles []string
	for _, a := range actions {
		titles = append(titles, a.Title)
	}
	if want := []string{"Copy address", "Open " + c.Address, "Resolve " + c.Address, "Update address to repo:m.py --lines 5:8@e5887da1"}; !slices.Equal(titles, want) {
		t.Errorf("actions: got %q, want %q", titles, want)
	}
	var place protocol.Location
	e.must("workspace/executeCommand", map[string]any{"command": commandOpen, "arguments": []any{c.Address}}, &place)
	if place.Range.Start.Line != 4 || place.Range.End.Line != 7 {
		t.Errorf("open: %+v", place)
	}
	shown := string(e.until("window/showDocument", func(json.RawMessage) bool { return true }))
	if !strings.Contains(shown, `"line":4`) || !strings.Contains(shown, "/m.py") {
		t.Errorf("shown: %s", shown)
	}
	var out wire.ResolveResult
	e.must("workspace/executeCommand", map[string]any{"command": commandResolve, "arguments": []any{c.Address, "repo:m.py --lines 10:11@00000000"}}, &out)
	if len(out.Outcomes) != 2 || out.Outcomes[0].Outcome != wire.Relocated || out.Outcomes[1].Outcome != wire.Lost {
		t.Errorf("resolve: %+v", out)
	}
	e.fails(codeRequestFailed, "workspace/executeCommand", map[string]any{"command": commandOpen, "arguments": []any{"repo:m.py --lines 10:11@00000000"}})
	e.fails(codeInvalidParams, "workspace/executeCommand", map[string]any{"command": commandOpen, "arguments": []any{5}})
	e.fails(codeInvalidParams, "workspace/executeCommand", map[string]any{"command": "rm", "arguments": []any{}})
}
