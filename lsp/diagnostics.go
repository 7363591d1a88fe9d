package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
)

var severities = map[string]protocol.DiagnosticSeverity{
	wire.SeverityError: protocol.DiagnosticSeverityError, wire.SeverityWarning: protocol.DiagnosticSeverityWarning,
	wire.SeverityInfo: protocol.DiagnosticSeverityInformation,
}

// codeLost is the code of the diagnostic of an address whose content is gone.
const codeLost = string(wire.AnchorStale)

// diagnose lists what is wrong in a document: what ctx/diag says of it, and the addresses in it that are lost.
func (at *moment) diagnose(ctx context.Context, uri string) ([]protocol.Diagnostic, error) {
	out := []protocol.Diagnostic{}
	f, m, err := at.scribbled(ctx, uri)
	if f == nil || err != nil {
		return out, err
	}
	defer f.close()
	if f.path != "" {
		if out, err = f.faults(ctx); err != nil {
			return nil, err
		}
	}
	all, err := addresses(ctx, f.ws, m.src)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.now.Outcome == wire.Lost {
			out = append(out, protocol.Diagnostic{
				Range: m.span(a.start, a.end), Severity: protocol.DiagnosticSeverityWarning, Source: "ctx", Code: codeLost, Message: advice(a.now),
			})
		}
	}
	return out, nil
}

// mostFaults is how many diagnostics one file has at most.
const mostFaults = 1000

// faults are the rows of ctx/diag for the file.
func (f *file) faults(ctx context.Context) ([]protocol.Diagnostic, error) {
	out := []protocol.Diagnostic{}
	r, err := f.ws.Diag(ctx, wire.DiagParams{Path: wire.RepoRef(f.path), Limit: mostFaults})
	if err != nil {
		return out, nothing(err)
	}
	if len(r.Diagnostics) == 0 {
		return out, nil
	}
	t, _, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		return out, nothing(err)
	}
	m := f.mapper(t)
	for _, d := range r.Diagnostics {
		out = append(out, convertFault(m, d))
	}
	return out, nil
}

func convertFault(m *mapper, d wire.Diagnostic) protocol.Diagnostic {
	row := protocol.Diagnostic{Range: m.span(d.Bytes[0], d.Bytes[1]), Severity: severities[d.Severity], Source: d.Source, Message: d.Message}
	if d.Code != "" {
		row.Code = d.Code
	}
	return row
}

// fullReport is a DocumentDiagnosticReport of 3.17, in full or unchanged.
type fullReport struct {
	Kind     string                 `json:"kind"`
	ResultID string                 `json:"resultId"`
	Items    *[]protocol.Diagnostic `json:"items,omitempty"`
}

type workspaceReport struct {
	fullReport
	URI     protocol.DocumentURI `json:"uri"`
	Version *int32               `json:"version"`
}

// report says that items are as they were under an id, or lists them.
func report(items []protocol.Diagnostic, previous string) fullReport {
	id := resultID(items)
	if id == previous {
		return fullReport{Kind: "unchanged", ResultID: id}
	}
	return fullReport{Kind: "full", ResultID: id, Items: &items}
}

// resultID depends on what is wrong alone.
func resultID(items []protocol.Diagnostic) string {
	text, _ := json.Marshal(items)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

type diagnosticParams struct {
	docID
	PreviousResultID string `json:"previousResultId"`
}

func (at *moment) diagnostic(ctx context.Context, p diagnosticParams) (any, error) {
	items, err := at.diagnose(ctx, p.uri())
	if err != nil {
		return nil, err
	}
	return report(items, p.PreviousResultID), nil
}

type workspaceDiagnosticParams struct {
	PreviousResultIDs []struct {
		URI   string `json:"uri"`
		Value string `json:"value"`
	} `json:"previousResultIds"`
}

func (p *workspaceDiagnosticParams) check() error {
	if p.PreviousResultIDs == nil {
		return invalid("previousResultIds are missing")
	}
	return nil
}

// workspaceDiagnostic reports every file that something is wrong in, and those that nothing is wrong in any more.
func (at *moment) workspaceDiagnostic(ctx context.Context, p workspaceDiagnosticParams) (any, error) {
	items := []workspaceReport{}
	previous := map[string]string{}
	for _, r := range p.PreviousResultIDs {
		previous[key(r.URI)] = r.Value
	}
	add := func(uri protocol.DocumentURI, found []protocol.Diagnostic) {
		k := key(string(uri))
		row := workspaceReport{fullReport: report(found, previous[k]), URI: uri}
		if d := at.docs[k]; d != nil {
			row.Version = &d.version
		}
		delete(previous, k)
		items = append(items, row)
	}
	for _, d := range at.sortedDocs() {
		found, err := at.diagnose(ctx, d.uri)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 || previous[key(d.uri)] != "" {
			add(protocol.DocumentURI(d.uri), found)
		}
	}
	for _, folder := range at.folders {
		if err := at.closedFaults(ctx, folder, add); err != nil {
			return nil, err
		}
	}
	for _, r := range p.PreviousResultIDs { // nothing is wrong there any more
		if previous[key(r.URI)] != "" {
			add(protocol.DocumentURI(r.URI), []protocol.Diagnostic{})
		}
	}
	return map[string]any{"items": items}, nil
}

// closedFaults adds the files of a folder that are not open.
func (at *moment) closedFaults(ctx context.Context, folder *folder, add func(protocol.DocumentURI, []protocol.Diagnostic)) error {
	ws, release, err := folder.workspace(at.s.d)
	if err != nil {
		return nothing(err)
	}
	f := &file{at: at, folder: folder, ws: ws, done: release, mappers: mappers{}}
	defer f.close()
	r, err := ws.Diag(ctx, wire.DiagParams{Limit: 10 * mostFaults})
	if err != nil {
		return nothing(err)
	}
	for rows := r.Diagnostics; len(rows) > 0; {
		n := slices.IndexFunc(rows, func(d wire.Diagnostic) bool { return d.Path != rows[0].Path || d.PathBase64 != rows[0].PathBase64 })
		if n < 0 {
			n = len(rows)
		}
		path := wire.Exact(rows[0].Path, rows[0].PathBase64)
		uri := f.uriOf(path)
		t, _, err := ws.Describe(ctx, path)
		if nothing(err) != nil {
			return err
		}
		if err == nil && at.docs[key(string(uri))] == nil {
			found := []protocol.Diagnostic{}
			for _, d := range rows[:n] {
				found = append(found, convertFault(f.mapper(t), d))
			}
			add(uri, found)
		}
		rows = rows[n:]
	}
	return nil
}
