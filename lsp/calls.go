package lsp

import (
	"cmp"
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/index"
)

// callItem is CallHierarchyItem, with the data that finds it again.
type callItem struct {
	protocol.CallHierarchyItem
	Data *symbolData `json:"data,omitempty"`
}

type callItemParams struct {
	Item *callItem `json:"item"`
}

func (p *callItemParams) check() error {
	if p.Item == nil || p.Item.URI == "" || p.Item.Data == nil {
		return invalid("the item is none that prepareCallHierarchy gave: uri or data is missing")
	}
	return nil
}

// item makes the item of a definition.
func (f *file) item(d daemon.Found) callItem {
	m := f.mapper(d.Text)
	i := slices.Index(d.Facts.Defs, d.Def)
	return callItem{
		CallHierarchyItem: protocol.CallHierarchyItem{
			Name: named(d.Def), Kind: symbolKind(d.Def.Kind), Detail: d.Def.Container, URI: f.uriOf(d.Text.Path),
			Range: m.span(int(d.Def.Start), int(d.Def.End)), SelectionRange: m.span(int(d.Def.NameStart), int(d.Def.NameEnd)),
		},
		Data: &symbolData{Symbol: d.Def.Qualified(), Nth: nth(d.Facts, max(i, 0))},
	}
}

func (at *moment) prepareCalls(ctx context.Context, p docPosition) (any, error) {
	f, _, offset, err := at.asked(ctx, p)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.close()
	m, err := f.ws.Means(ctx, f.path, offset)
	if m == nil || err != nil {
		return nil, nothing(err)
	}
	var out []callItem
	for _, d := range preferred(m, daemon.Found.HasBody) {
		if d.Facts != nil && len(out) < mostCandidates {
			out = append(out, f.item(d))
		}
	}
	if out == nil {
		return nil, nil
	}
	return out, nil
}

// find is the definition of an item as it is now.
func (at *moment) find(ctx context.Context, item *callItem) (*file, daemon.Found, error) {
	f, err := at.inFolder(string(item.URI))
	if f == nil || err != nil {
		return nil, daemon.Found{}, err
	}
	t, facts, err := f.ws.Describe(ctx, f.path)
	if err == nil {
		if d := item.Data.in(facts); d != nil {
			return f, daemon.Found{Text: t, Facts: facts, Def: *d}, nil
		}
		err = failure(codeContentModified, "%s is no longer in %s", item.Data.Symbol, f.path)
	}
	f.close()
	return nil, daemon.Found{}, err
}

// incomingCalls lists who calls an item, as far as the binding is shown: a name that may be another's is no call.
func (at *moment) incomingCalls(ctx context.Context, p callItemParams) (any, error) {
	f, d, err := at.find(ctx, p.Item)
	if f == nil || err != nil {
		return []protocol.CallHierarchyIncomingCall{}, nothing(err)
	}
	defer f.close()
	u, err := f.ws.UsesAt(ctx, d.Text.Path, int(d.Def.NameStart), "")
	if u == nil || err != nil {
		return []protocol.CallHierarchyIncomingCall{}, nothing(err)
	}
	type incoming struct {
		From       callItem         `json:"from"`
		FromRanges []protocol.Range `json:"fromRanges"`
	}
	type caller struct {
		text *daemon.Text
		def  index.Def
	}
	out := []*incoming{}
	known := map[caller]*incoming{}
	for _, x := range u.Sites {
		if x.Role != index.Call || x.Tier == wire.TierName {
			continue
		}
		def, ok := daemon.Enclosing(x.Facts, x.Start, x.End)
		if !ok {
			continue // a statement of the module itself: there is no item for it
		}
		who := caller{x.Text, def}
		if known[who] == nil {
			known[who] = &incoming{From: f.item(daemon.Found{Text: x.Text, Facts: x.Facts, Def: def})}
			out = append(out, known[who])
		}
		known[who].FromRanges = append(known[who].FromRanges, f.mapper(x.Text).span(x.Start, x.End))
	}
	return out, nil
}

// outgoingCalls lists what an item calls, as far as the binding is shown.
func (at *moment) outgoingCalls(ctx context.Context, p callItemParams) (any, error) {
	f, d, err := at.find(ctx, p.Item)
	if f == nil || err != nil {
		return []protocol.CallHierarchyOutgoingCall{}, nothing(err)
	}
	defer f.close()
	calls, err := f.ws.CallsFrom(ctx, d.Text.Path, int(d.Def.Start), int(d.Def.End))
	if err != nil {
		return []protocol.CallHierarchyOutgoingCall{}, nothing(err)
	}
	type outgoing struct {
		To         callItem         `json:"to"`
		FromRanges []protocol.Range `json:"fromRanges"`
	}
	out := []outgoing{}
	bodies := map[index.Range]bool{} // places where something with a body is called
	for _, c := range calls {
		for _, r := range c.Places {
			bodies[r] = bodies[r] || c.Target.HasBody()
		}
	}
	for _, c := range calls {
		if !c.Target.HasBody() && !slices.ContainsFunc(c.Places, func(r index.Range) bool { return !bodies[r] }) {
			continue // the prototype of what is called
		}
		row := outgoing{To: f.item(c.Target)}
		m := f.mapper(c.From)
		for _, r := range c.Places {
			row.FromRanges = append(row.FromRanges, m.span(int(r.Start), int(r.End)))
		}
		out = append(out, row)
	}
	slices.SortStableFunc(out, func(a, b outgoing) int { return cmp.Compare(a.FromRanges[0].Start.Line, b.FromRanges[0].Start.Line) })
	return out, nil
}
