package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
)

// place is a range of one file.
type place struct {
	path       string
	start, end int
}

// renaming is every place that a rename would change, each known to be the same symbol.
type renaming struct {
	name       string
	at         place // that was asked about
	definition place // the first definition's name
	places     []place
	texts      map[string]*daemon.Text
}

// renames finds what a rename at a position would change; nil where there is no name. It is refused where a place that
// has the name could be the same symbol and nothing shows whether it is: to rename it could be as wrong as not to.
func (f *file) renames(ctx context.Context, offset int) (*renaming, error) {
	m, err := f.ws.Means(ctx, f.path, offset)
	if err != nil || m == nil {
		return nil, err
	}
	u, err := f.ws.UsesAt(ctx, f.path, offset, "")
	if err != nil && !m.Outside || err == nil && u == nil {
		return nil, err
	}
	if local := err == nil && len(u.Definitions) > 0 && u.Definitions[0].Facts == nil; m.Outside || local {
		may := false
		if local {
			if may, err = f.renamesAlias(ctx, u.Definitions[0], m.Outside); err != nil {
				return nil, err
			}
		}
		if !may {
			return nil, failure(codeRequestFailed, "%s is the name of something outside the workspace, or of a module: it cannot be renamed here", m.Name)
		}
	}
	if u.Unsure || len(u.Definitions) == 0 {
		return nil, failure(codeRequestFailed, "nothing shows what %s is bound to here: it is not renamed on the strength of its name", m.Name)
	}
	r := &renaming{name: u.Definitions[0].Def.Name, at: place{f.path, m.Start, m.End}, texts: map[string]*daemon.Text{}}
	add := func(t *daemon.Text, start, end int) {
		if string(t.Src()[start:end]) == r.name {
			r.places = append(r.places, place{t.Path, start, end})
			r.texts[t.Path] = t
		}
	}
	for i, d := range u.Definitions {
		if i == 0 {
			r.definition = place{d.Text.Path, int(d.Def.NameStart), int(d.Def.NameEnd)}
		}
		add(d.Text, int(d.Def.NameStart), int(d.Def.NameEnd))
	}
	for _, x := range u.Sites {
		if x.Tier == wire.TierName {
			line := x.Text.Table.LineAt(x.Start)
			return nil, failure(codeRequestFailed, "%s may be used at %s:%d, where its binding is not shown (tier name, %s): rename it by hand",
				r.name, wire.RepoRef(x.Text.Path), line, others(u))
		}
		add(x.Text, x.Start, x.End)
	}
	if u.Hidden > 0 {
		return nil, failure(codeRequestFailed, "%s is used in files that are kept back by policy (%d times): rename it by hand", r.name, u.Hidden)
	}
	if local := u.Definitions[0].Facts == nil; !local {
		unread, err := f.ws.Unread(ctx, r.name)
		if err != nil {
			return nil, err
		}
		if len(unread) > 0 {
			return nil, failure(codeRequestFailed, "%s stands in %s, which is not parsed (ctx status says why): rename it by hand", r.name, wire.RepoRef(unread[0]))
		}
	}
	slices.SortFunc(r.places, comparePlaces)
	r.places = slices.Compact(r.places)
	if !slices.Contains(r.places, r.at) {
		return nil, failure(codeRequestFailed, "%s is another name for %s here: rename that where it is defined", m.Name, r.name)
	}
	return r, nil
}

// renamesAlias says whether the name of what only this file knows is no other's as well: what an import calls by a name of
// its own may be renamed, but not the path or the name that the import has from elsewhere. outside: it is no variable.
func (f *file) renamesAlias(ctx context.Context, d daemon.Found, outside bool) (bool, error) {
	_, facts, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		return false, err
	}
	variable, aliases, own := !outside, 0, false
	for _, m := range facts.Imports {
		if m.Alias == d.Def.Name {
			aliases++
			own = own || m.AliasStart == d.Def.NameStart && (m.AliasStart != m.Start || m.Name != "" && m.Name != m.Alias)
		}
		variable = variable && (d.Def.NameStart < min(m.Start, m.AliasStart) || max(m.End, m.AliasStart+uint32(len(m.Alias))) <= d.Def.NameStart)
	}
	return variable || own && aliases == 1, nil
}

func comparePlaces(a, b place) int {
	return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.start, b.start))
}

// others says how many places may be the symbol.
func others(u *daemon.Uses) string {
	n := 0
	for _, x := range u.Sites {
		if x.Tier == wire.TierName {
			n++
		}
	}
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func (at *moment) prepareRename(ctx context.Context, p docPosition) (any, error) {
	f, t, offset, err := at.opened(ctx, p) // as for the rename itself: null would say that no name stands there
	if f == nil || err != nil {
		return nil, err
	}
	defer f.close()
	r, err := f.renames(ctx, offset)
	if r == nil || err != nil {
		return nil, err
	}
	return map[string]any{"range": f.mapper(t).span(r.at.start, r.at.end), "placeholder": r.name}, nil
}

type renameParams struct {
	docPosition
	NewName *string `json:"newName"`
}

func (p *renameParams) check() error {
	if p.NewName == nil {
		return invalid("newName is missing")
	}
	return p.docPosition.check()
}

func (at *moment) rename(ctx context.Context, p renameParams) (any, error) {
	f, _, offset, err := at.opened(ctx, p.docPosition) // what cannot be read is refused, and not renamed in silence
	if f == nil || err != nil {
		return nil, err
	}
	defer f.close()
	r, err := f.renames(ctx, offset)
	if r == nil || err != nil {
		return nil, err
	}
	if !isName(*p.NewName, r.name) {
		return nil, failure(codeRequestFailed, "%q is no name", *p.NewName)
	}
	if *p.NewName == r.name {
		return nil, nil
	}
	if err := f.verify(ctx, r, *p.NewName); err != nil {
		return nil, err
	}
	edits := map[string][]protocol.TextEdit{}
	for _, x := range r.places {
		edits[x.path] = append(edits[x.path], protocol.TextEdit{Range: f.mapper(r.texts[x.path]).span(x.start, x.end), NewText: *p.NewName})
	}
	return f.workspaceEdit(edits), nil
}

// isName says whether a name has only characters of names, or of the name that it takes the place of.
func isName(name, old string) bool {
	for i, r := range name {
		if !(r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) && i > 0) && !strings.ContainsRune(old, r) {
			return false
		}
	}
	return name != ""
}

// verify renames in buffers that nobody else sees, and looks whether the same places are then bound to the same
// definition: a name that is taken, or that is a keyword, changes what they mean.
func (f *file) verify(ctx context.Context, r *renaming, name string) error {
	overlay, delta := f.folder.overlay, len(name)-len(r.name)
	var want []place
	definition := r.definition
	for path, t := range r.texts {
		var src []byte
		end, n := 0, 0
		for _, x := range r.places {
			if x.path != path {
				continue
			}
			src = append(append(src, t.Src()[end:x.start]...), name...)
			moved := place{path, x.start + n*delta, x.start + n*delta + len(name)}
			want = append(want, moved)
			if x == r.definition {
				definition = moved
			}
			end = x.end
			n++
		}
		overlay = overlay.With(daemon.NewBuffer(path, append(src, t.Src()[end:]...)))
	}
	ws := f.ws.Under(overlay)
	u, err := ws.UsesAt(ctx, definition.path, definition.start, "")
	if err != nil && nothing(err) != nil {
		return err
	}
	var got []place
	if u != nil {
		for _, d := range u.Definitions {
			got = append(got, place{d.Text.Path, int(d.Def.NameStart), int(d.Def.NameEnd)})
		}
		for _, x := range u.Sites {
			got = append(got, place{x.Text.Path, x.Start, x.End})
		}
	}
	slices.SortFunc(want, comparePlaces)
	slices.SortFunc(got, comparePlaces)
	got = slices.DeleteFunc(slices.Compact(got), func(x place) bool { // aliases keep their names
		return x.end-x.start != len(name)
	})
	for _, x := range want {
		if !slices.Contains(got, x) {
			return failure(codeRequestFailed, "as %q the name would no longer be bound as it is in %s: it is taken, or no name of the language", name, wire.RepoRef(x.path))
		}
	}
	for _, x := range got {
		if !slices.Contains(want, x) {
			return failure(codeRequestFailed, "%q is used in %s already, and would be taken for the same", name, wire.RepoRef(x.path))
		}
	}
	return nil
}

// workspaceEdit is edits by path as the client takes them, with the versions of open documents where it takes those.
func (f *file) workspaceEdit(edits map[string][]protocol.TextEdit) *protocol.WorkspaceEdit {
	var w protocol.WorkspaceEdit
	for path, list := range edits {
		uri := f.uriOf(path)
		if !f.at.s.client.Workspace.WorkspaceEdit.DocumentChanges {
			if w.Changes == nil {
				w.Changes = map[protocol.DocumentURI][]protocol.TextEdit{}
			}
			w.Changes[uri] = list
			continue
		}
		change := protocol.TextDocumentEdit{Edits: list}
		change.TextDocument.URI = uri
		if d := f.at.docs[key(string(uri))]; d != nil {
			version := d.version
			change.TextDocument.Version = &version
		}
		w.DocumentChanges = append(w.DocumentChanges, change)
	}
	slices.SortFunc(w.DocumentChanges, func(a, b protocol.TextDocumentEdit) int {
		return cmp.Compare(a.TextDocument.URI, b.TextDocument.URI)
	})
	return &w
}
