package watch

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// linkResolver finds what symbolic links point at; it is opened when the first one is met.
type linkResolver struct {
	root string
	once sync.Once
	dir  *os.Root
}

// resolve is the Stat of the regular file that the link at path (relative to the root) points
// at. Links that leave the root, dangle, loop, or lead to anything but a regular file, or into
// git's own directory, have none. Every step is taken relative to the root's descriptor (os.Root), so
// a link that is swapped meanwhile cannot lead outside. Absolute links are refused even when they
// point back inside: whoever reads the file through os.Root could not open them either.
func (r *linkResolver) resolve(path string) (Stat, bool) {
	r.once.Do(func() { r.dir, _ = os.OpenRoot(r.root) })
	if r.dir == nil {
		return Stat{}, false
	}
	info, err := r.dir.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return Stat{}, false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(r.root, path))
	if err != nil || strings.Contains(real[min(len(r.root), len(real)):]+"/", "/.git/") {
		return Stat{}, false
	}
	return StatInfo(info), true
}

func (r *linkResolver) close() {
	if r.dir != nil {
		r.dir.Close()
	}
}
