package facts

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/index"
)

// sample is the i-th of many files: what Build could say of one.
func sample(i int) *index.File {
	name := fmt.Sprint("name", i)
	size := uint32(len(name))
	f := &index.File{Language: "go", Module: "m"}
	for n := range uint32(1 + i%5) {
		f.Defs = append(f.Defs, index.Def{Name: name, Container: strings.Repeat("T", int(n)), Kind: index.Function,
			Start: n, SigStart: n, NameStart: n + 5, NameEnd: n + 5 + size, SigEnd: n + 5 + size, End: n + 9 + size})
	}
	return f
}

func key(i int) Key {
	return KeyOf(sha256.Sum256(fmt.Append(nil, i)), "a.go")
}

const version = "0123456789abcdef"

func openStore(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	if o.Version == "" {
		o.Version = version
	}
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // what Close says is tested where it matters
	return s
}

func put(s *Store, from, to int) {
	for i := from; i < to; i++ {
		s.Put(key(i), sample(i))
	}
}

// count gets the facts from to to, and says how many there are; wrong ones are a failure.
func count(t testing.TB, s *Store, from, to int) int {
	t.Helper()
	n := 0
	for i := from; i < to; i++ {
		f, ok := s.Get(key(i))
		if !ok {
			if f != nil {
				t.Errorf("facts %d: a miss with facts", i)
			}
			continue
		}
		n++
		if !reflect.DeepEqual(f, sample(i)) {
			t.Errorf("facts %d are %+v", i, f)
		}
	}
	return n
}

// onDisk counts what another process would find.
func onDisk(t testing.TB, dir string, from, to int) int {
	t.Helper()
	s := openStore(t, dir, Options{})
	defer s.Rest()
	return count(t, s, from, to)
}

func segments(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"+segmentExt))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func size(t testing.TB, dir string) int64 {
	t.Helper()
	total := int64(0)
	for _, name := range segments(t, dir) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	if n := count(t, s, 0, 10); n != 0 {
		t.Errorf("an empty store has %d facts", n)
	}
	put(s, 0, 100)
	put(s, 0, 100)
	if n := count(t, s, 0, 120); n != 100 {
		t.Errorf("%d facts wait in memory, want 100", n)
	}
	if names := segments(t, dir); names != nil {
		t.Errorf("%v were written for so little", names)
	}
	s.Flush()
	if n := count(t, s, 0, 120); n != 100 {
		t.Errorf("%d facts were written, want 100", n)
	}
	put(s, 0, 110)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := count(t, s, 0, 120); n != 0 {
		t.Errorf("a closed store has %d facts", n)
	}
	put(s, 110, 120)
	s.Flush()
	s.Rest()

	again := openStore(t, dir, Options{})
	if n := count(t, again, 0, 120); n != 110 {
		t.Errorf("%d facts after opening again, want 110", n)
	}
	want := Stats{Bytes: size(t, dir), Records: 110, Hits: 110, Misses: 10}
	if got := again.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := s.Stats(); got.Stored != 110 || got.Damaged != 0 || got.Refused != 0 || got.Problem != "" {
		t.Errorf("%+v", got)
	}
	other := openStore(t, dir, Options{Version: "other"})
	if n := count(t, other, 0, 120); n != 0 {
		t.Errorf("another version has %d of the facts", n)
	}
	for path, mode := range map[string]os.FileMode{version: 0o700, version + "/00000001.seg": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// The key is of the content and of what the path says.
func TestKey(t *testing.T) {
	blob, other := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	if KeyOf(blob, "a/x.go") != KeyOf(blob, "b/y.go") || KeyOf(blob, "a/x.py") == KeyOf(blob, "a/y.py") ||
		KeyOf(blob, "x.go") == KeyOf(blob, "x.c") || KeyOf(blob, "x.go") == KeyOf(other, "x.go") {
		t.Error("keys do not follow content and variant")
	}
	if got, want := KeyOf(blob, "a.go").String(), "943be224"; !strings.HasPrefix(got, want) {
		t.Errorf("the key of a.go is %s, want %s…: stored facts are not found any more", got, want)
	}
}

func TestVersionNamesDirectory(t *testing.T) {
	for _, v := range []string{"", ".", "..", "a/b", "/a", "a/"} {
		if s, err := Open(t.TempDir(), Options{Version: v}); err == nil || !strings.Contains(err.Error(), "version") {
			t.Errorf("version %q: %v, %v", v, s, err)
		}
	}
}

// What depends on how fast the machine is is not kept, nor what the index failed on.
func TestNotKept(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{MaxBytes: 1 << 20})
	for i, status := range []index.Status{index.BudgetWork, index.Failed} {
		s.Put(key(i), &index.File{Language: "go", Status: status})
	}
	s.Put(key(2), &index.File{Language: "none such"})
	s.Put(key(3), &index.File{Module: strings.Repeat("m", 64<<10)})
	s.Put(key(4), &index.File{Language: "go", Status: index.BudgetDepth})
	for i := range 5 {
		if _, ok := s.Get(key(i)); ok != (i == 4) {
			t.Errorf("%d: kept %v", i, ok)
		}
	}
	if n := s.Stats().Refused; n != 2 {
		t.Errorf("%d files were refused, want 2", n)
	}
	var log bytes.Buffer
	s = openStore(t, t.TempDir(), Options{MaxBytes: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	put(s, 0, 20)
	if n := s.Stats().Refused; n != 20 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("%d files were refused under a cap of 1 byte, logged: %s", n, log.String())
	}
}

// CASES F21: the directory goes while the store is open.
func TestDirectoryRemoved(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	put(s, 0, 50)
	s.Flush()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, 0, 50); n != 0 && n != 50 { // from the open file, or not
		t.Errorf("%d facts after the removal", n)
	}
	put(s, 100, 150)
	s.Flush()
	if n := count(t, s, 100, 150); n != 50 {
		t.Errorf("%d of the new facts, want 50", n)
	}
	put(s, 0, 25) // known no more, so written again
	s.Flush()
	again := openStore(t, dir, Options{})
	if n := count(t, again, 100, 150) + count(t, again, 0, 25); n != 75 {
		t.Errorf("%d facts were written after the removal, want 75", n)
	}
	if p := s.Stats().Problem; p != "" {
		t.Error(p)
	}
}

// CASES F21: another process rebuilds the directory; both go on in the new one.
func TestDirectoryReplaced(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "facts")
	s := openStore(t, dir, Options{})
	put(s, 0, 50)
	s.Flush()
	if err := os.Rename(dir, filepath.Join(parent, "gone")); err != nil {
		t.Fatal(err)
	}
	other := openStore(t, dir, Options{})
	put(other, 50, 100)
	other.Flush()
	put(s, 100, 150)
	s.Flush()
	if n := count(t, s, 50, 150); n != 100 {
		t.Errorf("%d facts, want the 100 of the new directory", n)
	}
	if n := onDisk(t, dir, 0, 150); n != 100 {
		t.Errorf("%d facts in the new directory, want 100", n)
	}
	if n := len(segments(t, parent+"/gone")); n != 1 || onDisk(t, parent+"/gone", 0, 150) != 50 {
		t.Errorf("the old directory was written, or has %d segments", n)
	}
}

// Facts that are used stay, however much else is written; the cap holds all the time.
func TestCap(t *testing.T) {
	const most = 256 << 10
	dir := t.TempDir()
	s := openStore(t, dir, Options{MaxBytes: most})
	put(s, 0, 20)
	for i := 1000; i < 30_000; i++ {
		s.Put(key(i), sample(i))
		if i%100 == 0 && count(t, s, 0, 20) != 20 {
			t.Fatalf("facts in use are gone after %d others", i)
		}
		if i%1000 == 0 {
			if n := size(t, dir); n > most {
				t.Fatalf("%d bytes on disk, cap %d", n, most)
			}
		}
		if i == 15_000 { // in another life too
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir, Options{MaxBytes: most})
		}
	}
	s.Flush()
	if n := size(t, dir); n > most || n < most/2 {
		t.Errorf("%d bytes on disk, cap %d", n, most)
	}
	if n := count(t, s, 1000, 2000); n != 0 {
		t.Errorf("%d of the oldest facts are still there", n)
	}
	if n := count(t, s, 29_000, 30_000); n != 1000 {
		t.Errorf("%d of the newest 1000 facts", n)
	}
	if n := len(segments(t, dir)); n > 20 {
		t.Errorf("%d segments", n)
	}
}

// Many short lives continue one segment.
func TestShortLives(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		s := openStore(t, dir, Options{})
		put(s, i, i+1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if names := segments(t, dir); len(names) != 1 {
		t.Errorf("%v", names)
	}
	if n := onDisk(t, dir, 0, 50); n != 50 {
		t.Errorf("%d facts, want 50", n)
	}
}

// Segments of other versions go when they are old, or when there is no room; those that a living
// process writes never do, and what is no segment is not touched.
func TestOtherVersions(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-unusedAfter - time.Hour)
	fill := func(version string, n int) *Store {
		s := openStore(t, dir, Options{Version: version})
		put(s, 0, n)
		s.Flush()
		if err := os.Chtimes(filepath.Join(dir, version, segmentName(1)), old, old); err != nil {
			t.Fatal(err)
		}
		return s
	}
	living := fill("living", 100)
	if err := fill("dead", 10).Close(); err != nil {
		t.Fatal(err)
	}
	if err := fill("recent", 100).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "recent", segmentName(1)), time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := fill(version, 10).Close(); err != nil { // of this version, as old
		t.Fatal(err)
	}
	strangers := []string{"dead.txt", "recent/notes.seg", "recent/1.seg", "empty/x"}
	for _, name := range strangers {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	s := openStore(t, dir, Options{})
	put(s, 10, 20)
	s.Flush()
	if n := onDisk(t, dir, 0, 20); n != 20 {
		t.Errorf("%d facts of this version, want 20", n)
	}
	if exists("dead") || !exists("living/00000001.seg") || !exists("recent/00000001.seg") {
		t.Error("not just the old segments without a process were removed")
	}
	small := openStore(t, dir, Options{Version: "small", MaxBytes: 16 << 10})
	put(small, 0, 1)
	small.Flush()
	if exists("recent/00000001.seg") || !exists("living/00000001.seg") {
		t.Error("under a small cap, not just the segments without a process were removed")
	}
	if n := count(t, living, 0, 100); n != 100 {
		t.Errorf("the living process has %d facts, want 100", n)
	}
	for _, name := range strangers {
		if !exists(name) {
			t.Errorf("%s was removed", name)
		}
	}
}

// Rest gives back descriptors and lock; all goes on after it.
func TestRest(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	put(s, 0, 10)
	s.Flush()
	before := descriptors(t)
	s.Rest()
	if n := descriptors(t); n != before-2 {
		t.Errorf("%d descriptors, %d at rest", before, n)
	}
	if w, err := claim(segments(t, dir)[0], false); err != nil {
		t.Errorf("the segment is not free: %v", err)
	} else if err := w.file.Close(); err != nil {
		t.Error(err)
	}
	if s.Stats().Records != 0 {
		t.Error("the index is still in memory")
	}
	if n := count(t, s, 0, 10); n != 10 {
		t.Errorf("%d facts after the rest, want 10", n)
	}
	s.Rest()
	put(s, 5, 20)
	s.Rest()
	if n := count(t, s, 0, 20); n != 20 {
		t.Errorf("%d facts after the next rest, want 20", n)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// Two stores on one directory from many goroutines, in a directory small enough that both remove
// what the other wrote; with rests. For -race, and nothing is ever wrong.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{openStore(t, dir, Options{MaxBytes: 200 << 10}), openStore(t, dir, Options{MaxBytes: 200 << 10})}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s := stores[g%2]
			hits := 0
			for i := range 1500 {
				n := i*7%1000 + g
				if f, ok := s.Get(key(n)); !ok {
					s.Put(key(n), sample(n))
				} else if hits++; !reflect.DeepEqual(f, sample(n)) {
					t.Errorf("facts %d are %+v", n, f)
				}
				switch {
				case i%200 == 50+g:
					s.Flush()
				case i%500 == 100+g:
					s.Rest()
				case i%100 == g:
					s.Stats()
				}
			}
			if hits == 0 {
				t.Error("no facts were found at all")
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		if p := s.Stats(); p.Problem != "" || p.Damaged != 0 {
			t.Errorf("%+v", p)
		}
	}
	// Each of the two may be one segment above the cap at most.
	if n := size(t, dir); n > 200<<10*18/16 {
		t.Errorf("%d bytes on disk", n)
	}
}

// What is no readable segment is passed over, and not written to.
func TestStrangeSegments(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	put(s, 0, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at := func(n uint32) string { return filepath.Join(dir, version, segmentName(n)) }
	for i, make := range []func(path string) error{
		func(path string) error { return unix.Mkfifo(path, 0o600) },
		func(path string) error { return os.Mkdir(path, 0o700) },
		func(path string) error { return os.Symlink(at(1), path) },
		func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o600) },
		func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		if err := make(at(uint32(i) + 2)); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, dir, Options{})
	put(s, 10, 20)
	s.Flush()
	if n := count(t, s, 0, 20); n != 20 {
		t.Errorf("%d facts, want 20", n)
	}
	if info, err := os.Lstat(at(5)); err != nil || info.Size() != 100 {
		t.Errorf("the segment of other content: %v, %v", info, err)
	}
}

// The index takes at most 40 bytes a record at 100,000 records.
func TestIndexIsSmall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), version)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var all []byte
	const blocks, each = 100, 1000
	for i := range blocks {
		b := newBlock(0)
		for n := range each {
			b.add(key(i*each+n), make([]byte, recordHeader))
		}
		all = append(all, b.seal()...)
	}
	if err := os.WriteFile(filepath.Join(dir, segmentName(1)), all, 0o600); err != nil {
		t.Fatal(err)
	}
	all = nil
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	table := load(dir, nil)
	if per := (heap() - before) / (blocks * each); len(table.at) != blocks*each || per > 40 {
		t.Errorf("%d bytes a record for %d records", per, len(table.at))
	}
	table.close(nil)
}

func TestNames(t *testing.T) {
	for _, n := range []uint32{1, 0xff, 0xffffffff} {
		if got, ok := segmentNumber(segmentName(n)); !ok || got != n {
			t.Errorf("%s is %d, %v", segmentName(n), got, ok)
		}
	}
	for _, name := range []string{"", ".seg", "1.seg", "0000000g.seg", "0000000A.seg", "00000001", "00000001.seg~", "100000000.seg", "+0000001.seg"} {
		if n, ok := segmentNumber(name); ok {
			t.Errorf("%q is segment %d", name, n)
		}
	}
	for _, c := range []struct {
		segment int
		offset  int64
		size    uint32
	}{{0, 0, 40}, {maxSegments - 1, maxOffset - 8, maxOffset - 8}, {3, 1 << 20, 1 << 25}} {
		if l := locate(c.segment, c.offset, c.size); l.segment() != c.segment || l.offset() != c.offset || l.size() != int(c.size) {
			t.Errorf("%+v is read back as %d, %d, %d", c, l.segment(), l.offset(), l.size())
		}
	}
}
