package daemon

import (
	"cmp"
	"slices"
	"strings"

	"ctxd/client/wire"
	"ctxd/index"
)

// file outlines one file: all of its definitions when the budget takes them, without their signatures if need be; else
// those that matter most, and the others in the parts that follow. Only these need to know what matters, and so
// all files of the worktree.
func (m *mapping) file() (*wire.MapResult, error) {
	t, err := m.ws.text(m.ctx, m.path)
	if err != nil {
		return nil, err
	}
	facts, problem := m.ws.facts(m.ctx, m.snap, t)
	if err := m.ws.undefinable(m.path, t, facts, problem); err != nil {
		return nil, err
	}
	f := &File{Path: m.path, Stat: t.Stat, Facts: &Facts{File: *facts, Blob: t.Blob}}
	all := make([]int, len(facts.Defs))
	for i := range all {
		all[i] = i
	}
	if m.after == 0 && m.digest == "" {
		if res := m.outlined(f, t, all, nil); res != nil {
			return res, nil
		}
	}
	snap, err := m.ws.whole(m.ctx)
	if err != nil {
		return nil, err
	}
	m.snap = snap
	w, err := m.ws.weigh(m.ctx, snap)
	if err != nil {
		return nil, err
	}
	if known := snap.file(m.path); known != nil && (known.Facts == nil || known.blob() != t.Blob) && !known.Link {
		return nil, m.ws.moved(m.path)
	}
	return m.outlinedIn(f, t, w.ofFile(snap, m.path, len(all)))
}

// fileWeights are the weights of one file.
type fileWeights struct {
	defs     []uint32
	imported uint32
}

// ofFile gives the weights of a file; those of one that is not listed, a link, are 0.
func (w *weights) ofFile(snap *Snapshot, name string, defs int) *fileWeights {
	i, ok := slices.BinarySearchFunc(snap.files, name, func(f *File, p string) int { return strings.Compare(f.Path, p) })
	if !ok || int(w.starts[i+1]-w.starts[i]) != defs {
		return &fileWeights{defs: make([]uint32, defs)}
	}
	return &fileWeights{w.defs[w.starts[i]:w.starts[i+1]], w.imported[i]}
}

// outlined is the outline of defs, whole; nil when the budget does not take it.
func (m *mapping) outlined(f *File, t *Text, defs []int, w *fileWeights) *wire.MapResult {
	for _, terse := range []bool{false, true} {
		p := m.outlinePart(f, t, w)
		p.res.Omitted, p.res.Next, p.res.Terse = wire.MapCount{}, "", terse
		p.measure()
		if fits := p.nest(f, t, defs, w); fits == len(defs) {
			return p.finish()
		}
	}
	return nil
}

// outlinedIn is the part of an outline that goes on after what was shown.
func (m *mapping) outlinedIn(f *File, t *Text, w *fileWeights) (*wire.MapResult, error) {
	list := make([]int, len(w.defs))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(w.defs[b], w.defs[a]) })
	digest := uint32(2166136261)
	for _, i := range list {
		digest = (digest ^ uint32(i)) * 16777619
	}
	note := m.moved(digest)
	rest := list[min(m.after, len(list)):]
	p := m.outlinePart(f, t, w)
	p.res.Terse, p.res.Note = true, note
	p.res.Kinds = kinds(f.Facts.Defs, rest)
	p.res.Next = mapNext(len(list), digest)
	p.measure()
	rest = rest[p.nest(f, t, rest, w):]
	p.res.Omitted, p.res.Kinds = wire.MapCount{Symbols: len(rest)}, kinds(f.Facts.Defs, rest)
	if len(rest) == 0 {
		p.res.Next = ""
	} else {
		p.res.Next = mapNext(len(list)-len(rest), digest)
	}
	return p.finish(), m.ctx.Err()
}

func (m *mapping) outlinePart(f *File, t *Text, w *fileWeights) *part {
	total := wire.MapCount{Files: 1, Symbols: len(f.Facts.Defs)}
	p := m.newPart(total, "")
	imported := uint32(0)
	if w != nil {
		imported = w.imported
	}
	p.res.Files = append(p.res.Files, mapFile(f, imported))
	p.res.Files[0].Problem = ""
	p.texts, p.facts = []*Text{t}, []*index.File{&f.Facts.File}
	p.at[f.Path] = 0
	return p
}

// nest takes definitions in their order as long as they fit, and says how many did. A definition is shown below
// its container when that is shown too.
func (p *part) nest(f *File, t *Text, defs []int, w *fileWeights) int {
	taken := 0
	for _, def := range defs {
		weight := uint32(0)
		if w != nil {
			weight = w.defs[def]
		}
		row := entry(t, &f.Facts.File, def, weight)
		// Where it will stand depends on what else is taken: as long as it can get.
		deepest := row
		deepest.Depth = strings.Count(row.Container, ".") + 1
		need := max(shown(p.res.EntryLine(&row, p.params.Anchors)), shown(p.res.EntryLine(&deepest, p.params.Anchors)))
		if !p.fits(need) {
			break
		}
		p.picks = append(p.picks, pick{0, def, row})
		taken++
	}
	p.arrange(f.Facts.Defs)
	return taken
}

// arrange puts each pick behind the one that contains it, by its name or, of several of that name, by its place.
func (p *part) arrange(defs []index.Def) {
	slices.SortFunc(p.picks, func(a, b pick) int { return a.def - b.def })
	named := map[string][]int{}
	for i := range p.picks {
		name := defs[p.picks[i].def].Qualified()
		named[name] = append(named[name], i)
	}
	top := len(p.picks)
	inside := make([][]int, top+1)
	for i := range p.picks {
		d, parent := &defs[p.picks[i].def], top
		if d.Container != "" {
			for k, outer := range named[d.Container] {
				if o := &defs[p.picks[outer].def]; k == 0 || o.Start <= d.Start && d.End <= o.End {
					parent = outer
				}
			}
		}
		inside[parent] = append(inside[parent], i)
	}
	ordered := make([]pick, 0, len(p.picks))
	var place func(parent, depth int)
	place = func(parent, depth int) { // ends: a container's name is shorter than what it contains
		for _, i := range inside[parent] {
			x := p.picks[i]
			x.row.Depth = depth
			ordered = append(ordered, x)
			place(i, depth+1)
		}
	}
	place(top, 0)
	p.picks = ordered
}

// kinds counts definitions by kind, the most frequent first.
func kinds(defs []index.Def, of []int) []wire.MapKind {
	counts := map[index.Kind]int{}
	for _, i := range of {
		counts[defs[i].Kind]++
	}
	var all []wire.MapKind
	for k, n := range counts {
		all = append(all, wire.MapKind{Kind: k.String(), Count: n})
	}
	slices.SortFunc(all, func(a, b wire.MapKind) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Kind, b.Kind)) })
	return all
}
