package daemon

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// Buffer is one content of one file as a client has it open. Immutable; what it describes is made when it is first
// asked for, so that a keystroke that nobody asks about costs no parse.
type Buffer struct {
	path string
	src  []byte

	text  func() *Text
	once  sync.Once
	facts *Facts
}

// NewBuffer is a buffer of the file at path, relative to the root. It keeps src, which must not change afterwards.
func NewBuffer(path string, src []byte) *Buffer {
	b := &Buffer{path: path, src: src}
	b.text = sync.OnceValue(func() *Text {
		return &Text{Path: path, Real: path, Racy: true, Open: true, Blob: blobOf(src), Table: anchors.NewTable(src)}
	})
	return b
}

// describe gives the facts of b, from one build however often it is asked.
func (b *Buffer) describe(ws *Workspace) *Facts {
	b.once.Do(func() { b.facts = ws.catalog.fleeting(ws.Root, b.path, b.src, b.text().Blob) })
	return b.facts
}

// Overlay is what one client has open in one workspace: its buffers take the place of the files. Immutable, so that a
// request is answered from the buffers as they were when it came. A nil Overlay holds none.
//
// It never becomes part of a published snapshot: keystrokes of one client do not reach another, and what is on disk is
// what everybody else sees.
type Overlay struct {
	buffers map[string]*Buffer

	mu      sync.Mutex
	base    *Snapshot // what derived was made of
	derived *Snapshot
}

// With is o with b in the place of what it had at b's path.
func (o *Overlay) With(b *Buffer) *Overlay {
	next := &Overlay{buffers: map[string]*Buffer{b.path: b}}
	if o != nil {
		next.buffers = maps.Clone(o.buffers)
		next.buffers[b.path] = b
	}
	return next
}

// Without is o without the buffer of path.
func (o *Overlay) Without(path string) *Overlay {
	if !o.holds(path) {
		return o
	}
	next := &Overlay{buffers: maps.Clone(o.buffers)}
	delete(next.buffers, path)
	return next
}

func (o *Overlay) buffer(path string) *Buffer {
	if o == nil {
		return nil
	}
	return o.buffers[path]
}

func (o *Overlay) holds(path string) bool { return o.buffer(path) != nil }

// Under is the worktree of ws as a client with the buffers of o sees it. It is as cheap as a pointer.
func (ws *Workspace) Under(o *Overlay) *Workspace {
	return &Workspace{worktree: ws.worktree, overlay: o, units: ws.units}
}

// Counting is ws with the positions of its answers in u.
func (ws *Workspace) Counting(u Units) *Workspace {
	return &Workspace{worktree: ws.worktree, overlay: ws.overlay, units: u}
}

// snapshot is the present one, with the buffers.
func (ws *Workspace) snapshot(ctx context.Context) *Snapshot { return ws.over(ctx, ws.cur.Load()) }

// over is base with the facts of the buffers in place of those of their files. A buffer that is what its file holds
// changes nothing; one of an ignored file is not indexed, as the file is not.
func (ws *Workspace) over(ctx context.Context, base *Snapshot) *Snapshot {
	o := ws.overlay
	if o == nil || len(o.buffers) == 0 {
		return base
	}
	if derived := o.derivedOf(base); derived != nil {
		return derived
	}
	var changes []change
	for _, b := range slices.SortedFunc(maps.Values(o.buffers), func(a, b *Buffer) int { return cmp.Compare(a.path, b.path) }) {
		old := base.file(b.path)
		if old == nil {
			if _, ignored := ws.disk.Load().tree.Ignored(b.path); ignored {
				continue
			}
		} else if ws.holdsIn(ctx, old, b) {
			continue
		}
		changes = append(changes, change{old, &File{Path: b.path, Facts: b.describe(ws)}})
	}
	derived := base
	if len(changes) > 0 {
		derived = base.with(changes)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.base != base { // else another request was first
		o.base, o.derived = base, derived
	}
	return o.derived
}

// derivedOf is what was derived of base; nil when that was not made yet. Who makes it holds no lock meanwhile: files are
// read and buffers parsed for it, and two requests that make it at once make the same.
func (o *Overlay) derivedOf(base *Snapshot) *Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.base != base {
		return nil
	}
	return o.derived
}

// holdsIn says whether a file is known to hold what a buffer holds. One that was not read because its name says that it
// cannot be parsed is read now; where that fails the buffer counts, which is what the client sees.
func (ws *Workspace) holdsIn(ctx context.Context, f *File, b *Buffer) bool {
	if f.Facts == nil || f.blob() != (captures.BlobID{}) {
		return f.Facts != nil && f.blob() == b.text().Blob
	}
	t, err := ws.Under(nil).text(ctx, f.Path)
	return err == nil && t.Blob == b.text().Blob
}

// layer says, where it matters, whether a text is that of a buffer or of the file on disk; else it is "".
func (ws *Workspace) layer(t *Text) string {
	if !t.Open {
		if ws.overlay == nil && ws.editors.modified(ws.Root, t) {
			return "open and modified in an editor: this is the file on disk"
		}
		return ""
	}
	disk, err := ws.Under(nil).text(context.Background(), t.Path)
	switch {
	case refusal(err) == wire.NotFound:
		return "not on disk: this is what the editor has open"
	case err == nil && disk.Blob != t.Blob:
		return "not saved: this is what the editor has open, not the file on disk"
	}
	return ""
}
