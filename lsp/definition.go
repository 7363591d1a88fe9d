package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/index"
)

// mostCandidates is how many definitions are listed where all that is known is the name.
const mostCandidates = 100

// definition is what a name is defined as: of a function that is declared apart, the one with a body.
func (at *moment) definition(ctx context.Context, p docPosition) (any, error) {
	return at.meaning(ctx, p, at.s.client.TextDocument.Definition.LinkSupport, daemon.Found.HasBody)
}

// declaration is the definition, but where a language declares it apart from that.
func (at *moment) declaration(ctx context.Context, p docPosition) (any, error) {
	return at.meaning(ctx, p, at.s.client.TextDocument.Declaration.LinkSupport, func(d daemon.Found) bool { return !d.HasBody() })
}

// meaning lists the definitions of what stands at a position, those that are preferred.
func (at *moment) meaning(ctx context.Context, p docPosition, links bool, prefer func(daemon.Found) bool) (any, error) {
	return at.jump(ctx, p, links, func(f *file, offset int) ([]daemon.Found, *daemon.Meaning, error) {
		m, err := f.ws.Means(ctx, f.path, offset)
		if m == nil || err != nil {
			return nil, nil, err
		}
		return preferred(m, prefer), m, nil
	})
}

// preferred are those definitions of a bound name that are preferred; all where there are none.
func preferred(m *daemon.Meaning, prefer func(daemon.Found) bool) []daemon.Found {
	found := m.Definitions
	if m.Tier != wire.TierName && len(found) > 1 && slices.ContainsFunc(found, prefer) {
		found = slices.DeleteFunc(slices.Clone(found), func(d daemon.Found) bool { return !prefer(d) })
	}
	return found
}

func (at *moment) typeDefinition(ctx context.Context, p docPosition) (any, error) {
	return at.jump(ctx, p, at.s.client.TextDocument.TypeDefinition.LinkSupport, func(f *file, offset int) ([]daemon.Found, *daemon.Meaning, error) {
		found, err := f.ws.TypeAt(ctx, f.path, offset)
		return found, nil, err
	})
}

func (at *moment) implementation(ctx context.Context, p docPosition) (any, error) {
	return at.jump(ctx, p, at.s.client.TextDocument.Implementation.LinkSupport, func(f *file, offset int) ([]daemon.Found, *daemon.Meaning, error) {
		found, err := f.ws.Implementations(ctx, f.path, offset)
		return found, nil, err
	})
}

// jump answers with the definitions that find gives: as links where the client takes them, else as locations.
func (at *moment) jump(ctx context.Context, p docPosition, links bool, find func(*file, int) ([]daemon.Found, *daemon.Meaning, error)) (any, error) {
	f, t, offset, err := at.asked(ctx, p)
	if f == nil || err != nil {
		return []protocol.Location{}, err
	}
	defer f.close()
	found, m, err := find(f, offset)
	if err != nil {
		return []protocol.Location{}, nothing(err)
	}
	found = found[:min(len(found), mostCandidates)]
	if !links {
		out := make([]protocol.Location, 0, len(found))
		for _, d := range found {
			out = append(out, f.location(d.Text, int(d.Def.NameStart), int(d.Def.NameEnd)))
		}
		return out, nil
	}
	out := make([]protocol.LocationLink, 0, len(found))
	for _, d := range found {
		to := f.mapper(d.Text)
		link := protocol.LocationLink{
			TargetURI: f.uriOf(d.Text.Path), TargetRange: to.span(int(d.Def.Start), int(d.Def.End)),
			TargetSelectionRange: to.span(int(d.Def.NameStart), int(d.Def.NameEnd)),
		}
		if m != nil {
			origin := f.mapper(t).span(m.Start, m.End)
			link.OriginSelectionRange = &origin
		}
		out = append(out, link)
	}
	return out, nil
}

type referenceParams struct {
	docPosition
	Context *struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// references lists the places that are bound to what stands at a position, and then those that may be. LSP has no place
// for the tier: ctx/refs on the same connection tells it.
func (at *moment) references(ctx context.Context, p referenceParams) (any, error) {
	f, _, offset, err := at.asked(ctx, p.docPosition)
	if f == nil || err != nil {
		return []protocol.Location{}, err
	}
	defer f.close()
	defer at.progress(ctx, p.WorkDoneToken, f.ws)()
	u, err := f.ws.UsesAt(ctx, f.path, offset, "")
	if u == nil || err != nil {
		return []protocol.Location{}, nothing(err)
	}
	declarations := p.Context == nil || p.Context.IncludeDeclaration
	out := make([]protocol.Location, 0, len(u.Sites)+len(u.Definitions))
	if declarations {
		for _, d := range u.Definitions {
			out = append(out, f.location(d.Text, int(d.Def.NameStart), int(d.Def.NameEnd)))
		}
	}
	for _, bound := range []bool{true, false} {
		for _, x := range u.Sites {
			if (x.Tier != wire.TierName) == bound && !u.Declares(x) && (declarations || x.Role != index.Declaration) {
				out = append(out, f.location(x.Text, x.Start, x.End))
			}
		}
	}
	return out, nil
}

// highlight marks the same name in one file; what only may be the same is marked as text.
func (at *moment) highlight(ctx context.Context, p docPosition) (any, error) {
	f, _, offset, err := at.asked(ctx, p)
	if f == nil || err != nil {
		return []protocol.DocumentHighlight{}, err
	}
	defer f.close()
	u, err := f.ws.UsesAt(ctx, f.path, offset, f.path)
	if u == nil || err != nil {
		return []protocol.DocumentHighlight{}, nothing(err)
	}
	out := []protocol.DocumentHighlight{}
	for _, d := range u.Definitions {
		if d.Text.Path == f.path {
			out = append(out, protocol.DocumentHighlight{Range: f.mapper(d.Text).span(int(d.Def.NameStart), int(d.Def.NameEnd)), Kind: protocol.DocumentHighlightKindWrite})
		}
	}
	for _, x := range u.Sites {
		if u.Declares(x) {
			continue
		}
		out = append(out, protocol.DocumentHighlight{Range: f.mapper(x.Text).span(x.Start, x.End), Kind: highlightKind(x)})
	}
	return out, nil
}

func highlightKind(x daemon.Site) protocol.DocumentHighlightKind {
	switch {
	case x.Tier == wire.TierName:
		return protocol.DocumentHighlightKindText
	case x.Writes():
		return protocol.DocumentHighlightKindWrite
	}
	return protocol.DocumentHighlightKindRead
}
