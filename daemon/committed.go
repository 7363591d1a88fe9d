package daemon

import (
	"context"
	"errors"
	"slices"

	"ctxd/anchors"
	"ctxd/daemon/captures"
	"ctxd/daemon/commits"
)

const (
	// maxVersions is how many committed versions of a file are looked through for an address.
	maxVersions = 2000
	// maxPasts is how many files' histories are kept as far as they were walked.
	maxPasts = 64
	// keepTables is how many line tables of committed versions of one file are kept: addresses of one document
	// are mostly of one age.
	keepTables = 4
	// maxAmbiguous is how many versions are looked at for others that have an address, when one was found.
	maxAmbiguous = 100
	// keepSketches bounds the bytes of the line digests that are kept of committed versions. With them an address that
	// was never there costs 0.2 ms in 543 versions of prometheus' tsdb/db.go, and 0.3 s to read them.
	keepSketches = 16 << 20
)

// committed is the git history of the files that addresses minted elsewhere were asked for.
type committed struct {
	// turn holds a token while the files below are used; a walk reads files, so that a mutex would be held across it.
	turn  chan struct{}
	head  commits.ID
	pasts map[string]*committedPast // by path in the workspace
	order []string                  // of pasts, the oldest first
	// sketches are what is kept of versions when another commit is checked out.
	sketches map[commits.ID]sketched
	bytes    int // of them
	known    *commits.Known
}

// sketched is what is kept of a version.
type sketched struct {
	blob   captures.BlobID
	digest anchors.Sketch
}

// committedPast is the history of one file, as far as it was walked.
type committedPast struct {
	committed *committed
	walk      *commits.Walk
	versions  []commits.Version
	done      bool
	cut       bool             // what is behind the last of them is not known
	tables    []committedTable // the last used at the end
}

type committedTable struct {
	version int // index into versions
	table   *anchors.Table
}

func newCommitted() *committed {
	return &committed{turn: make(chan struct{}, 1), pasts: map[string]*committedPast{}, sketches: map[commits.ID]sketched{}, known: commits.NewKnown()}
}

// committedAs finds up to most committed versions of a file whose lines at sel have its anchor, the newest first: the
// address was made from one of them. Earlier names of the file count. There is none where there is no repository; looked
// is the number of versions that were looked at. cut says that there may be others, which cannot be read, were not fetched, or
// are too many: that none was found then says nothing.
//
// wanted are origins of the address whose bytes are gone. Those that were committed as they were are given a way to be read.
// Versions that are found have the content that is remembered of them.
func (ws *Workspace) committedAs(ctx context.Context, path string, sel anchors.Selector, wanted []*origin, most int) (found []origin, looked int, cut bool, err error) {
	h := ws.diags.head(ws.Root)
	if !h.any() {
		return nil, 0, h.unread(), nil
	}
	c := ws.committed
	if err := c.begin(ctx); err != nil {
		return nil, 0, true, err
	}
	defer c.end()
	past, cut, err := c.past(ctx, h, path)
	if past == nil {
		return nil, 0, cut, err
	}
	defer past.walk.Rest()
	var known *anchors.Known
	var rec *captures.Record
	if len(wanted) > 0 {
		known, rec = &wanted[0].known, wanted[0].rec
	}
	for ; looked < maxVersions; looked++ {
		more := len(found) < most && (len(found) == 0 || looked < maxAmbiguous)
		if !more && len(wanted) == 0 {
			break
		}
		if there, err := past.reach(ctx, looked); err != nil || !there {
			return found, looked, cut || past.cut, err
		}
		s, err := past.sketch(looked)
		cut = cut || err != nil
		n := looked
		if i := slices.IndexFunc(wanted, func(o *origin) bool { return o.blob == s.blob }); i >= 0 {
			wanted[i].read = func() *anchors.Table { return c.table(ctx, past, n) }
			wanted = slices.Delete(slices.Clone(wanted), i, i+1)
		}
		if !more || !s.digest.Has(sel) || known != nil && s.digest.Digest(sel.Span) != known.Full {
			continue
		}
		o := origin{blob: s.blob, span: sel.Span, rec: rec}
		o.read = func() *anchors.Table { return c.table(ctx, past, n) }
		switch {
		case known != nil:
			o.known = *known
		case len(found) == 0:
			if o.table, err = past.table(n); err != nil {
				cut = true
				continue // it was there a moment ago
			}
			o.known = o.table.Known(sel.Span)
		default:
			o.known = anchors.Known{Full: found[0].known.Full}
		}
		found = append(found, o)
	}
	return found, looked, cut || looked == maxVersions, nil
}

// unread says whether something is checked out, and cannot be read.
func (h *history) unread() bool {
	if h == nil {
		return false
	}
	_, err := h.repository.Head()
	return !errors.Is(err, commits.ErrNone)
}

// begin takes the turn, until end.
func (c *committed) begin(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *committed) end() { <-c.turn }

// table is the line table of a version that was found before; nil when it cannot be read.
func (c *committed) table(ctx context.Context, past *committedPast, n int) *anchors.Table {
	if c.begin(ctx) != nil {
		return nil
	}
	defer c.end()
	t, err := past.table(n)
	if err != nil {
		return nil
	}
	return t
}

// past is the history of a path of the workspace from the commit of h on; nil when it cannot be read, and when no commit had the path. cut
// is that of committedAs, of a history that is nil.
func (c *committed) past(ctx context.Context, h *history, path string) (past *committedPast, cut bool, err error) {
	if head := h.commit.ID(); c.head != head {
		c.head, c.order = head, nil
		clear(c.pasts)
	}
	if p := c.pasts[path]; p != nil {
		if !p.walk.Deepened() {
			return p, false, nil
		}
		delete(c.pasts, path)
		c.order = slices.DeleteFunc(c.order, func(o string) bool { return o == path })
	}
	full := path
	if h.below != "" {
		full = h.below + "/" + path
	}
	if h.file(path) == "" {
		if may, err := c.known.MayHave(ctx, h.repository, c.head, full); err != nil || !may {
			return nil, c.known.Shallow(), err
		}
	}
	walk, err := h.repository.History(c.head, full, c.known)
	if err != nil {
		return nil, true, nil
	}
	if len(c.order) == maxPasts {
		delete(c.pasts, c.order[0])
		c.order = c.order[1:]
	}
	p := &committedPast{committed: c, walk: walk}
	c.pasts[path], c.order = p, append(c.order, path)
	return p, false, nil
}

// reach walks on to version n, counted from 0, the newest; false behind the last one that can be read.
func (p *committedPast) reach(ctx context.Context, n int) (bool, error) {
	for len(p.versions) <= n {
		if p.done {
			return false, nil
		}
		v, err := p.walk.Next(ctx)
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		} else if err != nil { // the end, or what cannot be read now: nothing is known of what is behind it
			p.done = errors.Is(err, commits.ErrNone)
			p.cut = !p.done || p.walk.Cut()
			return false, nil
		}
		p.versions = append(p.versions, v)
	}
	return true, nil
}

// sketch is what is kept of version n. One that cannot be read, as it is damaged or was not fetched, has an error and no lines.
func (p *committedPast) sketch(n int) (sketched, error) {
	c, id := p.committed, p.versions[n].Blob
	s, known := c.sketches[id]
	if known {
		return s, nil
	}
	t, err := p.table(n)
	s = sketched{blobOf(t.Source()), t.Sketch()}
	if err != nil { // it may be there the next time
		return s, err
	}
	if c.bytes += 8*s.digest.Len() + 128; c.bytes > keepSketches {
		c.bytes = 0
		clear(c.sketches)
	}
	c.sketches[id] = s
	return s, nil
}

// table is the line table of version n, an empty one with an error when it cannot be read.
func (p *committedPast) table(n int) (*anchors.Table, error) {
	for i, t := range p.tables {
		if t.version == n {
			p.tables = append(append(p.tables[:i:i], p.tables[i+1:]...), t)
			return t.table, nil
		}
	}
	body, err := p.walk.Read(p.versions[n])
	if err != nil {
		return anchors.NewTable(nil), err
	}
	t := anchors.NewTable(body)
	if len(p.tables) == keepTables {
		p.tables = p.tables[1:]
	}
	p.tables = append(p.tables, committedTable{n, t})
	return t, nil
}
