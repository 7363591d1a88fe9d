package facts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const segmentExt = ".seg"

// segment is one segment file, open for reading.
type segment struct {
	number uint32
	path   string
	file   *os.File
	info   os.FileInfo // its identity
	end    int64       // after the last whole block; under Store.write
}

func segmentName(number uint32) string {
	digits := strconv.FormatUint(uint64(number), 16)
	return strings.Repeat("0", 8-len(digits)) + digits + segmentExt
}

func segmentNumber(name string) (uint32, bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, segmentExt), 16, 32)
	return uint32(n), err == nil && name == segmentName(uint32(n))
}

// segmentFile is what a directory says of one segment.
type segmentFile struct {
	path   string
	number uint32
	info   os.FileInfo
}

// listSegments lists the segments in dir by number. What cannot be listed is not there.
func listSegments(dir string) []segmentFile {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []segmentFile
	for _, e := range names {
		number, ok := segmentNumber(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			files = append(files, segmentFile{filepath.Join(dir, e.Name()), number, info})
		}
	}
	return files // ReadDir sorts, and the names have one length
}

// openSegment opens a segment for reading; nil when it is gone or unreadable.
func openSegment(s segmentFile) *segment {
	// A fifo in its place must not hang us.
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil
	}
	return &segment{number: s.number, path: s.path, file: f, info: info}
}

// scan reads the indexes of all whole blocks, passes each entry to add with the offset of its record
// in the segment, and sets end.
func (s *segment) scan(add func(e entry, offset int64)) {
	s.end = 0
	info, err := s.file.Stat()
	if err != nil {
		return
	}
	size := min(info.Size(), maxOffset)
	for {
		entries, end, ok := readBlock(s.file, s.end, size)
		if !ok {
			break
		}
		for _, e := range entries {
			add(e, s.end+int64(e.offset))
		}
		s.end = end
	}
}

// writer appends to a segment. It holds the lock of the file.
type writer struct {
	path    string
	file    *os.File
	info    os.FileInfo // its identity
	end     int64
	segment int // its index in the table
}

// linked says that the file at path is still the one that w writes.
func (w *writer) linked() bool {
	info, err := os.Lstat(w.path)
	return err == nil && os.SameFile(info, w.info)
}

// write appends a block. After an error the segment is as it was, as far as that can be had: a rest
// that cannot be cut off is no whole block.
func (w *writer) write(b []byte) error {
	if _, err := w.file.WriteAt(b, w.end); err != nil {
		return errors.Join(err, w.file.Truncate(w.end))
	}
	w.end += int64(len(b))
	return nil
}

// errTaken: another process holds the segment, or removed it.
var errTaken = errors.New("segment is taken")

// claim opens the segment at path for appending, and locks it; with create it makes it. The error is
// errTaken or that of the system, and then nothing was made. The lock ends with the process.
func claim(path string, create bool) (*writer, error) {
	flag := os.O_RDWR | syscall.O_NONBLOCK
	if create {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	w := &writer{path: path, file: f}
	w.info, err = f.Stat()
	if err == nil {
		err = lock(f)
	}
	// Who removes a segment holds its lock too, so once it is ours and in its place it stays there.
	if err == nil && !w.linked() {
		err = errTaken
	}
	if err == nil {
		if w.info, err = f.Stat(); err == nil {
			w.end = w.info.Size()
			return w, nil
		}
	}
	if create && !errors.Is(err, errTaken) {
		err = errors.Join(err, os.Remove(path))
	}
	return nil, errors.Join(err, f.Close())
}

var flock = unix.Flock // a test puts a file system without locks in its place

// lock takes the lock of f, if nobody has it. The kernel drops it when f is closed or we die.
func lock(f *os.File) error {
	for {
		switch err := flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errTaken
		case err != nil:
			return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
		return nil
	}
}

// trim removes segments in the directories of all versions: those of other versions that nobody
// appended to for unusedAfter, and while all take more than limit bytes those of other versions, then
// the oldest of this one. A segment that a living process appends to stays.
func trim(dir, version string, limit int64, now time.Time) {
	type candidate struct {
		segmentFile
		own bool
	}
	var all []candidate
	total := int64(0)
	for v, files := range segmentsByVersion(dir) {
		for _, f := range files {
			all = append(all, candidate{f, v == version})
			total += f.info.Size()
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		switch {
		case a.own != b.own && b.own:
			return -1
		case a.own != b.own:
			return 1
		case a.own:
			return int(int64(a.number) - int64(b.number))
		}
		return a.info.ModTime().Compare(b.info.ModTime())
	})
	for _, c := range all {
		unused := !c.own && now.Sub(c.info.ModTime()) > unusedAfter
		if !unused && total <= limit || !remove(c.path) {
			continue
		}
		total -= c.info.Size()
		if !c.own {
			// Fails while other segments are there. Who makes one there at this moment makes the
			// directory again.
			_ = os.Remove(filepath.Dir(c.path))
		}
	}
}

// segmentsByVersion lists all segments of the store in dir.
func segmentsByVersion(dir string) map[string][]segmentFile {
	versions, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	all := map[string][]segmentFile{}
	for _, v := range versions {
		if v.IsDir() {
			all[v.Name()] = listSegments(filepath.Join(dir, v.Name()))
		}
	}
	return all
}

// remove removes a segment that nobody appends to. Who has it open reads on.
func remove(path string) bool {
	w, err := claim(path, false)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	err = os.Remove(path)
	_ = w.file.Close()
	return err == nil
}
