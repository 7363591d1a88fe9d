package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ctxd/client/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance.txt")

// specified is one method of LSP 3.17 that a client may send.
type specified struct {
	method string
	params string // well-formed; $N and $M are the URIs of two files, $R is the root's
}

const (
	docN  = `"textDocument":{"uri":"$N"}`
	posN  = docN + `,"position":{"line":5,"character":16}`
	rngN  = docN + `,"range":{"start":{"line":0,"character":0},"end":{"line":5,"character":0}}`
	itemN = `"item":{"name":"x","kind":12,"uri":"$N","range":{"start":{"line":4,"character":4},"end":{"line":5,"character":23}},"selectionRange":{"start":{"line":4,"character":8},"end":{"line":4,"character":13}},"data":{"symbol":"Greeter.greet","nth":0}}`
	fileR = `{"files":[{"oldUri":"$N","newUri":"$M"}]}`
)

// specification is every request and notification from client to server, in the order of the specification.
var specification = struct{ requests, notifications []specified }{
	requests: []specified{
		{"initialize", `{"processId":1,"rootUri":"$R","capabilities":{}}`},
		{"textDocument/declaration", `{` + posN + `}`},
		{"textDocument/definition", `{` + posN + `,"workDoneToken":1}`},
		{"textDocument/typeDefinition", `{` + posN + `}`},
		{"textDocument/implementation", `{` + posN + `}`},
		{"textDocument/references", `{` + posN + `,"context":{"includeDeclaration":true},"partialResultToken":"p"}`},
		{"textDocument/prepareCallHierarchy", `{` + posN + `}`},
		{"callHierarchy/incomingCalls", `{` + itemN + `}`},
		{"callHierarchy/outgoingCalls", `{` + itemN + `}`},
		{"textDocument/prepareTypeHierarchy", `{` + posN + `}`},
		{"typeHierarchy/supertypes", `{` + itemN + `}`},
		{"typeHierarchy/subtypes", `{` + itemN + `}`},
		{"textDocument/documentHighlight", `{` + posN + `}`},
		{"textDocument/documentLink", `{` + docN + `}`},
		{"documentLink/resolve", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}`},
		{"textDocument/hover", `{` + posN + `}`},
		{"textDocument/codeLens", `{` + docN + `}`},
		{"codeLens/resolve", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}`},
		{"textDocument/foldingRange", `{` + docN + `}`},
		{"textDocument/selectionRange", `{` + docN + `,"positions":[{"line":5,"character":16}]}`},
		{"textDocument/documentSymbol", `{` + docN + `}`},
		{"textDocument/semanticTokens/full", `{` + docN + `}`},
		{"textDocument/semanticTokens/full/delta", `{` + docN + `,"previousResultId":"1"}`},
		{"textDocument/semanticTokens/range", `{` + rngN + `}`},
		{"textDocument/inlineValue", `{` + rngN + `,"context":{"frameId":1,"stoppedLocation":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}}`},
		{"textDocument/inlayHint", `{` + rngN + `}`},
		{"inlayHint/resolve", `{"position":{"line":0,"character":0},"label":"x"}`},
		{"textDocument/moniker", `{` + posN + `}`},
		{"textDocument/completion", `{` + posN + `}`},
		{"completionItem/resolve", `{"label":"x"}`},
		{"textDocument/diagnostic", `{` + docN + `,"identifier":"ctx"}`},
		{"workspace/diagnostic", `{"previousResultIds":[]}`},
		{"textDocument/signatureHelp", `{` + posN + `}`},
		{"textDocument/codeAction", `{` + rngN + `,"context":{"diagnostics":[]}}`},
		{"codeAction/resolve", `{"title":"x"}`},
		{"textDocument/documentColor", `{` + docN + `}`},
		{"textDocument/colorPresentation", `{` + rngN + `,"color":{"red":0,"green":0,"blue":0,"alpha":1}}`},
		{"textDocument/formatting", `{` + docN + `,"options":{"tabSize":4,"insertSpaces":true}}`},
		{"textDocument/rangeFormatting", `{` + rngN + `,"options":{"tabSize":4,"insertSpaces":true}}`},
		{"textDocument/onTypeFormatting", `{` + posN + `,"ch":";","options":{"tabSize":4,"insertSpaces":true}}`},
		{"textDocument/rename", `{` + posN + `,"newName":"omega"}`},
		{"textDocument/prepareRename", `{` + posN + `}`},
		{"textDocument/linkedEditingRange", `{` + posN + `}`},
		{"workspace/symbol", `{"query":"alpha"}`},
		{"workspaceSymbol/resolve", `{"name":"alpha","kind":12,"location":{"uri":"$M"},"data":{"symbol":"alpha","nth":0}}`},
		{"workspace/willCreateFiles", `{"files":[{"uri":"$N"}]}`},
		{"workspace/willRenameFiles", fileR},
		{"workspace/willDeleteFiles", `{"files":[{"uri":"$N"}]}`},
		{"workspace/executeCommand", `{"command":"ctx.copyAddress","arguments":[{"uri":"$N","position":{"line":5,"character":16}}]}`},
		{"textDocument/willSaveWaitUntil", `{` + docN + `,"reason":1}`},
	},
	notifications: []specified{
		{"initialized", `{}`},
		{"$/setTrace", `{"value":"off"}`},
		{"$/cancelRequest", `{"id":12345}`},
		{"$/progress", `{"token":"x","value":1}`},
		{"window/workDoneProgress/cancel", `{"token":"x"}`},
		{"textDocument/didOpen", `{"textDocument":{"uri":"$N","languageId":"python","version":1,"text":""}}`},
		{"textDocument/didChange", `{"textDocument":{"uri":"$N","version":2},"contentChanges":[{"text":"x"}]}`},
		{"textDocument/willSave", `{` + docN + `,"reason":1}`},
		{"textDocument/didSave", `{` + docN + `,"text":"y"}`},
		{"textDocument/didClose", `{` + docN + `}`},
		{"notebookDocument/didOpen", `{"notebookDocument":{"uri":"x:1","notebookType":"n","version":1,"cells":[]},"cellTextDocuments":[]}`},
		{"notebookDocument/didChange", `{"notebookDocument":{"uri":"x:1","version":2},"change":{}}`},
		{"notebookDocument/didSave", `{"notebookDocument":{"uri":"x:1"}}`},
		{"notebookDocument/didClose", `{"notebookDocument":{"uri":"x:1"},"cellTextDocuments":[]}`},
		{"workspace/didChangeWorkspaceFolders", `{"event":{"added":[],"removed":[]}}`},
		{"workspace/didChangeConfiguration", `{"settings":null}`},
		{"workspace/didCreateFiles", `{"files":[{"uri":"$N"}]}`},
		{"workspace/didRenameFiles", fileR},
		{"workspace/didDeleteFiles", `{"files":[{"uri":"$N"}]}`},
		{"workspace/didChangeWatchedFiles", `{"changes":[{"uri":"$N","type":2}]}`},
	},
}

// wrong are parameters that no method takes.
var wrong = []string{
	`[]`, `[1,2]`, `{}`, `null`,
	`{"textDocument":5,"position":"x","range":[],"item":7,"files":"x","query":[],"command":{},"positions":"x","newName":5,"event":1,"changes":1,"contentChanges":5,"value":[],"previousResultIds":7,"capabilities":3,"name":5,"data":6}`,
	`{"textDocument":{"uri":5,"text":[]},"position":{"line":-1,"character":1e99},"range":{"start":5},"item":{"uri":[]},"files":[5],"positions":[{"line":"x"}],"contentChanges":[[]],"event":{"added":5},"previousResultIds":[7]}`,
}

// TestConformance sends every method well-formed, with wrong types and after shutdown. What came back stands in
// testdata/conformance.txt, to be read: -update rewrites it.
func TestConformance(t *testing.T) {
	h := tree(t, small)
	fill := strings.NewReplacer("$N", h.uri("n.py"), "$M", h.uri("m.py"), "$R", string(fileURI(h.root))).Replace
	witness := h.edit("")
	witness.open("n.py", nPy)
	e, after := h.edit(""), h.edit("")
	after.must("shutdown", nil, nil)
	var out strings.Builder
	fmt.Fprintf(&out, "%-42s %-24s %-24s %s\n", "request", "well-formed", "wrong types", "after shutdown")
	for _, s := range specification.requests {
		well := outcome(e.call(s.method, json.RawMessage(fill(s.params))))
		var odd []string
		for _, w := range wrong {
			if got := outcome(e.call(s.method, json.RawMessage(w))); len(odd) == 0 || odd[len(odd)-1] != got {
				odd = append(odd, got)
			}
		}
		fmt.Fprintf(&out, "%-42s %-24s %-24s %s\n", s.method, well, strings.Join(odd, ", "), outcome(after.call(s.method, json.RawMessage(fill(s.params)))))
		if got := witness.jump("textDocument/definition", witness.at("n.py", nPy, "alpha(3)")); got != "m.py:3:4" {
			t.Fatalf("after %s another client gets %s", s.method, got)
		}
	}
	fmt.Fprintf(&out, "\n%-42s %-24s %-24s %s\n", "notification", "well-formed", "wrong types", "after shutdown")
	for _, s := range specification.notifications {
		alive := func(e *editor, want int, params ...string) string {
			for _, p := range params {
				e.note(s.method, json.RawMessage(p))
			}
			a := e.call("workspace/symbol", map[string]any{"query": "gamma"})
			switch {
			case want == 0 && a.Error == nil, a.Error != nil && a.Error.Code == want:
				return "no reply, goes on"
			}
			return fmt.Sprintf("%s %v", a.Result, a.Error)
		}
		fmt.Fprintf(&out, "%-42s %-24s %-24s %s\n", s.method, alive(e, 0, fill(s.params)), alive(e, 0, wrong...), alive(after, wire.CodeInvalidRequest, fill(s.params)))
		if got := witness.jump("textDocument/definition", witness.at("n.py", nPy, "alpha(3)")); got != "m.py:3:4" {
			t.Fatalf("after %s another client gets %s", s.method, got)
		}
	}
	got := out.String()
	if *update {
		if err := os.WriteFile("testdata/conformance.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/conformance.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the run is another than testdata/conformance.txt:\n%s", got)
	}
	for id, raw := range map[string]string{"12": `{"jsonrpc":"2.0","id":12,"method":"textDocument/hover","params":"text"}`} {
		c := make(chan answer, 1)
		e.lock.Lock()
		e.back[id] = c
		e.frame(raw)
		e.lock.Unlock()
		if a := e.await(c); a.Error == nil {
			t.Errorf("%s: %s", raw, a.Result)
		}
	}
}

// outcome is the form of an answer, short.
func outcome(a answer) string {
	if a.Error != nil {
		return fmt.Sprint(a.Error.Code)
	}
	s := string(a.Result)
	switch {
	case s == "null", s == "[]":
		return s
	case strings.HasPrefix(s, "["):
		return "a list"
	case strings.HasPrefix(s, "{"):
		return "an object"
	}
	return s
}
