package captures

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// GCStats is what one collection did.
type GCStats struct {
	Removed      int
	RemovedBytes int64 // on disk, compressed
	Kept         int
	KeptBytes    int64
	Pinned       int // blobs kept by a pin, a part of Kept
	Spans        int // mint records that remain
}

// GC removes the blobs that were not used for longer than retention (negative: the store's own),
// then the least recently used ones while all together take more than the size cap; never a
// pinned one, nor one that was used within the last minutes. Then it rewrites the log without
// the records whose bytes are gone. It may run beside Put, Mint and lookups of this and other
// processes; a second GC is a *LockedError. A *PinsError means that nothing was removed. On any
// other error the store is whole and the stats say what was done.
func (s *Store) GC(retention time.Duration) (GCStats, error) {
	if s.closed.Load() {
		return GCStats{}, ErrClosed
	}
	if retention < 0 {
		retention = s.retention
	}
	unlock, err := s.lockGC()
	if err != nil {
		return GCStats{}, err
	}
	defer unlock()
	pins, err := s.readPins()
	if err != nil {
		return GCStats{}, err
	}
	now := time.Now()
	stats, removeErr := s.removeBlobs(pins, now, retention)
	s.removeStrays(now)
	compactErr := s.compact(now.Add(-retention))
	if v := s.view.Load(); v != nil {
		stats.Spans, _ = v.stats()
	}
	return stats, errors.Join(removeErr, compactErr)
}

// lockGC takes the lock of the process that collects or pins.
func (s *Store) lockGC() (unlock func(), err error) {
	path := s.path(lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, &WriteError{Path: path, Err: err}
	}
	if err := lockFile(f, gcPatience); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

// removeBlobs removes what is too old, then what is too much, least recently used first.
func (s *Store) removeBlobs(pins []pin, now time.Time, retention time.Duration) (GCStats, error) {
	var stats GCStats
	if err := s.restoreRemoving(); err != nil {
		return stats, err
	}
	blobs, err := s.listBlobs()
	if err != nil {
		return stats, err
	}
	pinned := map[BlobID]bool{}
	for _, p := range pins {
		pinned[p.blob] = true
	}
	slices.SortFunc(blobs, func(a, b blobFile) int {
		return cmp.Or(a.used.Compare(b.used), slices.Compare(a.id[:], b.id[:]))
	})
	var total int64
	for _, b := range blobs {
		total += b.size
	}
	var errs []error
	for _, b := range blobs {
		if s.closed.Load() {
			errs = append(errs, ErrClosed)
			break
		}
		age := now.Sub(b.used)
		old, over := age > retention, s.maxBytes >= 0 && total > s.maxBytes
		if pinned[b.id] || age <= grace || !old && !over {
			continue
		}
		removed, err := s.removeBlob(b)
		if err != nil {
			errs = append(errs, err)
		}
		if removed {
			stats.Removed++
			stats.RemovedBytes += b.size
			total -= b.size
		}
	}
	for _, b := range blobs {
		if pinned[b.id] {
			stats.Pinned++
		}
	}
	stats.Kept, stats.KeptBytes = len(blobs)-stats.Removed, total
	return stats, errors.Join(errs...)
}

// removeBlob removes a blob unless it was used since it was listed. The file is renamed first:
// who marks it used before that is seen by the second look, and who comes after it finds the blob
// missing and writes it again. Looking and then unlinking would lose the use in between.
func (s *Store) removeBlob(b blobFile) (bool, error) {
	path := s.blobPath(b.id)
	removing := path + removingExt
	if err := os.Rename(path, removing); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		return false, err
	}
	info, err := os.Lstat(removing)
	if err != nil {
		return false, err
	}
	if !info.ModTime().Equal(b.used) {
		return false, restore(removing, path)
	}
	return true, os.Remove(removing)
}

// restoreRemoving puts back what a gc that was killed left half-removed.
func (s *Store) restoreRemoving() error {
	left, err := filepath.Glob(s.path(blobsDir, "*", "*"+blobExt+removingExt))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range left {
		errs = append(errs, restore(path, strings.TrimSuffix(path, removingExt)))
	}
	return errors.Join(errs...)
}

// removeStrays removes what killed writers left in tmp/. An hour is longer than any write takes.
func (s *Store) removeStrays(now time.Time) {
	entries, err := os.ReadDir(s.path(tmpDir))
	if err != nil {
		return // none yet
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			if err := os.Remove(s.path(tmpDir, e.Name())); err != nil {
				s.log.Warn("captures: gc", "err", err)
			}
		}
	}
}

// compact rewrites the log without damage, repetition and records whose blob is gone, but for sightings and visits after
// the moment since. The bulk is copied without a lock. Then, under the lock of the log, those of the dropped records whose blob
// was put again meanwhile and what was appended meanwhile are copied, and the new file takes the
// place of the old one.
func (s *Store) compact(since time.Time) error {
	v, err := s.current()
	if err != nil {
		return err
	}
	f, err := s.createTemp("log-*")
	if err != nil {
		return &WriteError{Path: s.path(logName), Err: err}
	}
	c := newCompaction(s, v, f)
	c.young = since.Unix()
	err = c.copyLive()
	if err == nil && !c.changed {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err == nil {
		err = errors.Join(c.w.Flush(), f.Sync())
	}
	if err == nil {
		err = c.replace(f)
	}
	if err != nil {
		// The old log stands as it was.
		return &WriteError{Path: s.path(logName), Err: errors.Join(err, f.Close(), os.Remove(f.Name()))}
	}
	if err := f.Close(); err != nil {
		return err
	}
	_, err = s.current()
	return err
}

// compaction is one rewriting of the log.
type compaction struct {
	store   *Store
	v       *view
	w       *bufio.Writer
	end     int64 // what stands before this offset of the old log has been dealt with
	changed bool  // the new log differs from the old one
	alive   map[BlobID]bool
	dead    map[BlobID][]location // the records that were dropped, by blob
	since   map[uint64]location   // by address, the oldest of its sightings that is kept
	young   int64                 // Unix seconds: a sighting or a visit after it is kept without its blob
}

// keepSightings is how many sightings of one address are kept, the newest: a file that is saved again and again would have one
// for each of its versions.
const keepSightings = 16

func newCompaction(s *Store, v *view, to io.Writer) *compaction {
	return &compaction{store: s, v: v, w: bufio.NewWriterSize(to, scanBuffer),
		alive: map[BlobID]bool{}, dead: map[BlobID][]location{}, since: map[uint64]location{}}
}

// copyLive copies what stands in the log now, dropping what is not to be kept. Damaged frames are
// kept in damaged/, up to the size of a scan buffer.
func (c *compaction) copyLive() error {
	s := newScanner(c.v.f, 0, c.v.seen.Load())
	var scratch, damaged []byte
	for s.next() {
		if c.store.closed.Load() {
			return ErrClosed
		}
		decoded, ok := decodeFrame(scratch[:0], s.frame)
		scratch = decoded
		if !ok {
			c.changed = true
			if len(damaged)+len(s.frame) < scanBuffer {
				damaged = append(append(damaged, s.frame...), delimiter)
			}
			continue
		}
		// A record of a later version is kept as it is.
		if p, ok := parsePayload(decoded); ok && !c.keep(p, locate(s.offset, len(s.frame))) {
			c.changed = true
			continue
		}
		c.write(s.frame)
	}
	c.end = s.end
	if s.err != nil || len(damaged) == 0 {
		return s.err
	}
	return c.store.keepDamage(damaged)
}

// write adds one frame; bufio.Writer keeps an error until Flush.
func (c *compaction) write(frame []byte) {
	_, _ = c.w.Write(frame)
	_ = c.w.WriteByte(delimiter)
}

// keep decides on one record: the last of its identity, with a blob that is there, and of sightings not too old a one. What was answered
// in bytes that nobody captured is as true as the rest: without it the same bytes are answered otherwise the next time.
func (c *compaction) keep(p payload, at location) bool {
	c.v.mu.RLock()
	address, identity := c.v.index.keys(p)
	last, ok := c.v.index.last(address, identity)
	c.v.mu.RUnlock()
	if ok && last > at || p.isSighting() && at < c.oldest(address) {
		return false
	}
	blob := p.blob()
	alive, looked := c.alive[blob]
	if !looked {
		alive = c.store.Has(blob)
		c.alive[blob] = alive
	}
	if !alive && p.isSighting() && p.time() > c.young {
		return true
	}
	if !alive {
		c.dead[blob] = append(c.dead[blob], at)
	}
	return alive
}

// oldest is where the oldest sighting of an address stands that is kept.
func (c *compaction) oldest(address uint64) location {
	since, known := c.since[address]
	if !known {
		c.v.mu.RLock()
		all := c.v.index.byAddress(address)
		c.v.mu.RUnlock()
		if len(all) > keepSightings {
			since = all[keepSightings-1]
		}
		c.since[address] = since
	}
	return since
}

// replace completes the new log in f under the lock of the old one, and renames it into place.
func (c *compaction) replace(f *os.File) error {
	s := c.store
	s.write.Lock()
	defer s.write.Unlock()
	v, err := s.lockLog()
	if err != nil {
		return err
	}
	defer unlockFile(v.f)
	if v != c.v {
		return fmt.Errorf("%s was replaced during gc by something else", v.f.Name())
	}
	var revived []location
	for blob, at := range c.dead {
		if s.Has(blob) {
			revived = append(revived, at...)
		}
	}
	slices.Sort(revived)
	for _, at := range revived {
		frame := make([]byte, at.size())
		if _, err := v.f.ReadAt(frame, at.offset()); err != nil {
			return err
		}
		c.write(frame)
	}
	if _, err := io.Copy(c.w, io.NewSectionReader(v.f, c.end, v.seen.Load()-c.end)); err != nil {
		return err
	}
	if err := c.w.Flush(); err != nil {
		return err
	}
	// Not synced again: the tail was not synced in the old log either.
	return os.Rename(f.Name(), s.path(logName))
}

// keepDamage writes damaged frames of the log to damaged/.
func (s *Store) keepDamage(frames []byte) error {
	if err := os.MkdirAll(s.path(damagedDir), 0o700); err != nil {
		return err
	}
	return os.WriteFile(s.path(damagedDir, fmt.Sprintf("%s-%.12s", logName, SumBlob(frames))), frames, 0o600)
}
