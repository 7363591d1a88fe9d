package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// The commands.
const (
	commandCopy    = "ctx.copyAddress"
	commandOpen    = "ctx.open"
	commandResolve = "ctx.resolve"
)

var commandNames = []string{commandCopy, commandOpen, commandResolve}

// The kinds of actions: those that change nothing, and corrections.
const (
	actionSource = "source.ctx"
	actionFix    = "quickfix"
)

type actionParams struct {
	docRange
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// wants says whether the client asks for actions of a kind: for all, for it, or for one that it is part of.
func (p *actionParams) wants(kind string) bool {
	return p.Context.Only == nil || slices.ContainsFunc(p.Context.Only, func(only string) bool {
		return only == "" || kind == only || strings.HasPrefix(kind, only+".")
	})
}

// codeAction offers the address of the selection, and the corrected address where one moved.
func (at *moment) codeAction(ctx context.Context, p actionParams) (any, error) {
	out := []any{}
	f, m, err := at.scribbled(ctx, p.uri())
	if f == nil || err != nil {
		return out, err
	}
	defer f.close()
	start, end, ok := m.bytesOf(*p.Range)
	if !ok {
		return nil, invalid("the range ends before it starts")
	}
	add := func(title, command string, argument any) {
		if !p.wants(actionSource) {
			return
		}
		c := protocol.Command{Title: title, Command: command, Arguments: []any{argument}}
		if at.s.client.TextDocument.CodeAction.Literals == nil {
			out = append(out, c)
			return
		}
		out = append(out, protocol.CodeAction{Title: title, Kind: actionSource, Command: &c})
	}
	if f.path != "" {
		add("Copy address", commandCopy, docPlace{URI: p.uri(), Range: p.Range})
	}
	all, err := addresses(ctx, f.ws, m.src)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.end < start || end < a.start {
			continue
		}
		add("Open "+a.text, commandOpen, a.text)
		add("Resolve "+a.text, commandResolve, a.text)
		if a.now.Outcome == wire.Relocated && a.now.Live != nil && at.s.client.TextDocument.CodeAction.Literals != nil && p.wants(actionFix) {
			edit := protocol.TextEdit{Range: m.span(a.start, a.end), NewText: a.now.Live.Address}
			out = append(out, protocol.CodeAction{Title: "Update address to " + a.now.Live.Address, Kind: actionFix,
				Edit: &protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{protocol.DocumentURI(p.uri()): {edit}}}})
		}
	}
	return out, nil
}

type commandParams struct {
	Command   *string           `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

func (p *commandParams) check() error {
	if p.Command == nil {
		return invalid("command is missing")
	}
	return nil
}

// docPlace is the argument of ctx.copyAddress: a range, or a position, whose definition is meant.
type docPlace struct {
	URI      string             `json:"uri"`
	Range    *protocol.Range    `json:"range,omitempty"`
	Position *protocol.Position `json:"position,omitempty"`
}

// executeCommand runs ctx.copyAddress {uri, range|position}, which answers with the addresses of these lines;
// ctx.open ADDRESS, which shows where its content is now; and ctx.resolve ADDRESS…, which says what became of each.
func (at *moment) executeCommand(ctx context.Context, p commandParams) (any, error) {
	switch *p.Command {
	case commandCopy:
		var where docPlace
		if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &where) != nil || where.Range == nil && where.Position == nil {
			return nil, invalid("%s takes one argument: {uri, range} or {uri, position}", commandCopy)
		}
		return at.copyAddress(ctx, where)
	case commandOpen, commandResolve:
		var asked []string
		for _, raw := range p.Arguments {
			var a string
			if json.Unmarshal(raw, &a) != nil {
				return nil, invalid("%s takes addresses, such as \"repo:m.py --lines 4:5@07407f1c\"", *p.Command)
			}
			asked = append(asked, a)
		}
		if len(asked) == 0 || *p.Command == commandOpen && len(asked) > 1 {
			return nil, invalid("%s takes an address, such as \"repo:m.py --lines 4:5@07407f1c\"", *p.Command)
		}
		if *p.Command == commandOpen {
			return at.open(ctx, asked[0])
		}
		ws, done, err := at.Workspace("")
		if err != nil {
			return nil, err
		}
		defer done()
		return ws.Resolve(ctx, wire.ResolveParams{Addresses: asked})
	}
	return nil, invalid("unknown command %s", *p.Command)
}

// copied is the answer to ctx.copyAddress.
type copied struct {
	Address  string `json:"address"`            // live
	Captured string `json:"captured,omitempty"` // span
	Note     string `json:"note,omitempty"`
}

func (at *moment) copyAddress(ctx context.Context, where docPlace) (any, error) {
	f, err := at.inFolder(where.URI)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, failure(codeRequestFailed, "%s is in no workspace folder: it has no address", where.URI)
	}
	defer f.close()
	t, _, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		return nil, err
	}
	if t.Table.Len() == 0 {
		return nil, failure(codeRequestFailed, "the file is empty: it has no line that could be addressed")
	}
	m := f.mapper(t)
	var span anchors.Span
	if where.Range != nil {
		start, end, ok := m.bytesOf(*where.Range)
		if !ok {
			return nil, invalid("the range ends before it starts")
		}
		span = f.linesOf(t, start, end)
	} else {
		offset := m.offsetOf(*where.Position)
		means, err := f.ws.Means(ctx, f.path, offset)
		if nothing(err) != nil {
			return nil, err
		}
		span = f.linesOf(t, offset, offset)
		if means != nil && len(means.Definitions) > 0 && means.Tier != wire.TierName {
			d := means.Definitions[0]
			t, span = d.Text, f.linesOf(d.Text, int(d.Def.Start), int(d.Def.End))
		}
	}
	captured, live, note := f.ws.Mint(t, span)
	c := copied{Address: live.Address, Note: note}
	if captured != nil {
		c.Captured = captured.Address
	}
	return c, nil
}

// open shows where the content of an address is now, in the first folder that has it, and answers with that place. One
// that is lost in all is refused.
func (at *moment) open(ctx context.Context, address string) (any, error) {
	refused := failure(codeRequestFailed, "no workspace folder is open: there is nothing that an address could name")
	for _, folder := range at.folders {
		ws, done, err := folder.workspace(at.s.d)
		if err != nil {
			return nil, err
		}
		f := &file{at: at, folder: folder, ws: ws, done: done, mappers: mappers{}}
		defer f.close()
		r, err := ws.Resolve(ctx, wire.ResolveParams{Addresses: []string{address}})
		if err != nil {
			return nil, err
		}
		o := r.Outcomes[0]
		if o.Error == nil && o.Lines != nil {
			return f.show(ctx, o)
		}
		if folder == at.folders[0] {
			refused = failure(codeRequestFailed, "%s", advice(o))
		}
	}
	return nil, refused
}

// show shows the lines of an outcome in the client, if it can, and gives their place.
func (f *file) show(ctx context.Context, o wire.Outcome) (any, error) {
	f.path = wire.Exact(o.Path, o.PathBase64)
	t, _, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		return nil, err
	}
	last := o.Lines[1]
	place := f.location(t, t.Table.LineStart(o.Lines[0]), t.Table.LineStart(last)+len(t.Table.Line(last)))
	if f.at.s.client.Window.ShowDocument.Support {
		show := map[string]any{"uri": place.URI, "selection": place.Range, "takeFocus": true}
		if err := f.at.s.peer.Call(ctx, "window/showDocument", show, nil); err != nil {
			return nil, fmt.Errorf("the client does not show %s: %w", f.path, err)
		}
	}
	return place, nil
}
