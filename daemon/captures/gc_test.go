package captures

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGC(t *testing.T) {
	s := open(t, t.TempDir(), Options{Retention: 2 * time.Hour})
	contents := []string{"used just now", "used an hour ago", "used yesterday", "pinned", "pinned by its snapshot"}
	var recs []Record
	for i, src := range contents {
		recs = append(recs, rec(put(t, s, src), fmt.Sprint("f", i), 1, 1))
	}
	mint(t, s, recs...)
	for _, id := range []string{recs[3].Span(), "span:" + recs[3].Span(), "snapshot:" + recs[4].Snapshot()[:12]} {
		pinned, err := s.Pin(id)
		if err != nil || !strings.HasPrefix(pinned.ID, "s") || pinned.Path == "" {
			t.Fatalf("Pin(%s) = %+v, %v", id, pinned, err)
		}
	}
	for i, d := range []time.Duration{0, time.Hour, 24 * time.Hour, 1000 * time.Hour, 1000 * time.Hour} {
		age(t, s, recs[i].Blob, d)
	}
	stats, err := s.GC(-1)
	if err != nil || stats.Removed != 1 || stats.Kept != 4 || stats.Pinned != 2 || stats.Spans != 4 || stats.RemovedBytes <= 0 || stats.KeptBytes <= 0 {
		t.Fatalf("gc: %+v, %v", stats, err)
	}
	_, err = s.Span(recs[2].Span())
	wantUnknown(t, err, kindSpan)
	if want := "was not used for 2h0m0s"; !strings.Contains(err.Error(), want) {
		t.Errorf("message %q does not say %q", err, want)
	}
	_, _, err = s.Snapshot(recs[2].Snapshot())
	wantUnknown(t, err, kindSnapshot)
	if got := s.Minted(recs[2].Root, recs[2].Path, 1, 1, recs[2].Anchor); len(got) != 0 {
		t.Errorf("the record of a collected span remains: %+v", got)
	}
	if stats, err = s.GC(0); err != nil || stats.Removed != 1 || stats.Kept != 3 {
		t.Fatalf("gc of everything: %+v, %v", stats, err)
	}
	for _, i := range []int{0, 3, 4} {
		wantSpan(t, s, recs[i], contents[i])
	}
	put(t, s, contents[2])
	mint(t, s, recs[2])
	wantSpan(t, s, recs[2], contents[2])
}

func TestReadAndPutMarkUsed(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	ids := []BlobID{put(t, s, "read"), put(t, s, "put"), put(t, s, "neither"), put(t, s, "from the future")}
	for _, id := range ids[:3] {
		age(t, s, id, time.Hour)
	}
	age(t, s, ids[3], -time.Hour)
	if _, err := s.Read(ids[0]); err != nil {
		t.Fatal(err)
	}
	put(t, s, "put")
	put(t, s, "from the future")
	if stats, err := s.GC(time.Minute); err != nil || stats.Removed != 1 || s.Has(ids[2]) {
		t.Errorf("gc: %+v, %v", stats, err)
	}
	info, err := os.Stat(s.blobPath(ids[3]))
	if err != nil || time.Until(info.ModTime()) > time.Minute {
		t.Errorf("last use is in the future: %v, %v", info.ModTime(), err)
	}
}

func TestSizeCap(t *testing.T) {
	const n, keep = 40, 10
	s := open(t, t.TempDir(), Options{})
	random := rand.NewChaCha8([32]byte{1})
	var ids []BlobID
	var each int64
	for i := range n {
		src := make([]byte, 1000)
		random.Read(src)
		id := put(t, s, string(src))
		ids = append(ids, id)
		age(t, s, id, time.Duration(1+(i*7)%n)*time.Hour) // not in the order of writing
		info, err := os.Stat(s.blobPath(id))
		if err != nil {
			t.Fatal(err)
		}
		each = max(each, info.Size())
	}
	mint(t, s, rec(ids[0], "m", 1, 1))
	oldest := ids[17] // 17*7%40 = 39
	if _, err := s.Pin("blob:" + oldest.String()[:10]); err != nil {
		t.Fatal(err)
	}
	s.maxBytes = keep * each
	stats, err := s.GC(-1)
	if err != nil || stats.Kept != keep || stats.Removed != n-keep || stats.KeptBytes > s.maxBytes || stats.Pinned != 1 {
		t.Fatalf("gc: %+v, %v", stats, err)
	}
	for i, id := range ids {
		want := id == oldest || 1+(i*7)%n <= keep-1
		if s.Has(id) != want {
			t.Errorf("blob used %d hours ago: kept is %v, want %v", 1+(i*7)%n, !want, want)
		}
	}
}

// A file that gc renamed and was killed over is found, put back, and may be put anew.
func TestHalfRemovedBlob(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for _, again := range []bool{false, true} {
		r := rec(put(t, s, seedFile), "m.py", 4, 5)
		mint(t, s, r)
		path := s.blobPath(r.Blob)
		if err := os.Rename(path, path+removingExt); err != nil {
			t.Fatal(err)
		}
		wantSpan(t, s, r, seedFile)
		if id, err := s.Blob(r.Blob.String()[:8]); err != nil || id != r.Blob {
			t.Errorf("blob: %v, %v", id, err)
		}
		if again {
			put(t, s, seedFile)
		}
		if stats, err := s.GC(-1); err != nil || stats.Kept != 1 {
			t.Errorf("gc: %+v, %v", stats, err)
		}
		left, err := filepath.Glob(s.path(blobsDir, "*", "*"+removingExt))
		if err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		wantSpan(t, s, r, seedFile)
	}
}

// A blob that was used after gc listed it is put back.
func TestUsedWhileRemoved(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := put(t, s, "x")
	age(t, s, id, time.Hour)
	listed, err := s.listBlobs()
	if err != nil || len(listed) != 1 {
		t.Fatal(listed, err)
	}
	put(t, s, "x")
	if removed, err := s.removeBlob(listed[0]); removed || err != nil || !s.Has(id) {
		t.Errorf("removed: %v, %v", removed, err)
	}
}

func TestStraysAreRemoved(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	put(t, s, "x")
	old, young := s.path(tmpDir, "blob-1"), s.path(tmpDir, "blob-2")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(-1); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.path(tmpDir))
	if err != nil || len(entries) != 1 || entries[0].Name() != "blob-2" {
		t.Errorf("left in tmp: %v, %v", entries, err)
	}
}

func TestPins(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	mint(t, s, r)
	blob := r.Blob.String()
	for _, c := range []struct {
		id   string
		want Pinned
	}{
		{"b34a0fcd32", Pinned{ID: "span:b34a0fcd32", Blob: r.Blob, Path: "m.py", First: 4, Last: 5}},
		{"snapshot:338513e5561f", Pinned{ID: "snapshot:" + r.Snapshot(), Blob: r.Blob, Path: "m.py"}},
		{"blob:bb38f61cf343", Pinned{ID: "blob:" + blob, Blob: r.Blob}},
		{"b34a0fcd32", Pinned{ID: "span:b34a0fcd32", Blob: r.Blob, Path: "m.py", First: 4, Last: 5}},
	} {
		if got, err := s.Pin(c.id); err != nil || got != c.want {
			t.Errorf("Pin(%s) = %+v, %v; want %+v", c.id, got, err, c.want)
		}
	}
	data, err := os.ReadFile(s.path(pinsName))
	if err != nil || strings.Count(string(data), "\n") != 3 {
		t.Errorf("pins: %q, %v", data, err)
	}
	for id, kind := range map[string]string{"000000": kindSpan, "snapshot:000000": kindSnapshot, "blob:000000": kindBlob} {
		_, err := s.Pin(id)
		wantUnknown(t, err, kind)
	}
	var refused *PrefixError
	for _, id := range []string{"", "blob:", "run:abcdef", "repo:m.py"} {
		if _, err := s.Pin(id); !errors.As(err, &refused) {
			t.Errorf("Pin(%q) = %v", id, err)
		}
	}
	// A damaged pin: what it kept is not known, so nothing is collected.
	age(t, s, r.Blob, 1000*time.Hour)
	other := put(t, s, "other")
	age(t, s, other, 1000*time.Hour)
	data[3] ^= 1
	if err := os.WriteFile(s.path(pinsName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *PinsError
	if _, err := s.GC(0); !errors.As(err, &damaged) || damaged.Line != 1 {
		t.Errorf("gc: %v", err)
	}
	if _, err := s.Pin("b34a0fcd32"); !errors.As(err, &damaged) {
		t.Errorf("pin: %v", err)
	}
	if d := s.Stats().Damaged; len(d) != 1 || !strings.Contains(d[0], "damaged pin") {
		t.Errorf("stats: %q", d)
	}
	if !s.Has(other) || !s.Has(r.Blob) {
		t.Error("something was collected")
	}
}

// Nothing that was minted a moment ago is lost to a gc beside it: records are known, unknown and
// dropped again in turn, while blobs grow old and are put again.
func TestGCBesideMints(t *testing.T) {
	dir := t.TempDir()
	collector := open(t, dir, Options{})
	stop := make(chan struct{})
	var collecting, minting sync.WaitGroup
	var removed int
	var rounds atomic.Int64
	collecting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			stats, err := collector.GC(0)
			removed += stats.Removed
			rounds.Add(1)
			if err != nil {
				t.Error(err)
			}
		}
	})
	for w := range 3 {
		s := collector
		if w > 0 {
			s = open(t, dir, Options{})
		}
		minting.Go(func() {
			for i := 0; i < 300 || rounds.Load() < 40; i++ {
				src := fmt.Sprint("worker ", w, " content ", i%5)
				id, err := s.Put([]byte(src))
				if err != nil {
					t.Error(err)
					return
				}
				r := rec(id, fmt.Sprint("f", w), i%5, i%5)
				if err := s.Mint([]Record{r}); err != nil {
					t.Error(err)
					return
				}
				got, err := s.Span(r.Span())
				if err != nil || len(got) != 1 || got[0] != r {
					t.Errorf("round %d: %+v, %v", i, got, err)
					return
				}
				if data, err := s.Read(id); err != nil || string(data) != src {
					t.Errorf("round %d: %q, %v", i, data, err)
					return
				}
				// From now on it may be collected, at any moment until it is put again.
				then := time.Now().Add(-time.Hour)
				err = os.Chtimes(s.blobPath(id), then, then)
				if err != nil && !errors.Is(err, fs.ErrNotExist) { // gc looks at it just now
					t.Error(err)
					return
				}
			}
		})
	}
	minting.Wait()
	close(stop)
	collecting.Wait()
	if removed == 0 {
		t.Errorf("nothing was removed in %d rounds", rounds.Load())
	}
}

// What was dropped by a gc and put again before the new log took its place is in the new log.
func TestRevivedDuringGC(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	gone := rec(put(t, s, "gone"), "gone", 1, 1)
	mint(t, s, r, gone)
	for _, r := range []Record{r, gone} {
		if err := os.Remove(s.blobPath(r.Blob)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.createTemp("log-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := newCompaction(s, s.view.Load(), f)
	if err := c.copyLive(); err != nil || len(c.dead) != 2 {
		t.Fatal(err, c.dead)
	}
	put(t, s, seedFile)
	mint(t, s, r) // known: writes nothing
	late := rec(put(t, s, "late"), "late", 1, 1)
	mint(t, s, late)
	if err := c.replace(f); err != nil {
		t.Fatal(err)
	}
	wantSpan(t, s, r, seedFile)
	wantSpan(t, s, late, "late")
	if known(s, gone) {
		t.Error("the record of a collected blob remains")
	}
}

// A log that something else replaced during gc is not overwritten.
func TestLogReplacedDuringGC(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	mint(t, s, rec(put(t, s, "a"), "a", 1, 1))
	f, err := s.createTemp("log-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := newCompaction(s, s.view.Load(), f)
	if err := c.copyLive(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.path(logName)); err != nil {
		t.Fatal(err)
	}
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	mint(t, s, r)
	if err := c.replace(f); err == nil {
		t.Error("the new log was overwritten")
	}
	wantSpan(t, s, r, seedFile)
}

// A blob that was written anew while its damaged file was read is not set aside.
func TestWrittenAnewWhileDamaged(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := put(t, s, seedFile)
	damaged, err := os.Stat(s.blobPath(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.writeBlob(s.blobPath(id), s.enc.EncodeAll([]byte(seedFile), nil)); err != nil {
		t.Fatal(err)
	}
	if err := s.setAside(id, damaged, errors.New("damaged")); err == nil {
		t.Error("the damage was not reported")
	}
	if data, err := s.Read(id); err != nil || string(data) != seedFile {
		t.Errorf("read %q, %v", data, err)
	}
}
