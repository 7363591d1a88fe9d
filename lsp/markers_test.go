package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
)

// TestMarkers puts each case of testdata/markers through the Go API, the socket and LSP, which must agree with each
// other and with the file. testdata/README.md says what stands in one.
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "markers", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d marker files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			run(t, txtar.Parse([]byte(strings.ReplaceAll(string(text), "␍", "\r"))))
		})
	}
}

// marked is one case under way.
type marked struct {
	t       *testing.T
	h       *host
	places  map[string]spot // by the name of the marker
	faces   map[string]face
	overlay *daemon.Overlay
}

// spot is where a marked word starts: its line from 1, its column in bytes from 1, and its position in UTF-16.
type spot struct {
	path      string
	line, col int
	character int
}

func (s spot) String() string { return fmt.Sprintf("%s:%d:%d", s.path, s.line, s.character) }

// face asks one question of one face: def, refs or diag, of a place or of a file. The answers are places as text.
type face func(question string, at spot) []string

var marker = regexp.MustCompile(`@(\w+) (\w+)`)

func run(t *testing.T, a *txtar.Archive) {
	m := &marked{t: t, h: tree(t, ""), places: map[string]spot{}}
	e := m.h.edit("")
	for _, f := range a.Files {
		path, buffer := strings.CutPrefix(f.Name, "buffer/")
		m.mark(path, string(f.Data))
		if buffer {
			e.open(path, string(f.Data))
			m.overlay = m.overlay.With(daemon.NewBuffer(path, f.Data))
		} else {
			m.h.write(path, string(f.Data))
		}
	}
	m.faces = map[string]face{"Go": m.api, "LSP": func(q string, at spot) []string { return m.lsp(e, q, at) }}
	m.faces["the socket"] = m.socket
	if m.overlay != nil { // only the editor's own connection sees its buffers
		m.faces["the socket"] = func(q string, at spot) []string {
			return m.wire(func(method string, params map[string]any, result any) { e.must(method, params, result) }, q, at)
		}
	}
	asked := 0
	for line := range strings.Lines(string(a.Comment)) {
		question, want, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		asked++
		words := strings.Fields(question)
		m.ask(words[0], words[1:], strings.Fields(want))
	}
	if asked == 0 {
		t.Error("nothing is asked")
	}
}

// mark finds the markers of a file: each names the first such word on its line.
func (m *marked) mark(path, text string) {
	for n, line := range strings.Split(text, "\n") {
		for _, found := range marker.FindAllStringSubmatch(line, -1) {
			before, _, _ := strings.Cut(line, "@")
			word := regexp.MustCompile(`\b` + found[2] + `\b`).FindStringIndex(before)
			if word == nil {
				m.t.Fatalf("%s:%d: no %s before the marker", path, n+1, found[2])
			}
			l := newMapper(newLines([]byte(line)), utf16Units)
			m.places[found[1]] = spot{path, n + 1, word[0] + 1, int(l.position(word[0]).Character)}
		}
	}
}

// ask asks all faces.
func (m *marked) ask(question string, of, names []string) {
	m.t.Helper()
	var at spot
	switch {
	case question == "diag" && len(of) == 1:
		at.path = of[0]
	case len(of) == 1:
		var ok bool
		if at, ok = m.places[of[0]]; !ok {
			m.t.Fatalf("no marker %s", of[0])
		}
	}
	var want []string
	for _, n := range names {
		p, ok := m.places[n]
		switch {
		case ok:
			want = append(want, p.String())
		case question == "diag" && n != "none":
			want = append(want, n)
		case question != "diag":
			m.t.Fatalf("no marker %s", n)
		}
	}
	slices.Sort(want)
	for name, ask := range m.faces {
		got := ask(question, at)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			m.t.Errorf("%s %v over %s: got %v, want %v", question, of, name, got, want)
		}
	}
}

// api asks the workspace.
func (m *marked) api(question string, at spot) []string {
	m.t.Helper()
	ws, release, err := m.h.d.Workspace(m.h.root)
	if err != nil {
		m.t.Fatal(err)
	}
	defer release()
	ws = ws.Under(m.overlay)
	target := fmt.Sprintf("repo:%s:%d:%d", at.path, at.line, at.col)
	switch question {
	case "def":
		r, err := ws.Def(m.t.Context(), wire.DefParams{Target: target})
		if err != nil {
			m.t.Fatal(err)
		}
		return defined(r.Definitions)
	case "refs":
		r, err := ws.Refs(m.t.Context(), wire.RefsParams{Target: target})
		if err != nil {
			m.t.Fatal(err)
		}
		return referred(r)
	}
	path := ""
	if at.path != "" {
		path = "repo:" + at.path
	}
	r, err := ws.Diag(m.t.Context(), wire.DiagParams{Path: path})
	if err != nil {
		m.t.Fatal(err)
	}
	return wrongs(r)
}

func defined(all []wire.Definition) (places []string) {
	for _, d := range all {
		places = append(places, spot{d.Path, d.SelectionRange.Start.Line + 1, 0, d.SelectionRange.Start.Character}.String())
	}
	return places
}

func referred(r *wire.RefsResult) []string {
	places := defined(r.Definitions)
	for _, x := range r.References {
		places = append(places, spot{x.Path, x.Range.Start.Line + 1, 0, x.Range.Start.Character}.String())
	}
	return places
}

func wrongs(r *wire.DiagResult) (severities []string) {
	for _, d := range r.Diagnostics {
		severities = append(severities, d.Severity)
	}
	return severities
}

// socket asks as a shell does.
func (m *marked) socket(question string, at spot) []string {
	m.t.Helper()
	nc, err := net.Dial("unix", m.h.path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer nc.Close()
	r := bufio.NewReader(nc)
	return m.wire(func(method string, params map[string]any, result any) {
		m.t.Helper()
		params["root"] = m.h.root
		text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		nc.Write(wire.AppendFrame(nil, text))
		data, err := wire.ReadFrame(r)
		var a answer
		if err == nil {
			err = json.Unmarshal(data, &a)
		}
		if err != nil || a.Error != nil {
			m.t.Fatalf("%s: %v %+v", method, err, a.Error)
		}
		if err := json.Unmarshal(a.Result, result); err != nil {
			m.t.Fatal(err)
		}
	}, question, at)
}

func (m *marked) wire(call func(string, map[string]any, any), question string, at spot) []string {
	m.t.Helper()
	target := map[string]any{"target": fmt.Sprintf("repo:%s:%d:%d", at.path, at.line, at.col)}
	switch question {
	case "def":
		var r wire.DefResult
		call(wire.MethodDef, target, &r)
		return defined(r.Definitions)
	case "refs":
		var r wire.RefsResult
		call(wire.MethodRefs, target, &r)
		return referred(&r)
	}
	params := map[string]any{}
	if at.path != "" {
		params["path"] = "repo:" + at.path
	}
	var r wire.DiagResult
	call(wire.MethodDiag, params, &r)
	return wrongs(&r)
}

// lsp asks as an editor does.
func (m *marked) lsp(e *editor, question string, at spot) []string {
	m.t.Helper()
	params := e.doc(at.path)
	params["position"] = pos(at.line-1, at.character)
	method := map[string]string{"def": "textDocument/definition", "refs": "textDocument/references"}[question]
	if method == "" {
		return m.lspDiag(e, at)
	}
	var got, more []protocol.Location
	e.must(method, params, &got)
	if question == "def" { // LSP has two questions where the others have one
		e.must("textDocument/declaration", params, &more)
		got = append(got, more...)
	}
	var places []string
	for _, l := range got {
		p, _ := filePath(string(l.URI))
		places = append(places, spot{strings.TrimPrefix(p, m.h.root+"/"), int(l.Range.Start.Line) + 1, 0, int(l.Range.Start.Character)}.String())
	}
	return places
}

func (m *marked) lspDiag(e *editor, at spot) []string {
	m.t.Helper()
	names := map[protocol.DiagnosticSeverity]string{protocol.DiagnosticSeverityError: wire.SeverityError, protocol.DiagnosticSeverityWarning: wire.SeverityWarning}
	var got []string
	add := func(r fullReport) {
		if r.Items != nil {
			for _, d := range *r.Items {
				got = append(got, names[d.Severity])
			}
		}
	}
	if at.path != "" {
		var r fullReport
		e.must("textDocument/diagnostic", e.doc(at.path), &r)
		add(r)
		return got
	}
	var r struct{ Items []fullReport }
	e.must("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &r)
	for _, x := range r.Items {
		add(x)
	}
	return got
}
