package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"ctxd/watch"
)

// A manifest is one file, replaced as a whole:
//
//	"ctxmani1"; version and id of the workspace, each with its length; number of rows, bytes of all
//	paths; the rows; SHA-256 of all that
//
// A row is what differs from the row before: bytes that the paths share, length and bytes of the rest
// of the path; device, inode, mtime, ctime less mtime, mode, as differences, signed; the size; the
// SHA-256 of the content. In order of path a row of GOROOT/src takes 52 bytes, of which 32 are the
// digest.
//
// The checksum is a SHA-256 and no CRC: a wrong row would be believed as long as the file does not
// change, where wrong facts would at least have to decode.

const (
	manifestMagic = "ctxmani1"
	manifestExt   = ".manifest"
	minRow        = 8 + sha256.Size // bytes of the shortest row
	maxPaths      = 1 << 31         // bytes of all paths: beyond all trees
	maxManifest   = 1 << 32         // bytes of a file that is read at all
)

// Row says that a file had that stat and that content. It is to be believed of a file whose stat is
// equal in every field, and no clock is asked.
//
// So the caller must save no row that was racy: one that was read so shortly after the file's ctime
// that a later write could have left the same stat behind.
type Row struct {
	Path string // relative to the root
	Stat watch.Stat
	Blob [sha256.Size]byte // SHA-256 of the content
}

// SaveManifest writes the rows of the workspace named id, any text, to a file of its own in dir,
// which is made if missing. Rows in order of path take the least. It replaces the manifest from
// before at once, and removes those that no workspace used for 30 days.
func SaveManifest(dir, id, version string, rows []Row) error {
	b, err := appendManifest(nil, id, version, rows)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := manifestPath(dir, id)
	if err := renameio.WriteFile(path, b, 0o600, renameio.WithTempDir(dir)); err != nil {
		return fmt.Errorf("%s: manifest is not saved: %w", path, err)
	}
	removeUnused(dir, time.Now())
	return nil
}

// LoadManifest returns the rows that were saved last under that id and version, in the order in
// which they were given. False when there are none, or anything is wrong with them.
func LoadManifest(dir, id, version string) ([]Row, bool) {
	path := manifestPath(dir, id)
	b, err := readRegular(path)
	if err != nil {
		return nil, false
	}
	rows, ok := parseManifest(b, id, version)
	if ok {
		// It is in use. Where that cannot be noted it could not be removed either.
		_ = os.Chtimes(path, time.Time{}, time.Now())
	}
	return rows, ok
}

// readRegular reads a regular file of at most maxManifest bytes: anything else under that name would be waited
// for, or never end.
func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxManifest {
		return nil, fmt.Errorf("%s is no manifest", path)
	}
	b := make([]byte, fi.Size())
	_, err = io.ReadFull(f, b)
	return b, err
}

// manifestPath: the id may be a path, so its digest names the file. The id itself is inside.
func manifestPath(dir, id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+manifestExt)
}

// removeUnused removes manifests and what a killed SaveManifest left of them.
func removeUnused(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next one will
	}
	for _, e := range entries {
		if !strings.Contains(e.Name(), manifestExt) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > unusedAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func appendManifest(b []byte, id, version string, rows []Row) ([]byte, error) {
	paths := 0
	for i := range rows {
		paths += len(rows[i].Path)
	}
	if paths > maxPaths {
		return nil, errors.New("manifest: the paths take more than 2 GiB")
	}
	b = append(b, manifestMagic...)
	for _, s := range [2]string{version, id} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = binary.AppendUvarint(b, uint64(len(rows)))
	b = binary.AppendUvarint(b, uint64(paths))
	var last Row
	for _, r := range rows {
		shared := sharedPrefix(last.Path, r.Path)
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(r.Path)-shared))
		b = append(b, r.Path[shared:]...)
		b = binary.AppendVarint(b, int64(r.Stat.Dev-last.Stat.Dev))
		b = binary.AppendVarint(b, int64(r.Stat.Ino-last.Stat.Ino))
		b = binary.AppendVarint(b, r.Stat.Mtime-last.Stat.Mtime)
		b = binary.AppendVarint(b, r.Stat.Ctime-r.Stat.Mtime)
		b = binary.AppendVarint(b, int64(r.Stat.Mode)-int64(last.Stat.Mode))
		b = binary.AppendVarint(b, r.Stat.Size)
		b = append(b, r.Blob[:]...)
		last = r
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// parseManifest is total, though the checksum leaves little to be found.
func parseManifest(b []byte, id, version string) ([]Row, bool) {
	if len(b) < sha256.Size {
		return nil, false
	}
	b, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if s := sha256.Sum256(b); !bytes.Equal(s[:], sum) {
		return nil, false
	}
	r := reader{b: b}
	if string(r.bytes(uint64(len(manifestMagic)))) != manifestMagic ||
		string(r.bytes(r.uvarint())) != version || string(r.bytes(r.uvarint())) != id {
		return nil, false
	}
	n, size := r.uvarint(), r.uvarint()
	if n > uint64(len(r.b)/minRow) || size > maxPaths {
		return nil, false
	}
	rows := make([]Row, n)
	ends := make([]uint32, n) // of the paths in text
	var text strings.Builder  // all paths, one after the other: they become pieces of one string
	text.Grow(int(min(size, 16*uint64(len(b)))))
	var last Row
	path := "" // the path before
	for i := range rows {
		shared := r.uvarint()
		rest := r.bytes(r.uvarint())
		if r.bad || shared > uint64(len(path)) || uint64(text.Len())+shared+uint64(len(rest)) > size {
			return nil, false
		}
		start := text.Len()
		text.WriteString(path[:shared])
		text.Write(rest)
		path = text.String()[start:]
		ends[i] = uint32(text.Len())
		last.Stat.Dev += uint64(r.varint())
		last.Stat.Ino += uint64(r.varint())
		last.Stat.Mtime += r.varint()
		last.Stat.Ctime = last.Stat.Mtime + r.varint()
		last.Stat.Mode = uint32(int64(last.Stat.Mode) + r.varint())
		last.Stat.Size = r.varint()
		copy(last.Blob[:], r.bytes(sha256.Size))
		rows[i] = last
	}
	if r.bad || len(r.b) > 0 || uint64(text.Len()) != size {
		return nil, false
	}
	all, from := text.String(), uint32(0)
	for i, end := range ends {
		rows[i].Path = all[from:end]
		from = end
	}
	return rows, true
}

// reader reads b from left to right. Where it is too short, bad is set and zeros are read.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// varint reads a signed number as encoding/binary writes it.
func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}
