package index

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// sources reads the Go files of the standard library.
func sources(tb testing.TB) map[string][]byte {
	files := map[string][]byte{}
	root := filepath.Join(runtime.GOROOT(), "src")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".go" {
			files[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func benchmark(b *testing.B, run func(path string, src []byte)) {
	files := sources(b)
	size := int64(0)
	for _, src := range files {
		size += int64(len(src))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	before := cpuSeconds()
	for b.Loop() {
		work := make(chan string)
		done := make(chan bool)
		workers := runtime.GOMAXPROCS(0)
		for range workers {
			go func() { // ends with work
				for path := range work {
					run(path, files[path])
				}
				done <- true
			}()
		}
		for path := range files {
			work <- path
		}
		close(work)
		for range workers {
			<-done
		}
	}
	b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
}

// cpuSeconds is what the process has used of its processors: unlike the clock it does not count what
// other programs take.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// The ratio of the two is what extraction costs.
func BenchmarkBuild(b *testing.B) { benchmark(b, func(path string, src []byte) { Build(path, src) }) }
func BenchmarkParseOnly(b *testing.B) {
	benchmark(b, func(path string, src []byte) { ParseOnly(path, src) })
}
