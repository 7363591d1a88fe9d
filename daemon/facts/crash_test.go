package facts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary runs itself as a child that does one of these, named by childEnv.
const childEnv = "FACTS_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "put":
		childPuts(os.Args[1], os.Args[2])
	case "full":
		childFillsDisk(os.Args[1])
	default:
		os.Exit(m.Run())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childPuts puts facts until it is killed, and prints how far it got when it has flushed.
func childPuts(dir, from string) {
	s, err := Open(dir, Options{Version: version})
	fail(err)
	first, err := strconv.Atoi(from)
	fail(err)
	for i := first; ; i += 10 {
		put(s, i, i+10)
		s.Flush()
		fmt.Println(i + 10)
	}
}

// What was flushed is there after kill -9, whenever that came, and nothing is wrong. Two children
// write at a time, and this process beside them.
func TestKill9(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(9, 9))
	flushed := 0
	for round := range 10 {
		var children []*exec.Cmd
		var outs []*bufio.Scanner
		for n := range 2 {
			cmd := exec.Command(exe, dir, fmt.Sprint((2*round+n)*100_000))
			cmd.Env = append(os.Environ(), childEnv+"=put")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			children, outs = append(children, cmd), append(outs, bufio.NewScanner(out))
		}
		ends := []int{2 * round * 100_000, (2*round + 1) * 100_000}
		read := func(n int) bool {
			if !outs[n].Scan() {
				return false
			}
			end, err := strconv.Atoi(outs[n].Text())
			if err != nil || end != ends[n]+10 {
				t.Fatalf("a child said %q after %d", outs[n].Text(), ends[n])
			}
			ends[n] = end
			return true
		}
		for range 1 + random.IntN(30) {
			if !read(0) || !read(1) {
				t.Fatal("a child ended by itself")
			}
		}
		for n, cmd := range children {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for read(n) { // what it printed before it died counts
			}
			if err := cmd.Wait(); err == nil {
				t.Fatal("a child ended by itself")
			}
		}
		s := openStore(t, dir, Options{})
		for n, end := range ends {
			from := (2*round + n) * 100_000
			flushed += end - from
			if got := count(t, s, from, end); got != end-from {
				t.Fatalf("%d of %d flushed facts", got, end-from)
			}
		}
		put(s, 9_000_000+10*round, 9_000_010+10*round)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := onDisk(t, dir, 9_000_000, 9_000_100); n != 100 {
		t.Errorf("%d facts of our own, want 100", n)
	}
	if n := len(segments(t, dir)); n > 6 {
		t.Errorf("%d segments after 20 kills: the ones left are not continued", n)
	}
	t.Logf("%d flushed facts, 20 kills", flushed)
}

// A segment is cut short, at every length: no panic, nothing wrong, whole blocks survive, and new
// facts are kept.
func TestTruncated(t *testing.T) {
	whole, ends := smallSegment(t)
	dir := t.TempDir()
	for n := range whole {
		s := withSegment(t, dir, whole[:n])
		want := 0
		for _, end := range ends {
			if end <= n {
				want += 2
			}
		}
		if got := count(t, s, 0, 6); got != want {
			t.Fatalf("cut at %d: %d facts, want %d", n, got, want)
		}
		if n%8 < 2 {
			put(s, 0, 9)
		}
		s.Rest()
		if n%8 >= 2 {
			continue
		}
		if got := onDisk(t, dir, 0, 9); got != 9 {
			t.Fatalf("cut at %d: %d facts after they were put again", n, got)
		}
	}
}

// A segment is cut short under a store that has it open and has read its index.
func TestTruncatedMeanwhile(t *testing.T) {
	whole, _ := smallSegment(t)
	dir := t.TempDir()
	for n := 0; n < len(whole); n += 7 {
		s := withSegment(t, dir, whole)
		if got := count(t, s, 0, 6); got != 6 {
			t.Fatalf("%d facts", got)
		}
		if err := os.Truncate(segments(t, dir)[0], int64(n)); err != nil {
			t.Fatal(err)
		}
		count(t, s, 0, 6)
		for i := range 2 { // what is left of a cut block is lost when the segment is given up, at the first write
			put(s, 0, 7+i)
			s.Flush()
		}
		s.Rest()
		if got := onDisk(t, dir, 0, 6); got != 6 {
			t.Fatalf("cut at %d: %d facts after they were put again", n, got)
		}
	}
}

// One flipped bit, at every bit of a segment: a miss or the right facts, and new facts are kept.
func TestFlippedBits(t *testing.T) {
	whole, _ := smallSegment(t)
	dir := t.TempDir()
	lost := 0
	for i := range whole {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << bit
			s := withSegment(t, dir, damaged)
			lost += 6 - count(t, s, 0, 6)
			if bit == i%64 {
				put(s, 0, 9)
			}
			s.Rest()
			if bit != i%64 {
				continue
			}
			if got := onDisk(t, dir, 0, 9); got != 9 {
				t.Fatalf("byte %d: %d facts after they were put again", i, got)
			}
		}
	}
	if lost < 8*len(whole)/2 {
		t.Errorf("%d facts lost over %d flipped bits: damage is not found", lost, 8*len(whole))
	}
}

// smallSegment is a segment with 3 blocks of 2 records, and where the blocks end.
func smallSegment(t *testing.T) (whole []byte, ends []int) {
	t.Helper()
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	for i := range 3 {
		put(s, 2*i, 2*i+2)
		s.Flush()
		ends = append(ends, int(size(t, dir)))
	}
	whole, err := os.ReadFile(segments(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	return whole, ends
}

// withSegment is a store on dir with one segment of that content.
func withSegment(t *testing.T, dir string, content []byte) *Store {
	t.Helper()
	for _, name := range segments(t, dir) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, version), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, version, segmentName(1)), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return openStore(t, dir, Options{})
}

// Bytes that were made up to have right checksums: another record under the key, an index that
// points beside records, sizes beyond the file.
func TestForged(t *testing.T) {
	b := newBlock(0)
	r0, err := newRecord(key(0), sample(0))
	if err != nil {
		t.Fatal(err)
	}
	b.add(key(1), r0) // the index says 1, the record 0
	b.add(key(2), make([]byte, recordHeader))
	b.add(key(3), append(bytes.Clone(r0), r0...)) // more than one record: the first is taken
	s := withSegment(t, t.TempDir(), b.seal())
	if n := count(t, s, 0, 4); n != 0 {
		t.Errorf("%d facts", n)
	}
	for name, forge := range map[string]func(*block){
		"size 0":        func(b *block) { b.entries[0].size = 0 },
		"size odd":      func(b *block) { b.entries[0].size++ },
		"size too much": func(b *block) { b.entries[0].size += 8 },
		"too few":       func(b *block) { b.entries = b.entries[:1] },
	} {
		b := newBlock(0)
		b.add(key(0), r0)
		b.add(key(0), r0)
		forge(b)
		s := withSegment(t, t.TempDir(), b.seal())
		if n := count(t, s, 0, 1); n != 0 {
			t.Errorf("%s: %d facts", name, n)
		}
	}
}

// childFillsDisk puts facts under a limit of the size of files, which stands for a full disk: both
// cut a write short and then refuse it.
func childFillsDisk(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	var log bytes.Buffer
	s, err := Open(dir, Options{Version: version, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	fail(err)
	put(s, 0, 10)
	s.Flush()
	fail(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 2000, Max: unix.RLIM_INFINITY}))
	for i := range 20 {
		put(s, 100+10*i, 110+10*i)
		s.Flush()
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "file too large") {
		fail(fmt.Errorf("logged %d lines: %s", n, log.String()))
	}
	if s.Stats().Problem == "" {
		fail(fmt.Errorf("no problem in %+v", s.Stats()))
	}
	// What was cut short was taken back, so that a next life goes on in the same file.
	t := load(s.dir(), nil)
	if info, err := t.segments[0].file.Stat(); err != nil || info.Size() != t.segments[0].end {
		fail(fmt.Errorf("%d bytes, whole up to %d, %v", info.Size(), t.segments[0].end, err))
	}
	fail(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}))
	put(s, 10, 20)
	fail(s.Close())
	if s.Stats().Problem != "" {
		fail(fmt.Errorf("still a problem in %+v", s.Stats()))
	}
}

// A full disk costs what could not be written, is logged once, and ends.
func TestDiskFull(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), childEnv+"=full")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := openStore(t, dir, Options{})
	if n := count(t, s, 0, 20); n != 20 {
		t.Errorf("%d of the facts before and after, want 20", n)
	}
	if n := count(t, s, 100, 300); n == 200 {
		t.Error("the limit had no effect")
	}
	if len(segments(t, dir)) != 1 || count(t, s, 0, 20) != 20 {
		t.Errorf("%v", segments(t, dir))
	}
}

// No directory can be made: everything is a miss, logged once, and an error at Close. Permissions do
// not bind root, so files take the place of directories.
func TestUnwritable(t *testing.T) {
	var log bytes.Buffer
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 3 {
		put(s, 10*i, 10*i+10)
		s.Flush()
	}
	if n := count(t, s, 0, 30); n != 0 {
		t.Errorf("%d facts", n)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), dir) {
		t.Errorf("logged %d lines: %s", n, log.String())
	}
	if err := s.Close(); err == nil || s.Stats().Problem != err.Error() {
		t.Errorf("%v, %+v", err, s.Stats())
	}
	// It can be made at last.
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir, Options{})
	put(s, 0, 10)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// A directory in which nothing can be made.
	if err := unix.Chmod(filepath.Join(dir, version), 0o500); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir, Options{})
	if n := count(t, s, 0, 10); n != 10 {
		t.Errorf("%d facts in a directory that cannot be written, want 10", n)
	}
}

// A file system without locks: nothing is kept, since nobody could be told apart, and no files pile up.
func TestNoLocks(t *testing.T) {
	defer func() { flock = unix.Flock }()
	flock = func(int, int) error { return unix.ENOLCK }
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	for i := range 3 {
		put(s, i, i+1)
		s.Flush()
	}
	if names := segments(t, dir); len(names) != 0 || !strings.Contains(s.Stats().Problem, "no locks available") {
		t.Errorf("%v, %+v", names, s.Stats())
	}
	flock = unix.Flock
	put(s, 0, 10)
	s.Flush()
	if n := onDisk(t, dir, 0, 10); n != 10 {
		t.Errorf("%d facts once there are locks, want 10", n)
	}
}

// Between our look at a segment and its lock, another process removed it, or wrote a block and was
// killed over the next.
func TestClaimRaces(t *testing.T) {
	defer func() { flock = unix.Flock }()
	for name, meanwhile := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
		"torn":     func(path string) error { return appendTo(path, []byte("torn")) },
		"written": func(path string) error {
			b := newBlock(0)
			record, err := newRecord(key(5), sample(5))
			b.add(key(5), record)
			return errors.Join(err, appendTo(path, b.seal()))
		},
	} {
		dir := t.TempDir()
		s := openStore(t, dir, Options{})
		put(s, 0, 5)
		s.Rest()
		path := segments(t, dir)[0]
		flock = func(fd, how int) error {
			flock = unix.Flock
			return errors.Join(meanwhile(path), unix.Flock(fd, how))
		}
		put(s, 10, 20)
		s.Flush()
		if n := onDisk(t, dir, 10, 20); n != 10 || s.Stats().Problem != "" {
			t.Errorf("%s: %d facts were written, want 10; %+v", name, n, s.Stats())
		}
		if n := onDisk(t, dir, 5, 6); n == 0 && name == "written" {
			t.Error("what the other process wrote is gone")
		}
	}
}

func appendTo(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// FuzzSegment: no bytes in the place of a segment are a panic, an endless loop, or wrong facts.
func FuzzSegment(f *testing.F) {
	b := newBlock(0)
	for i := range 3 {
		record, err := newRecord(key(i), sample(i))
		if err != nil {
			f.Fatal(err)
		}
		b.add(key(i), record)
	}
	one := b.seal()
	f.Add([]byte{})
	f.Add(bytes.Clone(one))
	f.Add(append(bytes.Clone(one), one...))
	f.Add(one[:len(one)-9])
	f.Fuzz(func(t *testing.T, content []byte) {
		content = bytes.Clone(content)
		copy(content, blockMagic)
		r, size := bytes.NewReader(content), int64(len(content))
		for at := int64(0); ; {
			entries, end, ok := readBlock(r, at, size)
			if !ok {
				return
			}
			if end <= at || end > size || end%8 != 0 {
				t.Fatalf("a block from %d to %d of %d", at, end, size)
			}
			for _, e := range entries {
				record := content[at+int64(e.offset) : at+int64(e.offset)+int64(e.size)]
				for i := range 3 {
					if f, ok := open(record, key(i)); ok && !reflect.DeepEqual(f, sample(i)) {
						t.Fatalf("facts %d are %+v", i, f)
					}
				}
			}
			at = end
		}
	})
}
