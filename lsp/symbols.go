package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"ctxd/daemon"
	"ctxd/index"
)

var symbolKinds = map[index.Kind]protocol.SymbolKind{
	index.Function: protocol.SymbolKindFunction, index.Method: protocol.SymbolKindMethod, index.Constructor: protocol.SymbolKindConstructor,
	index.Class: protocol.SymbolKindClass, index.Struct: protocol.SymbolKindStruct, index.Interface: protocol.SymbolKindInterface,
	index.Trait: protocol.SymbolKindInterface, index.Enum: protocol.SymbolKindEnum, index.Enumerator: protocol.SymbolKindEnumMember,
	index.Union: protocol.SymbolKindStruct, index.Type: protocol.SymbolKindClass, index.Constant: protocol.SymbolKindConstant,
	index.Variable: protocol.SymbolKindVariable, index.Field: protocol.SymbolKindField, index.Property: protocol.SymbolKindProperty,
	index.Module: protocol.SymbolKindModule, index.Namespace: protocol.SymbolKindNamespace, index.Macro: protocol.SymbolKindFunction,
	index.Heading: protocol.SymbolKindString,
}

func symbolKind(k index.Kind) protocol.SymbolKind {
	if kind, ok := symbolKinds[k]; ok {
		return kind
	}
	return protocol.SymbolKindVariable
}

// of is the kind of a symbol, or the nearest of the 18 that every client knows.
func (known knownKinds) of(k index.Kind) protocol.SymbolKind {
	kind := symbolKind(k)
	if kind <= protocol.SymbolKindArray || slices.Contains(known.ValueSet, kind) {
		return kind
	}
	if kind == protocol.SymbolKindEnumMember {
		return protocol.SymbolKindConstant
	}
	return protocol.SymbolKindClass
}

// documentSymbol outlines one document: nested where the client takes that, else flat.
func (at *moment) documentSymbol(ctx context.Context, p docID) (any, error) {
	f, facts, m, err := at.described(ctx, p.uri())
	if f == nil || err != nil {
		return []protocol.DocumentSymbol{}, nothing(err)
	}
	defer f.close()
	known := at.s.client.TextDocument.DocumentSymbol.SymbolKind
	if !at.s.client.TextDocument.DocumentSymbol.Hierarchical {
		out := make([]protocol.SymbolInformation, 0, len(facts.Defs))
		for _, d := range facts.Defs {
			out = append(out, protocol.SymbolInformation{
				Name: named(d), Kind: known.of(d.Kind), ContainerName: d.Container,
				Location: protocol.Location{URI: protocol.DocumentURI(p.uri()), Range: m.span(int(d.Start), int(d.End))},
			})
		}
		return out, nil
	}
	roots, _ := outline(facts.Defs, m, uint32(len(m.src)), known)
	return roots, nil
}

// outline nests the definitions that start before end, which are sorted by where they start, and gives those behind.
func outline(defs []index.Def, m *mapper, end uint32, known knownKinds) ([]protocol.DocumentSymbol, []index.Def) {
	out := []protocol.DocumentSymbol{}
	for len(defs) > 0 && defs[0].End <= end {
		d := defs[0]
		s := protocol.DocumentSymbol{Name: named(d), Kind: known.of(d.Kind)}
		if s.Detail = oneLine(m.src[d.SigStart:d.SigEnd], 200); s.Detail == s.Name {
			s.Detail = ""
		}
		s.Range.Start = m.position(int(d.Start))
		s.SelectionRange = m.span(int(d.NameStart), int(d.NameEnd))
		s.Children, defs = outline(defs[1:], m, d.End, known)
		s.Range.End = m.position(int(d.End))
		out = append(out, s)
	}
	return out, defs
}

// named is the name of a definition; clients refuse an empty one.
func named(d index.Def) string { return cmp.Or(d.Name, d.Kind.String()) }

// described is a document with what it defines; also of one that is in no folder.
func (at *moment) described(ctx context.Context, uri string) (*file, *index.File, *mapper, error) {
	f, err := at.file(uri)
	if f == nil || err != nil {
		return nil, nil, nil, err
	}
	if f.ws == nil {
		if f.doc.path == "" {
			return nil, nil, nil, nil
		}
		return f, index.Build(tail(f.doc.path, "/"), f.doc.src), newMapper(f.doc.lines, at.s.encoding), nil
	}
	t, facts, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		f.close()
		return nil, nil, nil, err
	}
	return f, facts, f.mapper(t), nil
}

type workspaceSymbolParams struct {
	Query         *string         `json:"query"`
	WorkDoneToken json.RawMessage `json:"workDoneToken"`
}

func (p *workspaceSymbolParams) check() error {
	if p.Query == nil {
		return invalid("query is missing")
	}
	return nil
}

// workspaceSymbol is the WorkspaceSymbol of 3.17, whose location may have no range yet.
type workspaceSymbol struct {
	Name          string              `json:"name"`
	Kind          protocol.SymbolKind `json:"kind"`
	ContainerName string              `json:"containerName,omitempty"`
	Location      symbolLocation      `json:"location"`
	Data          *symbolData         `json:"data,omitempty"`
}

type symbolLocation struct {
	URI   protocol.DocumentURI `json:"uri"`
	Range *protocol.Range      `json:"range,omitempty"`
}

// symbolData finds the symbol again: its qualified name, and which one of that name it is in its file.
type symbolData struct {
	Symbol string `json:"symbol"`
	Nth    int    `json:"nth"` // from 0
}

// in is the definition in facts; nil when it is no longer there.
func (s *symbolData) in(facts *index.File) *index.Def {
	left := s.Nth
	for i := range facts.Defs {
		if d := &facts.Defs[i]; d.Qualified() == s.Symbol {
			if left == 0 {
				return d
			}
			left--
		}
	}
	return nil
}

// mostSymbols is how many symbols one query lists: who wants others types another letter.
const mostSymbols = 128

// workspaceSymbol finds definitions by a part of their name. Files are read for their ranges only where the client
// cannot ask for these later: 128 rows may be in as many files.
func (at *moment) workspaceSymbol(ctx context.Context, p workspaceSymbolParams) (any, error) {
	later := false
	if r := at.s.client.Workspace.Symbol.ResolveSupport; r != nil {
		later = slices.Contains(r.Properties, "location.range")
	}
	var all []*file
	var spaces []*daemon.Workspace
	for _, folder := range at.folders {
		ws, release, err := folder.workspace(at.s.d)
		if err != nil && nothing(err) == nil {
			continue // it is not there: nothing is in it
		}
		if err != nil {
			return nil, err
		}
		defer release()
		all = append(all, &file{at: at, folder: folder, ws: ws, done: func() {}, mappers: mappers{}})
		spaces = append(spaces, ws)
	}
	defer at.progress(ctx, p.WorkDoneToken, spaces...)()
	out := []workspaceSymbol{}
	for _, f := range all {
		rows, err := f.symbols(ctx, *p.Query, later)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// symbols are those of one folder. later: the client asks for their ranges itself.
func (f *file) symbols(ctx context.Context, query string, later bool) (rows []workspaceSymbol, err error) {
	found, err := f.ws.Symbols(ctx, query, mostSymbols)
	if err != nil {
		return nil, err
	}
	known := f.at.s.client.Workspace.Symbol.SymbolKind
	for _, x := range found {
		d := x.Facts.Defs[x.Def]
		row := workspaceSymbol{Name: named(d), Kind: known.of(d.Kind), ContainerName: d.Container, Location: symbolLocation{URI: f.uriOf(x.Path)}}
		if row.ContainerName == "" {
			row.ContainerName = x.Facts.Module
		}
		row.Data = &symbolData{Symbol: d.Qualified(), Nth: nth(x.Facts, x.Def)}
		if !later {
			if ok, err := f.locate(ctx, x.Path, &row); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// nth is how many definitions of the same qualified name stand before one.
func nth(facts *index.File, def int) (n int) {
	for i := range def {
		if facts.Defs[i].Name == facts.Defs[def].Name && facts.Defs[i].Container == facts.Defs[def].Container {
			n++
		}
	}
	return n
}

// locate fills the range of a symbol from its file as it is now; false when it is no longer there.
func (f *file) locate(ctx context.Context, path string, row *workspaceSymbol) (bool, error) {
	t, facts, err := f.ws.Describe(ctx, path)
	if err != nil {
		return false, nothing(err)
	}
	d := row.Data.in(facts)
	if d == nil {
		return false, nil
	}
	r := f.mapper(t).span(int(d.NameStart), int(d.NameEnd))
	row.Location.Range = &r
	return true, nil
}

// resolveSymbol fills the range in.
func (at *moment) resolveSymbol(ctx context.Context, row workspaceSymbol) (any, error) {
	if row.Data == nil || row.Location.URI == "" {
		return nil, invalid("the symbol is none that workspace/symbol gave: it has no data")
	}
	f, err := at.inFolder(string(row.Location.URI))
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, invalid("%s is in no workspace folder", row.Location.URI)
	}
	defer f.close()
	ok, err := f.locate(ctx, f.path, &row)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, failure(codeContentModified, "%s is no longer in %s", row.Data.Symbol, f.path)
	}
	return row, nil
}
