package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
)

// mostAddresses is how many addresses of one document are followed.
const mostAddresses = 10_000

// address is one in a text, with what has become of it.
type address struct {
	start, end int
	text       string // in the form that can be handed back
	now        wire.Outcome
}

// addresses finds the addresses in a text and follows them in ws.
func addresses(ctx context.Context, ws *daemon.Workspace, src []byte) ([]address, error) {
	var all []address
	var asked []string
	found := daemon.Mentions(src)
	for _, m := range found[:min(len(found), mostAddresses)] {
		all = append(all, address{start: m.Start, end: m.End, text: m.Address})
		asked = append(asked, m.Address)
	}
	if len(all) == 0 {
		return nil, nil
	}
	r, err := ws.Resolve(ctx, wire.ResolveParams{Addresses: asked})
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].now = r.Outcomes[i]
	}
	return all, nil
}

// scribbled is the text of a document in any place, and the folder in which its addresses count: its own, else the first.
func (at *moment) scribbled(ctx context.Context, uri string) (*file, *mapper, error) {
	f, err := at.file(uri)
	if f == nil || err != nil {
		return nil, nil, err
	}
	if f.ws != nil {
		t, _, err := f.ws.Describe(ctx, f.path)
		if err != nil {
			f.close()
			return nil, nil, nothing(err)
		}
		return f, f.mapper(t), nil
	}
	if len(at.folders) == 0 {
		return nil, nil, nil
	}
	f.folder = at.folders[0]
	if f.ws, f.done, err = f.folder.workspace(at.s.d); err != nil {
		return nil, nil, err
	}
	return f, newMapper(f.doc.lines, at.s.encoding), nil
}

// documentLink makes each address a link to where its content is now. A lost one is none: it is a diagnostic.
func (at *moment) documentLink(ctx context.Context, p docID) (any, error) {
	out := []protocol.DocumentLink{}
	f, m, err := at.scribbled(ctx, p.uri())
	if f == nil || err != nil {
		return out, err
	}
	defer f.close()
	all, err := addresses(ctx, f.ws, m.src)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.now.Outcome != wire.Verified && a.now.Outcome != wire.Relocated || a.now.Lines == nil {
			continue
		}
		out = append(out, protocol.DocumentLink{Range: m.span(a.start, a.end), Target: f.linkTo(a.now), Tooltip: tooltip(a.now)})
	}
	return out, nil
}

// linkTo is the URI of the lines of an outcome, in the form that editors understand: #L4.
func (f *file) linkTo(o wire.Outcome) protocol.DocumentURI {
	return f.uriOf(wire.Exact(o.Path, o.PathBase64)) + protocol.DocumentURI(fmt.Sprintf("#L%d", o.Lines[0]))
}

func tooltip(o wire.Outcome) string {
	if o.Outcome == wire.Relocated {
		return fmt.Sprintf("moved: L%d:%d → L%d:%d (content unchanged)", o.From[0], o.From[1], o.Lines[0], o.Lines[1])
	}
	return fmt.Sprintf("L%d:%d (verified)", o.Lines[0], o.Lines[1])
}

// advice is what a lost address's refusal says.
func advice(o wire.Outcome) string {
	if o.Error == nil {
		return "the address cannot be resolved"
	}
	text := o.Error.Message
	if o.Error.Became != nil {
		text += "\nbecame " + o.Error.Became.String()
	}
	for _, try := range o.Error.Suggestions {
		if !strings.Contains(text, try) {
			text += "\ntry: " + try
		}
	}
	return text
}
