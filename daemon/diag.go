package daemon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/index"
)

// diagTries is how often an answer is made again because a file that it cites changed meanwhile.
const diagTries = 8

// Diag lists what is wrong in a file, a directory or the workspace, with both addresses for each row, and says who
// looked at what.
func (ws *Workspace) Diag(ctx context.Context, p wire.DiagParams) (*wire.DiagResult, error) {
	for try := 1; ; try++ {
		if !p.NoSync {
			if err := ws.sync(ctx); err != nil {
				return nil, err
			}
		}
		res, stable, err := ws.diag(ctx, p)
		if err != nil || stable {
			return res, err
		}
		if try == diagTries {
			return nil, refuse(wire.EditConflict, nil, "%s is being written without pause; ask again", res.Path)
		}
	}
}

// diag answers from one snapshot; stable is false when a cited file is another now.
func (ws *Workspace) diag(ctx context.Context, p wire.DiagParams) (res *wire.DiagResult, stable bool, err error) {
	extent, err := ws.extent(p)
	if err != nil {
		return nil, false, err
	}
	snap, err := ws.settleAll(ctx, extent)
	if err != nil {
		return nil, false, err
	}
	x := &examiner{ws: ws, history: ws.diags.head(ws.Root), noSync: p.NoSync}
	x.look(ctx, snap, extent)
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if extent.file && len(x.verdicts) == 0 {
		return nil, false, ws.undiagnosed(ctx, extent.path)
	}
	ws.check(ctx, x, snap, extent)
	rows := x.rows()
	res = &wire.DiagResult{Path: extent.printed(), Engine: engine, Diagnostics: []wire.Diagnostic{}, Since: p.Since}
	res.Coverage = x.coverage(coverage(snap, p.NoSync))
	rows = ws.diags.since(res, extent, rows, p.Since)
	res.Total = len(rows)
	for _, r := range rows {
		switch r.severity {
		case wire.SeverityError:
			res.Errors++
		case wire.SeverityWarning:
			res.Warnings++
		}
	}
	if p.After > 0 && p.After >= len(rows) {
		return nil, false, refuse(wire.InvalidRequest, []string{"ctx diag " + wire.ShellWord(res.Path)},
			"there are %d diagnostics now, and none after the first %d", len(rows), p.After)
	}
	limit := p.Limit
	if limit <= 0 {
		limit = ws.config.Load().Budgets.MaxMatches
	}
	after := min(max(p.After, 0), len(rows))
	end := after + min(limit, len(rows)-after)
	if end < len(rows) {
		res.Next = end
	}
	res.Diagnostics, stable, err = ws.diagRows(ctx, rows[after:end])
	return res, stable && !x.moved, err
}

// extent is the part of the worktree that is asked about.
type extent struct {
	path string // "" is all
	file bool
}

func (s extent) printed() string {
	if s.path == "" {
		return "repo:"
	}
	return wire.RepoRef(s.path)
}

// of are the files of the extent.
func (s extent) of(files []*File) []*File {
	if s.path == "" {
		return files
	}
	first, found := slices.BinarySearchFunc(files, s.path, func(f *File, p string) int { return cmp.Compare(f.Path, p) })
	if s.file {
		if !found {
			return nil
		}
		return files[first : first+1]
	}
	below := func(name string) int {
		i, _ := slices.BinarySearchFunc(files, name, func(f *File, p string) int { return cmp.Compare(f.Path, p) })
		return i
	}
	return files[below(s.path+"/"):below(s.path+"0")] // 0 follows the slash
}

// extent reads the path that was asked about.
func (ws *Workspace) extent(p wire.DiagParams) (extent, error) {
	ref := strings.TrimSpace(p.Path)
	if ref == "" || ref == "repo:" || ref == "repo:." || p.Dir == "" && (ref == "." || ref == "./") {
		return extent{}, nil
	}
	at, err := ws.locate(ref, p.Dir, false)
	if err != nil {
		if path, isRoot := ws.isRoot(ref, p.Dir); isRoot {
			return extent{path: path}, nil
		}
		return extent{}, err
	}
	file, err := ws.place(at.path)
	if err != nil {
		return extent{}, err
	}
	if err := ws.allowed(at.path, ws.real(at.path)); err != nil {
		return extent{}, err
	}
	return extent{path: at.path, file: file}, nil
}

// isRoot says whether a path names the root itself, which no reference to a file does.
func (ws *Workspace) isRoot(ref, dir string) (string, bool) {
	up := strings.Count(strings.TrimSuffix(ref, "/"), "..")
	depth := len(strings.FieldsFunc(wire.DecodePath(dir), func(r rune) bool { return r == '/' }))
	return "", strings.Trim(ref, "./") == "" && up == depth && !strings.HasPrefix(ref, "/") || strings.TrimSuffix(ref, "/") == ws.Root
}

// undiagnosed is the refusal of a file that is not among those of the worktree.
func (ws *Workspace) undiagnosed(ctx context.Context, path string) error {
	t, err := ws.text(ctx, path)
	if err != nil {
		return err
	}
	facts, problem := ws.facts(ctx, ws.snapshot(ctx), t)
	if err := ws.undefinable(path, t, facts, problem); err != nil {
		return err
	}
	return refusePath(wire.EditConflict, path, nil, "%s came while it was asked about; ask again", wire.RepoRef(path))
}

// settleAll is the snapshot with every file of the extent parsed.
func (ws *Workspace) settleAll(ctx context.Context, s extent) (*Snapshot, error) {
	snap := ws.cur.Load()
	var pending []*File
	if snap.pending > 0 {
		for _, f := range s.of(snap.files) {
			if f.Facts == nil {
				pending = append(pending, f)
			}
		}
	}
	if len(pending) == 0 {
		return ws.over(ctx, snap), nil
	}
	look := &coldLook{ws: ws}
	look.each(ctx, pending, func(ctx context.Context, f *File, buf []byte) []byte {
		if known := ws.recall(f); known != nil {
			look.mu.Lock()
			defer look.mu.Unlock()
			look.known = append(look.known, change{f, known})
			return buf
		}
		return look.parse(ctx, f, buf)
	})
	ws.land(ctx, landing{changes: look.known})
	return ws.over(ctx, snap.with(look.known)), ctx.Err()
}

// diagRow is one thing that is wrong, in the content blob of a file.
type diagRow struct {
	path       string
	blob       captures.BlobID
	start, end int // bytes
	severity   string
	source     string
	code       string
	message    string
	key        rowKey
}

var severities = map[string]int{wire.SeverityError: 0, wire.SeverityWarning: 1, wire.SeverityInfo: 2}

func compareRows(a, b diagRow) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.start, b.start), cmp.Compare(severities[a.severity], severities[b.severity]),
		cmp.Compare(a.message, b.message), cmp.Compare(a.source, b.source), cmp.Compare(a.code, b.code), cmp.Compare(a.end, b.end))
}

// diagRows makes the rows of one page. All of a row comes from one generation of its file; false when that is no
// longer the one that was judged.
func (ws *Workspace) diagRows(ctx context.Context, rows []diagRow) ([]wire.Diagnostic, bool, error) {
	out := make([]wire.Diagnostic, 0, len(rows))
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].path == rows[0].path {
			n++
		}
		group := rows[:n]
		rows = rows[n:]
		t, err := ws.text(ctx, group[0].path)
		if refusal(err) == wire.NotFound {
			return out, false, nil
		}
		if refusal(err) == wire.PathDenied {
			continue // the policy is newer than the verdict; coverage counts the file
		}
		if err != nil {
			return nil, false, err
		}
		if t.Blob != group[0].blob {
			return out, false, nil
		}
		out = append(out, ws.diagnostics(t, group)...)
	}
	return out, true, nil
}

// diagnostics makes the rows of one file.
func (ws *Workspace) diagnostics(t *Text, rows []diagRow) []wire.Diagnostic {
	spans := make([]anchors.Span, len(rows))
	minted, note := make([]addresses, len(rows)), "the file is empty: it has no line that could be addressed"
	if t.Table.Len() > 0 {
		for i, r := range rows {
			spans[i] = spanOf(t.Table, r.start, r.end)
		}
		minted, note = ws.mint(t, spans...)
	}
	out := make([]wire.Diagnostic, 0, len(rows))
	for i, r := range rows {
		d := wire.Diagnostic{
			Path: displayPath(t.Path), PathBase64: exactPath(t.Path), Lines: wire.Lines{1, 1}, Bytes: wire.Bytes{r.start, r.end},
			Severity: r.severity, Source: r.source, Code: r.code, Message: r.message,
			Captured: minted[i].captured, Live: minted[i].live, Note: note,
		}
		if t.Table.Len() > 0 {
			d.Lines, d.Range = toLines(spans[i]), ws.units.rangeOf(t.Table, r.start, r.end)
		}
		out = append(out, d)
	}
	return out
}

// faultRow makes the row of a syntax error.
func faultRow(t *Text, f index.Fault, source string) diagRow {
	size := len(t.Src())
	start := min(int(f.Start), size)
	end := min(max(int(f.End), start), size)
	r := diagRow{path: t.Path, blob: t.Blob, start: start, end: end,
		severity: wire.SeverityError, source: source, message: f.Message}
	r.key = rowKeyOf(t, r)
	return r
}
