package daemon

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"ctxd/index"
)

// Respelled is an edit of one import statement: New takes the place of the bytes [Start, End) of Text, which is the file as it is now.
type Respelled struct {
	Text       *Text
	Start, End int
	New        string
}

// Respell lists the edits after which imports name the same files when files have moved; to has their new paths by
// their old ones, each of a file or of a directory; what is moved on its own does not move with its directory. Only what the
// resolver of imports shows to be a path to one of them is edited, and only where it shows that the new path is one, too: see
// index.Respellings.
func (ws *Workspace) Respell(ctx context.Context, to map[string]string) ([]Respelled, error) {
	return upToDate(ctx, ws, asking{}, func(*Snapshot) ([]Respelled, error) {
		snap, err := ws.whole(ctx)
		if err != nil {
			return nil, err
		}
		files := snap.below(to)
		if len(files) == 0 {
			return nil, nil
		}
		w := ws.world(ctx, snap)
		before, after := index.NewResolver(w), index.NewResolver(index.Moved(w, files))
		stems := stemsOf(files)
		var all []Respelled
		for _, f := range snap.files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if _, moves := files[f.Path]; f.Facts == nil || len(f.Facts.Imports) == 0 || !moves && !importsSome(&f.Facts.File, stems) {
				continue
			}
			t, err := ws.text(ctx, f.Path)
			if refusal(err) != "" {
				continue // kept back, or gone
			}
			if err != nil {
				return nil, err
			}
			if t.Blob != f.blob() {
				return nil, ws.moved(f.Path)
			}
			for _, r := range index.Respellings(before, after, files, f.Path, &f.Facts.File, t.Src()) {
				all = append(all, Respelled{t, int(r.Start), int(r.End), r.Text})
			}
		}
		if w.torn {
			return nil, errMoved
		}
		return all, nil
	})
}

// below are the files that move when what to names does.
func (s *Snapshot) below(to map[string]string) map[string]string {
	files := map[string]string{}
	for _, old := range Innermost(to) {
		fresh := to[old]
		i, _ := slices.BinarySearchFunc(s.files, old, func(f *File, p string) int { return strings.Compare(f.Path, p) })
		for ; i < len(s.files) && strings.HasPrefix(s.files[i].Path, old); i++ {
			rest := s.files[i].Path[len(old):]
			if _, known := files[s.files[i].Path]; !known && (rest == "" || rest[0] == '/') {
				files[s.files[i].Path] = fresh + rest
			}
		}
	}
	return files
}

// Innermost lists the old paths of moves so that what is moved on its own comes before the directory that it is in.
func Innermost(to map[string]string) []string {
	return slices.SortedFunc(maps.Keys(to), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
}

// stemsOf are the names by which imports may know files: without extension, and of those that stand for their directory
// its name; "" stands for one that dots alone may name.
func stemsOf(files map[string]string) map[string]bool {
	stems := map[string]bool{}
	for file := range files {
		stem, _, _ := strings.Cut(path.Base(file), ".")
		stems[stem] = true
		if stem == "index" || stem == "__init__" {
			stems[path.Base(path.Dir(file))], stems[""] = true, true
		}
	}
	return stems
}

// importsSome says whether an import of a file may name one of those with such a stem.
func importsSome(f *index.File, stems map[string]bool) bool {
	for i := range f.Imports {
		m := &f.Imports[i]
		for part := range strings.FieldsFuncSeq(m.Path+"/"+m.Name, func(r rune) bool { return strings.ContainsRune("/.<>:", r) }) {
			if stems[part] {
				return true
			}
		}
		if stems[""] && strings.Trim(m.Path, "./") == "" {
			return true
		}
	}
	return false
}
