package daemon

import (
	"maps"
	"slices"
	"sync"
)

// outdated are the files of which an answer met other bytes than its snapshot has. Most were written a moment ago, and the next look
// finds that by itself. Of some nothing tells (see package watch): a write through a memory map causes no event, and every answer that
// rests on the file would be made again until it is refused. The next look reads them.
type outdated struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (o *outdated) add(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.paths == nil {
		o.paths = map[string]bool{}
	}
	o.paths[path] = true
}

// take gives the files, sorted, once.
func (o *outdated) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	paths := slices.Sorted(maps.Keys(o.paths))
	o.paths = nil
	return paths
}

// moved is errMoved of an answer that met other bytes of the file at path than its snapshot has.
func (ws *Workspace) moved(path string) error {
	ws.outdated.add(path)
	return errMoved
}
