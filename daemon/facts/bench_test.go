package facts

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/index"
)

// indexed is the facts of all files of the standard library that have a language.
var indexed = sync.OnceValue(func() (all struct {
	keys  []Key
	files []*index.File
	defs  int
}) {
	root := filepath.Join(runtime.GOROOT(), "src")
	var mu sync.Mutex
	var wg sync.WaitGroup
	room := make(chan bool, runtime.GOMAXPROCS(0))
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		room <- true
		wg.Go(func() {
			defer func() { <-room }()
			path, _ := strings.CutPrefix(path, root+"/")
			src, err := os.ReadFile(filepath.Join(root, path))
			if err != nil || index.Language(path, src) == "" {
				return
			}
			f := index.Build(path, src)
			mu.Lock()
			defer mu.Unlock()
			all.keys = append(all.keys, KeyOf(sha256.Sum256(src), path))
			all.files = append(all.files, f)
			all.defs += len(f.Defs)
		})
		return nil
	})
	wg.Wait()
	return all
})

// both runs over 0 to n-1 in two goroutines.
func both(n int, run func(i int)) {
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := g; i < n; i += 2 {
				run(i)
			}
		})
	}
	wg.Wait()
}

// cpu is what the process has used of its processors: unlike the clock it does not count what other
// programs take.
func cpu() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStore puts and gets the facts of the standard library: what the first index pays, and
// what a restart does.
func BenchmarkStore(b *testing.B) {
	all := indexed()
	n := len(all.keys)
	fill := func(s *Store) {
		both(n, func(i int) { s.Put(all.keys[i], all.files[i]) })
		s.Flush()
	}
	dir := b.TempDir()
	s := openStore(b, dir, Options{})
	fill(s)
	b.Logf("%d files, %d definitions, %d bytes on disk", n, all.defs, s.Stats().Bytes)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("put", func(b *testing.B) {
		before := cpu()
		for i := 0; b.Loop(); i++ {
			s := openStore(b, filepath.Join(b.TempDir(), fmt.Sprint(i)), Options{})
			fill(s)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((cpu()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s := openStore(b, dir, Options{})
			if s.loaded() == nil || s.Stats().Records == 0 {
				b.Fatal("nothing there")
			}
			s.Rest()
		}
	})
	b.Run("get", func(b *testing.B) {
		before := cpu()
		for b.Loop() {
			s := openStore(b, dir, Options{})
			files := make([]*index.File, n)
			both(n, func(i int) { files[i], _ = s.Get(all.keys[i]) })
			if hits := s.Stats().Hits; hits != int64(n) {
				b.Fatalf("%d hits", hits)
			}
			s.Rest()
		}
		b.ReportMetric((cpu()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
	})
}

// BenchmarkOpen reads the index of a store of 100,000 records.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := openStore(b, dir, Options{})
	put(s, 0, 100_000)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t := load(filepath.Join(dir, version), nil)
		if len(t.at) != 100_000 {
			b.Fatal(len(t.at))
		}
		t.close(nil)
	}
}

func BenchmarkManifest(b *testing.B) {
	for _, n := range []int{11_478, 100_000} {
		all, dir := rows(n), b.TempDir()
		b.Run(fmt.Sprint("save-", n), func(b *testing.B) {
			for b.Loop() {
				if err := SaveManifest(dir, "id", "v", all); err != nil {
					b.Fatal(err)
				}
			}
			info, err := os.Stat(manifestPath(dir, "id"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size())/float64(n), "bytes/row")
		})
		b.Run(fmt.Sprint("load-", n), func(b *testing.B) {
			if err := SaveManifest(dir, "id", "v", all); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if got, ok := LoadManifest(dir, "id", "v"); !ok || len(got) != n {
					b.Fatal(len(got))
				}
			}
		})
		b.Run(fmt.Sprint("keys-", n), func(b *testing.B) {
			for b.Loop() {
				for i := range all {
					KeyOf(all[i].Blob, all[i].Path)
				}
			}
		})
	}
}
