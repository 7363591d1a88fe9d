package captures

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// view is one file called captures.log with the index of what it holds. When gc or anything else
// puts another file in its place, a new view is loaded; readers of the old one go on with the
// file they have open. Its descriptor is closed when nothing refers to it any more.
type view struct {
	f        *os.File
	info     os.FileInfo // identity of f
	writable bool

	mu        sync.RWMutex // index and damage, in memory only
	index     *index
	sightings int // of the records in index
	damage    []damage
	damaged   int

	// Both are set under Store.write only.
	end  atomic.Int64 // just after the last whole frame that was indexed
	seen atomic.Int64 // the size up to which the file was read
}

// damage is a part of the log that failed its check.
type damage struct{ offset, size int64 }

// maxDamage is how many damaged parts are listed one by one.
const maxDamage = 100

// openView opens the log, making it if missing, without reading it.
func openView(path string) (*view, error) {
	v := &view{index: newIndex(), writable: true}
	var err error
	v.f, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		v.writable = false
		var readErr error
		if v.f, readErr = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); readErr == nil {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	if v.info, err = v.f.Stat(); err == nil && !v.info.Mode().IsRegular() {
		err = fmt.Errorf("is no regular file (%v)", v.info.Mode().Type())
	}
	if err != nil {
		return nil, errors.Join(err, v.f.Close())
	}
	return v, nil
}

func (v *view) close() error {
	if err := v.f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// catchUp indexes what stands between v.end and size. The caller holds Store.write.
func (v *view) catchUp(size int64, warn func(damage)) error {
	s := newScanner(v.f, v.end.Load(), size)
	var scratch []byte
	v.mu.Lock()
	for s.next() {
		decoded, ok := decodeFrame(scratch[:0], s.frame)
		scratch = decoded
		if !ok {
			d := damage{s.offset, s.size}
			v.damaged++
			if len(v.damage) < maxDamage {
				v.damage = append(v.damage, d)
				warn(d)
			}
			continue
		}
		if p, ok := parsePayload(decoded); ok {
			v.index.add(p, locate(s.offset, len(s.frame)))
			if p.isSighting() {
				v.sightings++
			}
		}
	}
	v.mu.Unlock()
	v.end.Store(s.end)
	if s.err == nil {
		v.seen.Store(size)
	}
	return s.err
}

// read reads one record back and checks it. False: the bytes are damaged, or the file was cut.
func (v *view) read(at location) (payload, bool) {
	frame := make([]byte, at.size())
	if n, err := v.f.ReadAt(frame, at.offset()); n < len(frame) || err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	decoded, ok := decodeFrame(make([]byte, 0, len(frame)), frame)
	if !ok {
		return nil, false
	}
	return parsePayload(decoded)
}

// stats counts mint records and describes the damage.
func (v *view) stats() (records int, damaged []string) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, d := range v.damage {
		damaged = append(damaged, fmt.Sprintf("%s: %d damaged bytes at offset %d skipped", logName, d.size, d.offset))
	}
	if n := v.seen.Load() - v.end.Load(); n > 0 {
		damaged = append(damaged, fmt.Sprintf("%s: ends in %d bytes of an unfinished record", logName, n))
	}
	if more := v.damaged - len(v.damage); more > 0 {
		damaged = append(damaged, fmt.Sprintf("%s: %d more damaged parts skipped", logName, more))
	}
	return int(v.index.n) - v.sightings, damaged
}

// current is the view of what captures.log is now: everything that any process minted before the
// call is in it. It costs one stat(2) when nothing changed. On an error the view is the last one.
func (s *Store) current() (*view, error) {
	if s.closed.Load() {
		return nil, ErrClosed
	}
	if v := s.view.Load(); s.isCurrent(v) {
		return v, nil
	}
	s.write.Lock()
	defer s.write.Unlock()
	err := s.refresh()
	return s.view.Load(), err
}

func (s *Store) isCurrent(v *view) bool {
	info, err := os.Stat(s.path(logName))
	return err == nil && os.SameFile(info, v.info) && info.Size() == v.seen.Load()
}

// refresh brings the view up to date. The caller holds s.write.
func (s *Store) refresh() error {
	if s.closed.Load() {
		return ErrClosed
	}
	if current, err := s.follow(s.view.Load()); err != nil || current {
		return err
	}
	return s.reload()
}

// follow indexes what was appended to the log of v. False: captures.log is another file by now,
// or was cut, and has to be loaded anew. The caller holds s.write.
func (s *Store) follow(v *view) (current bool, err error) {
	info, err := os.Stat(s.path(logName))
	switch {
	case err != nil || !os.SameFile(info, v.info) || info.Size() < v.end.Load():
		return false, nil
	case info.Size() == v.seen.Load():
		return true, nil
	}
	if err := v.catchUp(info.Size(), s.warn); err != nil {
		return true, fmt.Errorf("%s: %w", v.f.Name(), err)
	}
	return true, nil
}

// reload opens and indexes the log from its start. The caller holds s.write.
func (s *Store) reload() error {
	path := s.path(logName)
	v, err := openView(path)
	if errors.Is(err, fs.ErrNotExist) { // the directory was removed under us
		if err := s.makeDir(); err != nil {
			return err
		}
		v, err = openView(path)
	}
	if err != nil {
		return &WriteError{Path: path, Err: err}
	}
	info, err := v.f.Stat()
	if err == nil {
		err = v.catchUp(info.Size(), s.warn)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, errors.Join(err, v.close()))
	}
	s.view.Store(v)
	return nil
}

func (s *Store) warn(d damage) {
	s.log.Warn("captures: damaged part of the log skipped", "file", s.path(logName), "offset", d.offset, "bytes", d.size)
}

// lockLog locks the log that captures.log names now, and brings the view up to date. Whoever
// holds the lock is alone in appending to the log and in replacing it. The caller holds s.write,
// and unlocks the view's file.
func (s *Store) lockLog() (*view, error) {
	for {
		if s.closed.Load() {
			return nil, ErrClosed
		}
		v := s.view.Load()
		if err := lockFile(v.f, s.patience); err != nil {
			return nil, err
		}
		current, err := s.follow(v)
		if err == nil && current {
			return v, nil
		}
		unlockFile(v.f)
		if err == nil { // it was replaced while we waited
			err = s.reload()
		}
		if err != nil {
			return nil, err
		}
	}
}
