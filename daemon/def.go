package daemon

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

const engine = "tree-sitter"

// bodyHead is how many lines of a body are shown when it is too long to show whole.
const bodyHead = 10

// Def lists every definition that a target names, each with both addresses.
func (ws *Workspace) Def(ctx context.Context, p wire.DefParams) (*wire.DefResult, error) {
	if !p.NoSync {
		if err := ws.sync(ctx); err != nil {
			return nil, err
		}
	}
	snap := ws.cur.Load()
	q, err := ws.target(ctx, p)
	if err != nil {
		return nil, err
	}
	var hits []hit
	switch {
	case q.at != nil:
		hits, err = ws.defsAt(ctx, snap, q)
	case q.path != "":
		hits, err = ws.defsIn(ctx, q.path, q.symbol)
	default:
		hits, err = ws.defsNamed(ctx, snap, q.symbol)
	}
	if err != nil {
		return nil, err
	}
	if len(hits) == 0 {
		return nil, ws.noDefinition(ctx, snap, q)
	}
	res := &wire.DefResult{
		Target: q.printed(), Engine: engine, Total: len(hits),
		Coverage: coverage(snap, p.NoSync), Definitions: []wire.Definition{},
	}
	limit := p.Limit
	if limit <= 0 {
		limit = ws.config.Load().Budgets.MaxMatches
	}
	after := min(max(p.After, 0), len(hits))
	end := min(len(hits), after+limit)
	if end < len(hits) {
		res.Next = end
	}
	err = ws.fill(ctx, res, hits[after:end], p.NoBody)
	return res, err
}

// query is a parsed target.
type query struct {
	symbol string // dotted; "" when a position is asked for
	path   string // "" = anywhere
	at     *place // a position in a file
}

func (q query) printed() string {
	switch {
	case q.at != nil && q.at.col > 0:
		return fmt.Sprintf("%s:%d:%d", wire.RepoRef(q.at.path), q.at.line, q.at.col)
	case q.at != nil:
		return fmt.Sprintf("%s:%d", wire.RepoRef(q.at.path), q.at.line)
	case q.path != "":
		return wire.RepoRef(q.path) + ":" + q.symbol
	}
	return q.symbol
}

// target reads what the user asked for.
func (ws *Workspace) target(ctx context.Context, p wire.DefParams) (query, error) {
	a := wire.ParseAddress(p.Target)
	if p.Symbol == "" {
		p.Symbol = a.Symbol
	}
	asked := a.Ref
	if asked == "" {
		return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
	}
	if p.Symbol != "" {
		at, err := ws.locate(asked, p.Dir, false)
		if err != nil {
			return query{}, err
		}
		return query{path: at.path, symbol: dotted(p.Symbol)}, ws.readable(at.path)
	}
	isRepo := strings.HasPrefix(asked, "repo:")
	// A name with a colon is a path with a symbol only if that path exists: C++ users write a::b.
	if isRepo || strings.Contains(asked, ":") {
		at, err := ws.locate(asked, p.Dir, true)
		switch {
		case err != nil && (isRepo || !strings.Contains(asked, "::")):
			return query{}, err
		case err == nil && at.symbol != "":
			return query{path: at.path, symbol: dotted(at.symbol)}, ws.readable(at.path)
		case err == nil && at.line > 0:
			return query{at: &at}, ws.readable(at.path)
		case isRepo && err == nil && ws.exists(at.path):
			return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
		case isRepo:
			return query{}, refuse(wire.NotFound, nil, "unparseable target %s: no file of the workspace begins it; target grammar: %s", quote(asked), targetGrammar)
		}
	}
	if strings.ContainsAny(asked, "/\\") && ws.exists(strings.TrimPrefix(asked, "./")) {
		return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
	}
	return query{symbol: dotted(asked)}, nil
}

// dotted writes a qualified name the one way that the index holds it.
func dotted(symbol string) string {
	return strings.Trim(strings.ReplaceAll(strings.TrimSpace(symbol), "::", "."), ".")
}

// hit is one definition in a file whose facts are those of the indexed bytes; fill checks that
// they still are.
type hit struct {
	path  string
	stat  func(*Text) bool // whether facts describe this text
	facts *index.File
	def   int
	// again finds the definitions in other facts of the same file, when the file has changed.
	again func(*index.File) []int
}

// named finds the definitions that symbol names in facts.
func named(facts *index.File, symbol string) []int {
	var found []int
	for i := range facts.Defs {
		if matches(facts, &facts.Defs[i], symbol) {
			found = append(found, i)
		}
	}
	return found
}

// defsNamed finds a symbol anywhere. Pending files, which the index does not cover yet, are read
// and those that hold the name are parsed: a cold answer is as complete as a warm one.
func (ws *Workspace) defsNamed(ctx context.Context, snap *Snapshot, symbol string) ([]hit, error) {
	var hits []hit
	add := func(f *File, def int) {
		hits = append(hits, hit{
			path: f.Path, facts: f.Facts, def: def,
			stat:  func(t *Text) bool { return t.Blob == f.Blob },
			again: func(facts *index.File) []int { return named(facts, symbol) },
		})
	}
	for _, s := range snap.lookup(symbol) {
		add(s.file, int(s.def))
	}
	if snap.pending > 0 {
		cold, err := ws.settle(ctx, snap, symbol)
		if err != nil {
			return nil, err
		}
		for _, f := range cold {
			for _, def := range named(f.Facts, symbol) {
				add(f, def)
			}
		}
		slices.SortStableFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.def, b.def))
		})
	}
	return hits, nil
}

// settle parses the pending files whose bytes hold a name that symbol could be defined under.
func (ws *Workspace) settle(ctx context.Context, snap *Snapshot, symbol string) ([]*File, error) {
	var names [][]byte
	for _, n := range lastNames(symbol) {
		names = append(names, []byte(n))
	}
	var mu sync.Mutex
	var found []*File
	var next atomic.Int32
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(snap.files) {
					return
				}
				old := snap.files[i]
				if old.Facts != nil {
					continue
				}
				if f := ws.parsePending(ctx, old, names); f != nil {
					mu.Lock()
					found = append(found, f)
					mu.Unlock()
				}
			}
		})
	}
	readers.Wait()
	return found, ctx.Err()
}

// parsePending parses one pending file if it holds one of names.
func (ws *Workspace) parsePending(ctx context.Context, old *File, names [][]byte) *File {
	src, stat, racy, err := readStable(ctx, ws.root(), old.Path)
	if err != nil {
		return nil
	}
	if !slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(src, n) }) {
		return nil
	}
	f := &File{Path: old.Path, Stat: stat, Racy: racy, Blob: blobOf(src)}
	f.Facts, f.Problem = ws.parser.build(ws.Root, f.Path, src, f.Blob)
	ws.offer(old, f)
	return f
}

// facts are the facts of t: those of the snapshot when they describe its bytes, else fresh ones.
func (ws *Workspace) facts(t *Text) (*index.File, string) {
	if f := ws.cur.Load().file(t.Path); f != nil && f.Facts != nil && f.Blob == t.Blob {
		return f.Facts, f.Problem
	}
	return ws.parser.build(ws.Root, t.Path, t.Src(), t.Blob)
}

// defsIn finds a symbol in one file, read now.
func (ws *Workspace) defsIn(ctx context.Context, path, symbol string) ([]hit, error) {
	t, err := ws.text(ctx, path)
	if err != nil {
		return nil, err
	}
	facts, problem := ws.facts(t)
	if err := ws.undefinable(path, t, facts, problem); err != nil {
		return nil, err
	}
	return hitsIn(t, facts, named(facts, symbol), func(f *index.File) []int { return named(f, symbol) }), nil
}

func hitsIn(t *Text, facts *index.File, defs []int, again func(*index.File) []int) []hit {
	var hits []hit
	for _, def := range defs {
		hits = append(hits, hit{
			path: t.Path, facts: facts, def: def, again: again,
			stat: func(now *Text) bool { return now.Blob == t.Blob },
		})
	}
	return hits
}

// undefinable refuses a file that can have no definitions, each for its own reason.
func (ws *Workspace) undefinable(path string, t *Text, facts *index.File, problem string) error {
	ref := wire.RepoRef(path)
	read := []string{"ctx get " + ref}
	if rule, ignored := ws.disk.Load().tree.Ignored(path); ignored {
		return refusePath(wire.NotFound, path, read, "%s is ignored (%s), so its definitions are not indexed; `ctx get %s` reads it", ref, rule, ref)
	}
	if problem != "" {
		return refusePath(wire.Unsupported, path, read, "%s is not parsed: %s", ref, problem)
	}
	switch facts.Status {
	case index.NoLanguage:
		return refusePath(wire.Unsupported, path, read, "%s is in no language that ctx parses (%s)", ref, strings.Join(index.Languages(), ", "))
	case index.Binary:
		return refusePath(wire.BinaryContent, path, nil, "%s is binary: it has no definitions", ref)
	case index.TooLarge:
		return refusePath(wire.FileTooLarge, path, read, "%s has %d bytes: files over %d are not parsed", ref, len(t.Src()), maxParse)
	case index.BudgetTime, index.BudgetDepth:
		return refusePath(wire.Unsupported, path, read, "%s is not parsed: %s", ref, facts.Status)
	}
	return nil
}

// fill reads every cited file and makes the rows; where a file is no longer what the hits were
// found in, the question is asked again of what it holds now.
func (ws *Workspace) fill(ctx context.Context, res *wire.DefResult, hits []hit, noBody bool) error {
	room := 4 * ws.config.Load().Budgets.ResultTokens
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].path == hits[0].path {
			n++
		}
		group := hits[:n]
		hits = hits[n:]
		t, err := ws.text(ctx, group[0].path)
		if err != nil {
			var gone *wire.Error
			if errors.As(err, &gone) && len(hits)+len(res.Definitions) > 0 {
				res.Total -= n
				continue
			}
			return err
		}
		facts, defs := group[0].facts, make([]int, 0, n)
		if group[0].stat(t) {
			for _, h := range group {
				defs = append(defs, h.def)
			}
		} else {
			facts, _ = ws.facts(t)
			defs = group[0].again(facts)
			res.Total += len(defs) - n
		}
		rows := ws.rows(t, facts, defs)
		for i := range rows {
			room = body(&rows[i], t, ws.config.Load().Budgets.MaxInlineLines, room, noBody, res.Total > 1)
		}
		res.Definitions = append(res.Definitions, rows...)
	}
	return nil
}

// rows makes the rows of definitions of one file, all from one generation of it.
func (ws *Workspace) rows(t *Text, facts *index.File, defs []int) []wire.Definition {
	spans := make([]anchors.Span, 0, len(defs))
	for _, i := range defs {
		d := facts.Defs[i]
		spans = append(spans, spanOf(t.Table, int(d.Start), int(d.End)))
	}
	minted, note := ws.mint(t, spans...)
	rows := make([]wire.Definition, 0, len(defs))
	for k, i := range defs {
		d, src := facts.Defs[i], t.Src()
		rows = append(rows, wire.Definition{
			Path: displayPath(t.Path), PathBase64: exactPath(t.Path),
			Name: d.Name, Container: d.Container, Kind: d.Kind.String(),
			Signature:      clip(src[d.SigStart:d.SigEnd]),
			Doc:            strings.ToValidUTF8(string(src[d.DocStart:d.DocEnd]), "�"),
			Lines:          toLines(spans[k]),
			Range:          rangeOf(t.Table, int(d.Start), int(d.End)),
			SelectionRange: rangeOf(t.Table, int(d.NameStart), int(d.NameEnd)),
			Bytes:          wire.Bytes{int(d.Start), int(d.End)},
			SelectionBytes: wire.Bytes{int(d.NameStart), int(d.NameEnd)},
			Captured:       minted[k].captured, Live: minted[k].live, Note: note,
		})
	}
	return rows
}

// clip is a signature on one line.
func clip(sig []byte) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(sig), "�")), " ")
}

// body puts the text into a row: whole when it fits, else its head; with several definitions only
// while there is room (in bytes) for it. It returns the room that is left.
func body(row *wire.Definition, t *Text, most, room int, noBody, several bool) int {
	span := anchors.Span{First: row.Lines[0], Last: row.Lines[1]}
	if noBody || several && room <= 0 {
		return room
	}
	row.Complete = span.Len() <= most
	if !row.Complete {
		span.Last = span.First + bodyHead - 1
	}
	row.Text, row.TextBase64 = lines(t.Table, span)
	start, end := t.Table.Content(span)
	return room - (end - start)
}

func coverage(s *Snapshot, noSync bool) wire.Coverage {
	c := wire.Coverage{Files: len(s.files), Parsed: s.parsed, Unparsed: s.unparsed, Freshness: s.told.freshness()}
	if noSync {
		c.Freshness = "none"
	}
	return c
}

// symbolIn is the one definition of symbol in t. Several are refused, each with its address:
// one read answers one region.
func (ws *Workspace) symbolIn(t *Text, symbol string) (index.Def, error) {
	facts, problem := ws.facts(t)
	if err := ws.undefinable(t.Path, t, facts, problem); err != nil {
		return index.Def{}, err
	}
	found := named(facts, dotted(symbol))
	ref := wire.RepoRef(t.Path)
	switch len(found) {
	case 1:
		return facts.Defs[found[0]], nil
	case 0:
		return index.Def{}, refusePath(wire.NotFound, t.Path, nil, "no definition of %s in %s", quote(symbol), ref)
	}
	var try []string
	for _, row := range ws.rows(t, facts, found) {
		try = append(try, "ctx get "+row.Live.Address)
	}
	return index.Def{}, refusePath(wire.AnchorAmbiguous, t.Path, try, "%s has %d definitions of %s; read the one that you mean", ref, len(found), quote(symbol))
}
