package captures

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const seedFile = "def alpha():\n    return 1\n\ndef beta():\n    return 2\n\ndef gamma():\n    return 3\n"

func open(t testing.TB, dir string, opts Options) *Store {
	t.Helper()
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t testing.TB, s *Store, src string) BlobID {
	t.Helper()
	id, err := s.Put([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func mint(t testing.TB, s *Store, recs ...Record) {
	t.Helper()
	if err := s.Mint(recs); err != nil {
		t.Fatal(err)
	}
}

// rec is a record with every field set.
func rec(blob BlobID, path string, first, last int) Record {
	full := sha256.Sum256(fmt.Append(nil, blob, first, last))
	return Record{Root: "w1", Path: path, Blob: blob, First: first, Last: last, Anchor: [4]byte(full[:]), Full: full,
		Head: [8]byte{1, 2, 0, 0, 5}, Time: 1_700_000_000}
}

// age makes the blob look unused for d.
func age(t testing.TB, s *Store, id BlobID, d time.Duration) {
	t.Helper()
	then := time.Now().Add(-d)
	if err := os.Chtimes(s.blobPath(id), then, then); err != nil {
		t.Fatal(err)
	}
}

func wantSpan(t testing.TB, s *Store, r Record, src string) {
	t.Helper()
	got, err := s.Span(r.Span())
	if err != nil {
		t.Fatalf("span %s of %s: %v", r.Span(), r.Path, err)
	}
	if len(got) != 1 || got[0] != r {
		t.Fatalf("span %s: got %+v, want %+v", r.Span(), got, r)
	}
	data, err := s.Read(got[0].Blob)
	if err != nil || string(data) != src {
		t.Fatalf("read %s: %q, %v; want %q", got[0].Blob, data, err, src)
	}
}

func wantUnknown(t testing.TB, err error, kind string) {
	t.Helper()
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Kind != kind {
		t.Fatalf("got %v, want an unknown %s", err, kind)
	}
	for _, word := range []string{"unknown " + kind, "gc", "ctx pin"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("message %q does not say %q", err, word)
		}
	}
}

func TestGoldenIDs(t *testing.T) {
	blob := SumBlob([]byte(seedFile))
	for _, c := range []struct{ name, got, want string }{
		{"blob", blob.String(), "bb38f61cf343c35a512eb29cd795a1443e52c2a7f68b850cbe113b2b4e2d5f02"},
		{"span", SpanID(blob, 4, 5), "b34a0fcd32"},
		{"span after two imports", SpanID(SumBlob([]byte("import os\nimport sys\n"+seedFile)), 6, 7), "284ecb79df"},
		{"snapshot", SnapshotID("m.py", blob), "338513e5561fa5f2fa18640068a9d3da42d5d761c3bf99482bad202a203f21a1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "captures")
	s := open(t, dir, Options{})
	names := []string{"m.py", "a b/%#:\n\xff", "", strings.Repeat("d/", 4000)}
	contents := []string{seedFile, "", "\x00\xff\r\n", strings.Repeat("x", 3<<20)}
	var recs []Record
	for i, src := range contents {
		recs = append(recs, rec(put(t, s, src), names[i], i, i+7))
	}
	mint(t, s, recs...)
	check := func(s *Store) {
		t.Helper()
		for i, r := range recs {
			wantSpan(t, s, r, contents[i])
			path, blob, err := s.Snapshot(r.Snapshot()[:12])
			if err != nil || path != r.Path || blob != r.Blob {
				t.Errorf("snapshot: %q %v %v", path, blob, err)
			}
			if blob, err := s.Blob(r.Blob.String()[:6]); err != nil || blob != r.Blob {
				t.Errorf("blob: %v %v", blob, err)
			}
			if got := s.Minted(r.Root, r.Path, r.First, r.Last, r.Anchor); len(got) != 1 || got[0] != r {
				t.Errorf("minted: %+v", got)
			}
		}
		if got := s.Minted("w2", recs[0].Path, recs[0].First, recs[0].Last, recs[0].Anchor); len(got) != 0 {
			t.Errorf("minted in another workspace: %+v", got)
		}
		if stats := s.Stats(); stats.Blobs != 4 || stats.Spans != 4 || stats.Bytes <= 0 || len(stats.Damaged) != 0 {
			t.Errorf("stats: %+v", stats)
		}
	}
	check(s)
	check(open(t, dir, Options{}))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestKnownIsNotWrittenAgain(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	a, b := put(t, s, "a\n"), put(t, s, "b\n")
	ra, rb := rec(a, "m.py", 1, 1), rec(a, "m.py", 1, 1)
	rb.Blob = b // the same address, minted from other bytes
	size := func() int64 {
		info, err := os.Stat(s.path(logName))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	mint(t, s, ra, ra)
	one := size()
	later := ra
	later.Time++
	mint(t, s, later)
	if size() != one {
		t.Errorf("a known record was written again")
	}
	mint(t, s, rb)
	mint(t, s, ra)
	if want := 3 * one; size() != want {
		t.Errorf("log has %d bytes, want %d: one record each time the address changed hands", size(), want)
	}
	got := s.Captures(ra.Root, ra.Path, 1, 1, ra.Anchor)
	if len(got) != 2 || got[0].Blob != a || got[1].Blob != b {
		t.Errorf("captures are not newest first: %+v", got)
	}
	if got := s.Minted(ra.Root, ra.Path, 1, 1, ra.Anchor); len(got) != 1 || got[0].Blob != a {
		t.Errorf("minted: %+v", got)
	}
	if _, err := s.GC(-1); err != nil {
		t.Fatal(err)
	}
	if want := 2 * one; size() != want {
		t.Errorf("log has %d bytes after gc, want %d", size(), want)
	}
	if got := s.Captures(ra.Root, ra.Path, 1, 1, ra.Anchor); len(got) != 2 || got[0].Blob != a {
		t.Errorf("captures after gc: %+v", got)
	}
}

func TestMintedKeepsCollidingDigestsApart(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, "a\n"), "m.py", 1, 1)
	other := r
	other.Full[31]++ // the same 8 digits, another span
	other.Blob = put(t, s, "b\n")
	mint(t, s, r, other)
	got := s.Minted(r.Root, r.Path, 1, 1, r.Anchor)
	if len(got) != 2 || got[0] != other || got[1] != r {
		t.Errorf("got %+v", got)
	}
}

func TestPrefixes(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	blob := put(t, s, seedFile)
	r := rec(blob, "m.py", 4, 5)
	mint(t, s, r)
	span := spanSum(blob, 4, 5)
	whole := fmt.Sprintf("%x", span)
	for _, c := range []struct {
		id   string
		want string // part of the message; "" for found
	}{
		{"b34a0fcd32", ""}, {"b34a0f", ""}, {"B34A0FCD32", ""}, {whole, ""}, {whole[:30], ""},
		{"b34a0", "id prefix too short"}, {"", "id prefix too short"}, {"é", "id prefix too short"},
		{"b34a0fcd3g", "invalid span id"}, {whole + "0", "invalid span id"}, {strings.Repeat("f", 1<<20), "invalid span id"},
		{"b34a0fcd33", "unknown span"}, {"000000", "unknown span"}, {whole[:63] + "0", "unknown span"},
	} {
		got, err := s.Span(c.id)
		if c.want == "" {
			if err != nil || len(got) != 1 || got[0] != r {
				t.Errorf("Span(%q) = %+v, %v", c.id, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
			t.Errorf("Span(%.80q) = %v, want %q", c.id, err, c.want)
		}
	}
	_, _, err := s.Snapshot("000000")
	wantUnknown(t, err, kindSnapshot)
	_, err = s.Blob("000000")
	wantUnknown(t, err, kindBlob)
	var short *PrefixError
	if _, err := s.Blob("abc"); !errors.As(err, &short) {
		t.Errorf("Blob(abc) = %v", err)
	}
	if _, _, err := s.Snapshot("../.."); !errors.As(err, &short) {
		t.Errorf("Snapshot(../..) = %v", err)
	}
}

// Ids of 6 digits collide among some thousands; the test makes as many, and needs no search.
func TestAmbiguous(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	blob := put(t, s, "x\n")
	count := map[string]int{}
	var recs []Record
	for i := range 20_000 {
		r := rec(blob, "m.py", i, i)
		recs = append(recs, r)
		count[r.Span()[:6]]++
	}
	mint(t, s, recs...)
	tried := 0
	for short, n := range count {
		if n < 2 {
			continue
		}
		tried++
		_, err := s.Span(short)
		var ambiguous *AmbiguousError
		if !errors.As(err, &ambiguous) || ambiguous.N != n || len(ambiguous.Candidates) != n {
			t.Fatalf("Span(%s) = %v, want %d candidates", short, err, n)
		}
		for _, id := range ambiguous.Candidates {
			if got, err := s.Span(id); err != nil || len(got) != 1 {
				t.Errorf("candidate %s: %v, %v", id, got, err)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no two ids share 6 digits")
	}
}

func TestAmbiguousBlobListsEight(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	put(t, s, "x\n")
	dir := s.path(blobsDir, "ab")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 11 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("abcdef%058x.zst", i)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Blob("abcdef")
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || ambiguous.N != 11 || len(ambiguous.Candidates) != 8 {
		t.Fatalf("got %v", err)
	}
	if want := "ambiguous short id 'abcdef'; 11 candidates: abcdef00000"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("message %q", err)
	}
}

// Two ranges of one file with the same 10 digits, found by trying 4 million: both are returned,
// and the caller refuses. A longer id tells them apart; one that was collected still counts.
func TestSpanCollision(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	blob := put(t, s, seedFile)
	a, b := rec(blob, "m.py", 603, 788), rec(blob, "m.py", 1064, 1725)
	if a.Span() != "fa896b1e1b" || b.Span() != a.Span() {
		t.Fatalf("no collision: %s, %s", a.Span(), b.Span())
	}
	mint(t, s, a, b)
	for range 2 {
		if got, err := s.Span(a.Span()); err != nil || len(got) != 2 || got[0] != b || got[1] != a {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := os.Remove(s.blobPath(blob)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	put(t, s, seedFile)
	if got, err := s.Span(fmt.Sprintf("%x", spanSum(blob, 603, 788))); err != nil || len(got) != 1 || got[0] != a {
		t.Errorf("whole id: %+v, %v", got, err)
	}
	var ambiguous *AmbiguousError
	if _, err := s.Pin(a.Span()); !errors.As(err, &ambiguous) || ambiguous.N != 2 {
		t.Errorf("pin: %v", err)
	}
}

func TestBlobDeletedBehindOurBack(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	mint(t, s, r)
	if err := os.Remove(s.blobPath(r.Blob)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Span(r.Span())
	wantUnknown(t, err, kindSpan)
	_, err = s.Read(r.Blob)
	wantUnknown(t, err, kindBlob)
	_, _, err = s.Snapshot(r.Snapshot())
	wantUnknown(t, err, kindSnapshot)
	put(t, s, seedFile)
	mint(t, s, r)
	wantSpan(t, s, r, seedFile)
}

func TestStoreDeletedBehindOurBack(t *testing.T) {
	for _, what := range []string{"", logName, blobsDir} {
		dir := t.TempDir()
		s := open(t, dir, Options{})
		r := rec(put(t, s, seedFile), "m.py", 4, 5)
		mint(t, s, r)
		if err := os.RemoveAll(filepath.Join(dir, what)); err != nil {
			t.Fatal(err)
		}
		_, err := s.Span(r.Span())
		wantUnknown(t, err, kindSpan)
		put(t, s, seedFile)
		mint(t, s, r)
		wantSpan(t, s, r, seedFile)
		wantSpan(t, open(t, dir, Options{}), r, seedFile)
	}
}

// A log that is cut or replaced by another one under a running store is noticed.
func TestLogReplaced(t *testing.T) {
	s, other := open(t, t.TempDir(), Options{}), open(t, t.TempDir(), Options{})
	a, b := rec(put(t, s, "a\n"), "a", 1, 1), rec(put(t, s, "b\n"), "b", 1, 1)
	mint(t, s, a)
	mint(t, other, b)
	if err := os.Rename(other.path(logName), s.path(logName)); err != nil {
		t.Fatal(err)
	}
	wantSpan(t, s, b, "b\n")
	_, err := s.Span(a.Span())
	wantUnknown(t, err, kindSpan)
	if err := os.Truncate(s.path(logName), 0); err != nil {
		t.Fatal(err)
	}
	_, err = s.Span(b.Span())
	wantUnknown(t, err, kindSpan)
	mint(t, s, b)
	wantSpan(t, s, b, "b\n")
}

func TestDamagedBlob(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	mint(t, s, r)
	path := s.blobPath(r.Blob)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := s.enc.EncodeAll([]byte("other"), nil)
	damages := [][]byte{nil, whole[:len(whole)-1], other}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		damages = append(damages, flipped)
	}
	found := 0
	for _, damage := range damages {
		if err := os.WriteFile(path, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := s.Read(r.Blob)
		var damaged *DamagedError
		if err == nil {
			if string(data) != seedFile { // some bits of a zstd header mean nothing
				t.Fatalf("damaged bytes were returned: %q", data)
			}
			continue
		}
		found++
		if !errors.As(err, &damaged) {
			t.Fatalf("got %v", err)
		}
		if aside, err := os.ReadFile(damaged.Path); err != nil || !bytes.Equal(aside, damage) {
			t.Fatalf("set aside: %v, %v", aside, err)
		}
		_, err = s.Span(r.Span())
		wantUnknown(t, err, kindSpan)
		if d := s.Stats().Damaged; len(d) != 1 || !strings.Contains(d[0], r.Blob.String()) {
			t.Fatalf("stats: %q", d)
		}
		put(t, s, seedFile)
		wantSpan(t, s, r, seedFile)
	}
	if found < len(whole) {
		t.Errorf("only %d of %d damages were found", found, len(damages))
	}
}

// A crash of the machine can leave a blob of no bytes: Put writes it again.
func TestEmptyBlobFileIsWrittenAgain(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := put(t, s, seedFile)
	if err := os.Truncate(s.blobPath(id), 0); err != nil {
		t.Fatal(err)
	}
	put(t, s, seedFile)
	if data, err := s.Read(id); err != nil || string(data) != seedFile {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestPutIDRefusesOtherBytes(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := SumBlob([]byte("a"))
	if err := s.PutID(id, []byte("b")); err == nil || s.Has(id) {
		t.Errorf("stored under a wrong name: %v", err)
	}
}

func TestClosed(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, "a"), "a", 1, 1)
	mint(t, s, r)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, putErr := s.Put([]byte("b"))
	_, readErr := s.Read(r.Blob)
	_, spanErr := s.Span(r.Span())
	_, _, snapshotErr := s.Snapshot(r.Snapshot())
	_, blobErr := s.Blob(r.Blob.String())
	_, gcErr := s.GC(0)
	_, pinErr := s.Pin(r.Span())
	for i, err := range []error{putErr, readErr, spanErr, snapshotErr, blobErr, gcErr, pinErr, s.Mint([]Record{r})} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	if got := s.Minted(r.Root, r.Path, 1, 1, r.Anchor); len(got) != 0 {
		t.Errorf("minted: %+v", got)
	}
	s.Stats()
}

// Two stores on one directory see each other's records at once, whoever mints.
func TestTwoStores(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{open(t, dir, Options{}), open(t, dir, Options{})}
	var wg sync.WaitGroup
	const each = 300
	for w := range 4 {
		wg.Go(func() {
			mine, other := stores[w%2], stores[1-w%2]
			for i := range each {
				src := fmt.Sprint("content ", w, i%7)
				id, err := mine.Put([]byte(src))
				if err != nil {
					t.Error(err)
					return
				}
				r := rec(id, fmt.Sprint("p", w), i, i)
				if err := mine.Mint([]Record{r, rec(id, "shared", i, i)}); err != nil {
					t.Error(err)
					return
				}
				if got := other.Minted(r.Root, r.Path, i, i, r.Anchor); len(got) != 1 || got[0] != r {
					t.Errorf("other store: %+v, want %+v", got, r)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		if stats := s.Stats(); stats.Spans != 4*each*2 || len(stats.Damaged) != 0 {
			t.Errorf("stats: %+v", stats)
		}
	}
}

func TestRecordLimits(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	blob := put(t, s, "a")
	for _, r := range []Record{
		rec(blob, "m", -1, 1), rec(blob, "m", 1, -1), rec(blob, "m", 1, 1<<32), rec(blob, strings.Repeat("x", maxNames+1), 1, 1),
	} {
		var refused *RecordError
		if err := s.Mint([]Record{r}); !errors.As(err, &refused) {
			t.Errorf("got %v", err)
		}
		if got := s.Minted(r.Root, r.Path, r.First, r.Last, r.Anchor); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	}
	for _, path := range []string{strings.Repeat("x", maxNames-2), strings.Repeat("\x00", maxNames-2)} {
		r := rec(blob, path, 1, 1<<32-1)
		mint(t, s, r)
		if got := s.Minted(r.Root, r.Path, r.First, r.Last, r.Anchor); len(got) != 1 || got[0] != r {
			t.Errorf("the longest name is not read back")
		}
	}
}
