package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"unique"
)

// tracked is what the git index names: paths relative to the top level of the worktree, sorted.
// A nil tracked is an empty one.
type tracked struct {
	files      pathList
	submodules []string
	shared     unique.Handle[string] // of the text of files: linked worktrees track the same
}

// A pathList is many paths in one string: a third of the memory of as many strings.
type pathList struct {
	text string
	ends []uint32 // of each path in text
}

func (l *pathList) at(i int) string {
	start := uint32(0)
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.text[start:l.ends[i]]
}

// search is where path stands in a sorted list, or would.
func (l *pathList) search(path string) (int, bool) {
	return sort.Find(len(l.ends), func(i int) int { return strings.Compare(path, l.at(i)) })
}

func (t *tracked) file(path string) bool {
	if t == nil {
		return false
	}
	_, ok := t.files.search(path)
	return ok
}

// below reports whether a tracked file lies in the directory.
func (t *tracked) below(dir string) bool {
	if t == nil || len(t.files.ends) == 0 {
		return false
	}
	dir += "/"
	i, _ := t.files.search(dir)
	return i < len(t.files.ends) && strings.HasPrefix(t.files.at(i), dir)
}

func (t *tracked) submodule(dir string) bool {
	if t == nil || len(t.submodules) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(t.submodules, dir)
	return ok
}

func (t *tracked) equal(u *tracked) bool {
	return t != nil && u != nil && t.files.text == u.files.text && slices.Equal(t.files.ends, u.files.ends) && slices.Equal(t.submodules, u.submodules)
}

// An indexFile is what was read of one git index; it does not change.
type indexFile struct {
	path     string
	hashSize int
	stat     Stat
	trailer  string   // the last 32 bytes: with index.skipHash unset, a checksum of the whole
	tracked  *tracked // nil when there is no index, or no list of it
	err      error    // what stands in the way of a list
}

const maxIndex = 1 << 30 // bytes

// loadIndex is the index at path: known itself, which may be nil, when that is it still.
func loadIndex(known *indexFile, path string, hashSize int) *indexFile {
	if known == nil {
		known = &indexFile{}
	}
	file, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		return &indexFile{}
	}
	if err != nil {
		return &indexFile{err: err}
	}
	defer file.Close()
	stat, err := StatFile(file)
	if err != nil {
		return &indexFile{err: err}
	}
	if stat.Size > maxIndex {
		return &indexFile{err: fmt.Errorf("larger than %d bytes", maxIndex)}
	}
	var tail [32]byte
	n, _ := file.ReadAt(tail[:min(int64(len(tail)), stat.Size)], max(0, stat.Size-int64(len(tail))))
	trailer := string(tail[:n])
	if known.path == path && known.hashSize == hashSize && known.stat == stat && known.trailer == trailer {
		return known
	}
	data := make([]byte, stat.Size)
	n, err = file.ReadAt(data, 0)
	if n < len(data) {
		return &indexFile{err: fmt.Errorf("read: %w", err)}
	}
	list, err := parseIndex(data, hashSize)
	if known.tracked.equal(list) { // a refresh of stat data: keep the decisions made with it
		list = known.tracked
	}
	return &indexFile{path: path, hashSize: hashSize, stat: stat, trailer: trailer, tracked: list, err: err}
}

// parseIndex reads the paths of a git index, versions 2 to 4 (gitformat-index). Only paths and
// types are wanted: go-git's decoder makes an object of every field of every entry and takes
// 167 ms and 1.6 million allocations for 100,000 entries, which every `git add` would add to the
// next answer; this takes 11 ms. The checksum is left unchecked: git replaces an index by rename,
// so that it is never seen half written, and damage is found by the bounds below.
func parseIndex(data []byte, hashSize int) (*tracked, error) {
	if len(data) < 12+hashSize || string(data[:4]) != "DIRC" {
		return nil, errors.New("not a git index")
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := int64(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("index version %d is not known", version)
	}
	data = data[:len(data)-hashSize]
	in := indexEntries{data: data, version: version, fixed: indexStat + hashSize + 2, pos: 12}
	if count > int64(len(data)/in.fixed) {
		return nil, errShortIndex
	}
	list := &tracked{files: pathList{ends: make([]uint32, 0, count)}}
	text := make([]byte, 0, len(data)-int(count)*in.fixed)
	sorted := true
	last := ""
	for range count {
		name, mode, err := in.next()
		if err != nil {
			return nil, err
		}
		switch {
		case name == last: // another stage of an unmerged path
		case mode&0xf000 == 0xe000:
			list.submodules = append(list.submodules, name)
		case mode&0xf000 == 0x4000:
			return nil, errors.New("a sparse index is not supported; `git sparse-checkout reapply --no-sparse-index` writes a full one")
		default:
			if uint64(len(text)+len(name)) > math.MaxUint32 {
				return nil, errors.New("its names take more than 4 GiB")
			}
			sorted = sorted && last < name
			text = append(text, name...)
			list.files.ends = append(list.files.ends, uint32(len(text)))
		}
		last = name
	}
	if err := refuseExtensions(data, in.pos); err != nil {
		return nil, err
	}
	list.files.text = string(text)
	// git writes them in this order; a file that says otherwise must not break the searches.
	if !sorted {
		list.files.sort()
	}
	slices.Sort(list.submodules)
	list.shared = unique.Make(list.files.text)
	list.files.text = list.shared.Value()
	return list, nil
}

// An entry begins with its stat, the mode being a part of it.
const (
	indexStat = 40
	indexMode = 24
)

var errShortIndex = errors.New("index is cut short")

// indexEntries are those of a git index that have not been read yet.
type indexEntries struct {
	data    []byte // of the index, without its checksum
	version uint32
	fixed   int // bytes of an entry before its name: stat, object id, flags
	pos     int
	last    string // the name before
}

// next reads one entry.
func (e *indexEntries) next() (name string, mode uint32, err error) {
	start := e.pos
	if len(e.data)-start < e.fixed {
		return "", 0, errShortIndex
	}
	mode = binary.BigEndian.Uint32(e.data[start+indexMode:])
	flags := binary.BigEndian.Uint16(e.data[start+e.fixed-2:])
	pos := start + e.fixed
	if flags&0x4000 != 0 { // a second word of flags
		pos += 2
	}
	keep := 0
	if e.version == 4 {
		strip, n := offsetVarint(e.data[min(pos, len(e.data)):])
		if n == 0 || strip > len(e.last) {
			return "", 0, errShortIndex
		}
		pos += n
		keep = len(e.last) - strip
	}
	if pos > len(e.data) {
		return "", 0, errShortIndex
	}
	n := bytes.IndexByte(e.data[pos:], 0)
	if n < 0 {
		return "", 0, errShortIndex
	}
	name = e.last[:keep] + string(e.data[pos:pos+n])
	if pos += n + 1; e.version < 4 {
		pos = start + (pos-1-start)/8*8 + 8
	}
	e.pos, e.last = pos, name
	return name, mode, nil
}

func (l *pathList) sort() {
	paths := make([]string, len(l.ends))
	for i := range paths {
		paths[i] = l.at(i)
	}
	slices.Sort(paths)
	l.text = strings.Join(paths, "")
	for i, end := 0, 0; i < len(paths); i++ {
		end += len(paths[i])
		l.ends[i] = uint32(end)
	}
}

// refuseExtensions looks for extensions without which the entries mean something else: their
// names begin with a small letter.
func refuseExtensions(data []byte, pos int) error {
	for pos >= 0 && len(data)-pos >= 8 {
		name := string(data[pos : pos+4])
		if name == "link" {
			return errors.New("a split index is not supported; `git update-index --no-split-index` writes a full one")
		}
		if name[0] < 'A' || name[0] > 'Z' {
			return fmt.Errorf("index extension %q is not known", name)
		}
		pos += 8 + int(binary.BigEndian.Uint32(data[pos+4:]))
	}
	return nil
}

// offsetVarint reads git's offset encoding: seven bits a byte, most significant first, each
// continuation adding one. n is 0 when data ends early or the number is absurd.
func offsetVarint(data []byte) (v, n int) {
	for i, c := range data {
		if i == 5 {
			return 0, 0
		}
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
		v++
	}
	return 0, 0
}
