package daemon

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestIndexingIsFrugal: indexing keeps no descriptor for a file, no syntax tree, and of all files less than
// twice their bytes. CASES Q2, Q8, M11.
func TestIndexingIsFrugal(t *testing.T) {
	const files = 3000
	root := t.TempDir()
	var source int64
	for i := range files {
		text := fmt.Sprintf("package p%d\n", i)
		for k := range 30 {
			text += fmt.Sprintf("\n// F%d_%d does what it says, and nothing else that one would notice.\nfunc F%d_%d(a, b int) int {\n\treturn a*%d + b\n}\n", i, k, i, k, k)
		}
		source += int64(len(text))
		write(t, filepath.Join(root, fmt.Sprintf("p%d/f%d.go", i%100, i)), text)
	}
	ws := use(t, newDaemon(t), root)
	before, most := process().Descriptors, 0
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(2 * time.Millisecond); ; <-tick.C {
			select {
			case <-stop:
				tick.Stop()
				return
			default:
				most = max(most, process().Descriptors)
			}
		}
	}()
	settled(t, ws)
	close(stop)
	<-ended
	if most-before > 100 {
		t.Errorf("%d descriptors while indexing, %d before", most, before)
	}
	if s := ws.status(); s.Parsed != files || s.Watched != 101 {
		t.Errorf("%d parsed, %d watches; want %d, 101", s.Parsed, s.Watched, files)
	}
	if held := heldBy(ws); held > 2*source {
		t.Errorf("%d bytes are held for %d bytes of source", held, source)
	}
}

// heldBy is how much of the heap goes when the workspace's snapshot goes.
func heldBy(ws *Workspace) int64 {
	with := heap()
	ws.Close()
	ws.cur.Store(&Snapshot{catalog: ws.catalog})
	heap()
	ws.catalog.prune()
	return with - heap()
}

// heap is how much of the heap is in use.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // cleanups and weak pointers take a collection each
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
