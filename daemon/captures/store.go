package captures

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// What Options leaves at 0.
const (
	DefaultRetention = 30 * 24 * time.Hour
	DefaultMaxBytes  = 2 << 30
)

// MaxBlob is the most bytes that one capture may have.
const MaxBlob = 1 << 30

// The names inside the store's directory.
const (
	logName     = "captures.log"
	pinsName    = "pins"
	lockName    = "gc.lock"
	blobsDir    = "blobs"
	damagedDir  = "damaged"
	tmpDir      = "tmp"
	blobExt     = ".zst"
	removingExt = ".gone" // a blob that gc is about to remove
)

// How long a blob that was just used is safe from gc, and how stale its time of use may get. A
// caller has the difference to get from Put to Mint.
const (
	touchAfter = time.Minute
	grace      = 3 * time.Minute
)

// How long locks are waited for: that of the log is held for microseconds, and at the end of gc
// for some milliseconds; that of gc for as long as one collection takes.
const (
	logPatience = 2 * time.Second
	gcPatience  = 10 * time.Second
)

// Options of a store.
type Options struct {
	// MaxBytes is what the blobs may take on disk, compressed, before GC removes the least
	// recently used; 0 is DefaultMaxBytes, negative is no cap.
	MaxBytes int64
	// Retention is how long after its last use a blob is kept; 0 is DefaultRetention.
	Retention time.Duration
	// Logger is told of damage; nil discards.
	Logger *slog.Logger
}

// Store is one directory of captures. Use Open.
type Store struct {
	dir       string
	maxBytes  int64
	retention time.Duration
	log       *slog.Logger
	patience  time.Duration // how long the lock of the log is waited for
	closed    atomic.Bool

	enc *zstd.Encoder
	dec *zstd.Decoder

	view atomic.Pointer[view]
	// write orders this store's appends and reloads of the log: it is held across the write(2),
	// as an append must be in the index in the order of the file. Lookups take it only when
	// another process changed the log.
	write sync.Mutex
}

// Open opens the store in dir, which is made if missing. A store that can be read and not written
// opens, and its Put and Mint fail with a *WriteError; one that can be neither made nor read is
// a *WriteError here.
func Open(dir string, opts Options) (*Store, error) {
	s := &Store{dir: dir, maxBytes: opts.MaxBytes, retention: opts.Retention, patience: logPatience, log: opts.Logger}
	if s.maxBytes == 0 {
		s.maxBytes = DefaultMaxBytes
	}
	if s.retention <= 0 {
		s.retention = DefaultRetention
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	// Small windows and one worker: the files are sources, and a daemon's memory counts.
	s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithZeroFrames(true),
		zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(2))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxBlob))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	if err := s.makeDir(); err != nil {
		if _, statErr := os.Stat(s.path(logName)); statErr != nil {
			return nil, err
		}
		s.log.Warn("captures: store is read-only", "err", err)
	}
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// makeDir makes the directory for its owner alone.
func (s *Store) makeDir() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return &WriteError{Path: s.dir, Err: err}
	}
	info, err := os.Stat(s.dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(s.dir, 0o700)
	}
	if err != nil {
		return &WriteError{Path: s.dir, Err: err}
	}
	return nil
}

// Close ends the store. What was minted stays; calls under way may fail with ErrClosed.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.write.Lock()
	defer s.write.Unlock()
	return s.view.Load().close()
}

func (s *Store) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// Stats is the state of a store.
type Stats struct {
	Blobs   int
	Bytes   int64    // of the blobs on disk, compressed
	Spans   int      // mint records
	Damaged []string // what failed its check, one sentence each, in a stable order
}

// Stats counts. It lists the directory of blobs, which takes about 2 µs a blob.
func (s *Store) Stats() Stats {
	var stats Stats
	blobs, err := s.listBlobs()
	if err != nil {
		stats.Damaged = append(stats.Damaged, err.Error())
	}
	for _, b := range blobs {
		stats.Blobs++
		stats.Bytes += b.size
	}
	v, err := s.current()
	if err != nil {
		stats.Damaged = append(stats.Damaged, err.Error())
	}
	if v != nil {
		spans, damaged := v.stats()
		stats.Spans = spans
		stats.Damaged = append(stats.Damaged, damaged...)
	}
	if _, err := s.readPins(); err != nil {
		stats.Damaged = append(stats.Damaged, err.Error())
	}
	entries, err := os.ReadDir(s.path(damagedDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		stats.Damaged = append(stats.Damaged, err.Error())
	}
	for _, e := range entries {
		stats.Damaged = append(stats.Damaged, "set aside: "+s.path(damagedDir, e.Name()))
	}
	slices.Sort(stats.Damaged)
	return stats
}
