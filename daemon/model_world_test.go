package daemon

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxd/client/wire"
)

// modelWorld is what happens to all writers of a run at once.
type modelWorld struct {
	t       *testing.T
	ws      *Workspace
	root    string
	rnd     *rand.Rand
	writers []*modelWriter
	mu      sync.RWMutex // held for reading by a writer during a step, for writing by the world
}

// shake lets something happen that no writer is asked about.
func (w *modelWorld) shake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.rnd.IntN(3) {
	case 0:
		w.recreate()
	case 1:
		w.overflow()
	case 2:
		w.restore()
	}
}

// bystand asks without regard to what is going on, a root that is being replaced included. It cannot know what
// is right at that moment, but a row must be a definition of the name that was asked for, and what
// is not answered must be refused in words.
func (w *modelWorld) bystand(stop chan struct{}) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for {
		select {
		case <-stop:
			return
		default:
		}
		name := fmt.Sprintf("f_%d_%d", rnd.IntN(modelWriters), 1+rnd.IntN(60))
		res, err := w.ws.Def(w.t.Context(), wire.DefParams{Target: name})
		if err != nil {
			if word := word(err); word == "" || word == wire.Internal {
				w.t.Errorf("def %s, any time: %v", name, err)
			}
			continue
		}
		for _, d := range res.Definitions {
			if len(d.Text) == 0 || d.Text[0] != "def "+name+"():" { // it may be half written
				w.t.Errorf("def %s, any time: %+v", name, d)
			}
		}
	}
}

// recreate replaces the root by another directory with the same content, as a new clone does.
func (w *modelWorld) recreate() {
	old := w.root + ".old"
	w.must(os.Rename(w.root, old))
	w.must(os.Mkdir(w.root, 0o755))
	for _, wr := range w.writers {
		for path, text := range wr.files {
			full := filepath.Join(w.root, path)
			w.must(os.MkdirAll(filepath.Dir(full), 0o755))
			w.must(os.WriteFile(full, []byte(text), 0o644))
		}
		if wr.by != "" {
			wr.ignore(wr.rules, wr.by)
		}
	}
	w.must(os.RemoveAll(old))
}

// overflow fills the kernel's queue of events, and then changes files: no event tells of that.
func (w *modelWorld) overflow() {
	w.must(flood(w.root))
	for _, wr := range w.writers {
		for path, text := range wr.files {
			wr.write(path, wr.mutate(text))
		}
	}
}

// restore gives every file a time of long ago, as a restored backup or touch -r does.
func (w *modelWorld) restore() {
	past := time.Unix(1_000_000_000, 0)
	for _, wr := range w.writers {
		for path := range wr.files {
			w.must(os.Chtimes(filepath.Join(w.root, path), past, past))
		}
	}
}

func (w *modelWorld) must(err error) {
	if err != nil {
		w.t.Error(err)
	}
}

// flood causes more events in dir than the kernel queues. Two files take turns: equal events in a row
// are one to the kernel.
func flood(dir string) error {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		return err
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	names := [2]string{filepath.Join(dir, "flood0"), filepath.Join(dir, "flood1")}
	for _, name := range names {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
	}
	for i := range most + 100 {
		if err := os.Chmod(names[i%2], 0o600); err != nil {
			return err
		}
	}
	return nil
}
