package daemon

import (
	"crypto/sha256"
	"errors"
	"syscall"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// maxCapture is the largest file whose bytes are kept: a bigger one is answered with its live
// address alone.
const maxCapture = 64 << 20

func blobOf(src []byte) captures.BlobID { return sha256.Sum256(src) }

// addresses are the two addresses of one region.
type addresses struct {
	captured *wire.Captured // nil when the bytes were not kept
	live     *wire.Live
}

// mint keeps the bytes of t and gives the two addresses of each span. When it returns, the spans
// resolve even after a kill -9. note says why nothing was kept, "" when all was.
func (ws *Workspace) mint(t *Text, spans ...anchors.Span) (out []addresses, note string) {
	ref := wire.RepoRef(t.Path)
	recs := make([]captures.Record, len(spans))
	out = make([]addresses, len(spans))
	for i, span := range spans {
		known := t.Table.Known(span)
		anchor := known.Full.Anchor()
		recs[i] = captures.Record{
			Root: ws.id, Path: t.Path, Blob: t.Blob, First: span.First, Last: span.Last,
			Anchor: anchor, Full: known.Full, Head: known.Head, Roll: known.Roll, Text: known.Text,
		}
		sel := anchors.Selector{Span: span, Anchor: anchor, Anchored: true}
		out[i].live = &wire.Live{Anchor: anchor.String(), Lines: toLines(span), Address: ref + " --lines " + sel.String()}
	}
	// The record is kept even where the bytes are not: it is what a full check needs.
	if len(t.Src()) > maxCapture {
		note = "not captured: the file is larger than 64 MiB"
	} else if err := ws.store.PutID(t.Blob, t.Src()); err != nil {
		note = ws.uncaptured(err)
	}
	if err := ws.store.Mint(recs); err != nil && note == "" {
		note = ws.uncaptured(err)
	}
	if note != "" {
		return out, note
	}
	ws.trace(t)
	for i, rec := range recs {
		out[i].captured = capturedOf(rec)
	}
	return out, ws.layer(t)
}

// uncaptured says why bytes were not kept. Answers hold no path of the system and no temporary name:
// those go to the log.
func (ws *Workspace) uncaptured(err error) string {
	ws.unwritten(err)
	var no syscall.Errno
	if errors.As(err, &no) {
		return "not captured: " + no.Error()
	}
	return "not captured: the capture store cannot be written; see ctxd.log"
}

// capturedOf is the captured address of a record.
func capturedOf(rec captures.Record) *wire.Captured {
	span := captures.SpanID(rec.Blob, rec.First, rec.Last)
	return &wire.Captured{
		Snapshot: snapshotOf(rec.Path, rec.Blob),
		Span:     span,
		Lines:    wire.Lines{rec.First, rec.Last},
		Address:  wire.RepoRef(rec.Path) + " --span " + span,
	}
}

// snapshotOf is the printed form of a snapshot's name.
func snapshotOf(path string, blob captures.BlobID) string {
	return captures.SnapshotID(path, blob)[:12]
}
