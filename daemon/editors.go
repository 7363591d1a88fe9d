package daemon

import "sync"

// editors knows what the clients of the daemon have open, so that whoever reads the disk is told where an editor has
// something else.
type editors struct {
	mu   sync.Mutex
	open map[string]map[any]*Overlay // by root, then by client
}

func newEditors() *editors { return &editors{open: map[string]map[any]*Overlay{}} }

// Announce says what a client has open in ws from now on; nil: nothing. client is any comparable value of its own.
func (ws *Workspace) Announce(client any, o *Overlay) {
	e := ws.editors
	e.mu.Lock()
	defer e.mu.Unlock()
	of := e.open[ws.Root]
	if of == nil {
		of = map[any]*Overlay{}
		e.open[ws.Root] = of
	}
	of[client] = o
	if o == nil || len(o.buffers) == 0 {
		delete(of, client)
	}
	if len(of) == 0 {
		delete(e.open, ws.Root)
	}
}

// modified says whether some client has other bytes of t's file open than t has.
func (e *editors) modified(root string, t *Text) bool {
	var open []*Buffer
	e.mu.Lock()
	for _, o := range e.open[root] {
		if b := o.buffer(t.Path); b != nil {
			open = append(open, b)
		}
	}
	e.mu.Unlock()
	for _, b := range open {
		if b.text().Blob != t.Blob {
			return true
		}
	}
	return false
}
