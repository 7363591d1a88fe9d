package daemon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// An address that is rewritten changes the line that it stands in, and another address may anchor that line: it would be
// lost by the fix. So a fix goes on to every address whose content it changes, until nothing else is changed, and each
// gets the anchor of its lines as they will be. The order is that of dependence: an anchor is made when all addresses in
// its lines are. What depends on itself has no such anchor (but for one that is searched for, in 2^32 steps), and is left
// alone with all that stands in its lines.

// fixing is the plan of one fix.
type fixing struct {
	*check
	targets map[string][]*citation // by the path that they name, those that are not lost
	frozen  map[*citation]string   // what must stay as it is, and why
	gaveUp  map[*document]bool     // these as a whole
	edits   map[*citation]*edit    // those that were written, and those of the plan
}

// edit is how one address is rewritten. The number of lines stays.
type edit struct {
	of      *citation
	ref     string  // "": it stays
	sel     string  // "" until it is known
	needs   []*edit // of addresses that stand in the lines of this one
	needed  []*edit
	waiting int // needs without a sel
}

// fix rewrites what moved, file by file. A file that was changed by somebody else in between is left alone, and so is
// what depends on it.
func (c *check) fix(ctx context.Context) error {
	f := &fixing{check: c, targets: map[string][]*citation{}, frozen: map[*citation]string{}, gaveUp: map[*document]bool{}, edits: map[*citation]*edit{}}
	for _, a := range c.all {
		if a.outcome.Lines != nil && a.outcome.Outcome != wire.Lost {
			f.targets[f.target(a)] = append(f.targets[f.target(a)], a)
		}
		if a.outcome.Outcome == wire.Relocated && a.outcome.Copies > 1 && a.outcome.Identity == identityContent {
			f.frozen[a] = "not fixed: several regions have this content, and nothing shows which one is meant; write the one that is"
		}
	}
	// Before anything is written: what somebody changed meanwhile is known then, and what depends on it left alone.
	for _, e := range f.plan() {
		if err := c.ws.unchanged(ctx, e.of.doc); err != nil && !f.gaveUp[e.of.doc] {
			f.giveUp(e.of.doc, err)
		}
	}
	for {
		doc := f.next(f.plan())
		if doc == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.write(ctx, doc); err != nil {
			f.giveUp(doc, err)
			for _, a := range c.all {
				if a.doc == doc && f.edits[a] != nil { // what it names may have been rewritten already
					a.unfixed, a.note = true, f.frozen[a]
				}
			}
		}
	}
	for _, a := range c.all {
		if why := f.frozen[a]; why != "" && a.outcome.Outcome == wire.Relocated {
			a.unfixed, a.note = true, why
		}
	}
	return f.verify(ctx)
}

// giveUp leaves a document as it is.
func (f *fixing) giveUp(doc *document, err error) {
	f.gaveUp[doc] = true
	for _, a := range f.all {
		if a.doc == doc {
			f.frozen[a] = "not fixed: " + err.Error()
		}
	}
}

// unchanged is an error when a document is not what was read, or when an editor has it open with changes that its next
// save would put over the fix.
func (ws *Workspace) unchanged(ctx context.Context, doc *document) error {
	t, err := ws.Under(nil).text(ctx, doc.path)
	switch {
	case err != nil:
		return err
	case ws.editors.modified(ws.Root, t):
		return refusePath(wire.EditConflict, doc.path, nil, "%s is open and modified in an editor: save it, or discard the changes, and fix it then", wire.RepoRef(doc.path))
	case t.Blob != doc.blob:
		return conflict(doc.path)
	}
	return nil
}

// target is the path that an address names, as it is.
func (f *fixing) target(a *citation) string {
	return wire.Exact(a.outcome.Path, a.outcome.PathBase64)
}

// plan settles what is rewritten, and how, in an order in which each edit follows those that it needs.
func (f *fixing) plan() []*edit {
	for {
		order, ok := f.closure()
		if ok {
			return order
		}
	}
}

// closure is one attempt of plan; false when it froze something more.
func (f *fixing) closure() (order []*edit, ok bool) {
	var work []*edit
	for a, e := range f.edits { // those that were written stay
		if !a.doc.written {
			delete(f.edits, a)
		} else {
			e.needed, e.needs = nil, nil
			work = append(work, e)
		}
	}
	add := func(a *citation) *edit {
		e := f.edits[a]
		if e == nil {
			e = &edit{of: a}
			f.edits[a] = e
			work = append(work, e)
		}
		return e
	}
	for _, a := range f.all {
		if a.outcome.Outcome == wire.Relocated && a.outcome.Live != nil && f.frozen[a] == "" {
			add(a)
		}
	}
	for len(work) > 0 {
		e := work[0]
		work = work[1:]
		for _, around := range f.targets[e.of.doc.path] {
			l := *around.outcome.Lines
			if l[1] < e.of.lines.First || e.of.lines.Last < l[0] {
				continue
			}
			if around.doc.written && f.edits[around] == nil || f.frozen[around] != "" && e.of.doc.written {
				continue
			}
			if f.frozen[around] != "" {
				f.frozen[e.of] = "not fixed: it stands in lines that " + around.at() + " anchors, and that one cannot be rewritten"
				return nil, false
			}
			outer := add(around)
			outer.needs, e.needed = append(outer.needs, e), append(e.needed, outer)
		}
	}
	return f.ordered()
}

// ordered gives every edit its selector, in the order of dependence.
func (f *fixing) ordered() (order []*edit, ok bool) {
	var ready []*edit
	left := 0
	for _, a := range f.all {
		e := f.edits[a]
		if e == nil || a.doc.written {
			continue
		}
		left++
		e.waiting = 0
		for _, need := range e.needs {
			if !need.of.doc.written {
				e.waiting++
			}
		}
		if e.waiting == 0 {
			ready = append(ready, e)
		}
	}
	for len(ready) > 0 {
		e := ready[0]
		ready = ready[1:]
		left--
		e.settle(f)
		order = append(order, e)
		for _, outer := range e.needed {
			if outer.of.doc.written {
				continue
			}
			if outer.waiting--; outer.waiting == 0 {
				ready = append(ready, outer)
			}
		}
	}
	if left == 0 {
		return order, true
	}
	for _, a := range f.all {
		if e := f.edits[a]; e != nil && e.waiting > 0 && !a.doc.written && f.circular(e) {
			f.frozen[a] = "not fixed: it stands in lines whose anchor would change its own"
		}
	}
	return nil, false
}

// circular says whether an edit needs itself.
func (f *fixing) circular(e *edit) bool {
	seen := map[*edit]bool{}
	work := slices.Clone(e.needs)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == e {
			return true
		}
		if !seen[n] {
			seen[n] = true
			work = append(work, n.needs...)
		}
	}
	return false
}

// settle makes the new selector: that of the address as it was resolved, with the anchor of its lines as they will be.
func (e *edit) settle(f *fixing) {
	a := e.of
	l := *a.outcome.Lines
	sel := anchors.Selector{Span: anchors.Span{First: l[0], Last: l[1]}, Anchored: true}
	old, err := anchors.ParseSelector(string(a.doc.table.Source()[a.selStart:a.selEnd]))
	if err != nil {
		return // it was one when it was found
	}
	sel.Anchor = old.Anchor
	if live := a.outcome.Live; live != nil {
		to := wire.ParseAddress(live.Address)
		if now, err := anchors.ParseSelector(to.Lines); err == nil {
			sel = now
		}
		if from, err := f.ws.path(wire.ParseAddress(a.address).Ref, ""); err != nil || wire.RepoRef(from) != to.Ref {
			e.ref = to.Ref
		}
	}
	if len(e.needs) > 0 {
		sel.Anchor = e.needs[0].of.doc.anchor(sel.Span, f.edits)
	}
	e.sel = sel.String()
}

// anchor is that of lines of the document once edits are made.
func (d *document) anchor(span anchors.Span, edits map[*citation]*edit) anchors.Anchor {
	start, end := d.table.Content(span)
	t := anchors.NewTable(d.edited(start, end, edits))
	return t.Digest(anchors.Span{First: 1, Last: t.Len()}).Anchor()
}

// edited is a part of the document with edits made.
func (d *document) edited(start, end int, edits map[*citation]*edit) []byte {
	type splice struct {
		start, end int
		text       string
	}
	var splices []splice
	for a, e := range edits {
		if a.doc != d || e.sel == "" {
			continue
		}
		for _, s := range []splice{{a.start, a.refEnd, e.ref}, {a.selStart, a.selEnd, e.sel}} {
			if s.text != "" && start <= s.start && s.end <= end { // an address may stand on two lines
				splices = append(splices, s)
			}
		}
	}
	slices.SortFunc(splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	src := d.table.Source()
	var out bytes.Buffer
	for _, s := range splices {
		out.Write(src[start:s.start])
		out.WriteString(s.text)
		start = s.end
	}
	out.Write(src[start:end])
	return out.Bytes()
}

// next is the document to write: one that nothing unwritten is needed for, if there is one.
func (f *fixing) next(order []*edit) *document {
	var first *document
	waits := map[*document]bool{}
	for _, e := range order {
		if first == nil {
			first = e.of.doc
		}
		for _, need := range e.needs {
			if need.of.doc != e.of.doc && !need.of.doc.written {
				waits[e.of.doc] = true
			}
		}
	}
	for _, e := range order {
		if !waits[e.of.doc] {
			return e.of.doc
		}
	}
	return first
}

// write replaces one document.
func (f *fixing) write(ctx context.Context, doc *document) error {
	text := doc.edited(0, len(doc.table.Source()), f.edits)
	if err := f.ws.replace(ctx, doc.path, doc.blob, text); err != nil {
		return err
	}
	doc.written = true
	for a, e := range f.edits {
		if a.doc == doc {
			ref := e.ref
			if ref == "" {
				ref = string(doc.table.Source()[a.start:a.refEnd])
			}
			a.fixed = ref + " --lines " + e.sel
		}
	}
	return nil
}

// verify looks at what was written: each fixed address is resolved, and remembered with its full digest.
func (f *fixing) verify(ctx context.Context) error {
	var fixed []*citation
	var addresses []string
	spans := map[string][]anchors.Span{}
	for _, a := range f.all {
		if a.fixed == "" {
			continue
		}
		fixed = append(fixed, a)
		addresses = append(addresses, a.fixed)
	}
	outcomes, err := f.ws.outcomes(ctx, addresses, "")
	if err != nil {
		return err
	}
	for i, a := range fixed {
		o := outcomes[i]
		if o.Outcome != wire.Verified || o.Lines == nil {
			a.note = "written, and no longer true: the lines that it names were changed meanwhile; run it again"
			continue
		}
		path := wire.Exact(o.Path, o.PathBase64)
		spans[path] = append(spans[path], anchors.Span{First: o.Lines[0], Last: o.Lines[1]})
	}
	for path, s := range spans {
		if t, err := f.ws.text(ctx, path); err == nil && s[len(s)-1].Last <= t.Table.Len() {
			f.ws.mint(t, slices.DeleteFunc(s, func(s anchors.Span) bool { return s.Last > t.Table.Len() })...)
		}
	}
	return ctx.Err()
}

// at is where an address stands, as it is printed.
func (f *citation) at() string {
	return fmt.Sprintf("%s:L%d", wire.RepoRef(f.doc.path), f.lines.First)
}
