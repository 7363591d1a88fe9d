package lsp

import (
	"context"
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

// willRename gives the edits with which anchored addresses in the workspace go on naming a file that is renamed. What a
// file imports is not edited: that a path of an import is this file is shown, but not how its language would write the new.
func (at *moment) willRename(ctx context.Context, p renameFilesParams) (any, error) {
	var all *protocol.WorkspaceEdit
	for _, r := range p.Files {
		f, err := at.inFolder(r.OldURI)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		edit, err := f.renamed(ctx, r.NewURI)
		f.close()
		if err != nil {
			return nil, err
		}
		if edit == nil {
			continue
		}
		if all == nil {
			all = edit
			continue
		}
		all.DocumentChanges = append(all.DocumentChanges, edit.DocumentChanges...)
		for uri, edits := range edit.Changes {
			all.Changes[uri] = append(all.Changes[uri], edits...)
		}
	}
	if all == nil {
		return nil, nil
	}
	return all, nil
}

// renamed are the edits for one file, or for what is below one directory; nil when there are none.
func (f *file) renamed(ctx context.Context, newURI string) (*protocol.WorkspaceEdit, error) {
	p, ok := filePath(newURI)
	if !ok {
		return nil, invalid("%s is no file", newURI)
	}
	fresh, ok := f.folder.rel(p)
	if !ok {
		return nil, nil // it leaves the folder, and its addresses end
	}
	old := wire.RepoRef(f.path)
	edits := map[string][]protocol.TextEdit{}
	for after := ""; ; {
		r, err := f.ws.Search(ctx, wire.SearchParams{Patterns: []string{old}, Limit: 1000, After: after})
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, row := range r.Matches {
			name := wire.Exact(row.Path, row.PathBase64)
			if seen[name] || edits[name] != nil {
				continue
			}
			seen[name] = true
			t, _, err := f.ws.Describe(ctx, name)
			if nothing(err) != nil {
				return nil, err
			} else if err != nil {
				continue
			}
			m := f.mapper(t)
			for _, a := range daemon.Mentions(t.Src()) {
				path := wire.DecodePath(strings.TrimPrefix(string(t.Src()[a.Start:a.RefEnd]), "repo:"))
				rest, below := strings.CutPrefix(path, f.path+"/")
				switch {
				case path == f.path:
					edits[name] = append(edits[name], protocol.TextEdit{Range: m.span(a.Start, a.RefEnd), NewText: wire.RepoRef(fresh)})
				case below:
					edits[name] = append(edits[name], protocol.TextEdit{Range: m.span(a.Start, a.RefEnd), NewText: wire.RepoRef(fresh + "/" + rest)})
				}
			}
		}
		if after = r.Next; after == "" {
			break
		}
	}
	if len(edits) == 0 {
		return nil, nil
	}
	return f.workspaceEdit(edits), nil
}
