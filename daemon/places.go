package daemon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

// What a face asks that shows places in an editor: by path and byte offset, answered with the texts that the offsets
// are of. No addresses are minted before Mint is called, for most places are only jumped to.

// Found is one definition, in the text that it was found in.
type Found struct {
	Text  *Text
	Facts *index.File // of that text; nil: a local variable, which is none of its definitions
	Def   index.Def
}

// HasBody says that it is more than a declaration without a body, as a prototype is one.
func (f Found) HasBody() bool {
	src := f.Text.Src()
	return int(f.Def.End) <= len(src) && f.Def.End > f.Def.Start && src[f.Def.End-1] == '}'
}

// distinct are definitions, each once, in the order in which they were found.
type distinct struct{ all []Found }

func (x *distinct) add(d Found) {
	if !slices.ContainsFunc(x.all, func(o Found) bool { return o.Text.Path == d.Text.Path && o.Def.NameStart == d.Def.NameStart }) {
		x.all = append(x.all, d)
	}
}

// Site is one place that refers to something. Tier is that of wire.Reference.
type Site struct {
	Text       *Text
	Facts      *index.File
	Start, End int
	Tier       string
	Role       index.Role
	Name       string
}

// Meaning is what a name at a position is defined as, and how sure that is.
type Meaning struct {
	Name        string
	Start, End  int // of the name at the position
	Definitions []Found
	// Tier is local or import where the syntax shows the binding; name: these are all definitions of the name.
	Tier string
	// Outside: it is bound to something that is not in the workspace.
	Outside bool
}

// Uses are all references to what a position means.
type Uses struct {
	Definitions []Found
	Sites       []Site
	// Unsure: nothing shows what the position means, so every site of the name is a candidate.
	Unsure    bool
	Elsewhere int // places of the name that are bound to something else
	Hidden    int // sites in files that the policy keeps back
}

// Describe gives a file's text with what it defines, of one generation. The facts of what cannot be parsed are empty.
func (ws *Workspace) Describe(ctx context.Context, path string) (*Text, *index.File, error) {
	if err := ws.look(); err != nil {
		return nil, nil, err
	}
	t, err := ws.text(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	facts, _ := ws.facts(ctx, ws.snapshot(ctx), t)
	return t, facts, nil
}

// Mint gives the two addresses of lines of t, as any answer's; note says what there is to say of them.
func (ws *Workspace) Mint(t *Text, span anchors.Span) (*wire.Captured, *wire.Live, string) {
	out, note := ws.mint(t, span)
	return out[0].captured, out[0].live, note
}

// Means says what the name at an offset of a file is defined as; nil when there is no name.
func (ws *Workspace) Means(ctx context.Context, path string, offset int) (*Meaning, error) {
	return upToDate(ctx, ws, asking{}, func(snap *Snapshot) (*Meaning, error) {
		t, err := ws.text(ctx, path)
		if err != nil {
			return nil, err
		}
		return ws.means(ctx, snap, t, offset)
	})
}

// means is Means of an offset of a text that was read already.
func (ws *Workspace) means(ctx context.Context, snap *Snapshot, t *Text, offset int) (*Meaning, error) {
	path := t.Path
	facts, problem := ws.facts(ctx, snap, t)
	if err := ws.undefinable(path, t, facts, problem); err != nil {
		return nil, err
	}
	if i := nameAt(facts, uint32(offset)); i >= 0 {
		d := facts.Defs[i]
		m := &Meaning{Name: d.Name, Start: int(d.NameStart), End: int(d.NameEnd), Tier: wire.TierLocal, Definitions: []Found{{t, facts, d}}}
		if ref := refAt(facts, d.Name, uint32(offset)); ref != nil && declaresTwice(facts.Language) {
			s := &refSearch{ws: ws, ctx: ctx}
			if err := s.look(snap, t); err != nil {
				return nil, err
			}
			hits, err := s.declared(t, facts, *ref, d.Name, []index.Symbol{{Path: path, Def: i}})
			if err != nil {
				return nil, err
			}
			if m.Definitions, err = ws.found(ctx, s.snap, hits); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	name, start := identifierFrom(t.Src(), offset)
	if name == "" {
		return nil, nil
	}
	m := &Meaning{Name: name, Start: start, End: start + len(name), Tier: wire.TierLocal}
	ref := refAt(facts, name, uint32(offset))
	if ref == nil {
		if local := localAt(placeOf(t, offset), t, offset); local != nil {
			m.Definitions = []Found{{Text: t, Def: local[0].facts.Defs[0]}}
			return m, nil
		}
	} else {
		s := &refSearch{ws: ws, ctx: ctx}
		if err := s.look(snap, t); err != nil {
			return nil, err
		}
		found, verdict := s.resolver.Resolve(path, facts, *ref, name)
		switch err := s.end(); {
		case err != nil:
			return nil, err
		case verdict == index.Bound:
			if slices.ContainsFunc(found, func(x index.Symbol) bool { return x.Path != path }) {
				m.Tier = wire.TierImport
			}
			hits, err := s.declared(t, facts, *ref, name, found)
			if err == nil {
				m.Definitions, err = ws.found(ctx, s.snap, hits)
			}
			return m, err
		case verdict == index.Elsewhere && ref.Via.Root != index.RootFree:
			m.Outside = true
			return m, nil
		}
	}
	m.Tier = wire.TierName
	later, hits, err := ws.defsNamed(ctx, snap, name)
	if err == nil {
		m.Definitions, err = ws.found(ctx, later, hits)
	}
	return m, err
}

// identifierFrom is the identifier that covers offset, or ends there, and where it starts.
func identifierFrom(src []byte, offset int) (name string, start int) {
	name = identifierAt(src, offset)
	if name == "" {
		return "", 0
	}
	from := max(0, offset-len(name))
	return name, from + strings.Index(string(src[from:min(len(src), offset+len(name))]), name)
}

// placeOf is an offset as a line and a column.
func placeOf(t *Text, offset int) *place {
	line := t.Table.LineAt(offset)
	return &place{path: t.Path, line: line, last: line, col: offset - t.Table.LineStart(line) + 1}
}

// found reads the files of hits; where one is no longer what the hit was found in, it is looked for again in what
// stands there now.
func (ws *Workspace) found(ctx context.Context, snap *Snapshot, hits []hit) ([]Found, error) {
	var all []Found
	for _, h := range hits {
		t, err := ws.text(ctx, h.path)
		switch refusal(err) {
		case wire.NotFound, wire.PathDenied:
			continue
		}
		if err != nil {
			return nil, err
		}
		if t.Blob == h.blob {
			all = append(all, Found{t, h.facts, h.facts.Defs[h.def]})
			continue
		}
		facts, _ := ws.facts(ctx, snap, t)
		for _, i := range h.again(t, facts) {
			all = append(all, Found{t, facts, facts.Defs[i]})
		}
	}
	return all, nil
}

// UsesAt finds what refers to the name at an offset of a file; below restricts it to a file or a directory, "" does
// not. Nil: there is no name.
func (ws *Workspace) UsesAt(ctx context.Context, path string, offset int, below string) (*Uses, error) {
	var names []string
	return upToDate(ctx, ws, asking{sought: mentioned(&names)}, func(snap *Snapshot) (u *Uses, err error) {
		t, err := ws.text(ctx, path)
		if err != nil {
			return nil, err
		}
		u, names, err = ws.usesAt(ctx, snap, t, offset, below)
		return u, err
	})
}

// usesAt is UsesAt of an offset of a text that was read already; names are those that it looked for in the tree.
func (ws *Workspace) usesAt(ctx context.Context, snap *Snapshot, t *Text, offset int, below string) (u *Uses, names []string, err error) {
	facts, _ := ws.facts(ctx, snap, t)
	if name, _ := identifierFrom(t.Src(), offset); name == "" && nameAt(facts, uint32(offset)) < 0 {
		return nil, nil, nil
	}
	s := &refSearch{ws: ws, ctx: ctx, snap: snap, of: t, below: below}
	sites, err := s.sites(query{at: placeOf(t, offset)})
	if err != nil {
		return nil, nil, err
	}
	u, err = s.uses(sites)
	return u, s.words(), err
}

// uses reads the files of sites. All must still be what the sites were found in.
func (s *refSearch) uses(sites []site) (*Uses, error) {
	u := &Uses{Unsure: s.unsure, Elsewhere: s.other}
	for _, h := range s.hits {
		t, err := s.ws.text(s.ctx, h.path)
		if err != nil {
			return nil, err
		}
		if !s.stands(h, t) {
			return nil, s.ws.moved(h.path)
		}
		if h.def < 0 {
			d := h.facts.Defs[0]
			d.Kind, d.Container = index.Variable, ""
			d.Start, d.End, d.SigStart, d.SigEnd = d.NameStart, d.NameEnd, d.NameStart, d.NameEnd
			u.Definitions = append(u.Definitions, Found{Text: t, Def: d})
			continue
		}
		u.Definitions = append(u.Definitions, Found{t, h.facts, h.facts.Defs[h.def]})
	}
	texts := map[string]*Text{}
	for _, x := range sites {
		t, read := texts[x.path]
		if !read {
			var err error
			t, err = s.ws.text(s.ctx, x.path)
			switch refusal(err) {
			case "":
				if err != nil {
					return nil, err
				}
			case wire.PathDenied:
				t = nil
			case wire.NotFound:
				return nil, s.ws.moved(x.path)
			default:
				return nil, err
			}
			if f := s.snap.file(x.path); t != nil && f != nil && f.blob() != t.Blob {
				return nil, s.ws.moved(x.path)
			}
			texts[x.path] = t
		}
		if t == nil {
			u.Hidden++
			continue
		}
		if int(x.ref.End) > len(t.Src()) || string(t.Src()[x.ref.Start:x.ref.End]) != x.name {
			continue
		}
		u.Sites = append(u.Sites, Site{Text: t, Facts: x.facts, Start: int(x.ref.Start), End: int(x.ref.End), Tier: x.tier, Role: x.ref.Role, Name: x.name})
	}
	slices.SortStableFunc(u.Sites, func(a, b Site) int {
		return cmp.Or(strings.Compare(a.Text.Path, b.Text.Path), cmp.Compare(a.Start, b.Start))
	})
	return u, nil
}

// Enclosing is the innermost definition of facts around [start, end) whose name is not at start; false: none.
func Enclosing(facts *index.File, start, end int) (index.Def, bool) {
	if facts == nil {
		return index.Def{}, false
	}
	best := -1
	for i := range facts.Defs {
		d := &facts.Defs[i]
		if int(d.Start) > start {
			break
		}
		if end <= int(d.End) && int(d.NameStart) != start {
			best = i
		}
	}
	if best < 0 {
		return index.Def{}, false
	}
	return facts.Defs[best], true
}

// CallsFrom finds what is called within [start, end) of a file, as far as the syntax shows what that is: each with its
// places.
func (ws *Workspace) CallsFrom(ctx context.Context, path string, start, end int) ([]Call, error) {
	return upToDate(ctx, ws, asking{}, func(snap *Snapshot) ([]Call, error) {
		t, err := ws.text(ctx, path)
		if err != nil {
			return nil, err
		}
		return ws.callsFrom(ctx, snap, t, start, end)
	})
}

// callsFrom is CallsFrom of a part of a text that was read already.
func (ws *Workspace) callsFrom(ctx context.Context, snap *Snapshot, t *Text, start, end int) ([]Call, error) {
	facts, _ := ws.facts(ctx, snap, t)
	s := &refSearch{ws: ws, ctx: ctx}
	if err := s.look(snap, t); err != nil {
		return nil, err
	}
	places := map[index.Symbol][]index.Range{}
	for ref := range facts.AllRefs() {
		if ref.Role != index.Call || int(ref.Start) < start || int(ref.End) > end || int(ref.End) > len(t.Src()) {
			continue
		}
		found, verdict := s.resolver.Resolve(t.Path, facts, ref, string(t.Src()[ref.Start:ref.End]))
		if verdict != index.Bound {
			continue
		}
		for _, x := range found {
			places[x] = append(places[x], index.Range{Start: ref.Start, End: ref.End})
		}
	}
	var all []Call
	for x, at := range places {
		targets, err := ws.found(ctx, s.snap, s.hitsOf([]index.Symbol{x}))
		if err != nil {
			return nil, err
		}
		slices.SortFunc(at, func(a, b index.Range) int { return cmp.Compare(a.Start, b.Start) })
		for _, target := range targets {
			all = append(all, Call{Target: target, From: t, Places: at})
		}
	}
	slices.SortFunc(all, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Places[0].Start, b.Places[0].Start), strings.Compare(a.Target.Text.Path, b.Target.Text.Path), cmp.Compare(a.Target.Def.Start, b.Target.Def.Start))
	})
	return all, s.end()
}

// Call is what a definition calls, and where.
type Call struct {
	Target Found
	From   *Text
	Places []index.Range
}

// Unread lists the files that should have been looked through for a name and could not: they are not parsed, and hold
// it somewhere.
func (ws *Workspace) Unread(ctx context.Context, name string) ([]string, error) {
	return upToDate(ctx, ws, asking{}, func(snap *Snapshot) (found []string, err error) {
		if snap.unparsed == 0 {
			return nil, nil
		}
		for _, f := range snap.files {
			if !f.unparsed() {
				continue
			}
			t, err := ws.text(ctx, f.Path)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil || index.Mentions(f.Path, t.Src(), []byte(name)) {
				found = append(found, f.Path)
			}
		}
		return found, nil
	})
}

// Declares says whether a site is the name of one of the definitions themselves.
func (u *Uses) Declares(x Site) bool {
	return slices.ContainsFunc(u.Definitions, func(d Found) bool { return d.Text.Path == x.Text.Path && int(d.Def.NameStart) == x.Start })
}

// Writes says whether something is assigned to the name there.
func (x Site) Writes() bool { return x.Role == index.Write || x.Role == index.Declaration }

// Pending is how many files of the worktree are not parsed yet, of how many.
func (ws *Workspace) Pending() (pending, files int) {
	snap := ws.cur.Load()
	return max(0, snap.pending-int(ws.uncommitted.Load())), len(snap.files)
}

// Sync brings the index up to date with everything that was written before.
func (ws *Workspace) Sync(ctx context.Context) error { return ws.sync(ctx) }

// Mention is one live anchored address in a text, as ctx check finds them. Offsets are bytes.
type Mention struct {
	Start, End int
	RefEnd     int    // of its reference, which begins at Start
	Address    string // in the form that can be handed back
}

// Mentions finds the addresses in a text, but for those that are marked as examples.
func Mentions(src []byte) []Mention {
	found := mentions(src)
	if len(found) == 0 {
		return nil
	}
	kept, _ := unmarked(anchors.NewTable(src), found)
	all := make([]Mention, 0, len(kept))
	for _, m := range kept {
		all = append(all, Mention{m.start, m.end, m.refEnd, m.address})
	}
	return all
}
