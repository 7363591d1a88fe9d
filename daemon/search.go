package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/grep"
)

const (
	// maxRows is the most rows of one answer, and maxRowBytes the most bytes of their text and paths: a message
	// has an end.
	maxRows     = 10_000
	maxRowBytes = 4 << 20
)

// Search lists the lines that match patterns. Every file is read for each search, so that the bytes decide and
// it makes no difference how far the index is: 11,500 files of 127 MB are read in 65 ms, and all of rg takes 75. The
// texts in memory would double what the daemon holds. A filter of trigrams, one bit each, in 3 % of the bytes proposed
// 3 to 30 % of them for words of six letters and more; it would trust stats, and be of no use to what is short.
func (ws *Workspace) Search(ctx context.Context, p wire.SearchParams) (*wire.SearchResult, error) {
	var s *search
	began := time.Now()
	for try := 1; ; try++ {
		g := glance{before: ws.turnover.Load()}
		if !p.NoSync {
			if err := ws.sync(ctx); err != nil {
				return nil, err
			}
		}
		if s == nil {
			var err error
			if s, err = newSearch(ws, p); err != nil {
				return nil, err
			}
		}
		g.after, g.stirs = ws.turnover.Load(), ws.stirs.Load()
		res, err := s.answer(ctx, ws.snapshot(ctx))
		if err != nil || p.NoSync || !s.torn(ctx, g, res.Total) {
			return res, err
		}
		if try >= s.tries(res.Total) || time.Since(began) > tornTime {
			unsettle(res)
			return res, nil
		}
		s.keep() // only what changed is read again
	}
}

// torn says whether what was scanned may lack a file, as in Def: one that was renamed meanwhile can be missing under both
// names. Nothing at all, or a file that was not there, is doubted for as long as anything happens.
func (s *search) torn(ctx context.Context, g glance, total int) bool {
	if total == 0 || s.vanished {
		return s.ws.sync(ctx) == nil && s.ws.stirs.Load() != g.stirs
	}
	in := sought{held: func(f *File) bool { return s.scope.holds(f) }}
	return g.doubtful(in) && s.ws.sync(ctx) == nil && s.ws.hid(ctx, g, in)
}

// tries is how often the files are scanned for an answer with so many rows, at most.
func (s *search) tries(total int) int {
	if total == 0 || s.vanished {
		return tornTries
	}
	return tornHits
}

// search is one request.
type search struct {
	ws     *Workspace
	params wire.SearchParams
	set    *grep.Set
	scope  *scope
	after  *anchors.Selector // of the last row that was shown; nil: the list begins
	from   string            // path of that row

	// Of the last scan:
	files    []*File
	tallies  []tally
	vanished bool            // a listed file was not there
	known    map[*File]tally // what was found before, when it is scanned again
}

func newSearch(ws *Workspace, p wire.SearchParams) (*search, error) {
	if p.Limit < 0 || p.Limit > maxRows {
		return nil, refuse(wire.InvalidRequest, nil, "limit must be 0 to %d, not %d; next: goes on where a list ends", maxRows, p.Limit)
	}
	s := &search{ws: ws, params: p}
	patterns, err := exactPatterns(p)
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		return nil, refuse(wire.InvalidRequest, nil, "a pattern is missing: filters alone find nothing")
	}
	s.set, err = grep.Compile(patterns, grep.Options{Regexp: p.Regex, Fold: p.IgnoreCase, All: p.All})
	if wrong, ok := errors.AsType[*grep.PatternError](err); ok {
		if wrong.Pattern == "" {
			return nil, refuse(wire.InvalidRequest, nil, "%v", err)
		}
		return nil, refuse(wire.InvalidRequest, nil, "invalid pattern: %s: %s", quote(clipped(wrong.Pattern)), wrong.Reason)
	} else if err != nil {
		return nil, err
	}
	if s.scope, err = newScope(ws, p); err != nil {
		return nil, err
	}
	if p.After != "" {
		if err := s.goOn(p.After); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// clipped is the head of what a message quotes.
func clipped(s string) string { return wire.Clip(s, 80) }

// goOn reads the address behind which the answer begins.
func (s *search) goOn(address string) error {
	if err := bounded(address); err != nil {
		return err
	}
	a := wire.ParseAddress(address)
	sel, err := parseSelector(a.Lines)
	if err != nil || a.Lines == "" {
		return refuse(wire.AnchorInvalid, nil, "after takes the address of the last row, as next: says it: repo:PATH --lines A:B@anchor, not %s", quote(clipped(address)))
	}
	if s.from, err = s.ws.path(a.Ref, s.params.Dir); err != nil {
		return err
	}
	s.after = &sel
	return nil
}

// answer scans the files of a snapshot and makes the rows.
func (s *search) answer(ctx context.Context, snap *Snapshot) (*wire.SearchResult, error) {
	res := &wire.SearchResult{Path: s.scope.printed(), Coverage: coverage(snap, s.params.NoSync), Matches: []wire.Match{}}
	files := s.scope.filesOf(snap)
	tallies, err := s.scan(ctx, files)
	if err != nil {
		return nil, err
	}
	s.files, s.tallies, s.vanished = files, tallies, false
	s.sum(res)
	for _, p := range s.scope.hidden(snap) {
		addProblem(&res.Scanned, p.Path, p.Reason)
	}
	page := newPage(s, res)
	first, skip := 0, 0
	if s.after != nil {
		if first, skip, err = s.behind(ctx, res, files); err != nil {
			return nil, err
		}
	}
	m := s.set.Matcher(func() bool { return ctx.Err() != nil })
	for i := first; i < len(files); i++ {
		if tallies[i].matching == 0 {
			continue
		}
		if page.full {
			res.Next = page.last
			break
		}
		line := 0
		if i == first {
			line = skip
		}
		if err := page.add(ctx, m, files[i], tallies[i], line); err != nil {
			return nil, err
		}
	}
	return res, ctx.Err()
}

// keep keeps what the scan found of the files that could be read.
func (s *search) keep() {
	s.known = make(map[*File]tally, len(s.files))
	for i, t := range s.tallies {
		if t.state != vanishedFile && t.state != unreadableFile {
			s.known[s.files[i]] = t
		}
	}
}

// sum adds up what the scan found.
func (s *search) sum(res *wire.SearchResult) {
	for i, t := range s.tallies {
		switch t.state {
		case scannedFile:
			res.Scanned.Files++
			res.Scanned.Lines += t.lines
			res.Total += t.matching
		case binaryFile:
			res.Scanned.Binary++
		case secretFile:
			res.Scanned.Secrets++
		case vanishedFile:
			s.vanished = true
		case unreadableFile:
			addProblem(&res.Scanned, s.files[i].Path, t.problem)
		}
	}
}

// maxProblems is how many unreadable files and directories an answer names.
const maxProblems = 20

// addProblem counts what could not be read, and names it if there is room.
func addProblem(s *wire.Scanned, path, reason string) {
	if s.Unreadable++; len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, wire.Problem{Path: displayPath(path), PathBase64: exactPath(path), Reason: reason})
	}
}

// behind finds where the list goes on: files from index first on, in the first of them the lines after skip.
// The last row that was shown is followed through changes of its file. Where it was edited itself,
// its line number decides, and what stands there now counts as new: rather twice than never.
func (s *search) behind(ctx context.Context, res *wire.SearchResult, files []*File) (first, skip int, err error) {
	first, there := slices.BinarySearchFunc(files, s.from, func(f *File, path string) int { return strings.Compare(f.Path, path) })
	if !there {
		res.Note = fmt.Sprintf("%s is no longer there: the list goes on with the paths behind it", wire.RepoRef(s.from))
		return first, 0, nil
	}
	t, err := s.ws.text(ctx, s.from)
	if refusal(err) != "" {
		return first, 0, nil // its rows say what is wrong with it
	} else if err != nil {
		return 0, 0, err
	}
	skip = s.after.First
	if !s.after.Anchored {
		return first, skip, nil
	}
	in := s.ws.recollection()
	defer in.record()
	found, err := s.ws.follow(ctx, t, *s.after, in)
	switch {
	case refusal(err) != "":
	case err != nil:
		return 0, 0, err
	case found.Outcome != anchors.Lost:
		if skip = found.Span.First; found.Outcome == anchors.Relocated && found.Copies > 1 && found.identity != identityProven {
			res.Note = fmt.Sprintf("the last row moved from line %d to %d of %s, one of %d equal lines: the list goes on behind it",
				s.after.First, skip, wire.RepoRef(s.from), found.Copies)
		}
		return first, skip, nil
	}
	res.Note = fmt.Sprintf("the last row was edited or deleted: the list goes on with line %d of %s", skip, wire.RepoRef(s.from))
	return first, skip - 1, nil
}
