package daemon

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
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

// shake lets a few things happen that no writer is asked about.
func (w *modelWorld) shake() {
	for range 4 {
		w.mu.Lock()
		switch w.rnd.IntN(3) {
		case 0:
			w.recreate()
		case 1:
			w.overflow()
		case 2:
			w.restore()
		}
		w.mu.Unlock()
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
