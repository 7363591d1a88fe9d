package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/index"
)

const engine = "tree-sitter"

// bodyHead is how many lines of a body are shown when it is too long to show whole.
const bodyHead = 10

// tornTries and tornTime are how often, and how long, a name that was not found is looked for again while the tree keeps
// changing: a look costs 50 µs, and more where much is to be parsed. tornHits is how often an answer is made anew
// because one more row may have been missed.
const (
	tornTries = 40
	tornTime  = 2 * time.Second
	tornHits  = 3
)

// Def lists every definition that a target names, each with both addresses.
func (ws *Workspace) Def(ctx context.Context, p wire.DefParams) (*wire.DefResult, error) {
	return upToDate(ctx, ws, asking{p.NoSync, ws.sought(p)}, func(snap *Snapshot) (*wire.DefResult, error) { return ws.def(ctx, snap, p) })
}

// asking is what upToDate must know of a question.
type asking struct {
	noSync bool
	sought sought
}

// sought are the definitions that a target names anywhere; nothing when it is a place, or says in which file.
func (ws *Workspace) sought(p wire.DefParams) sought {
	if q, err := ws.target(p); err == nil && q.path == "" && q.at == nil {
		return sought{symbol: q.symbol}
	}
	return sought{}
}

// upToDate has answer made from a snapshot that is as new as every write before. A file that was renamed while the
// tree was being looked at can be missing under both names, and one that was written can differ from the index:
// an answer that a change may have spoiled is made again, unless noSync. Where changes never end, that is the answer, and says so.
func upToDate[R any](ctx context.Context, ws *Workspace, q asking, answer func(*Snapshot) (R, error)) (R, error) {
	var began time.Time // when the first answer was there
	for try := 1; ; try++ {
		g := glance{before: ws.turnover.Load()}
		if !q.noSync {
			if err := ws.sync(ctx); err != nil {
				var none R
				return none, err
			}
		}
		g.after, g.stirs = ws.turnover.Load(), ws.stirs.Load()
		res, err := answer(ws.snapshot(ctx))
		if try == 1 {
			began = time.Now()
		}
		miss, missed := errors.AsType[*missError](err)
		spoiled := false
		switch {
		case q.noSync: // where the index does not fit the bytes it is brought up to date after all
			spoiled = errors.Is(err, errMoved)
			q.noSync = !spoiled
		case err != nil:
			spoiled = ws.spoiled(ctx, g, q, err)
		case !q.sought.nothing() && g.doubtful(q.sought):
			spoiled = ws.sync(ctx) == nil && ws.hid(ctx, g, q.sought)
		}
		last := try >= tornTries || err == nil && try >= tornHits || time.Since(began) > tornTime
		if spoiled && !last {
			continue
		}
		if spoiled && err == nil {
			unsettle(res)
		}
		if spoiled && (missed || errors.Is(err, errNone)) {
			return res, errMoved
		} else if missed {
			err = ws.noDefinition(ctx, miss.snap, miss.query, q.noSync)
		}
		if missed && err == error(errMoved) && !last {
			continue
		}
		return res, err
	}
}

// unsettle says in an answer that what belongs into it may have moved during every look.
func unsettle(res any) {
	var c *wire.Coverage
	switch r := res.(type) {
	case *wire.DefResult:
		c = &r.Coverage
	case *wire.RefsResult:
		c = &r.Coverage
	case *wire.SearchResult:
		c = &r.Coverage
	case *wire.MapResult:
		c = &r.Coverage
	case *wire.CheckResult:
		c = &r.Coverage
	default:
		return
	}
	if !strings.HasSuffix(c.Freshness, wire.Unsettled) {
		c.Freshness += wire.Unsettled
	}
}

// spoiled says whether the error is one that a change may have caused. A name is unknown when nothing that came or went
// can have hidden it. (Asking again for as long as anything at all happened took a name that is nowhere 70 to 200 ms in
// every switch of branches.) A path or a row is, when nothing has happened.
func (ws *Workspace) spoiled(ctx context.Context, g glance, q asking, err error) bool {
	miss, missed := errors.AsType[*missError](err)
	none, moved := errors.Is(err, errNone), errors.Is(err, errMoved)
	if !missed && !none && !moved && refusal(err) != wire.NotFound || ws.sync(ctx) != nil {
		return false
	}
	switch {
	case none:
		return ws.hid(ctx, g, q.sought)
	case missed && miss.query.path == "" && miss.query.at == nil:
		return ws.hid(ctx, g, sought{symbol: miss.query.symbol})
	}
	return moved || ws.stirs.Load() != g.stirs
}

// errNone is an empty list that may be one only because what belongs into it moved.
var errNone = errors.New("nothing matches")

// missError: nothing in the snapshot is what the query asks for. What is like it is looked for when that is final.
type missError struct {
	snap  *Snapshot
	query query
}

// missing is that nothing in snap is called symbol.
func missing(snap *Snapshot, symbol string) error { return &missError{snap, query{symbol: symbol}} }

func (e *missError) Error() string { return "no definition of " + e.query.printed() }

// def answers from one snapshot.
func (ws *Workspace) def(ctx context.Context, snap *Snapshot, p wire.DefParams) (*wire.DefResult, error) {
	q, err := ws.target(p)
	if err != nil {
		return nil, err
	}
	var hits []hit
	now := snap // after what was pending has been looked through
	switch {
	case q.at != nil:
		hits, err = ws.defsAt(ctx, snap, q)
	case q.path != "":
		hits, err = ws.defsIn(ctx, snap, q.path, q.symbol)
	default:
		now, hits, err = ws.defsNamed(ctx, snap, q.symbol)
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
	if err := ws.fill(ctx, now, res, hits[after:end], p.NoBody); err != nil {
		return nil, err
	}
	if res.Total == 0 {
		return nil, &missError{now, q}
	}
	return res, nil
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
func (ws *Workspace) defsNamed(ctx context.Context, snap *Snapshot, symbol string) (*Snapshot, []hit, error) {
	again := func(_ *Text, facts *index.File) []int { return named(facts, symbol) }
	if snap.pending > 0 {
		var err error
		if snap, err = ws.settle(ctx, symbol); err != nil {
			return nil, nil, err
		}
	}
	var hits []hit
	for _, s := range snap.lookup(spellings(symbol)) {
		hits = append(hits, hit{path: s.file.Path, blob: s.file.blob(), facts: &s.file.Facts.File, def: int(s.def), again: again})
	}
	return snap, hits, nil
}

// facts are the facts of t: those of the snapshot when they describe its bytes, else fresh ones.
func (ws *Workspace) facts(ctx context.Context, snap *Snapshot, t *Text) (*index.File, string) {
	f := snap.file(t.Path)
	if f != nil && f.Facts != nil && f.Facts.Blob == t.Blob {
		return &f.Facts.File, f.Facts.Problem
	}
	if b := ws.overlay.buffer(t.Path); b != nil && t.Open {
		known := b.describe(ws)
		return &known.File, known.Problem
	}
	known := ws.catalog.describe(ws.Root, t.Path, t.Src(), t.Blob)
	if f != nil && f.Facts == nil && f.Stat == t.Stat {
		ws.land(ctx, landing{changes: []change{{f, &File{Path: t.Path, Stat: t.Stat, Racy: t.Racy, Facts: known}}}})
	}
	return &known.File, known.Problem
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
	facts, problem := ws.facts(ctx, snap, t)
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
	case index.BudgetWork, index.BudgetDepth:
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
			facts, _ = ws.facts(ctx, snap, t)
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

func coverage(s *Snapshot, noSync bool) wire.Coverage {
	c := wire.Coverage{Files: len(s.files), Parsed: s.parsed, Unparsed: s.unparsed, Pending: s.pending, Freshness: s.told.freshness()}
	if noSync {
		c.Freshness = "none"
	}
	for _, p := range s.problems {
		if p.Hides {
			c.Unlisted++
		}
	}
	return c
}

// symbolIn is the one definition of symbol in v. Several are refused, each with its address: one
// read answers one region.
func (ws *Workspace) symbolIn(ctx context.Context, v view, symbol string) (index.Def, error) {
	facts, problem := ws.facts(ctx, ws.snapshot(ctx), v.text)
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
