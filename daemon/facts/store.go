package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/index"
)

// DefaultMaxBytes is what Options leaves at 0.
const DefaultMaxBytes = 1 << 30

// How much is written at once, and when the next segment is begun, unless the cap is small.
const (
	blockSize   = 1 << 20
	segmentSize = 32 << 20
)

// maxRaces is how often the next number of a segment is lost to others before it is given up.
const maxRaces = 1000

// unusedAfter: segments of other versions and manifests go when they were not written or used for so
// long. A clock that jumps costs at most the time to make them again.
const unusedAfter = 30 * 24 * time.Hour

// Options of a store.
type Options struct {
	// Version is index.Version(): facts of different versions are never mixed.
	Version string
	// MaxBytes is what all segments may take on disk, those of other versions too; 0 is
	// DefaultMaxBytes, negative is no cap. Several processes that write at once may exceed it by a
	// sixteenth each.
	MaxBytes int64
	// Logger is told when facts cannot be kept, once until they can again; nil discards.
	Logger *slog.Logger
}

// Store is one directory of facts; see Open. All methods are safe for concurrent use, by several
// stores in one or many processes on one directory. A store that has the directory open sees what
// stood there then and what it writes itself; more is seen when it begins a segment.
type Store struct {
	root, version string
	cap           int64
	blockSize     int
	segmentSize   int64
	log           *slog.Logger

	hits, misses, stored, refreshed, refused, damaged atomic.Int64
	buffers                                           sync.Pool // *[]byte, for records that are read

	mu      sync.Mutex // what follows; never held across I/O
	table   *table     // nil while it rests
	filling *block     // nil when nothing waits
	full    []*block   // to be written, in order
	problem string     // why the last write failed
	closed  bool

	// write orders loads and writes, so it is held across I/O. Get waits for it only where the table
	// is to be loaded, Put where it completed a block.
	write  sync.Mutex
	writer *writer // nil before the first write
}

// Open is the store in dir, which is made by the first write. The disk is not touched before the
// first Get or Put, and no state of it is an error: what cannot be read or written is a miss. The
// error is that of a Version that names no directory.
func Open(dir string, o Options) (*Store, error) {
	if o.Version == "" || o.Version != filepath.Base(o.Version) || !filepath.IsLocal(o.Version) || o.Version == "." {
		return nil, fmt.Errorf("facts: version %q does not name a directory; give index.Version()", o.Version)
	}
	s := &Store{root: dir, version: o.Version, cap: o.MaxBytes, log: o.Logger}
	switch {
	case s.cap == 0:
		s.cap = DefaultMaxBytes
	case s.cap < 0:
		s.cap = math.MaxInt64
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.segmentSize = min(segmentSize, s.cap/16)
	s.blockSize = int(min(blockSize, s.segmentSize/8))
	return s, nil
}

func (s *Store) dir() string { return filepath.Join(s.root, s.version) }

// Get returns the facts of k: equal to those that were Put, the caller's to keep. False is a miss.
func (s *Store) Get(k Key) (*index.File, bool) {
	f, ok := s.get(k)
	if ok {
		s.hits.Add(1)
	} else {
		s.misses.Add(1)
	}
	return f, ok
}

func (s *Store) get(k Key) (*index.File, bool) {
	t := s.loaded()
	if t == nil {
		return nil, false
	}
	s.mu.Lock()
	at, ok := t.at[k.prefix()]
	if !ok {
		waiting := s.waiting(k)
		s.mu.Unlock()
		return open(waiting, k)
	}
	segment, old := t.segments[at.segment()], at.segment() < t.old
	s.mu.Unlock()
	buffer, _ := s.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	if cap(*buffer) < at.size() {
		*buffer = make([]byte, at.size(), align(at.size()+at.size()/2))
	}
	record := (*buffer)[:at.size()]
	if _, err := segment.file.ReadAt(record, at.offset()); err != nil {
		s.forget(t, k, at)
		return nil, false
	}
	f, ok := open(record, k)
	if !ok {
		s.damaged.Add(1)
		s.forget(t, k, at)
	} else if old {
		s.refreshed.Add(1)
		s.add(k, record)
	}
	if cap(*buffer) <= blockSize {
		s.buffers.Put(buffer)
	}
	return f, ok
}

// waiting is the record of k that is not yet written, or nil. Under mu.
func (s *Store) waiting(k Key) []byte {
	if s.filling != nil {
		if r := s.filling.find(k); r != nil {
			return r
		}
	}
	for _, b := range s.full {
		if r := b.find(k); r != nil {
			return r
		}
	}
	return nil
}

// forget takes what turned out to be damaged out of the index, so that it can be Put again.
func (s *Store) forget(t *table, k Key, at location) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.at[k.prefix()] == at {
		delete(t.at, k.prefix())
	}
}

// loaded is the index, read from disk if need be; nil when the store is closed.
func (s *Store) loaded() *table {
	s.mu.Lock()
	t, closed := s.table, s.closed
	s.mu.Unlock()
	if t != nil || closed {
		return t
	}
	s.write.Lock()
	defer s.write.Unlock()
	s.mu.Lock()
	t, closed = s.table, s.closed
	s.mu.Unlock()
	if t != nil || closed {
		return t
	}
	return s.load(nil)
}

// load reads the index from disk in place of before. Under write.
func (s *Store) load(before *table) *table {
	t := load(s.dir(), before)
	t.old = t.oldest(s.cap)
	s.mu.Lock()
	s.table = t
	s.mu.Unlock()
	return t
}

// Put keeps f, which index.Build returned for the bytes and the path of k. It does not fail: what
// cannot be kept will be a miss. It waits in memory until there is a block of it; see Flush. Files
// that were too much work are not kept, since on another machine they may not be, nor those that the index
// failed on.
func (s *Store) Put(k Key, f *index.File) {
	if f.Status == index.BudgetWork || f.Status == index.Failed {
		return
	}
	t := s.loaded()
	if t == nil {
		return
	}
	s.mu.Lock()
	_, known := t.at[k.prefix()]
	s.mu.Unlock()
	if known {
		return
	}
	record, err := newRecord(k, f)
	if err != nil || int64(len(record)) > s.segmentSize-int64(s.blockSize) {
		if s.refused.Add(1) == 1 { // Stats counts the others
			s.log.Warn("facts: a file is not kept", "language", f.Language, "definitions", len(f.Defs), "bytes", len(record),
				"max_bytes", s.cap, "err", err)
		}
		return
	}
	s.add(k, record)
}

// add puts a copy of record where it waits to be written, and writes when that is a whole block.
func (s *Store) add(k Key, record []byte) {
	s.mu.Lock()
	if s.waiting(k) != nil {
		s.mu.Unlock()
		return
	}
	if s.filling == nil {
		s.filling = newBlock(s.blockSize + s.blockSize/8)
	}
	s.filling.add(k, record)
	full := len(s.filling.b) >= s.blockSize
	if full {
		s.full = append(s.full, s.filling)
		s.filling = nil
	}
	s.mu.Unlock()
	if full {
		s.write.Lock()
		s.writeFull()
		s.write.Unlock()
	}
}

// Flush writes what waits. After it returned, kill -9 loses nothing that was Put before.
func (s *Store) Flush() {
	s.write.Lock()
	defer s.write.Unlock()
	s.flush()
}

// flush is Flush under write.
func (s *Store) flush() {
	s.mu.Lock()
	if s.filling != nil {
		s.full = append(s.full, s.filling)
		s.filling = nil
	}
	s.mu.Unlock()
	s.writeFull()
}

// writeFull writes the full blocks. Under write.
func (s *Store) writeFull() {
	for {
		s.mu.Lock()
		if s.closed {
			s.full = nil
		}
		if len(s.full) == 0 {
			s.mu.Unlock()
			return
		}
		b, t := s.full[0], s.table
		s.mu.Unlock()
		at, t, err := s.append(b.seal(), t)
		s.mu.Lock()
		s.full = s.full[1:]
		told := s.problem != ""
		s.problem = ""
		if err != nil {
			s.problem = err.Error()
		} else {
			t.old = t.oldest(s.cap)
			for _, e := range b.entries {
				t.at[e.prefix] = locate(at.segment(), at.offset()+int64(e.offset), e.size)
			}
		}
		s.mu.Unlock()
		if err == nil {
			s.stored.Add(int64(len(b.entries)))
		} else if !told {
			s.log.Warn("facts: cannot be kept, so files are parsed again at the next start", "dir", s.dir(), "err", err)
		}
	}
}

// append writes a block, and says where and in which table that is: t, or a later one. Under write.
func (s *Store) append(b []byte, t *table) (location, *table, error) {
	if w := s.writer; w == nil || t == nil || !w.linked() || w.end > 0 && w.end+int64(len(b)) > s.segmentSize {
		s.endWriter()
		var err error
		if t, err = s.beginWriter(int64(len(b)), t); err != nil {
			return 0, t, err
		}
	}
	offset := s.writer.end
	if err := s.writer.write(b); err != nil {
		return 0, t, err
	}
	t.segments[s.writer.segment].end = s.writer.end
	return locate(s.writer.segment, offset, 0), t, nil
}

// beginWriter finds a place for size bytes: in the newest segment that has room and that nobody
// writes any more, else in a new one. It makes room under the cap before, and looks at the directory
// anew, so that the index forgets what was removed and learns what other processes wrote. Under write.
func (s *Store) beginWriter(size int64, before *table) (*table, error) {
	if err := os.MkdirAll(s.dir(), 0o700); err != nil {
		return before, err
	}
	trim(s.root, s.version, s.cap-s.segmentSize, time.Now())
	t := s.load(before)
	for i := len(t.segments) - 1; i >= t.old; i-- {
		segment := t.segments[i]
		if segment.end+size > s.segmentSize {
			continue
		}
		w, err := claim(segment.path, false)
		if err != nil {
			continue
		}
		if w.end == segment.end && os.SameFile(w.info, segment.info) {
			w.segment = i
			s.writer = w
			return t, nil
		}
		_ = w.file.Close() // it ends in a torn block, or somebody wrote it since we looked, and is gone
	}
	return t, s.newSegment(t)
}

// newSegment makes the writer's next segment, and the newest of t. Under write.
func (s *Store) newSegment(t *table) error {
	number := uint32(1)
	if n := len(t.segments); n == maxSegments {
		return fmt.Errorf("%s: too many segments", s.dir())
	} else if n > 0 {
		number = t.segments[n-1].number + 1
	}
	for range maxRaces {
		path := filepath.Join(s.dir(), segmentName(number))
		w, err := claim(path, true)
		if errors.Is(err, fs.ErrNotExist) { // the directory was removed a moment ago
			if err := os.MkdirAll(s.dir(), 0o700); err != nil {
				return err
			}
			continue
		}
		if errors.Is(err, fs.ErrExist) || errors.Is(err, errTaken) {
			number++
			continue
		}
		if err != nil {
			return err
		}
		segment := openSegment(segmentFile{path: path, number: number})
		if segment == nil || !os.SameFile(segment.info, w.info) {
			_ = w.file.Close()
			continue
		}
		w.segment = len(t.segments)
		s.writer = w
		s.mu.Lock()
		t.segments = append(t.segments, segment)
		s.mu.Unlock()
		return nil
	}
	return fmt.Errorf("%s: others make and remove segments without end", s.dir())
}

// endWriter leaves the segment to whoever writes next. Under write.
func (s *Store) endWriter() {
	if s.writer != nil {
		_ = s.writer.file.Close() // every write was answered
		s.writer = nil
	}
}

// Rest writes what waits, and gives back the memory of the index, the open files and the lock until
// the next Get or Put. A Get at the same moment may be a miss.
func (s *Store) Rest() { _ = s.rest(false) }

// Close is Rest for good: every Get is a miss from now on, and a Put is lost. The error is that of
// the last write.
func (s *Store) Close() error { return s.rest(true) }

func (s *Store) rest(forGood bool) error {
	s.write.Lock()
	defer s.write.Unlock()
	s.flush()
	s.endWriter()
	s.mu.Lock()
	t := s.table
	s.table = nil
	s.closed = s.closed || forGood
	problem := s.problem
	s.mu.Unlock()
	t.close(nil)
	if problem != "" {
		return errors.New(problem)
	}
	return nil
}

// Stats is the state of a store.
type Stats struct {
	Bytes     int64 // of all segments on disk, those of other versions too
	Records   int   // in the index of this version; 0 while it rests
	Hits      int64 // of this Store, as what follows
	Misses    int64
	Stored    int64  // records written, those written again included
	Refreshed int64  // records written again because they were found in an old segment
	Refused   int64  // files whose facts are above a sixteenth of MaxBytes, or 31 MiB
	Damaged   int64  // records that failed their check
	Problem   string // why the last write failed, "" when it did not
}

// Stats counts. It lists the directory.
func (s *Store) Stats() Stats {
	stats := Stats{Hits: s.hits.Load(), Misses: s.misses.Load(), Stored: s.stored.Load(),
		Refreshed: s.refreshed.Load(), Refused: s.refused.Load(), Damaged: s.damaged.Load()}
	for _, files := range segmentsByVersion(s.root) {
		for _, f := range files {
			stats.Bytes += f.info.Size()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stats.Problem = s.problem
	if s.table != nil {
		stats.Records = len(s.table.at)
	}
	return stats
}
