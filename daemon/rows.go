package daemon

import (
	"strings"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

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
			Range:          ws.units.rangeOf(t.Table, int(d.Start), int(d.End)),
			SelectionRange: ws.units.rangeOf(t.Table, int(d.NameStart), int(d.NameEnd)),
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
	return display(b)
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
