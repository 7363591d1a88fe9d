package daemon

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/watch"
)

// Check finds the live anchored addresses in the texts of the worktree and says what became of each. With Fix it
// rewrites those that moved; it is the daemon that does so, because it has read the bytes, knows what they must still be when
// they are replaced, and opens nothing outside the root.
func (ws *Workspace) Check(ctx context.Context, p wire.CheckParams) (*wire.CheckResult, error) {
	if p.Limit < 0 || p.Limit > maxRows || p.After < 0 {
		return nil, refuse(wire.InvalidRequest, nil, "limit must be 0 to %d and after 0 or more, not %d and %d; next: goes on where a list ends", maxRows, p.Limit, p.After)
	}
	var c *check
	began := time.Now()
	for try := 1; ; try++ {
		g := glance{before: ws.turnover.Load()}
		if !p.NoSync {
			if err := ws.sync(ctx); err != nil {
				return nil, err
			}
		}
		g.after, g.stirs = ws.turnover.Load(), ws.stirs.Load()
		var err error
		if c, err = ws.scanned(ctx, p); err != nil {
			return nil, err
		}
		if p.NoSync || !c.torn(ctx, g) {
			break
		}
		if try >= c.search.tries(len(c.all)) || time.Since(began) > tornTime {
			unsettle(c.res)
			break
		}
	}
	if err := c.resolve(ctx); err != nil {
		return nil, err
	}
	if p.Fix {
		if err := c.fix(ctx); err != nil {
			return nil, err
		}
	}
	return c.page(p), nil
}

// torn says whether a file that was renamed meanwhile may be missing under both names. That there is no address at all is doubted
// for as long as anything happens, as in a search: it would say that nothing in the tree is wrong.
func (c *check) torn(ctx context.Context, g glance) bool {
	switch {
	case c.search.vanished:
		return true
	case len(c.all) == 0:
		return c.ws.sync(ctx) == nil && c.ws.stirs.Load() != g.stirs
	}
	in := sought{held: func(f *File) bool {
		return slices.ContainsFunc(c.scopes, func(s *scope) bool { return s.holds(f) })
	}}
	return g.doubtful(in) && c.ws.sync(ctx) == nil && c.ws.hid(ctx, g, in)
}

// check is one request.
type check struct {
	ws     *Workspace
	search *search // for the files that hold repo: at all
	scopes []*scope
	res    *wire.CheckResult
	docs   []*document
	all    []*citation // in the order (path, position)
}

// document is a file with addresses.
type document struct {
	path    string
	blob    captures.BlobID // of the bytes that were read
	table   *anchors.Table
	written bool // Fix has replaced it
}

// citation is one address of a document.
type citation struct {
	mention
	doc     *document
	lines   anchors.Span // of the address itself
	outcome *wire.Outcome
	fixed   string // what Fix wrote
	unfixed bool   // what it should have, and note says why not
	note    string
}

// scanned reads the files in scope.
func (ws *Workspace) scanned(ctx context.Context, p wire.CheckParams) (*check, error) {
	s, err := newSearch(ws, wire.SearchParams{Common: p.Common, Patterns: []string{"repo:"}})
	if err != nil {
		return nil, err
	}
	exclude := ws.config.Load().exclude
	snap := ws.snapshot(ctx)
	c := &check{ws: ws, search: s, res: &wire.CheckResult{Coverage: coverage(snap, p.NoSync), Addresses: []wire.CheckedAddress{}}}
	paths := p.Paths
	if len(paths) == 0 {
		paths = []string{""}
	}
	var files []*File
	hidden := map[string]watch.Problem{}
	for _, path := range paths {
		scope, err := newScope(ws, wire.SearchParams{Common: p.Common, Path: path})
		if err != nil {
			return nil, err
		}
		c.scopes = append(c.scopes, scope)
		files = append(files, scope.filesOf(snap)...)
		for _, d := range scope.hidden(snap) {
			if !anyGlob(exclude, d.Path+"/") {
				hidden[d.Path] = d
			}
		}
	}
	slices.SortFunc(files, byPath)
	files = slices.DeleteFunc(slices.Compact(files), func(f *File) bool {
		out := anyGlob(exclude, f.Path)
		if out {
			c.res.Excluded++
		}
		return out
	})
	tallies, err := s.scan(ctx, files)
	if err != nil {
		return nil, err
	}
	s.files, s.tallies = files, tallies
	total := wire.SearchResult{}
	s.sum(&total)
	c.res.Scanned = total.Scanned
	for _, path := range slices.Sorted(maps.Keys(hidden)) {
		addProblem(&c.res.Scanned, path, hidden[path].Reason)
	}
	for i, t := range tallies {
		if t.matching > 0 {
			if err := c.read(ctx, files[i].Path); err != nil {
				return nil, err
			}
		}
	}
	return c, ctx.Err()
}

// read finds the addresses of one file.
func (c *check) read(ctx context.Context, path string) error {
	t, err := c.ws.text(ctx, path)
	switch word := refusal(err); {
	case word == wire.NotFound:
		c.search.vanished = true
		return nil
	case word != "": // it could be read a moment ago
		addProblem(&c.res.Scanned, path, err.Error())
		return nil
	case err != nil:
		return err
	}
	kept, ignored := unmarked(t.Table, mentions(t.Src()))
	c.res.Counts.Ignored += ignored
	if len(kept) == 0 {
		return nil
	}
	doc := &document{path: path, blob: t.Blob, table: t.Table}
	c.docs = append(c.docs, doc)
	for _, m := range kept {
		c.all = append(c.all, &citation{mention: m, doc: doc, lines: spanOf(t.Table, m.start, m.end)})
	}
	return nil
}

// resolve says what became of each address; one that stands in several places is looked up once.
func (c *check) resolve(ctx context.Context) error {
	var addresses []string
	at := map[string]int{}
	for _, f := range c.all {
		if _, ok := at[f.address]; !ok {
			at[f.address] = len(addresses)
			addresses = append(addresses, f.address)
		}
	}
	outcomes, err := c.ws.outcomes(ctx, addresses, "")
	if err != nil {
		return err
	}
	for _, f := range c.all {
		f.outcome = &outcomes[at[f.address]]
		if f.outcome.Outcome == wire.Lost && f.within() {
			f.note = "the address stands in the lines that it names, and is a part of their content: it can never be verified there; name lines without it"
		}
	}
	return nil
}

// within says whether an address names the lines in which it stands.
func (f *citation) within() bool {
	d := f.outcome.Error
	return d != nil && d.Lines != nil && d.Path == displayPath(f.doc.path) && d.PathBase64 == exactPath(f.doc.path) &&
		d.Lines[0] <= f.lines.First && f.lines.Last <= d.Lines[1]
}

// worst orders outcomes as they are listed.
var worst = map[string]int{wire.Lost: -3, wire.Unresolved: -2, wire.Relocated: -1, wire.Verified: 0}

// page is the part of the answer that is asked for.
func (c *check) page(p wire.CheckParams) *wire.CheckResult {
	res := c.res
	res.Total = len(c.all)
	for _, f := range c.all {
		switch f.outcome.Outcome {
		case wire.Verified:
			res.Counts.Verified++
		case wire.Relocated:
			res.Counts.Relocated++
		case wire.Lost:
			res.Counts.Lost++
		default:
			res.Counts.Error++
		}
		if f.fixed != "" {
			res.Counts.Fixed++
		} else if f.unfixed {
			res.Counts.Unfixed++
		}
	}
	rows := slices.Clone(c.all)
	slices.SortStableFunc(rows, func(a, b *citation) int { return cmp.Compare(worst[a.outcome.Outcome], worst[b.outcome.Outcome]) })
	limit, room := p.Limit, maxRowBytes
	if limit == 0 {
		b := c.ws.config.Load().Budgets
		limit, room = min(b.MaxMatches, maxRows), min(max(4*b.ResultTokens-headerReserve, headerReserve), maxRowBytes)
	}
	for _, f := range rows[min(p.After, len(rows)):] {
		if len(res.Addresses) > 0 && (len(res.Addresses) == limit || room <= 0) {
			res.Next = p.After + len(res.Addresses)
			break
		}
		row := f.row(c.ws.units)
		if room -= len(row.Path) + len(f.address) + len(row.Fixed) + len(row.Note) + 20; row.Outcome.Error != nil {
			room -= len(row.Outcome.Error.Message)
		}
		res.Addresses = append(res.Addresses, row)
	}
	return res
}

func (f *citation) row(u Units) wire.CheckedAddress {
	return wire.CheckedAddress{
		Path: displayPath(f.doc.path), PathBase64: exactPath(f.doc.path), Lines: toLines(f.lines),
		Range: u.rangeOf(f.doc.table, f.start, f.end), Bytes: wire.Bytes{f.start, f.end},
		Outcome: *f.outcome, Fixed: f.fixed, Note: f.note,
	}
}
