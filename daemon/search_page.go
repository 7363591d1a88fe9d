package daemon

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/grep"
)

// page collects the rows of one answer.
type page struct {
	search *search
	ws     *Workspace
	res    *wire.SearchResult
	limit  int
	room   int // bytes of text that are left
	full   bool
	last   string // address of the last row
}

// newPage sets the limits: those of the request, or the budgets of the workspace.
func newPage(s *search, res *wire.SearchResult) *page {
	p := &page{search: s, ws: s.ws, res: res, limit: s.params.Limit, room: maxRowBytes}
	if p.limit == 0 {
		b := s.ws.config.Load().Budgets
		p.limit, p.room = min(b.MaxMatches, maxRows), min(max(4*b.ResultTokens-headerReserve, headerReserve), maxRowBytes)
	}
	return p
}

// add makes the rows of one file behind a line, from one generation of it: the counts of the scan are
// corrected where the file is no longer what was scanned.
func (p *page) add(ctx context.Context, m *grep.Matcher, f *File, found tally, behind int) error {
	t, err := p.ws.text(ctx, f.Path)
	switch refusal(err) {
	case "":
		if err != nil {
			return err
		}
	default: // gone, or kept back: its rows are gone with it
		p.search.vanished = true
		p.res.Total -= found.matching
		p.res.Scanned.Files--
		p.res.Scanned.Lines -= found.lines
		return nil
	}
	var rows []grep.Line
	total, cut := 0, false
	if !isBinary(t.Src()) {
		p.room -= 2*len(f.Path) + len("snapshot:  → ")
		m.Lines(t.Src(), func(l grep.Line) bool {
			if total++; l.Number <= behind || cut {
				return true
			}
			if cut = p.full; cut {
				return true
			}
			rows = append(rows, l)
			p.room -= min(l.End-l.Start, maxText) + len("  L1234: ")
			p.full = len(p.res.Matches)+len(rows) >= p.limit || p.room <= 0
			return true
		})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.res.Total += total - found.matching
	p.rows(t, rows)
	if cut {
		p.res.Next = p.last
	}
	return nil
}

// rows adds the rows of a file, with their addresses.
func (p *page) rows(t *Text, lines []grep.Line) {
	if len(lines) == 0 {
		return
	}
	spans := make([]anchors.Span, len(lines))
	for i, l := range lines {
		spans[i] = anchors.Span{First: l.Number, Last: l.Number}
	}
	minted, note := p.ws.mint(t, spans...)
	for i, l := range lines {
		row := wire.Match{
			Path: displayPath(t.Path), PathBase64: exactPath(t.Path), Lines: toLines(spans[i]),
			Range: p.ws.units.rangeOf(t.Table, l.From, l.To), Bytes: wire.Bytes{l.From, l.To}, Pattern: l.Pattern,
			LineBytes: wire.Bytes{l.Start, l.End}, Captured: minted[i].captured, Live: minted[i].live, Note: note,
		}
		start, end := window(t.Src(), l)
		part := t.Src()[start:end]
		row.Text, row.TextBytes = display(part), wire.Bytes{start, end}
		row.Complete = start == l.Start && end == l.End
		if !utf8.Valid(part) {
			row.TextBase64 = base64.StdEncoding.EncodeToString(part)
		}
		p.res.Matches = append(p.res.Matches, row)
		p.last = row.Live.Address
	}
}

const (
	// maxText is how many characters of a line are shown, and lead how many of them stand before a match that
	// is not among the first.
	maxText = 200
	lead    = 40
)

// window is the part of a line that is shown: all of it, its head when the match begins in the first
// three quarters of that, else what stands around the match.
func window(src []byte, l grep.Line) (start, end int) {
	start = l.Start
	if back(src, l.From, l.Start, maxText*3/4) > l.Start {
		start = back(src, l.From, l.Start, lead)
	}
	end = start
	for n := 0; n < maxText && end < l.End; n++ {
		_, size := utf8.DecodeRune(src[end:l.End])
		end += size
	}
	return start, end
}

// back goes n characters back from a place, not behind a least one.
func back(src []byte, from, least, n int) int {
	for ; n > 0 && from > least; n-- {
		_, size := utf8.DecodeLastRune(src[least:from])
		from -= size
	}
	return from
}
