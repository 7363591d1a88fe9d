package watch

import (
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// BenchmarkSweep is the sweep of an unchanged tree: what every answer costs without events.
// cpu-ms is processor time, which a busy machine stretches less than it stretches ns/op.
func BenchmarkSweep(b *testing.B) {
	tree := clean{b.TempDir()}.tree(b, filepath.Join(runtime.GOROOT(), "src"))
	l := sweep(b, tree)
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		l = sweep(b, tree)
	}
	b.ReportMetric(float64(processorTime(b)-before)/1e6/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(len(l.Entries)), "files")
	b.ReportMetric(float64(l.Dirs), "dirs")
}

func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkMemory is what a Tree holds between sweeps, in bytes for each file, the listing not counted.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		before := heap()
		tree := clean{b.TempDir()}.tree(b, filepath.Join(runtime.GOROOT(), "src"))
		l, err := tree.Sweep(b.Context())
		must(b, err)
		files := len(l.Entries)
		l = nil
		b.ReportMetric(float64(heap()-before)/float64(files), "B/file")
		must(b, tree.Close())
	}
}

func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkFollow is a follow-up of a tree of 10,000 directories, with all of them watched and with one.
func BenchmarkFollow(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		write(b, root, map[string]string{fmt.Sprintf("%d/%d/f", i/100, i): ""})
	}
	for _, limit := range []int{0, 1} {
		b.Run(fmt.Sprintf("watches=%d", limit), func(b *testing.B) {
			tree := clean{b.TempDir()}.treeWith(b, root, Options{MaxWatches: limit})
			_, err := tree.Sweep(b.Context())
			must(b, err)
			for b.Loop() {
				l, err := tree.Sweep(b.Context())
				must(b, err)
				b.ReportMetric(float64(l.Unwatched), "unwatched")
			}
		})
	}
}
