package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// fakeServer is a language server in this process: functions of Go are its symbols, words its references.
type fakeServer struct {
	t       *tree
	from    *bufio.Reader
	to      io.Writer
	methods []string // as they came
	opened  []string // files
	// mute never answers requests of this method.
	mute string
	// fails answers references to this name with an error.
	fails string
	// wild gives another answer for each time that references are asked for.
	wild  bool
	asked int
}

// serveFake connects a client to a fake server; the server ends when the client closes its side.
func serveFake(t *testing.T, root string, change func(*fakeServer)) (*languageServer, *fakeServer, *tree) {
	t.Helper()
	trees := make([]*tree, 2)
	for i := range trees {
		var err error
		if trees[i], err = treeOf(t.Context(), root, languages["go"]); err != nil {
			t.Fatal(err)
		}
	}
	clientReads, serverWrites := io.Pipe()
	serverReads, clientWrites := io.Pipe()
	fake := &fakeServer{t: trees[0], from: bufio.NewReader(serverReads), to: serverWrites}
	if change != nil {
		change(fake)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fake.serve()
		serverWrites.Close()
	}()
	s := newServer(root, clientReads, clientWrites, language{id: "go", settings: map[string]any{"fake": 7}})
	s.quiet = 0
	s.end = func() error {
		<-ended
		<-s.done
		return nil
	}
	if err := s.initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, fake, trees[1]
}

// planted is a directory with these files.
func planted(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func (f *fakeServer) send(message any) {
	body, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	_, _ = f.to.Write(wire.AppendFrame(nil, body))
}

// serve answers until the connection ends.
func (f *fakeServer) serve() {
	for {
		frame, err := wire.ReadFrame(f.from)
		if err != nil {
			return
		}
		var m lspMessage
		if err := json.Unmarshal(frame, &m); err != nil {
			panic(err)
		}
		if m.Method != "" {
			f.methods = append(f.methods, m.Method)
		}
		switch {
		case m.Method != "" && m.Method == f.mute:
		case m.Method == "":
			f.methods = append(f.methods, "settings "+string(m.Result))
		case m.Method == "textDocument/didOpen":
			f.opened = append(f.opened, f.file(m))
		case m.Method == "initialized":
			f.progress("begin")
			f.send(map[string]any{"jsonrpc": "2.0", "id": "ours-1", "method": "workspace/configuration",
				"params": map[string]any{"items": []any{map[string]any{"section": "fake"}, map[string]any{"section": "other"}}}})
			f.progress("end")
		case m.ID != nil:
			result, failure := f.result(m)
			answer := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
			if failure != nil {
				answer = map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": failure}
			}
			f.send(answer)
		}
	}
}

func (f *fakeServer) progress(kind string) {
	f.send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": "load", "value": map[string]any{"kind": kind}}})
}

var goFunction = regexp.MustCompile(`^func (\([^)]*\) )?(\w+)`)

func (f *fakeServer) result(m lspMessage) (any, *lspError) {
	var p struct {
		Position wire.Position `json:"position"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil && len(m.Params) > 0 {
		return nil, &lspError{-32602, err.Error()}
	}
	file := f.file(m)
	switch m.Method {
	case "initialize":
		return map[string]any{"serverInfo": map[string]any{"name": "fake", "version": "1.0"}}, nil
	case "workspace/executeCommand": // one project has the files in p, all others have their own
		var c struct {
			Command   string            `json:"command"`
			Arguments []json.RawMessage `json:"arguments"`
		}
		var of struct {
			File string `json:"file"`
		}
		if json.Unmarshal(m.Params, &c) != nil || len(c.Arguments) != 2 || c.Command != tsserverRequest || json.Unmarshal(c.Arguments[1], &of) != nil {
			return nil, &lspError{-32602, "which file?"}
		}
		if filepath.Dir(of.File) != filepath.Join(f.t.root, "p") {
			return map[string]any{"body": map[string]any{"configFileName": "/dev/null/inferredProject1*", "fileNames": []string{of.File, filepath.Join(f.t.root, "p/a.go")}}}, nil
		}
		return map[string]any{"body": map[string]any{"configFileName": "/p/tsconfig.json", "fileNames": []string{
			filepath.Join(f.t.root, "p/a.go"), filepath.Join(f.t.root, "q/b.go"), "/lib/lib.d.ts"}}}, nil
	case "textDocument/documentSymbol":
		var all []any
		for i, line := range f.t.text(file) {
			if at := goFunction.FindStringSubmatchIndex(line); at != nil {
				kind := kindFunction
				if at[2] >= 0 {
					kind = kindMethod
				}
				all = append(all, map[string]any{"name": line[at[4]:at[5]], "kind": kind, "selectionRange": f.place(site{file, i + 1, at[4] + 1}).Range})
			}
		}
		return all, nil
	case "textDocument/definition": // the first line of the file with that word
		name := f.t.name(f.t.site(file, p.Position))
		for i, line := range f.t.text(file) {
			if at := strings.Index(line, name); at >= 0 {
				return f.place(site{file, i + 1, at + 1}), nil
			}
		}
		return nil, nil
	case "textDocument/references":
		name := f.t.name(f.t.site(file, p.Position))
		if name == f.fails {
			return nil, &lspError{-32803, "no package for it"}
		}
		found, err := f.t.hits(map[string]bool{name: true})
		if err != nil {
			return nil, &lspError{-32603, err.Error()}
		}
		if f.asked++; f.wild {
			found[name] = found[name][:f.asked%2]
		}
		var all []location
		for _, at := range found[name] {
			all = append(all, f.place(at))
		}
		return append(all, location{URI: "file:///elsewhere/x.go"}), nil
	}
	return nil, nil
}

// file is the path of the document that a message is about.
func (f *fakeServer) file(m lspMessage) string {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	_ = json.Unmarshal(m.Params, &p) // it may be about none
	return strings.TrimPrefix(p.TextDocument.URI, uriOf(f.t.root)+"/")
}

func (f *fakeServer) place(at site) location {
	start := f.t.position(at)
	return location{URI: uriOf(filepath.Join(f.t.root, at.path)), Range: wire.Range{Start: start, End: start}}
}

// The server is told its settings in the order in which it asks for them, and null for what there is not.
func TestServerIsGreetedAndEnded(t *testing.T) {
	root := planted(t, map[string]string{"a.go": "package a\n"})
	s, fake, _ := serveFake(t, root, nil)
	if s.name != "fake 1.0" {
		t.Errorf("the server is %q", s.name)
	}
	// The server has asked before it answers this.
	if err := s.call(t.Context(), "workspace/symbol", nil, nil); err != nil {
		t.Error(err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(fake.methods, "; "); !strings.HasPrefix(got, "initialize; initialized; ") ||
		!strings.Contains(got, "settings [7,null]") || !strings.HasSuffix(got, "; shutdown; exit") {
		t.Errorf("the server was told %s", got)
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	root := planted(t, map[string]string{"a.go": "package a\n"})
	s, fake, tree := serveFake(t, root, func(f *fakeServer) { f.mute = "textDocument/references" })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.places(ctx, "textDocument/references", tree, site{"a.go", 1, 9}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Error(err)
	}
	if !slices.Contains(fake.methods, "$/cancelRequest") {
		t.Errorf("the server was told %q", fake.methods)
	}
	// Nobody answers any more: every call ends, and says why.
	if err := s.call(t.Context(), "shutdown", nil, nil); err == nil {
		t.Error("a call on an ended connection succeeds")
	}
	if err := s.references(t.Context(), tree, &symbol{Site: site{"a.go", 1, 9}}); err == nil {
		t.Error("the end of the server is not an error")
	}
}

func TestLocations(t *testing.T) {
	for text, want := range map[string]int{
		`null`: 0, `[]`: 0, `{"uri": "file:///a"}`: 1, `[{"uri": "file:///a"}, {"targetUri": "file:///b"}]`: 2, `{}`: 0,
	} {
		var l locations
		if err := json.Unmarshal([]byte(text), &l); err != nil || len(l) != want {
			t.Errorf("%s: %d, %v", text, len(l), err)
		}
	}
	var l locations
	if err := json.Unmarshal([]byte(`7`), &l); err == nil {
		t.Error("a number is a location")
	}
}

func TestPathOf(t *testing.T) {
	s := &languageServer{root: "/r"}
	for uri, want := range map[string]string{
		"file:///r/a.go": "a.go", "file:///r/a%20b/c.go": "a b/c.go", "file:///rr/a.go": "", "file:///r/..b": "..b", "http://r/a": "", "file:///": "", "%": "",
	} {
		if got, ok := s.pathOf(uri); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", uri, got, ok)
		}
	}
	if got, _ := s.pathOf(uriOf("/r/ü #?.go")); got != "ü #?.go" {
		t.Errorf("got %q", got)
	}
}

func TestPlainVersion(t *testing.T) {
	for version, want := range map[string]string{
		`{"GoVersion":"go1.26","Main":{"Path":"gopls","Version":"v0.23.0"}}`: "v0.23.0", "1.2": "1.2", "Debian clangd version 19.1.7 (3~deb12u1) x86_64": "19.1.7", "": "", "(devel)": "",
	} {
		if got := plainVersion(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
