package captures

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// written mints n records and returns them with the log's bytes.
func written(t testing.TB, s *Store, n int) ([]Record, []byte) {
	t.Helper()
	blob := put(t, s, seedFile)
	var recs []Record
	for i := range n {
		recs = append(recs, rec(blob, fmt.Sprintf("dir/file%d.py", i), i, i+3))
	}
	mint(t, s, recs...)
	data, err := os.ReadFile(s.path(logName))
	if err != nil {
		t.Fatal(err)
	}
	return recs, data
}

func known(s *Store, r Record) bool {
	got := s.Minted(r.Root, r.Path, r.First, r.Last, r.Anchor)
	return len(got) == 1 && got[0] == r
}

// Wherever a write was cut, the records before it are there, and so are those minted after.
func TestTornTail(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	recs, data := written(t, s, 3)
	start := bytes.LastIndexByte(data[:len(data)-1], delimiter) + 1
	for cut := start; cut < len(data); cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/"+logName, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, Options{})
		if !known(s, recs[0]) || !known(s, recs[1]) || known(s, recs[2]) {
			t.Fatalf("cut at %d: wrong records", cut)
		}
		if d := s.Stats().Damaged; (len(d) == 1 && strings.Contains(d[0], "unfinished")) != (cut > start) {
			t.Fatalf("cut at %d: stats say %q", cut, d)
		}
		blob := put(t, s, "more")
		more := rec(blob, "more", 1, 1)
		mint(t, s, more, recs[2])
		for _, s := range []*Store{s, open(t, dir, Options{})} {
			for _, r := range append(recs, more) {
				// Cut just before its delimiter, a record is whole again.
				if !known(s, r) {
					t.Fatalf("cut at %d: %s is lost", cut, r.Path)
				}
			}
		}
	}
}

// A flipped bit costs at most the two records that it touches, and makes none up.
func TestFlippedBits(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	recs, data := written(t, s, 4)
	dir := t.TempDir()
	for i := range data {
		bit := i*8 + i%8
		flipped := bytes.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		if err := os.WriteFile(dir+"/"+logName, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		lost := 0
		for _, r := range recs {
			if !known(s, r) {
				lost++
			}
		}
		stats := s.Stats()
		if lost < 1 || lost > 2 || stats.Spans != len(recs)-lost || len(stats.Damaged) == 0 {
			t.Fatalf("bit %d: %d lost, stats %+v", bit, lost, stats)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The bit flips after the log was indexed: the record is checked again when it is read back.
func TestFlippedAfterOpen(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	recs, data := written(t, s, 2)
	data[20] ^= 4
	if err := os.WriteFile(s.path(logName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if known(s, recs[0]) || !known(s, recs[1]) {
		t.Error("a damaged record was used, or a good one was not")
	}
}

// The log is overwritten in place by another of the same size: the index is wrong and not noticed,
// so what is read back is compared with what was asked.
func TestRecordsSwappedInPlace(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	recs, data := written(t, s, 2)
	half := len(data) / 2
	if data[half-1] != delimiter {
		t.Fatal("the frames differ in length")
	}
	f, err := os.OpenFile(s.path(logName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(bytes.Clone(data[half:]), data[:half]...)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if got := s.Minted(r.Root, r.Path, r.First, r.Last, r.Anchor); len(got) != 0 {
			t.Errorf("another address's record is returned: %+v", got)
		}
		_, err := s.Span(r.Span())
		wantUnknown(t, err, kindSpan)
		_, _, err = s.Snapshot(r.Snapshot())
		wantUnknown(t, err, kindSnapshot)
	}
}

// Chains stay short: tables grow with the records, and the newest of an address stays in front.
func TestIndexGrows(t *testing.T) {
	x := newIndex()
	blob := SumBlob(nil)
	const n = 5000
	for i := range n {
		r := rec(blob, "m", i, i)
		x.add(r.appendPayload(nil), locate(int64(2*i), 1))
		r.Full[0]++
		x.add(r.appendPayload(nil), locate(int64(2*i+1), 1))
	}
	if len(x.spans) < 2*n || len(x.addresses) < 2*n {
		t.Errorf("tables of %d and %d for %d records", len(x.spans), len(x.addresses), 2*n)
	}
	for i := range n {
		r := rec(blob, "m", i, i)
		address, _ := x.keys(r.appendPayload(nil))
		want := []location{locate(int64(2*i+1), 1), locate(int64(2*i), 1)}
		if got := x.byAddress(address); !slices.Equal(got, want) {
			t.Fatalf("record %d: at %v, want %v", i, got, want)
		}
	}
}

func TestGCSetsDamageAside(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	recs, data := written(t, s, 3)
	data[20] ^= 4
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/"+logName, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	put(t, s, seedFile)
	if stats, err := s.GC(-1); err != nil || stats.Spans != 2 {
		t.Fatalf("gc: %+v, %v", stats, err)
	}
	if known(s, recs[0]) || !known(s, recs[1]) || !known(s, recs[2]) {
		t.Error("wrong records after gc")
	}
	d := s.Stats().Damaged
	if len(d) != 1 || !strings.Contains(d[0], damagedDir+"/"+logName) {
		t.Fatalf("stats: %q", d)
	}
}

// A record of a later version is passed over, and gc keeps it.
func TestLaterVersion(t *testing.T) {
	dir := t.TempDir()
	later := appendFrame(nil, []byte("\x02what a later version writes"))
	if err := os.WriteFile(dir+"/"+logName, later, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	recs, _ := written(t, s, 2)
	if err := os.Remove(s.blobPath(recs[0].Blob)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(-1); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.path(logName))
	if err != nil || !bytes.Equal(data, later) {
		t.Errorf("log is %q, %v; want the later version's record alone", data, err)
	}
	if stats := s.Stats(); stats.Spans != 0 || len(stats.Damaged) != 0 {
		t.Errorf("stats: %+v", stats)
	}
}

// frames decodes all good frames of data.
func frames(data []byte) (payloads [][]byte, bad int) {
	s := newScanner(bytes.NewReader(data), 0, int64(len(data)))
	for s.next() {
		if p, ok := decodeFrame(nil, s.frame); ok {
			payloads = append(payloads, p)
		} else {
			bad++
		}
	}
	return payloads, bad
}

func TestFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var log []byte
	var want [][]byte
	for n := range 1200 {
		for _, zeros := range []int{0, 1, 2} { // none, some, all
			p := make([]byte, n)
			for i := range p {
				if zeros == 0 || zeros == 1 && random.IntN(3) > 0 {
					p[i] = byte(1 + random.IntN(255))
				}
			}
			want = append(want, p)
			log = appendFrame(log, p)
		}
	}
	got, bad := frames(log)
	if bad != 0 || len(got) != len(want) {
		t.Fatalf("%d frames and %d bad ones, want %d", len(got), bad, len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("frame %d: got %x, want %x", i, got[i], want[i])
		}
	}
}

// Damage longer than any frame, and than the buffer, is one damaged part; what follows is found.
func TestOverlongDamage(t *testing.T) {
	for _, n := range []int{maxFrame, maxFrame + 1, scanBuffer - 1, scanBuffer, scanBuffer + 1, 3 * scanBuffer} {
		dir := t.TempDir()
		good := rec(SumBlob(nil), "good", 1, 1)
		frame := appendFrame(nil, good.appendPayload(nil))
		data := append(bytes.Clone(frame), bytes.Repeat([]byte{7}, n)...)
		data = append(append(data, delimiter), frame...)
		if err := os.WriteFile(dir+"/"+logName, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir, Options{})
		want := fmt.Sprintf("%s: %d damaged bytes at offset %d skipped", logName, n, len(frame))
		if stats := s.Stats(); stats.Spans != 2 || len(stats.Damaged) != 1 || stats.Damaged[0] != want {
			t.Errorf("%d bytes: %+v, want %q", n, stats, want)
		}
		if !known(s, good) {
			t.Errorf("%d bytes: the record is lost", n)
		}
	}
}

// FuzzLog: whatever the log holds, the reader does not panic, returns only payloads whose frame
// carries their checksum, and finds a good record that follows.
func FuzzLog(f *testing.F) {
	good := rec(SumBlob([]byte(seedFile)), "m.py", 4, 5)
	frame := appendFrame(nil, good.appendPayload(nil))
	f.Add([]byte{})
	f.Add(frame)
	f.Add(frame[:len(frame)-1])
	f.Add(frame[5:])
	f.Add(append(bytes.Clone(frame[:40]), frame...))
	f.Add([]byte{0, 0, 0, 1, 0, 255, 0, 5, 1})
	f.Add(appendFrame(nil, []byte{recordVersion}))
	f.Add(appendFrame(nil, bytes.Repeat([]byte{1}, offRoot)))
	f.Fuzz(func(t *testing.T, data []byte) {
		log := append(append(bytes.Clone(data), delimiter), frame...)
		s := newScanner(bytes.NewReader(log), 0, int64(len(log)))
		var last Record
		for s.next() {
			p, ok := decodeFrame(nil, s.frame)
			if !ok {
				continue
			}
			stuffed := log[s.offset : s.offset+s.size]
			if plain := unstuff(stuffed); len(plain) < crcSize || !bytes.Equal(plain[:len(plain)-crcSize], p) ||
				binary.LittleEndian.Uint32(plain[len(plain)-crcSize:]) != crc32.Checksum(p, castagnoli) {
				t.Fatalf("frame %x was taken for %x", stuffed, p)
			}
			if q, ok := parsePayload(p); ok {
				last = q.record()
			}
		}
		if last != good {
			t.Fatalf("the record after the damage reads %+v", last)
		}
	})
}

// unstuff is COBS decoding again, in the plainest form.
func unstuff(frame []byte) []byte {
	var out []byte
	for i := 0; i < len(frame); {
		code := int(frame[i])
		for j := 1; j < code && i+j < len(frame); j++ {
			out = append(out, frame[i+j])
		}
		i += code
		if code < 255 && i < len(frame) {
			out = append(out, 0)
		}
	}
	return out
}
