package daemon

import (
	"sync"
	"testing"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/commits"
)

// TestHeadHoldsNothing: while git's files are read, on a disk that may be slow, a change is noted and other questions are
// answered; questions at the same time give the same, and none outlives the end.
func TestHeadHoldsNothing(t *testing.T) {
	ws := newWorkspace(t, sound)
	runGit(t, ws, "init", "-q")
	commitAll(t, ws)
	reading, read := make(chan struct{}, 8), make(chan struct{})
	defer func(old func(*commits.Repository) (commits.ID, error)) { readHead = old }(readHead)
	readHead = func(r *commits.Repository) (commits.ID, error) {
		reading <- struct{}{}
		<-read
		return r.Head()
	}
	d := &diagState{}
	var asked sync.WaitGroup
	heads := make([]*history, 3)
	for i := range heads {
		asked.Go(func() { heads[i] = d.head(ws.Root) })
	}
	<-reading
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		d.noteSound([]change{{old: &File{Path: "gone.go"}}})
		d.since(&wire.DiagResult{}, extent{}, nil, "")
	}()
	select {
	case <-noted:
	case <-time.After(20 * time.Second):
		t.Error("the lock is held while git is read")
	}
	close(read)
	asked.Wait()
	for _, h := range heads {
		if !h.any() || h.commit.ID() != heads[0].commit.ID() || h.file("a.go") == "" {
			t.Fatalf("%+v", h)
		}
	}
	if kept, again := d.history, d.head(ws.Root); again.commit != kept.commit || again.repository != kept.repository {
		t.Error("what is known is read again")
	}
	d.close()
	if h := d.head(ws.Root); !h.any() || d.history != nil {
		t.Error("what is asked behind the end is kept")
	}
}
