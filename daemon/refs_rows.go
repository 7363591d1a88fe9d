package daemon

import (
	"slices"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/index"
)

// finish makes the answer from the sites that were found. Every file that it cites is read: where one does not hold
// what the sites were found in, the answer is made again.
func (s *refSearch) finish(q query, sites []site, p wire.RefsParams, err error) (*wire.RefsResult, error) {
	if err != nil {
		return nil, err
	}
	res := &wire.RefsResult{
		Target: q.printed(), Engine: engine, Coverage: coverage(s.snap, p.NoSync), Total: len(sites), Elsewhere: s.other,
		Definitions: []wire.Definition{}, References: []wire.Reference{},
	}
	if s.below != "" {
		res.Path = wire.RepoRef(s.below)
	}
	for _, x := range sites {
		switch x.tier {
		case wire.TierLocal:
			res.Tiers.Local++
		case wire.TierImport:
			res.Tiers.Import++
		default:
			res.Tiers.Name++
		}
	}
	for _, name := range s.names {
		if !s.isTargetName(name) && index.Spoken(name) {
			res.Aliases = append(res.Aliases, name)
		}
	}
	slices.Sort(res.Aliases)
	if err := s.definitions(res); err != nil {
		return nil, err
	}
	limit := p.Limit
	if limit <= 0 {
		limit = s.ws.config.Load().Budgets.MaxMatches
	}
	after := min(max(p.After, 0), len(sites))
	end := s.cut(sites, after, after+min(limit, len(sites)-after))
	if end < len(sites) {
		res.Next = end
	}
	return res, s.rows(res, sites[after:end])
}

// maxLine bounds the sites of one line that are kept together: a file may be one line.
const maxLine = 1000

// cut is where a page ends that would end at end: not within the sites of one line, which are one row of text. A page that
// holds but one line holds all of it.
func (s *refSearch) cut(sites []site, after, end int) int {
	best := end
	for best > after && best < len(sites) && s.sameRow(sites[best-1], sites[best]) {
		best--
	}
	if best > after {
		return best
	}
	for end < len(sites) && end > after && end-after < maxLine && s.sameRow(sites[end-1], sites[end]) {
		end++
	}
	return end
}

// sameRow says whether two sites are in one line of one section.
func (s *refSearch) sameRow(a, b site) bool {
	if a.path != b.path || a.def != b.def || a.tier != b.tier {
		return false
	}
	t, err := s.ws.text(s.ctx, a.path)
	return err == nil && int(max(a.ref.End, b.ref.End)) <= len(t.Src()) && t.Table.LineAt(int(a.ref.Start)) == t.Table.LineAt(int(b.ref.Start))
}

// definitions adds the rows of the targets.
func (s *refSearch) definitions(res *wire.RefsResult) error {
	if s.unsure {
		return nil // what stands at the position may be none of them
	}
	for i, h := range s.hits {
		t, err := s.ws.text(s.ctx, h.path)
		if err != nil {
			return err
		}
		if !s.stands(h, t) {
			return s.ws.moved(h.path)
		}
		if h.def < 0 { // a local
			res.Definitions = append(res.Definitions, s.ws.localRow(t, h))
			continue
		}
		res.Definitions = append(res.Definitions, s.ws.rows(t, s.hits[i].facts, []int{h.def})...)
	}
	return nil
}

// rows adds the rows of sites, which lie together by file.
func (s *refSearch) rows(res *wire.RefsResult, sites []site) error {
	for len(sites) > 0 {
		n := 1
		for n < len(sites) && sites[n].path == sites[0].path {
			n++
		}
		t, err := s.ws.text(s.ctx, sites[0].path)
		switch refusal(err) {
		case "":
			if err != nil {
				return err
			}
		case wire.PathDenied: // kept back by policy: it is counted, and not shown
			sites = sites[n:]
			continue
		case wire.NotFound:
			return errMoved
		default:
			return err
		}
		if f := s.snap.file(t.Path); f == nil || f.blob() != t.Blob {
			return s.ws.moved(t.Path)
		}
		group := slices.DeleteFunc(slices.Clone(sites[:n]), func(x site) bool {
			return int(x.ref.End) > len(t.Src()) || string(t.Src()[x.ref.Start:x.ref.End]) != x.name
		})
		res.Total -= n - len(group)
		s.rowsOf(res, t, group)
		sites = sites[n:]
	}
	return nil
}

// rowsOf adds the rows of sites in one file, all from one generation of it.
func (s *refSearch) rowsOf(res *wire.RefsResult, t *Text, sites []site) {
	spans := make([]anchors.Span, len(sites))
	for i, x := range sites {
		spans[i] = spanOf(t.Table, int(x.ref.Start), int(x.ref.End))
	}
	minted, note := s.ws.mint(t, spans...)
	for i, x := range sites {
		row := wire.Reference{
			Path: displayPath(t.Path), PathBase64: exactPath(t.Path), Name: displayPath(x.name),
			Definition: x.def, Tier: x.tier, Role: x.ref.Role.String(), Enclosing: enclosing(x),
			Lines: toLines(spans[i]), Range: s.ws.units.rangeOf(t.Table, int(x.ref.Start), int(x.ref.End)),
			Bytes:    wire.Bytes{int(x.ref.Start), int(x.ref.End)},
			Captured: minted[i].captured, Live: minted[i].live, Note: note,
			Text: head(t.Table.Line(spans[i].First), 512),
		}
		res.References = append(res.References, row)
	}
}

// enclosing is the qualified name of the innermost definition around a site that is not the one it declares.
func enclosing(x site) string {
	if x.facts == nil {
		return ""
	}
	name := ""
	for i := range x.facts.Defs {
		d := &x.facts.Defs[i]
		if d.Start > x.ref.Start {
			break
		}
		if x.ref.End <= d.End && d.NameStart != x.ref.Start {
			name = d.Qualified()
		}
	}
	return name
}

// local is the references to what only the file at a position knows: a local variable, the name that an import gives to a
// module, a field of a type without a name. nil when there is nothing of that kind.
func (s *refSearch) local(at *place) ([]site, error) {
	if at.col == 0 {
		return nil, nil
	}
	t, err := s.asked(at.path)
	if err != nil || at.line > t.Table.Len() {
		return nil, err
	}
	facts, problem := s.ws.facts(s.ctx, s.snap, t)
	if err := s.ws.undefinable(at.path, t, facts, problem); err != nil {
		return nil, err
	}
	offset := at.offset(t)
	name := identifierAt(t.Src(), offset)
	refs, kind := index.Locals(at.path, t.Src(), offset), "local"
	tier := func(index.Ref) string { return wire.TierLocal }
	if ref := refAt(facts, name, uint32(offset)); len(refs) == 0 && ref != nil && nameAt(facts, uint32(offset)) < 0 {
		if refs, kind, err = s.ofFile(t, facts, *ref, name); err != nil {
			return nil, err
		}
		if kind == "field" {
			tier = func(r index.Ref) string { // the field itself is certain; what it is a member of is not
				if r.Role == index.Declaration {
					return wire.TierLocal
				}
				return wire.TierName
			}
		}
	}
	if len(refs) == 0 {
		refs, kind = ofImport(t.Src(), facts, uint32(offset)), "module"
	}
	if len(refs) == 0 {
		return nil, nil
	}
	name = string(t.Src()[refs[0].Start:refs[0].End])
	declared := refs[0]
	var sites []site
	for _, r := range refs {
		if r.Role == index.Declaration && declared.Role != index.Declaration {
			declared = r
		}
		if within(at.path, s.below) && s.wants(tier(r)) {
			x := site{path: at.path, facts: facts, ref: r, name: name, tier: tier(r)}
			if x.tier == wire.TierName {
				x.def = -1
			}
			sites = append(sites, x)
		}
	}
	if kind == "local" && (refAt(facts, name, declared.Start) != nil || refAt(facts, name, uint32(offset)) != nil) {
		s.meaning = name // it is taken from, or put into, a member of its name: { name }
	}
	s.hits = []hit{{path: at.path, blob: t.Blob, facts: &index.File{Defs: []index.Def{{Name: name, Container: kind, NameStart: declared.Start, NameEnd: declared.End}}}, def: -1}}
	s.names = nil
	return sites, nil
}

// ofFile is the references to name in t, where ref is one of an imported module or declares a field of a type
// without a name.
func (s *refSearch) ofFile(t *Text, facts *index.File, ref index.Ref, name string) (refs []index.Ref, kind string, err error) {
	_, verdict, err := s.resolve(t, facts, ref, name)
	switch {
	case err != nil:
		return nil, "", err
	case ref.Via.Root == index.RootAlias && verdict != index.Bound:
		for _, r := range facts.Refs(name) {
			if r.Via == ref.Via {
				refs = append(refs, r)
			}
		}
		return refs, "module", nil
	case ref.Via.Root == index.RootValue && ref.Role == index.Declaration && facts.Language == "go":
		for _, r := range facts.Refs(name) {
			_, verdict := s.resolver.Resolve(t.Path, facts, r, name)
			if r.Start == ref.Start || verdict == index.Member || verdict == index.Open {
				refs = append(refs, r)
			}
		}
		return refs, "field", nil
	}
	return nil, "", nil
}

// ofImport is the references, in one file, to what the import at offset gives a name to; the first is that name in the
// import itself.
func ofImport(src []byte, facts *index.File, offset uint32) []index.Ref {
	for i := range facts.Imports {
		m := &facts.Imports[i]
		if offset < m.Start || m.End < offset || m.Name != "" || m.Alias == "" || m.AliasStart != m.Start {
			continue
		}
		via := index.Via{Root: index.RootAlias, Import: int32(i)}
		var refs []index.Ref
		if start := int(m.End) - len(m.Alias); start >= 0 && int(m.End) <= len(src) && string(src[start:m.End]) == m.Alias {
			refs = append(refs, index.Ref{Start: uint32(start), End: m.End, Role: index.Importing, Via: via})
		}
		for _, r := range facts.Refs(m.Alias) {
			if r.Via == via {
				refs = append(refs, r)
			}
		}
		return refs
	}
	return nil
}

// localRow is the row of a local variable: its name where it is declared first.
func (ws *Workspace) localRow(t *Text, h hit) wire.Definition {
	d := h.facts.Defs[0]
	span := spanOf(t.Table, int(d.NameStart), int(d.NameEnd))
	minted, note := ws.mint(t, span)
	at := ws.units.rangeOf(t.Table, int(d.NameStart), int(d.NameEnd))
	bytes := wire.Bytes{int(d.NameStart), int(d.NameEnd)}
	return wire.Definition{
		Path: displayPath(t.Path), PathBase64: exactPath(t.Path), Name: displayPath(d.Name), Kind: d.Container,
		Signature: clip(t.Table.Line(span.First), 512), Lines: toLines(span), Range: at, SelectionRange: at,
		Bytes: bytes, SelectionBytes: bytes, Captured: minted[0].captured, Live: minted[0].live, Note: note,
	}
}
