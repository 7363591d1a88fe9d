package watch

import (
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
