package daemon

import (
	"fmt"

	"ctxd/client/wire"
)

// tree lists what is in a folder, or in all of the worktree.
func (m *mapping) tree() (*wire.MapResult, error) {
	snap, err := m.ws.whole(m.ctx)
	if err != nil {
		return nil, err
	}
	m.snap = snap
	o, w, err := m.ws.order(m.ctx, snap, m.path)
	if err != nil {
		return nil, err
	}
	total := wire.MapCount{Files: len(o.files), Symbols: len(o.defs)}
	p := m.newPart(total, mapNext(o.len(), o.digest))
	p.res.Note = m.moved(o.digest)
	p.measure()
	end := min(m.after, o.len())
	for ; end < o.len(); end++ {
		if fits, err := p.takeRow(o, w, end); err != nil {
			return nil, err
		} else if !fits {
			break
		}
	}
	p.res.Omitted = wire.MapCount{Files: len(o.files) - o.seen(w, end), Symbols: len(o.defs) - min(end, len(o.defs))}
	p.res.Next = ""
	if end < o.len() {
		p.res.Next = mapNext(end, o.digest)
	}
	return p.finish(), m.ctx.Err()
}

// takeRow puts one row of the list into the part.
func (p *part) takeRow(o *order, w *weights, row int) (bool, error) {
	if row >= len(o.defs) {
		i := o.empty[row-len(o.defs)]
		return p.takeEmpty(p.snap.files[i], w.imported[i]), nil
	}
	n := o.defs[row]
	i := w.fileOf(n)
	f := p.snap.files[i]
	t, err := p.textOf(f)
	if err != nil {
		return false, err
	}
	return p.take(f, w.imported[i], t, int(n-w.starts[i]), w.defs[n]), nil
}

// textOf is the text that the facts of a file describe. Where the file is another by now, the answer is made again.
func (m *mapping) textOf(f *File) (*Text, error) {
	t, err := m.ws.text(m.ctx, f.Path)
	switch refusal(err) {
	case "":
	case wire.NotFound, wire.PathDenied:
		return nil, m.ws.moved(f.Path)
	}
	if err != nil {
		return nil, err
	}
	if t.Blob != f.blob() {
		return nil, m.ws.moved(f.Path)
	}
	return t, nil
}

// moved is the note of a map that goes on in another list than it began with.
func (m *mapping) moved(digest uint32) string {
	if m.digest == "" || m.digest == fmt.Sprintf("%08x", digest) {
		return ""
	}
	return "the worktree has changed since the part before: some rows may be shown twice, or in no part; begin again without --after"
}

// seen counts the files of which one of the first rows shows something.
func (o *order) seen(w *weights, rows int) int {
	n := max(rows-len(o.defs), 0)
	files := make([]bool, len(w.starts))
	for _, def := range o.defs[:min(rows, len(o.defs))] {
		if i := w.fileOf(def); !files[i] {
			files[i] = true
			n++
		}
	}
	return n
}
