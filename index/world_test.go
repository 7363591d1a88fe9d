package index

import (
	"path"
	"slices"

	"github.com/rogpeppe/go-internal/txtar"
)

// archiveWorld is a World of the files in an archive.
type archiveWorld struct {
	paths []string // sorted
	bytes map[string][]byte
	built map[string]*File
}

func newArchiveWorld(a *txtar.Archive) *archiveWorld {
	w := &archiveWorld{bytes: map[string][]byte{}, built: map[string]*File{}}
	for _, f := range a.Files {
		if f.Name != "want" {
			w.paths = append(w.paths, f.Name)
			w.bytes[f.Name] = unescape(f.Data)
		}
	}
	slices.Sort(w.paths)
	return w
}

func (w *archiveWorld) File(p string) *File {
	src, ok := w.bytes[p]
	if !ok {
		return nil
	}
	if w.built[p] == nil {
		w.built[p] = Build(p, src)
	}
	return w.built[p]
}

func (w *archiveWorld) Dir(dir string) []string {
	return w.those(func(p string) bool { return dirOf(p) == dir })
}

func (w *archiveWorld) Named(base string) []string {
	return w.those(func(p string) bool { return path.Base(p) == base })
}

func (w *archiveWorld) those(keep func(string) bool) (found []string) {
	for _, p := range w.paths {
		if keep(p) {
			found = append(found, p)
		}
	}
	return found
}

func (w *archiveWorld) Read(p string) []byte { return w.bytes[p] }
