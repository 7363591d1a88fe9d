package daemon

import (
	"context"
	"slices"

	"ctxd/anchors"
	"ctxd/daemon/captures"
)

const (
	// identityProven: the line map from the version that the address was made from shows that this is the region.
	identityProven = "proven"
	// identityContent: the content is the one that was addressed; which of several equal regions it is, content
	// alone cannot prove.
	identityContent = "content"
)

// maxOrigins is how many captured versions behind one address are asked where its lines went. They may be
// several: another file content had the same lines at the same place. Where there are more, nothing is proven: one of
// those that were not asked may be the one, and mean another copy.
const maxOrigins = keepCaptured

// maxCommitted is how many committed versions that have an address are asked where its lines went, when equal regions
// leave it open: a blank line comes to stand at any place sooner or later, so that the newest of them need not be the one
// that the address was made from. Of 1,000 one-line spans of five projects, 8 to 23 were wrong when only the
// newest was asked.
const maxCommitted = 64

// outcome is what became of an anchored range in the present bytes of its file.
type outcome struct {
	anchors.Resolution
	identity string
	// Of one that was not recalled:
	caps []captures.Record // what was remembered of the address
	// Of a lost one:
	origin *origin      // what the address was made from; nil when that is not retained
	twin   anchors.Span // an equal region that is provably another one; zero when there is none
	never  bool         // nothing that is known of the file had this content
}

// origin is a version in which an address named its lines.
type origin struct {
	blob  captures.BlobID
	table *anchors.Table        // nil: load reads it
	line  string                // of one whose table was given up: see telling
	nth   int                   // the same
	rec   *captures.Record      // nil: it was minted elsewhere, and the version is a committed one
	read  func() *anchors.Table // of a committed one; nil: it is in the capture store
	known anchors.Known
	span  anchors.Span
	lines *anchors.LineMap // to the present bytes; nil when there are none
}

// follow finds the content that sel addresses in a file of the worktree. A lost anchor is not an error here; an address
// that stands for two different contents is.
//
// Content comes first: what does not stand in t is lost. Then the line maps say which of the equal regions is the
// one that was addressed: from each captured version to t, and where there is none from the newest committed
// version that has the address. A region that the map says is gone is lost although its twin stands elsewhere.
func (ws *Workspace) follow(ctx context.Context, t *Text, sel anchors.Selector, in captures.Lookup) (outcome, error) {
	stamp := in.Stamp(ws.id, t.Path, sel.First, sel.Last, sel.Anchor)
	if p, ok := ws.lineages.recall(t, sel, stamp); ok {
		return p, nil
	}
	caps := ws.captures(in, t.Path, sel)
	p, err := ws.content(ctx, t, sel, caps)
	if err != nil {
		return p, err
	}
	origins, err := ws.origins(ctx, t.Path, sel, caps, &p)
	if err != nil {
		return p, err
	}
	if p.Outcome == anchors.Lost {
		p.origin = first(origins)
		return p, nil
	}
	ws.identify(ctx, t, sel, origins, &p)
	if p.Outcome != anchors.Lost && stamp != 0 {
		ws.lineages.note(t, sel, stamp, p)
	}
	return p, nil
}

// content finds the nearest region of t with the content that sel addresses.
func (ws *Workspace) content(ctx context.Context, t *Text, sel anchors.Selector, caps []captures.Record) (outcome, error) {
	known, err := ws.knownOf(t.Path, sel, caps)
	if err != nil {
		return outcome{}, err
	}
	stop := func() bool { return ctx.Err() != nil }
	p := outcome{Resolution: t.Table.Resolve(sel, known, stop), identity: identityContent, caps: caps}
	if !p.Complete {
		return p, context.Cause(ctx)
	}
	return p, nil
}

// vanished is the place of an address whose file is gone.
func (ws *Workspace) vanished(ctx context.Context, path string, sel anchors.Selector, caps []captures.Record) (outcome, error) {
	if _, err := ws.knownOf(path, sel, caps); err != nil {
		return outcome{}, err
	}
	p := outcome{caps: caps}
	origins, err := ws.origins(ctx, path, sel, caps, &p)
	p.origin = first(origins)
	return p, err
}

// captures are what is remembered of an address in this workspace, newest first; none when it was minted elsewhere.
func (ws *Workspace) captures(in captures.Lookup, path string, sel anchors.Selector) []captures.Record {
	return in.Captures(ws.id, path, sel.First, sel.Last, sel.Anchor)
}

// knownOf is what the minter of an address remembers of its content; nil when it was minted elsewhere.
func (ws *Workspace) knownOf(path string, sel anchors.Selector, caps []captures.Record) (*anchors.Known, error) {
	var known *anchors.Known
	for i := range caps {
		k := knownOf(&caps[i])
		if known == nil {
			known = &k
		} else if known.Full != k.Full || known.Text != k.Text {
			return nil, ws.twoContents(path, sel, contents(caps))
		}
	}
	return known, nil
}

func knownOf(rec *captures.Record) anchors.Known {
	return anchors.Known{Full: rec.Full, Head: rec.Head, Roll: rec.Roll, Text: rec.Text}
}

// contents are the newest of caps for each distinct content.
func contents(caps []captures.Record) []captures.Record {
	type content struct{ full, text [32]byte }
	seen := map[content]bool{}
	return slices.DeleteFunc(slices.Clone(caps), func(r captures.Record) bool {
		c := content{r.Full, r.Text}
		defer func() { seen[c] = true }()
		return seen[c]
	})
}

func first(origins []origin) *origin {
	if len(origins) == 0 {
		return nil
	}
	return &origins[0]
}

// origins are the versions that the address was made from, the last captured first.
func (ws *Workspace) origins(ctx context.Context, path string, sel anchors.Selector, caps []captures.Record, p *outcome) ([]origin, error) {
	var all []origin
	for i := range caps[:min(len(caps), maxOrigins)] {
		o := origin{blob: caps[i].Blob, rec: &caps[i], known: knownOf(&caps[i]), span: sel.Span}
		all = append(all, o)
	}
	if len(caps) > 0 {
		return all, nil
	}
	most := 1
	if p.Copies > 1 {
		most = maxCommitted
	}
	all, looked, err := ws.committedAs(ctx, path, sel, most)
	p.Windows += looked
	p.never = len(all) == 0
	return all, err
}

// identify says which of the equal regions of t the address means, as far as its origins show it.
func (ws *Workspace) identify(ctx context.Context, t *Text, sel anchors.Selector, origins []origin, p *outcome) {
	var proven []anchors.Span
	var gone *origin
	unknown := len(p.caps) > len(origins)
	for i := range origins {
		o := &origins[i]
		span, retained := ws.whereabouts(ctx, t, o)
		switch {
		case !retained:
			unknown = true
		case span.Len() == 0:
			if gone == nil {
				gone = o
			}
		case !slices.Contains(proven, span):
			proven = append(proven, span)
		}
	}
	switch {
	case len(proven) > 0:
		// Where several versions disagree, the newest is the likeliest: it was wrong for 23 in 1,000 spans of one line
		// in flask's history, the nearest copy for 48.
		p.Span, p.Outcome = proven[0], anchors.Relocated
		if p.Span == sel.Span {
			p.Outcome = anchors.Verified
		}
		if len(proven) == 1 && gone == nil && !unknown {
			p.identity = identityProven
		}
	case unknown:
	case len(proven) == 0 && gone != nil && sel.Len() > 1 && ws.single(ctx, t, gone) && tells(gone):
		// The lines that it consists of went other ways, and as a whole it stands once here and stood once
		// in each version: a block that was moved and around which too much changed to say so.
	case len(proven) == 0 && gone != nil:
		p.origin, p.twin = gone, p.Span
		p.Resolution = anchors.Resolution{Checked: p.Checked, Windows: p.Windows, Complete: true}
		p.identity = ""
	}
}

// whereabouts is where the lines of an origin are in t: the zero span when they are gone, false when the origin's
// bytes are not retained. The map goes through the versions that the daemon saw between. Where one of them lost the
// lines, because it was read half-written or the lines were taken out and put back, the direct map may know them, as long
// as there never was a second copy that could be taken for them.
func (ws *Workspace) whereabouts(ctx context.Context, t *Text, o *origin) (anchors.Span, bool) {
	if o.blob == t.Blob {
		ws.seen(ctx, t)
		return o.span, true
	}
	stepwise, direct := ws.descent(ctx, t, o)
	if o.lines = stepwise; o.lines == nil {
		return anchors.Span{}, false
	}
	span, whole := stepwise.Span(o.span)
	if !whole && direct != stepwise {
		if span, whole = direct.Span(o.span); whole {
			whole = ws.single(ctx, t, o)
		}
	}
	if !whole {
		return anchors.Span{}, true
	}
	// Two lines may be made to have one digest: what the map found is compared as a whole.
	now := t.Table.Known(span)
	if now.Full != o.known.Full || o.known.Text != [32]byte{} && now.Text != o.known.Text {
		return anchors.Span{}, true
	}
	return span, true
}

// single says that no version that is held has the content of o twice.
func (ws *Workspace) single(ctx context.Context, t *Text, o *origin) bool {
	for _, table := range append(ws.held(t.Path), ws.load(t.Path, o), t.Table) {
		if table == nil {
			return false
		}
		r := table.Resolve(o.selector(), &o.known, func() bool { return ctx.Err() != nil })
		if r.Copies > 1 || !r.Complete {
			return false
		}
	}
	return true
}

// tells says whether an origin has enough to be known by.
func tells(o *origin) bool {
	line, _ := o.telling()
	return line != ""
}
