package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon/rpc"
)

func TestLifecycle(t *testing.T) {
	h := tree(t, small)
	e := h.connect()
	e.fails(codeNotInitialized, "textDocument/hover", e.at("n.py", nPy, "alpha"))
	e.fails(codeNotInitialized, "shutdown", nil)
	e.open("n.py", "") // before initialize: dropped
	e.fails(codeInvalidParams, "initialize", map[string]any{"rootUri": 5})
	e.must("initialize", map[string]any{"rootUri": fileURI(h.root), "capabilities": map[string]any{}}, nil)
	e.fails(wire.CodeInvalidRequest, "initialize", map[string]any{"rootUri": fileURI(h.root), "capabilities": map[string]any{}})
	if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha")); got != "m.py:3:4" {
		t.Errorf("definition: %s", got)
	}
	e.fails(wire.CodeMethodNotFound, "textDocument/nope", map[string]any{})
	e.fails(wire.CodeMethodNotFound, "$/nope", map[string]any{})
	e.note("$/nope", map[string]any{})
	e.note("textDocument/nope", 5)
	e.note("$/setTrace", map[string]any{"value": "verbose"})
	e.must("textDocument/hover", e.at("n.py", nPy, "alpha"), nil)
	e.until("$/logTrace", func(raw json.RawMessage) bool { return strings.Contains(string(raw), "textDocument/hover took") })
	e.must("shutdown", nil, nil)
	e.fails(wire.CodeInvalidRequest, "textDocument/hover", e.at("n.py", nPy, "alpha"))
	e.fails(wire.CodeInvalidRequest, "shutdown", nil)
	e.note("exit", nil)
	e.lock.Lock()
	for !e.ended {
		e.arrived.Wait()
	}
	e.lock.Unlock()
}

// LIBRARIES M6: what clients send, and protocol v0.12.0 cannot decode.
func TestInitializeOfRealClients(t *testing.T) {
	h := tree(t, small)
	for _, params := range []string{
		`{"processId":4294967296,"rootUri":%q,"capabilities":{"textDocument":{"semanticTokens":{"requests":{"range":{},"full":{"delta":true}}}}},"workspaceFolders":null}`,
		`{"processId":null,"clientInfo":{"name":"x"},"rootPath":"/nowhere","rootUri":%q,"capabilities":{"general":{"positionEncodings":[]}},"initializationOptions":[1]}`,
		`{"processId":1,"rootUri":null,"capabilities":{},"workspaceFolders":[{"uri":%q,"name":"w"}],"trace":"off","workDoneToken":"7"}`,
	} {
		e := h.connect()
		e.must("initialize", json.RawMessage(fmt.Sprintf(params, fileURI(h.root))), nil)
		if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha")); got != "m.py:3:4" {
			t.Errorf("%s: definition: %s", params, got)
		}
	}
	e := h.connect() // no folder at all: nothing is found, nothing breaks
	e.must("initialize", map[string]any{"rootUri": nil, "capabilities": map[string]any{}}, nil)
	e.open("n.py", nPy)
	if got := e.jump("textDocument/definition", e.at("n.py", nPy, "alpha")); got != "" {
		t.Errorf("without a folder: %s", got)
	}
	var flats []protocol.SymbolInformation
	if e.must("textDocument/documentSymbol", e.doc("n.py"), &flats); len(flats) != 5 {
		t.Errorf("symbols without a folder: %+v", flats)
	}
}

// CASES L3; LIBRARIES M5.
func TestPositionEncodings(t *testing.T) {
	const line = "s = \"é😀\"; target()\n"
	text := "def target(): pass\n" + line
	h := tree(t, "-- a.py --\n"+text)
	for _, test := range []struct {
		offered, announced string
		column             int
	}{
		{`{}`, "utf-16", 11}, {`{"general":{"positionEncodings":["utf-16"]}}`, "utf-16", 11},
		{`{"general":{"positionEncodings":["utf-8","utf-16"]}}`, "utf-8", 14},
		{`{"general":{"positionEncodings":["utf-32"]}}`, "utf-32", 10},
		{`{"general":{"positionEncodings":["utf-7","utf-16"]}}`, "utf-16", 11},
	} {
		e := h.connect()
		var r struct {
			Capabilities struct{ PositionEncoding string }
		}
		e.must("initialize", map[string]any{"rootUri": fileURI(h.root), "capabilities": json.RawMessage(test.offered)}, &r)
		if r.Capabilities.PositionEncoding != test.announced {
			t.Errorf("%s: announced %s", test.offered, r.Capabilities.PositionEncoding)
		}
		p := e.doc("a.py")
		p["position"] = pos(1, test.column)
		if got := e.jump("textDocument/definition", p); got != "a.py:0:4" {
			t.Errorf("%s: definition at column %d: %s", test.offered, test.column, got)
		}
		p["position"] = pos(0, 5)
		if got, want := e.jump("textDocument/references", p), fmt.Sprintf("a.py:0:4 a.py:1:%d", test.column); got != want {
			t.Errorf("%s: references: got %s, want %s", test.offered, got, want)
		}
		var refs wire.RefsResult // the methods of the socket count the same units on this connection
		if e.must("ctx/refs", map[string]any{"target": "repo:a.py:1:5"}, &refs); refs.References[1].Range.Start.Character != test.column || refs.References[1].Bytes[0] != 19+14 {
			t.Errorf("%s: ctx/refs: %+v", test.offered, refs.References[1])
		}
		for _, odd := range []map[string]any{pos(1, 7), pos(1, 1000), pos(1000, 0), pos(1, 4294967295), pos(4294967295, 4294967295)} {
			p["position"] = odd
			e.jump("textDocument/definition", p)
		}
		for _, wrong := range []map[string]any{pos(-1, 0), pos(0, -1)} {
			p["position"] = wrong
			e.fails(codeInvalidParams, "textDocument/definition", p)
		}
	}
}

// A cancellation that comes while the request may be answered already: one answer, and no other error.
// CASES L6; LIBRARIES M3.
func TestCancelIDs(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	for _, id := range []string{"700", `"700"`} {
		c := make(chan answer, 1)
		e.lock.Lock()
		e.back[id] = c
		e.lock.Unlock()
		e.message(id, "ctx/search", map[string]any{"patterns": []string{"alpha"}})
		e.note("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
		if a := e.await(c); a.Error != nil && a.Error.Code != wire.CodeCancelled {
			t.Errorf("id %s: %+v", id, a.Error)
		}
	}
}

// A request that waits for the client ends when it is cancelled.
// CASES L6.
func TestCancelOfWaiting(t *testing.T) {
	h := tree(t, small)
	e := h.edit(`{"window":{"showDocument":{"support":true}}}`)
	var copied struct{ Address string }
	e.must("workspace/executeCommand", map[string]any{"command": "ctx.copyAddress", "arguments": []any{map[string]any{"uri": h.uri("m.py"), "range": span(3, 0, 6, 0)}}}, &copied)
	for _, id := range []string{"701", `"seven"`} {
		c := make(chan answer, 1)
		e.lock.Lock()
		e.back[id] = c
		e.mute = true // it leaves the server's requests unanswered
		e.lock.Unlock()
		e.message(id, "workspace/executeCommand", map[string]any{"command": "ctx.open", "arguments": []any{copied.Address}})
		e.until("window/showDocument", func(json.RawMessage) bool { return true })
		e.note("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
		if a := e.await(c); a.Error == nil || a.Error.Code != wire.CodeCancelled {
			t.Errorf("id %s: %s, %+v", id, a.Result, a.Error)
		}
		e.until("$/cancelRequest", func(json.RawMessage) bool { return true }) // the client is told
		e.forget()
	}
}

// The methods of the socket work on the same connection; the root is that of initialize.
func TestSocketMethods(t *testing.T) {
	h := tree(t, small)
	e := h.edit("")
	var def wire.DefResult
	e.must("ctx/def", map[string]any{"target": "beta"}, &def)
	if len(def.Definitions) != 1 || def.Definitions[0].Live.Address != "repo:m.py --lines 10:11@6f9ed7b4" && def.Definitions[0].Lines[0] != 10 {
		t.Errorf("def: %+v", def)
	}
	e.open("m.py", strings.Replace(mPy, "beta", "omega", 1))
	e.must("ctx/def", map[string]any{"target": "omega"}, &def)
	if len(def.Definitions) != 1 || !strings.Contains(def.Definitions[0].Note, "not saved") {
		t.Errorf("def of what is typed: %+v", def.Definitions)
	}
	e.fails(wire.NotFound.Code(), "ctx/def", map[string]any{"target": "beta"})
	var found wire.SearchResult
	if e.must("ctx/search", map[string]any{"patterns": []string{"omega"}}, &found); found.Total != 1 {
		t.Errorf("search: %+v", found)
	}
	e.must("ctx/status", map[string]any{}, nil)
	var other wire.DefResult
	if err := h.shell("ctx/def", map[string]any{"target": "beta"}, &other); err != nil || len(other.Definitions) != 1 {
		t.Errorf("a shell: %+v, %v", other, err)
	} else if note := other.Definitions[0].Note; !strings.Contains(note, "modified in an editor") {
		t.Errorf("a shell is not told: %q", note)
	}
	if err := h.shell("ctx/def", map[string]any{"target": "omega"}, &other); err == nil {
		t.Error("a shell sees what is typed")
	}
}

// CASES L19: a question right behind initialize, with nothing indexed, waits for its answer. L1: what fails on one
// connection is nothing to another.
func TestFirstQuestion(t *testing.T) {
	h := tree(t, small)
	witness := h.edit("")
	for range 5 {
		e := h.connect()
		hello := e.send("initialize", map[string]any{"rootUri": fileURI(h.root), "capabilities": map[string]any{}})
		e.note("initialized", map[string]any{})
		symbols := e.send("workspace/symbol", map[string]any{"query": "alpha"})
		if a := e.await(hello); a.Error != nil || !strings.Contains(string(a.Result), `"workspaceSymbolProvider"`) {
			t.Errorf("capabilities: %s %+v", a.Result, a.Error)
		}
		if a := e.await(symbols); a.Error != nil || !strings.Contains(string(a.Result), `"alpha"`) {
			t.Errorf("symbols: %s %+v", a.Result, a.Error)
		}
		e.send("textDocument/references", e.at("m.py", mPy, "alpha"))
		e.nc.Close() // in the middle of an answer
	}
	if got := witness.jump("textDocument/definition", witness.at("n.py", nPy, "alpha(3)")); got != "m.py:3:4" {
		t.Errorf("another client: %s", got)
	}
}

// Options, kinds of symbols and actions that a client does not take are not sent to it.
func TestClientCapabilities(t *testing.T) {
	h := tree(t, "-- a.go --\npackage p\n\ntype S struct{}\n")
	for _, test := range []struct{ offer, rename, actions string }{
		{"{}", "true", "true"},
		{`{"textDocument":{"rename":{"prepareSupport":true},"codeAction":{"codeActionLiteralSupport":{}}}}`, `{"prepareProvider":true}`, `{"codeActionKinds":["source.ctx","quickfix"]}`},
	} {
		var got struct {
			Capabilities struct {
				Rename  json.RawMessage `json:"renameProvider"`
				Actions json.RawMessage `json:"codeActionProvider"`
			} `json:"capabilities"`
		}
		e := h.connect()
		e.must("initialize", map[string]any{"rootUri": fileURI(h.root), "capabilities": json.RawMessage(test.offer)}, &got)
		if string(got.Capabilities.Rename) != test.rename || string(got.Capabilities.Actions) != test.actions {
			t.Errorf("%s: rename %s, actions %s", test.offer, got.Capabilities.Rename, got.Capabilities.Actions)
		}
	}
	kinds := func(offer string) (out []protocol.SymbolKind) {
		var rows []protocol.SymbolInformation
		e := h.edit(offer)
		e.must("textDocument/documentSymbol", e.doc("a.go"), &rows)
		out = append(out, rows[0].Kind)
		e.must("workspace/symbol", map[string]any{"query": "S"}, &rows)
		return append(out, rows[0].Kind)
	}
	if got := kinds("{}"); got[0] != protocol.SymbolKindClass || got[1] != protocol.SymbolKindClass {
		t.Errorf("a client of the first 18 kinds: %v", got)
	}
	if got := kinds(`{"textDocument":{"documentSymbol":{"symbolKind":{"valueSet":[23]}}},"workspace":{"symbol":{"symbolKind":{"valueSet":[23]}}}}`); got[0] != protocol.SymbolKindStruct || got[1] != protocol.SymbolKindStruct {
		t.Errorf("a client that knows struct: %v", got)
	}
	e := h.edit("{}")
	for only, want := range map[string]int{`[]`: 0, `["source"]`: 1, `["source.ctx"]`: 1, `["source.fixAll"]`: 0, `["quickfix"]`: 0} {
		p := e.doc("a.go")
		p["range"], p["context"] = span(0, 0, 0, 0), map[string]any{"diagnostics": []any{}, "only": json.RawMessage(only)}
		var actions []json.RawMessage
		if e.must("textDocument/codeAction", p, &actions); len(actions) != want {
			t.Errorf("only %s: %s", only, actions)
		}
	}
}

// Progress begins, goes on and ends, once it has taken a while.
func TestProgress(t *testing.T) {
	server, client := net.Pipe()
	greeted := make(chan *rpc.Peer, 1)
	served := make(chan error, 1)
	go func() {
		served <- rpc.Serve(t.Context(), server, rpc.Options{Greet: func(p *rpc.Peer) { greeted <- p }, Handler: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil }})
	}()
	s := &Session{peer: <-greeted}
	left := []int{0, 10, 4, 0} // at first the tree has not been looked at
	go s.report(t.Context(), json.RawMessage(`"mine"`), func() (int, int) {
		now := left[0]
		left = left[1:]
		return now, 10
	}, true)
	r := bufio.NewReader(client)
	for _, want := range []string{
		`{"kind":"begin","title":"ctx: indexing","cancellable":false,"percentage":0}`,
		`{"kind":"report","message":"6 of 10 files","percentage":60}`,
		`{"kind":"end","message":"10 files"}`,
	} {
		data, err := wire.ReadFrame(r)
		var got, wanted any
		var m struct {
			Params struct {
				Token string
				Value json.RawMessage
			}
		}
		if err != nil || json.Unmarshal(data, &m) != nil || m.Params.Token != "mine" {
			t.Fatalf("%s, %v", data, err)
		}
		json.Unmarshal(m.Params.Value, &got)
		json.Unmarshal([]byte(want), &wanted)
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("got %s, want %s", m.Params.Value, want)
		}
	}
	client.Close()
	<-served
}

// A token is used for one progress: a request about two folders that are both being indexed begins and ends once, and
// what the server shows by itself has a token for each folder, and for each time.
func TestProgressTokens(t *testing.T) {
	defer func(after, every time.Duration) { progressAfter, progressEvery = after, every }(progressAfter, progressEvery)
	progressAfter, progressEvery = time.Millisecond, time.Millisecond
	t.Run("folders", func(t *testing.T) { // its daemon has ended before the times are put back
		var archive strings.Builder
		for i := range 300 {
			fmt.Fprintf(&archive, "-- %c/m%d.py --\n%s", 'a'+i%2, i, strings.Repeat("def f(x):\n    return [x, g(x), {1: 2}]\n", 200))
		}
		h := tree(t, archive.String())
		e := h.connect()
		folder := func(name string) map[string]any { return map[string]any{"uri": h.uri(name), "name": name} }
		e.must("initialize", map[string]any{"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}},
			"workspaceFolders": []any{folder("a"), folder("b")}}, nil)
		e.note("initialized", map[string]any{})
		e.note("initialized", map[string]any{})
		e.must("workspace/symbol", map[string]any{"query": "f", "workDoneToken": "mine"}, nil)
		e.must("workspace/symbol", map[string]any{"query": "f", "workDoneToken": "again"}, nil)
		e.lock.Lock()
		defer e.lock.Unlock()
		began, ended, created := map[string]int{}, map[string]int{}, map[string]int{}
		for _, raw := range e.notes["$/progress"] {
			var p struct {
				Token string
				Value struct{ Kind string }
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			switch p.Value.Kind {
			case "begin":
				began[p.Token]++
			case "end":
				ended[p.Token]++
			}
			if began[p.Token] != 1 || ended[p.Token] > 1 {
				t.Errorf("token %s: %s is the %d. beginning, the %d. end", p.Token, p.Value.Kind, began[p.Token], ended[p.Token])
			}
		}
		for _, raw := range e.notes["window/workDoneProgress/create"] {
			var p struct{ Token string }
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			if created[p.Token]++; created[p.Token] > 1 {
				t.Errorf("token %s is created again", p.Token)
			}
		}
		if began["mine"] != ended["mine"] {
			t.Errorf("the request began %d times and ended %d times", began["mine"], ended["mine"])
		}
	})
}
