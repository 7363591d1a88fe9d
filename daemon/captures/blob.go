package captures

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Put stores src under its SHA-256 if it is not there, and marks it used. See PutID.
func (s *Store) Put(src []byte) (BlobID, error) {
	id := SumBlob(src)
	return id, s.PutID(id, src)
}

// PutID is Put for a caller that has the SHA-256 of src. A known blob costs one lstat(2), and once
// a minute a write of its time of use; a blob that was deleted behind our back is written again.
// When it returns nil, the bytes survive kill -9, and gc leaves them alone for two minutes.
func (s *Store) PutID(id BlobID, src []byte) error {
	switch {
	case s.closed.Load():
		return ErrClosed
	case len(src) > MaxBlob:
		return &TooLargeError{Bytes: len(src)}
	}
	if s.use(s.blobPath(id)) {
		return nil
	}
	if sha256.Sum256(src) != id {
		return fmt.Errorf("bytes are not those of blob %.12s", id)
	}
	return s.writeBlob(s.blobPath(id), s.enc.EncodeAll(src, nil))
}

// use marks the blob at path used, at most once in touchAfter. It reports whether it is there: an
// empty file is what a crash of the machine leaves, and no blob, since a zstd frame has a header.
func (s *Store) use(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	now := time.Now()
	if age := now.Sub(info.ModTime()); -touchAfter < age && age < touchAfter {
		return true
	}
	// A failure other than the file's absence means a store that gc cannot write either.
	if err := os.Chtimes(path, time.Time{}, now); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	// Gc may have taken the file between the kernel's look-up of the path and its setting of the
	// time, and looked at the time in between. Then the path is gone now; if it is not, gc has
	// yet to take it, and will see the new time.
	_, err = os.Lstat(path)
	return err == nil
}

// writeBlob writes one blob file: to tmp/ first, then renamed, so that a reader finds all of it or
// nothing. It is not synced: a blob that a crash of the machine cut short fails its check.
func (s *Store) writeBlob(path string, frame []byte) error {
	f, err := s.createTemp("blob-*")
	if err != nil {
		return &WriteError{Path: path, Err: err}
	}
	_, err = f.Write(frame)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.Rename(f.Name(), path)
		}
	}
	if err != nil {
		// Where this fails too, gc removes the file later.
		_ = os.Remove(f.Name())
		return &WriteError{Path: path, Err: err}
	}
	return nil
}

// createTemp creates a file in tmp/, mode 0600.
func (s *Store) createTemp(pattern string) (*os.File, error) {
	f, err := os.CreateTemp(s.path(tmpDir), pattern)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.path(tmpDir), 0o700); err != nil {
			return nil, err
		}
		return os.CreateTemp(s.path(tmpDir), pattern)
	}
	return f, err
}

// Read returns the exact bytes of a blob, checked against its name, and marks it used. A blob that
// is not there is an *UnknownError. One that fails the check is set aside, and a *DamagedError.
func (s *Store) Read(id BlobID) ([]byte, error) {
	if s.closed.Load() {
		return nil, ErrClosed
	}
	path := s.blobPath(id)
	frame, info, err := readBlob(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &UnknownError{Kind: kindBlob, ID: id.String(), Retention: s.retention}
	}
	if err != nil {
		return nil, fmt.Errorf("blob %.12s: %w", id, err)
	}
	src, err := s.dec.DecodeAll(frame, nil)
	if err == nil && sha256.Sum256(src) != id {
		err = errors.New("its bytes have another SHA-256")
	}
	if err != nil {
		return nil, s.setAside(id, info, err)
	}
	s.use(path)
	return src, nil
}

// readBlob reads a blob file, wherever gc has it just now: gc renames what it is about to remove,
// looks at it again, and may put it back.
func readBlob(path string) ([]byte, os.FileInfo, error) {
	var err error
	for _, p := range [...]string{path, path + removingExt, path} {
		var f *os.File
		if f, err = os.Open(p); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, nil, err
		}
		info, err := f.Stat()
		var frame []byte
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no regular file", p)
		}
		if err == nil {
			frame = make([]byte, info.Size())
			_, err = f.ReadAt(frame, 0)
		}
		if err != nil && info != nil && info.Size() == 0 {
			err = nil // nothing to read: the check will say so
		}
		return frame, info, errors.Join(err, f.Close())
	}
	return nil, nil, err
}

// Has reports whether a blob is there, without marking it used. Its bytes are not looked at.
func (s *Store) Has(id BlobID) bool {
	path := s.blobPath(id)
	for _, p := range [...]string{path, path + removingExt, path} {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// setAside moves the damaged file of a blob out of the way, unless it was written anew meanwhile.
func (s *Store) setAside(id BlobID, damaged os.FileInfo, cause error) error {
	path, aside := s.blobPath(id), s.path(damagedDir, id.String()+blobExt)
	err := os.MkdirAll(s.path(damagedDir), 0o700)
	if err == nil {
		err = os.Rename(path, aside)
	}
	if err == nil {
		if info, statErr := os.Lstat(aside); statErr == nil && !os.SameFile(info, damaged) {
			err = restore(aside, path)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		cause = errors.Join(cause, err)
	}
	s.log.Warn("captures: damaged blob set aside", "blob", id.String(), "file", aside, "err", cause)
	return &DamagedError{Blob: id, Path: aside, Err: cause}
}

// restore moves a file back to path, unless a newer one was put there.
func restore(aside, path string) error {
	err := os.Link(aside, path)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return os.Remove(aside)
	default: // a file system without hard links
		return os.Rename(aside, path)
	}
}

// blobPath is where a blob is stored: blobs/ab/<64 hex>.zst, by the first two digits.
func (s *Store) blobPath(id BlobID) string {
	name := id.String()
	return s.dir + "/" + blobsDir + "/" + name[:2] + "/" + name + blobExt
}

// blobFile is one file of blobs/.
type blobFile struct {
	id   BlobID
	size int64
	used time.Time
}

// listBlobs lists the blobs by id. Other files are no business of ours and left alone.
func (s *Store) listBlobs() ([]blobFile, error) {
	var blobs []blobFile
	shards, err := os.ReadDir(s.path(blobsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, shard := range shards {
		if !shard.IsDir() {
			continue
		}
		names, err := os.ReadDir(s.path(blobsDir, shard.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range names {
			id, ok := parseBlobName(e.Name(), blobExt)
			if !ok {
				continue
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // removed since it was listed
			}
			blobs = append(blobs, blobFile{id, info.Size(), info.ModTime()})
		}
	}
	return blobs, nil
}

func parseBlobName(name, ext string) (BlobID, bool) {
	var id BlobID
	digits, ok := strings.CutSuffix(name, ext)
	if !ok || len(digits) != 2*len(id) || strings.ToLower(digits) != digits {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(digits))
	return id, err == nil
}
