package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
)

// text is what the server has for a document, as ctx/get reads it.
func (e *editor) text(name string) string {
	e.t.Helper()
	var r wire.GetResult
	e.must("ctx/get", map[string]any{"ref": "repo:" + name}, &r)
	return strings.Join(r.Text, "\n")
}

// CASES L2, L4; LIBRARIES M4.
func TestChanges(t *testing.T) {
	h := tree(t, "-- a.txt --\ndisk\n")
	e := h.edit("")
	e.open("a.txt", "A\n")
	e.change("a.txt", 2, whole("B\n"))
	if got := e.text("a.txt"); got != "B" {
		t.Errorf("a change of all: %q", got)
	}
	e.change("a.txt", 3, part(0, 0, 0, 0, "C"))
	if got := e.text("a.txt"); got != "CB" {
		t.Errorf("an insertion at 0:0: %q", got)
	}
	e.change("a.txt", 4, part(1, 0, 1, 0, "\n\n\n"), part(3, 0, 3, 0, "x"), part(0, 0, 1, 0, ""))
	if got := e.text("a.txt"); got != "\n\nx" {
		t.Errorf("several: %q", got)
	}
	e.change("a.txt", 4, part(2, 1, 2, 1, "y"))  // the same version
	e.change("a.txt", 1, part(2, 2, 2, 2, "z"))  // a lower one
	e.change("a.txt", 99, part(2, 3, 9, 9, "!")) // one is skipped, and a range ends behind the text
	if got := e.text("a.txt"); got != "\n\nxyz!" {
		t.Errorf("odd versions: %q", got)
	}
	e.change("other.txt", 2, part(0, 0, 0, 0, "x")) // not open
	e.open("a.txt", "twice\n")
	if got := e.text("a.txt"); got != "twice" {
		t.Errorf("opened twice: %q", got)
	}
	e.change("a.txt", 2, part(0, 3, 0, 1, "nonsense"))
	if got := e.text("a.txt"); got != "disk" {
		t.Errorf("after nonsense: %q", got)
	}
	e.change("a.txt", 3, part(0, 0, 0, 0, "more"))
	if got := e.text("a.txt"); got != "disk" {
		t.Errorf("after nonsense, and more: %q", got)
	}
	save := e.doc("a.txt")
	save["text"] = "saved\n"
	e.note("textDocument/didSave", save)
	if got := e.text("a.txt"); got != "saved" {
		t.Errorf("after the save: %q", got)
	}
	e.change("a.txt", 4, part(0, 3, 0, 1, ""))
	e.change("a.txt", 5, part(0, 0, 0, 0, "lost"), whole("all\n"), part(0, 0, 0, 0, "and "))
	if got := e.text("a.txt"); got != "and all" {
		t.Errorf("after a change of all: %q", got)
	}
	e.closeDoc("a.txt")
	if got := e.text("a.txt"); got != "disk" {
		t.Errorf("closed: %q", got)
	}
}

// Requests see the buffers as they were when they were sent, however fast the next change comes.
func TestRequestsArePinned(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	e.open("m.py", mPy)
	var answers []<-chan answer
	for i := range 100 {
		e.change("m.py", i+2, part(0, 0, 0, 0, "\n"))
		p := e.doc("n.py")
		p["position"] = pos(0, 15)
		answers = append(answers, e.send("textDocument/definition", p))
	}
	for i, c := range answers {
		var got []protocol.Location
		if err := json.Unmarshal(e.await(c).Result, &got); err != nil || len(got) != 1 || int(got[0].Range.Start.Line) != i+4 {
			t.Fatalf("request %d: %+v", i, got)
		}
	}
}

// What is typed is seen by that connection alone.
func TestBuffersArePrivate(t *testing.T) {
	h := tree(t, small)
	a, b := h.edit(""), h.edit("")
	a.open("m.py", mPy)
	b.open("m.py", mPy)
	a.change("m.py", 2, part(9, 4, 9, 8, "omega"))
	b.change("m.py", 2, part(9, 4, 9, 8, "sigma"))
	for e, want := range map[*editor]string{a: "omega", b: "sigma"} {
		var rows []workspaceSymbol
		e.must("workspace/symbol", map[string]any{"query": "m.py"}, &rows)
		for _, name := range []string{"omega", "sigma", "beta"} {
			e.must("workspace/symbol", map[string]any{"query": name}, &rows)
			if found := len(rows) == 1; found != (name == want) {
				t.Errorf("%s is found: %v, by the editor that typed %s", name, found, want)
			}
		}
	}
	var r wire.RefsResult
	if err := h.shell("ctx/refs", map[string]any{"target": "beta"}, &r); err != nil {
		t.Error(err)
	}
	a.nc.Close()
	h.shell("ctx/def", map[string]any{"target": "beta"}, &wire.DefResult{})
}

// CASES L17: a discarded buffer is gone.
func TestCloseUnsaved(t *testing.T) {
	h := tree(t, "-- ok.py --\ndef f(): pass\n")
	e := h.edit("")
	e.open("ok.py", "def f(:\n")
	wantFaults := func(n int) {
		t.Helper()
		e.until("textDocument/publishDiagnostics", func(raw json.RawMessage) bool {
			var p protocol.PublishDiagnosticsParams
			return json.Unmarshal(raw, &p) == nil && strings.HasSuffix(string(p.URI), "/ok.py") && (len(p.Diagnostics) > 0) == (n > 0)
		})
		e.forget()
	}
	wantFaults(1)
	e.closeDoc("ok.py")
	wantFaults(0)
	if got := e.text("ok.py"); got != "def f(): pass" {
		t.Errorf("after closing: %q", got)
	}
	h.write("ok.py", "def g(): pass\n")
	var rows []workspaceSymbol
	if e.must("workspace/symbol", map[string]any{"query": "g"}, &rows); len(rows) != 1 {
		t.Errorf("after a change on disk: %+v", rows)
	}
}

// CASES L18: a file that is gone from the disk is open all the same, for its editor alone.
func TestDeletedWhileOpen(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	e.open("m.py", mPy)
	if err := os.Remove(filepath.Join(h.root, "m.py")); err != nil {
		t.Fatal(err)
	}
	if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha(3)")); got != "m.py:3:4" {
		t.Errorf("definition: %s", got)
	}
	var def wire.DefResult
	e.must("ctx/def", map[string]any{"target": "repo:m.py:alpha"}, &def)
	if len(def.Definitions) != 1 || !strings.Contains(def.Definitions[0].Note, "not on disk") {
		t.Errorf("not marked: %+v", def.Definitions)
	}
	if err := h.shell("ctx/def", map[string]any{"target": "alpha"}, &def); err == nil {
		t.Error("a shell sees a file that is gone")
	}
	e.closeDoc("m.py")
	if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha(3)")); got != "" {
		t.Errorf("definition after closing: %s", got)
	}
}

// A file that was never saved is part of its editor's workspace.
func TestNewUnsavedFile(t *testing.T) {
	h := tree(t, small+"-- .gitignore --\nignored/\n")
	e := h.edit("")
	e.open("new.py", "from m import alpha\nalpha(9)\n\ndef fresh(): pass\n")
	if got := e.jump("textDocument/references", e.at("m.py", mPy, "alpha")); !strings.Contains(got, "new.py:1:0") {
		t.Errorf("references: %s", got)
	}
	var rows []workspaceSymbol
	if e.must("workspace/symbol", map[string]any{"query": "fresh"}, &rows); len(rows) != 1 {
		t.Errorf("symbols: %+v", rows)
	}
	var def wire.DefResult
	if e.must("ctx/def", map[string]any{"target": "fresh"}, &def); len(def.Definitions) != 1 || def.Definitions[0].Path != "new.py" {
		t.Errorf("by its name: %+v", def)
	}
	e.open("user.py", "import new\nnew.fresh()\n")
	if got := e.jump("textDocument/definition", e.at("user.py", "import new\nnew.fresh()\n", "fresh")); got != "new.py:3:4" {
		t.Errorf("definition in a file that was never saved: %s", got)
	}
	e.closeDoc("user.py")
	// What is not found names what is like it there, to its own editor alone.
	if a := e.call("ctx/def", map[string]any{"target": "fres"}); a.Error == nil || !slices.Equal(a.Error.Data.Suggestions, []string{"ctx def fresh"}) {
		t.Errorf("a name like it: %+v", a.Error)
	}
	if err := h.shell("ctx/def", map[string]any{"target": "fres"}, &def); err == nil || strings.Contains(fmt.Sprintf("%+v", err.(*wire.Error).Data), "fresh") {
		t.Errorf("the shell: %v", err)
	}
	e.open("ignored/gen.py", "def fresh(): pass\n")
	if e.must("workspace/symbol", map[string]any{"query": "fresh"}, &rows); len(rows) != 1 {
		t.Errorf("symbols of an ignored file: %+v", rows)
	}
	var flats []protocol.SymbolInformation
	if e.must("textDocument/documentSymbol", e.doc("ignored/gen.py"), &flats); len(flats) != 1 {
		t.Errorf("outline of an ignored file: %+v", flats)
	}
}

// CASES F23: nothing depends on what the client tells of the files, and nothing breaks when it tells it twice.
func TestChangesOnDiskWithoutNotice(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	for i := range 5 {
		h.write("m.py", strings.Repeat("#\n", i)+mPy)
		if got, want := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha(3)")), []string{"m.py:3:4", "m.py:4:4", "m.py:5:4", "m.py:6:4", "m.py:7:4"}[i]; got != want {
			t.Errorf("after write %d: got %s, want %s", i, got, want)
		}
		for range 2 {
			e.note("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": h.uri("m.py"), "type": 2}}})
		}
	}
}

// CASES A21: an answer is made of one layer, and says which.
func TestTwoLayers(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	e.open("m.py", strings.Replace(mPy, "beta", "mine", 1))
	h.write("m.py", strings.Replace(mPy, "beta", "theirs", 1))
	var def wire.DefResult
	e.must("ctx/def", map[string]any{"target": "mine"}, &def)
	if len(def.Definitions) != 1 || !strings.Contains(def.Definitions[0].Note, "not saved") || def.Definitions[0].Text[0] != "def mine():" {
		t.Errorf("the editor's: %+v", def.Definitions)
	}
	e.fails(wire.NotFound.Code(), "ctx/def", map[string]any{"target": "theirs"})
	if err := h.shell("ctx/def", map[string]any{"target": "theirs"}, &def); err != nil || !strings.Contains(def.Definitions[0].Note, "modified in an editor") || def.Definitions[0].Text[0] != "def theirs():" {
		t.Errorf("the shell's: %+v, %v", def.Definitions, err)
	}
	var got wire.GetResult
	if err := h.shell("ctx/get", map[string]any{"ref": "repo:m.py"}, &got); err != nil || !strings.Contains(got.Note, "modified in an editor") {
		t.Errorf("a read: %q, %v", got.Note, err)
	}
	// An address of the buffer is followed in the buffer, and refused on disk where that content is not.
	e.must("ctx/def", map[string]any{"target": "mine"}, &def)
	address := def.Definitions[0].Live.Address
	if e.must("ctx/get", map[string]any{"ref": address}, &got); got.Outcome != wire.Verified {
		t.Errorf("in the buffer: %+v", got)
	}
	if err := h.shell("ctx/get", map[string]any{"ref": address}, &got); err == nil {
		t.Errorf("on disk: %+v", got)
	}
	h.write("m.py", strings.Replace(mPy, "beta", "mine", 1)) // saved
	got = wire.GetResult{}
	if err := h.shell("ctx/get", map[string]any{"ref": address}, &got); err != nil || got.Note != "" {
		t.Errorf("saved: %+v, %v", got, err)
	}
}

// CASES L7; LIBRARIES M7: what is no file of this machine is nothing, and breaks nothing.
func TestOddURIs(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	outside := filepath.Join(t.TempDir(), "o.py")
	for _, uri := range []string{
		"untitled:U-1", "git:/x?y", "vscode-notebook-cell:/x.ipynb#a", "file://host/share/x.py", "file:///c%3A/x.py", "file:relative",
		"file:", "file://", "file:///", "", "%", "file:///%zz", "file:///a%00b.py", "http://example.org/x.py", "file:///etc/passwd",
		string(fileURI(outside)), h.uri("../x.py"), string(fileURI(h.root)) + "/%2e%2e/x.py", string(fileURI(h.root)), h.uri("nope.py"), h.uri(".git/config"),
		string(fileURI(h.root)) + "-evil/x.py",
	} {
		for _, open := range []bool{false, true} {
			if open {
				e.openURI(uri, "def f(): pass\nf()\n")
			}
			doc := map[string]any{"uri": uri}
			for method, serve := range requests {
				if !strings.HasPrefix(method, "textDocument/") || serve == nil {
					continue
				}
				a := e.call(method, map[string]any{"textDocument": doc, "position": pos(1, 0), "range": span(0, 0, 1, 0), "positions": []any{pos(1, 0)}, "newName": "g", "context": map[string]any{"diagnostics": []any{}}})
				if a.Error != nil && a.Error.Code != codeInvalidParams && a.Error.Code != codeRequestFailed {
					t.Errorf("%s %q: %+v", method, uri, a.Error)
				}
				if s := string(a.Result); strings.Contains(s, "/etc") || strings.Contains(s, "root:x") {
					t.Errorf("%s %q: %s", method, uri, s)
				}
			}
			if open {
				e.note("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2}, "contentChanges": []any{whole("x\n")}})
				e.note("textDocument/didClose", map[string]any{"textDocument": doc})
			}
		}
	}
	if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha(3)")); got != "m.py:3:4" {
		t.Errorf("afterwards: %s", got)
	}
}

// CRLF, CR, a byte order mark, astral characters and a line of a megabyte.
func TestOddTexts(t *testing.T) {
	long := "x = \"" + strings.Repeat("é😀", 150_000) + "\"; far = 1; near = far\n"
	h := tree(t, "-- crlf.py --\n-- bom.py --\n-- long.py --\n")
	h.write("crlf.py", "def a():\r\n    pass\r\na()\r\n")
	h.write("bom.py", "\ufeffdef b(): pass\nb()\n")
	h.write("long.py", long)
	e := h.edit("")
	for _, test := range []struct{ name, text, word, want string }{
		{"crlf.py", "def a():\r\n    pass\r\na()\r\n", "a()\r\n", "crlf.py:0:4 crlf.py:2:0"},
		{"bom.py", "\ufeffdef b(): pass\nb()\n", "b()\n", "bom.py:0:5 bom.py:1:0"},
		{"long.py", long, "far", "long.py:0:450008 long.py:0:450024"},
	} {
		if got := e.jump("textDocument/references", e.at(test.name, test.text, test.word)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		e.open(test.name, test.text)
		if got := e.jump("textDocument/references", e.at(test.name, test.text, test.word)); got != test.want {
			t.Errorf("%s, open: got %s, want %s", test.name, got, test.want)
		}
		for _, method := range []string{"documentSymbol", "foldingRange", "semanticTokens/full", "documentLink", "diagnostic"} {
			e.must("textDocument/"+method, e.doc(test.name), nil)
		}
	}
}

func TestFolders(t *testing.T) {
	h := tree(t, "-- a/m.py --\ndef one(): pass\n-- b/m.py --\ndef two(): pass\n-- b/c/d.py --\ndef three(): pass\n")
	e := h.connect()
	folder := func(name string) map[string]any { return map[string]any{"uri": h.uri(name), "name": name} }
	e.must("initialize", map[string]any{"capabilities": map[string]any{}, "workspaceFolders": []any{folder("a"), folder("b")}}, nil)
	names := func() string {
		var rows []workspaceSymbol
		e.must("workspace/symbol", map[string]any{"query": ""}, &rows)
		var out []string
		for _, r := range rows {
			out = append(out, r.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "one three two" {
		t.Errorf("two folders: %s", got)
	}
	var opened protocol.Location // an address of the second folder
	var def wire.DefResult
	e.must("ctx/def", map[string]any{"target": "two", "root": filepath.Join(h.root, "b")}, &def)
	e.must("workspace/executeCommand", map[string]any{"command": commandOpen, "arguments": []any{def.Definitions[0].Live.Address}}, &opened)
	if string(opened.URI) != h.uri("b/m.py") {
		t.Errorf("opened %s", opened.URI)
	}
	e.open("a/m.py", "def uno(): pass\n")
	if got := names(); got != "uno three two" {
		t.Errorf("a buffer: %s", got)
	}
	e.note("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{folder("b/c"), folder("nowhere")}, "removed": []any{folder("b")}}})
	if got := names(); got != "uno three" {
		t.Errorf("with a folder that is not there: %s", got)
	}
	e.note("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": []any{folder("nowhere")}}})
	if got := names(); got != "uno three" {
		t.Errorf("other folders: %s", got)
	}
	e.note("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{folder("b")}, "removed": []any{folder("a"), folder("b/c")}}})
	if got := names(); got != "three two" {
		t.Errorf("and others: %s", got)
	}
}

// A folder that is reached through a symbolic link: its own spelling comes back.
func TestFolderBehindLink(t *testing.T) {
	h := tree(t, small)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(h.root, link); err != nil {
		t.Fatal(err)
	}
	e := h.connect()
	e.must("initialize", map[string]any{"capabilities": map[string]any{}, "rootUri": fileURI(link)}, nil)
	for _, root := range []string{link, h.root} {
		p := map[string]any{"textDocument": map[string]any{"uri": fileURI(filepath.Join(root, "n.py"))}, "position": pos(0, 15)}
		var got []protocol.Location
		e.must("textDocument/definition", p, &got)
		if len(got) != 1 || string(got[0].URI) != string(fileURI(filepath.Join(link, "m.py"))) {
			t.Errorf("from %s: %+v", root, got)
		}
	}
}
