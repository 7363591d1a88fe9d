package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/index"
)

const engine = "tree-sitter"

// bodyHead is how many lines of a body are shown when it is too long to show whole.
const bodyHead = 10

// tornTries is how often a name that was not found is looked for again while the tree keeps changing. A
// look costs 50 µs. A directory that is renamed every few microseconds without end is missed all the same.
const tornTries = 40

// Def lists every definition that a target names, each with both addresses.
func (ws *Workspace) Def(ctx context.Context, p wire.DefParams) (*wire.DefResult, error) {
	for try := 1; ; try++ {
		if !p.NoSync {
			if err := ws.sync(ctx); err != nil {
				return nil, err
			}
		}
		stirs, snap := ws.stirs.Load(), ws.cur.Load()
		res, err := ws.def(ctx, snap, p)
		if refusal(err) != wire.NotFound || p.NoSync || try == tornTries {
			return res, err
		}
		// A file that was renamed while the tree was being looked at can be missing under both names:
		// a name is unknown only when nothing has happened since the look that missed it.
		if e := ws.sync(ctx); e != nil || ws.stirs.Load() == stirs && ws.cur.Load() == snap {
			return res, err
		}
	}
}

// def answers from one snapshot.
func (ws *Workspace) def(ctx context.Context, snap *Snapshot, p wire.DefParams) (*wire.DefResult, error) {
	q, err := ws.target(ctx, p)
	if err != nil {
		return nil, err
	}
	var hits []hit
	switch {
	case q.at != nil:
		hits, err = ws.defsAt(ctx, snap, q)
	case q.path != "":
		hits, err = ws.defsIn(ctx, snap, q.path, q.symbol)
	default:
		hits, err = ws.defsNamed(ctx, snap, q.symbol)
	}
	if err != nil {
		return nil, err
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
	end := after + min(limit, len(hits)-after)
	if end < len(hits) {
		res.Next = end
	}
	if err := ws.fill(ctx, snap, res, hits[after:end], p.NoBody); err != nil {
		return nil, err
	}
	if res.Total == 0 {
		return nil, ws.noDefinition(ctx, snap, q)
	}
	return res, nil
}

// query is a parsed target.
type query struct {
	symbol string // as asked; "" when a position is asked for
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
	if err := bounded(p.Target + p.Symbol); err != nil {
		return query{}, err
	}
	a := wire.ParseAddress(p.Target)
	if p.Symbol == "" {
		p.Symbol = a.Symbol
	}
	asked := a.Ref
	if strings.Trim(asked, ".: \t") == "" {
		return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
	}
	if p.Symbol != "" {
		at, err := ws.locate(asked, p.Dir, false)
		if err != nil {
			return query{}, err
		}
		return query{path: at.path, symbol: strings.TrimSpace(p.Symbol)}, nil
	}
	isRepo := strings.HasPrefix(asked, "repo:")
	// A name with a colon is a path with a symbol only if that path exists: C++ users write a::b.
	if isRepo || strings.Contains(asked, ":") {
		at, err := ws.locate(asked, p.Dir, true)
		switch {
		case err != nil && (isRepo || !strings.Contains(asked, "::")):
			return query{}, err
		case err == nil && at.symbol != "":
			return query{path: at.path, symbol: at.symbol}, nil
		case err == nil && at.line > 0:
			return query{at: &at}, nil
		case isRepo && err == nil && ws.exists(at.path):
			return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
		case isRepo:
			return query{}, refuse(wire.NotFound, nil, "unparseable target %s: no file of the workspace begins it; target grammar: %s", quote(asked), targetGrammar)
		}
	}
	if path := withoutPosition(asked); path != asked && !isRepo && strings.ContainsAny(path, "./") {
		if p, err := ws.path(path, p.Dir); err == nil && !ws.exists(p) {
			return query{}, ws.readRefusal(p, fs.ErrNotExist)
		}
	}
	if strings.ContainsAny(asked, "/\\") && ws.exists(strings.TrimPrefix(asked, "./")) {
		return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
	}
	return query{symbol: asked}, nil
}

// spellings are the forms in which the index may hold a symbol: as it was asked for, because a name
// may hold anything (a heading ".NET Core", "std::vector"), then as other tools write it: a::b,
// (*T).m, f(), net/http.Server.
func spellings(symbol string) []string {
	dotted := strings.TrimSuffix(symbol, "()")
	dotted = strings.NewReplacer("::", ".", "(*", "", "(", "", ")", "").Replace(dotted)
	dotted = strings.Trim(dotted[strings.LastIndexByte(dotted, '/')+1:], ".")
	if dotted == symbol || dotted == "" {
		return []string{symbol}
	}
	return []string{symbol, dotted}
}

// hit is one definition, in facts of the content blob of a file.
type hit struct {
	path  string
	blob  captures.BlobID
	facts *index.File
	def   int
	// again finds the definitions that were asked for in another content of the file.
	again func(*Text, *index.File) []int
}

// named finds the definitions that symbol names in facts.
func named(facts *index.File, symbol string) []int {
	for _, query := range spellings(symbol) {
		var found []int
		for i := range facts.Defs {
			if matches(facts, &facts.Defs[i], query) {
				found = append(found, i)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// defsNamed finds a symbol anywhere. Pending files, which the index does not cover yet, are read
// and those that hold the name are parsed: a cold answer is as complete as a warm one.
func (ws *Workspace) defsNamed(ctx context.Context, snap *Snapshot, symbol string) ([]hit, error) {
	again := func(_ *Text, facts *index.File) []int { return named(facts, symbol) }
	if snap.pending > 0 {
		cold, err := ws.settle(ctx, snap, symbol)
		if err != nil {
			return nil, err
		}
		snap = snap.with(cold)
	}
	var hits []hit
	for _, s := range snap.lookup(spellings(symbol)) {
		hits = append(hits, hit{path: s.file.Path, blob: s.file.Blob, facts: s.file.Facts, def: int(s.def), again: again})
	}
	return hits, nil
}

// settle parses the pending files whose bytes hold a name that symbol could be defined under.
func (ws *Workspace) settle(ctx context.Context, snap *Snapshot, symbol string) ([]change, error) {
	// Somebody waits: the processors are for this request, and the background goes on after it.
	ws.asked.Add(1)
	defer func() {
		ws.asked.Add(-1)
		ws.offer(nil, nil) // wakes the loop
	}()
	var names [][]byte
	for _, query := range spellings(symbol) {
		for _, n := range lastNames(query) {
			names = append(names, []byte(n))
		}
	}
	var mu sync.Mutex
	var found []change
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
					found = append(found, change{old, f})
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
	if !slices.ContainsFunc(names, func(n []byte) bool { return holdsWord(src, n) }) {
		return nil
	}
	f := &File{Path: old.Path, Stat: stat, Racy: racy, Blob: blobOf(src)}
	f.Facts, f.Problem = ws.parser.build(ws.Root, f.Path, src, f.Blob)
	ws.offer(old, f)
	return f
}

// holdsWord says whether src holds name with no letter, digit or underscore on either side that would
// make it part of a longer one.
func holdsWord(src, name []byte) bool {
	word := func(b byte) bool {
		return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
	}
	for at := 0; len(name) > 0; {
		i := bytes.Index(src[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if !(start > 0 && word(name[0]) && word(src[start-1])) && !(end < len(src) && word(name[len(name)-1]) && word(src[end])) {
			return true
		}
		at = start + 1
	}
	return false
}

// facts are the facts of t: those of the snapshot when they describe its bytes, else fresh ones.
func (ws *Workspace) facts(snap *Snapshot, t *Text) (*index.File, string) {
	if f := snap.file(t.Path); f != nil && f.Facts != nil && f.Blob == t.Blob {
		return f.Facts, f.Problem
	}
	facts, problem := ws.parser.build(ws.Root, t.Path, t.Src(), t.Blob)
	if f := snap.file(t.Path); f != nil && f.Facts == nil && f.Stat == t.Stat {
		ws.offer(f, &File{Path: t.Path, Stat: t.Stat, Racy: t.Racy, Blob: t.Blob, Facts: facts, Problem: problem})
	}
	return facts, problem
}

// defsIn finds a symbol in one file, read now.
func (ws *Workspace) defsIn(ctx context.Context, snap *Snapshot, path, symbol string) ([]hit, error) {
	return ws.defsInFile(ctx, snap, path, func(_ *Text, f *index.File) []int { return named(f, symbol) })
}

func (ws *Workspace) defsInFile(ctx context.Context, snap *Snapshot, path string, find func(*Text, *index.File) []int) ([]hit, error) {
	t, err := ws.text(ctx, path)
	if err != nil {
		return nil, err
	}
	facts, problem := ws.facts(snap, t)
	if err := ws.undefinable(path, t, facts, problem); err != nil {
		return nil, err
	}
	var hits []hit
	for _, def := range find(t, facts) {
		hits = append(hits, hit{path: path, blob: t.Blob, facts: facts, def: def, again: find})
	}
	return hits, nil
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
// found in, the question is asked again of what it holds now. A file that is gone, or that the
// policy keeps back, has no rows; when nothing else is left, its refusal is the answer.
func (ws *Workspace) fill(ctx context.Context, snap *Snapshot, res *wire.DefResult, hits []hit, noBody bool) error {
	budgets := ws.config.Load().Budgets
	room := 4 * budgets.ResultTokens
	var denied error
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].path == hits[0].path {
			n++
		}
		group := hits[:n]
		hits = hits[n:]
		t, err := ws.text(ctx, group[0].path)
		switch refusal(err) {
		case "":
			if err != nil {
				return err
			}
		case wire.NotFound:
			res.Total -= n
			continue
		case wire.PathDenied:
			res.Total -= n
			denied = err
			continue
		default:
			return err
		}
		facts, defs := group[0].facts, make([]int, 0, n)
		if group[0].blob == t.Blob {
			for _, h := range group {
				defs = append(defs, h.def)
			}
		} else {
			facts, _ = ws.facts(snap, t)
			defs = group[0].again(t, facts)
			res.Total += len(defs) - n
		}
		rows := ws.rows(t, facts, defs)
		for i := range rows {
			if !noBody {
				room = ws.body(&rows[i], t, room, res.Total > 1)
			}
		}
		res.Definitions = append(res.Definitions, rows...)
	}
	if res.Total == 0 {
		return denied
	}
	return nil
}

// refusal is the word of a refusal; "" for other errors and none.
func refusal(err error) wire.Word {
	var w *wire.Error
	if errors.As(err, &w) && w.Data != nil {
		return w.Data.Error
	}
	return ""
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
			Signature:      clip(src[d.SigStart:d.SigEnd], 512),
			Doc:            head(src[d.DocStart:d.DocEnd], 4096),
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

// clip is a signature on one line, of at most n bytes.
func clip(sig []byte, n int) string {
	return strings.Join(strings.Fields(head(sig, n)), " ")
}

// head is the first n bytes of b as text, cut between characters.
func head(b []byte, n int) string {
	if len(b) > n {
		for n > 0 && b[n]&0xC0 == 0x80 {
			n--
		}
		b = b[:n]
	}
	return strings.ToValidUTF8(string(b), "�")
}

// body puts the text into a row: whole when it is within the budgets of one body, else its first
// lines; with several definitions only while there is room (in bytes) for it. It returns the room
// that is left.
func (ws *Workspace) body(row *wire.Definition, t *Text, room int, several bool) int {
	if several && room <= 0 {
		return room
	}
	b := ws.config.Load().Budgets
	span := anchors.Span{First: row.Lines[0], Last: row.Lines[1]}
	start, end := t.Table.Content(span)
	if row.Complete = span.Len() <= b.MaxInlineLines && end-start <= b.MaxInlineBytes; !row.Complete {
		span.Last = min(span.Last, span.First+bodyHead-1)
		for start, end = t.Table.Content(span); end-start > b.MaxInlineBytes; start, end = t.Table.Content(span) {
			if span.Last--; span.Last < span.First {
				return room // not even the first line fits: the live address reads it in parts
			}
		}
	}
	row.Text, row.TextBase64 = lines(t.Table, span)
	return room - (end - start)
}

func coverage(s *Snapshot, noSync bool) wire.Coverage {
	c := wire.Coverage{Files: len(s.files), Parsed: s.parsed, Unparsed: s.unparsed, Pending: s.pending, Freshness: s.told.freshness()}
	if noSync {
		c.Freshness = "none"
	}
	return c
}

// symbolIn is the one definition of symbol in v. Several are refused, each with its address: one
// read answers one region.
func (ws *Workspace) symbolIn(v view, symbol string) (index.Def, error) {
	facts, problem := ws.facts(ws.cur.Load(), v.text)
	if v.live {
		if err := ws.undefinable(v.path, v.text, facts, problem); err != nil {
			return index.Def{}, err
		}
	}
	found := named(facts, symbol)
	switch len(found) {
	case 1:
		return facts.Defs[found[0]], nil
	case 0:
		return index.Def{}, refusePath(wire.NotFound, v.path, nil, "no definition of %s in %s", quote(symbol), v.ref)
	}
	var try []string
	for _, i := range found {
		span := spanOf(v.text.Table, int(facts.Defs[i].Start), int(facts.Defs[i].End))
		try = append(try, fmt.Sprintf("ctx get %s --lines %d:%d", v.ref, span.First, span.Last))
	}
	return index.Def{}, refusePath(wire.AnchorAmbiguous, v.path, try, "%s has %d definitions of %s; read the one that you mean", v.ref, len(found), quote(symbol))
}
