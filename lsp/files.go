package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
	"ctxd/daemon"
)

type renameFilesParams struct {
	Files []struct {
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`
}

func (p *renameFilesParams) check() error {
	if p.Files == nil {
		return invalid("files are missing")
	}
	return nil
}

// willRename gives the edits with which anchored addresses in the workspace go on naming a file that is renamed, and
// with which imports do that are shown to name it. They are edits of the files as they are now, under their old names.
func (at *moment) willRename(ctx context.Context, p renameFilesParams) (any, error) {
	moves := map[*folder]map[string]string{} // new paths by old ones
	for _, r := range p.Files {
		f, err := at.inFolder(r.OldURI)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		f.close()
		fresh, ok := filePath(r.NewURI)
		if !ok {
			return nil, invalid("%s is no file", r.NewURI)
		}
		if rel, ok := f.folder.rel(fresh); ok { // else it leaves the folder, and its addresses end
			if moves[f.folder] == nil {
				moves[f.folder] = map[string]string{}
			}
			moves[f.folder][f.path] = rel
		}
	}
	var all *protocol.WorkspaceEdit
	for _, folder := range at.folders {
		if moves[folder] == nil {
			continue
		}
		edit, err := at.renamed(ctx, folder, moves[folder])
		if err != nil {
			return nil, err
		}
		switch {
		case all == nil:
			all = edit
		case edit != nil:
			all.DocumentChanges = append(all.DocumentChanges, edit.DocumentChanges...)
			for uri, edits := range edit.Changes {
				all.Changes[uri] = append(all.Changes[uri], edits...)
			}
		}
	}
	if all == nil {
		return nil, nil
	}
	return all, nil
}

// renamed are the edits in one folder, in which files or directories get other paths; nil when there are none.
func (at *moment) renamed(ctx context.Context, folder *folder, moves map[string]string) (*protocol.WorkspaceEdit, error) {
	ws, release, err := folder.workspace(at.s.d)
	if err != nil {
		return nil, err
	}
	f := &file{at: at, folder: folder, ws: ws, done: release, mappers: mappers{}}
	defer f.close()
	edits := map[string][]protocol.TextEdit{}
	done := map[place]bool{}
	for _, old := range daemon.Innermost(moves) {
		if err := f.readdress(ctx, old, moves[old], edits, done); err != nil {
			return nil, err
		}
	}
	imports, err := ws.Respell(ctx, moves)
	if err != nil {
		return nil, err
	}
	for _, r := range imports {
		name := r.Text.Path
		edits[name] = append(edits[name], protocol.TextEdit{Range: f.mapper(r.Text).span(r.Start, r.End), NewText: r.New})
	}
	if len(edits) == 0 {
		return nil, nil
	}
	for _, list := range edits {
		slices.SortStableFunc(list, func(a, b protocol.TextEdit) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
		})
	}
	return f.workspaceEdit(edits), nil
}

// readdress adds the edits of the addresses that name one file, or what is below one directory, but for those that are done.
func (f *file) readdress(ctx context.Context, old, fresh string, edits map[string][]protocol.TextEdit, done map[place]bool) error {
	seen := map[string]bool{}
	for after := ""; ; {
		r, err := f.ws.Search(ctx, wire.SearchParams{Patterns: []string{wire.RepoRef(old)}, Limit: 1000, After: after})
		if err != nil {
			return err
		}
		for _, row := range r.Matches {
			name := wire.Exact(row.Path, row.PathBase64)
			if seen[name] {
				continue
			}
			seen[name] = true
			t, _, err := f.ws.Describe(ctx, name)
			if nothing(err) != nil {
				return err
			} else if err != nil {
				continue
			}
			m := f.mapper(t)
			for _, a := range daemon.Mentions(t.Src()) {
				path := wire.DecodePath(strings.TrimPrefix(string(t.Src()[a.Start:a.RefEnd]), "repo:"))
				at := place{name, a.Start, a.RefEnd}
				if rest, ok := strings.CutPrefix(path, old); ok && !done[at] && (rest == "" || rest[0] == '/') {
					done[at] = true
					edits[name] = append(edits[name], protocol.TextEdit{Range: m.span(a.Start, a.RefEnd), NewText: wire.RepoRef(fresh + rest)})
				}
			}
		}
		if after = r.Next; after == "" {
			return nil
		}
	}
}
