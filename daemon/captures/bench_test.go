package captures

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// The hot path: an answer cites a file that is stored and a span that is known.
func BenchmarkKnown(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	src := []byte(seedFile)
	id := put(b, s, seedFile)
	recs := []Record{rec(id, "m.py", 4, 5)}
	mint(b, s, recs...)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.PutID(id, src); err != nil {
			b.Fatal(err)
		}
		if err := s.Mint(recs); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMintNew(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	r := rec(put(b, s, seedFile), "m.py", 4, 5)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		r.First = i
		if err := s.Mint([]Record{r}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMinted(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	r := rec(put(b, s, seedFile), "m.py", 4, 5)
	mint(b, s, r)
	for b.Loop() {
		if !known(s, r) {
			b.Fatal("unknown")
		}
	}
}

func BenchmarkPutNew(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	src := make([]byte, 0, 20_000)
	for len(src) < 19_000 {
		src = fmt.Appendf(src, "\tline := compute(%d)\n", len(src))
	}
	b.SetBytes(int64(len(src)))
	i := 0
	for b.Loop() {
		i++
		if _, err := s.Put(fmt.Append(src[:19_000], i)); err != nil {
			b.Fatal(err)
		}
	}
}

// million writes a log of 1,000,000 records over 100,000 contents.
func million(b *testing.B, dir string) {
	var log []byte
	for i := range 1_000_000 {
		blob := SumBlob(fmt.Append(nil, i/10))
		r := rec(blob, fmt.Sprintf("internal/package%d/file%d.go", i/1000, i/10), i%10, i%10+5)
		log = appendFrame(log, r.appendPayload(nil))
	}
	if err := os.WriteFile(dir+"/"+logName, log, 0o600); err != nil {
		b.Fatal(err)
	}
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func BenchmarkOpenMillion(b *testing.B) {
	dir := b.TempDir()
	million(b, dir)
	before := heap()
	for b.Loop() {
		s, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if s.view.Load().index.n != 1_000_000 {
			b.Fatal("records are missing")
		}
		b.StopTimer()
		b.ReportMetric(heap()-before, "MB")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// The searches without a table walk the whole index.
func BenchmarkSnapshotInMillion(b *testing.B) {
	dir := b.TempDir()
	million(b, dir)
	s := open(b, dir, Options{})
	b.ResetTimer()
	for b.Loop() {
		if _, _, err := s.Snapshot("338513e5561f"); err == nil {
			b.Fatal("found")
		}
	}
}

func BenchmarkGCMillion(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		million(b, dir)
		s := open(b, dir, Options{})
		put(b, s, "0")
		b.StartTimer()
		if stats, err := s.GC(-1); err != nil || stats.Spans != 10 {
			b.Fatal(stats, err)
		}
	}
}
