package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
)

// tracked is what the git index names: paths relative to the top level of the worktree, sorted.
// A nil tracked is an empty one.
type tracked struct {
	paths      []string
	submodules []string
}

func (t *tracked) file(path string) bool {
	if t == nil {
		return false
	}
	_, ok := slices.BinarySearch(t.paths, path)
	return ok
}

// below reports whether a tracked file lies in the directory.
func (t *tracked) below(dir string) bool {
	if t == nil || len(t.paths) == 0 {
		return false
	}
	dir += "/"
	i := sort.SearchStrings(t.paths, dir)
	return i < len(t.paths) && strings.HasPrefix(t.paths[i], dir)
}

func (t *tracked) submodule(dir string) bool {
	if t == nil || len(t.submodules) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(t.submodules, dir)
	return ok
}

func (t *tracked) equal(u *tracked) bool {
	return t != nil && u != nil && slices.Equal(t.paths, u.paths) && slices.Equal(t.submodules, u.submodules)
}

// An indexFile keeps the list of one git index until the file is another one.
type indexFile struct {
	path     string
	hashSize int
	stat     Stat
	trailer  string // the last 32 bytes: with index.skipHash unset, a checksum of the whole
	tracked  *tracked
	err      error
}

const maxIndex = 1 << 30 // bytes

// load is the list of the index at path; nil without error when there is none. The second
// result is what stands in the way of a list.
func (f *indexFile) load(path string, hashSize int) (*tracked, error) {
	file, err := openRegular(path)
	if err != nil {
		*f = indexFile{}
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer file.Close()
	stat, err := StatFile(file)
	if err != nil {
		return nil, err
	}
	if stat.Size > maxIndex {
		return nil, fmt.Errorf("larger than %d bytes", maxIndex)
	}
	var tail [32]byte
	n, _ := file.ReadAt(tail[:min(int64(len(tail)), stat.Size)], max(0, stat.Size-int64(len(tail))))
	trailer := string(tail[:n])
	if f.path == path && f.hashSize == hashSize && f.stat == stat && f.trailer == trailer {
		return f.tracked, f.err
	}
	data := make([]byte, stat.Size)
	n, err = file.ReadAt(data, 0)
	if n < len(data) {
		return nil, fmt.Errorf("read: %w", err)
	}
	list, err := parseIndex(data, hashSize)
	if f.tracked.equal(list) { // a refresh of stat data: keep the decisions made with it
		list = f.tracked
	}
	*f = indexFile{path: path, hashSize: hashSize, stat: stat, trailer: trailer, tracked: list, err: err}
	return list, err
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
	const statSize = 40
	const modeAt = 24
	fixed := statSize + hashSize + 2
	if count > int64(len(data)/fixed) {
		return nil, errors.New("index is cut short")
	}
	list := &tracked{paths: make([]string, 0, count)}
	short := errors.New("index is cut short")
	pos, last := 12, ""
	for range count {
		start := pos
		if len(data)-pos < fixed {
			return nil, short
		}
		mode := binary.BigEndian.Uint32(data[pos+modeAt:])
		flags := binary.BigEndian.Uint16(data[pos+fixed-2:])
		pos += fixed
		if flags&0x4000 != 0 { // a second word of flags
			pos += 2
		}
		keep := 0
		if version == 4 {
			strip, n := offsetVarint(data[min(pos, len(data)):])
			if n == 0 || strip > len(last) {
				return nil, short
			}
			pos += n
			keep = len(last) - strip
		}
		if pos > len(data) {
			return nil, short
		}
		n := bytes.IndexByte(data[pos:], 0)
		if n < 0 {
			return nil, short
		}
		name := last[:keep] + string(data[pos:pos+n])
		if pos += n + 1; version < 4 {
			pos = start + (pos-1-start)/8*8 + 8
		}
		switch {
		case name == last: // another stage of an unmerged path
		case mode&0xf000 == 0xe000:
			list.submodules = append(list.submodules, name)
		case mode&0xf000 == 0x4000:
			return nil, errors.New("a sparse index is not supported; `git sparse-checkout reapply --no-sparse-index` writes a full one")
		default:
			list.paths = append(list.paths, name)
		}
		last = name
	}
	if err := refuseExtensions(data, pos); err != nil {
		return nil, err
	}
	// git writes them in this order; a file that says otherwise must not break the searches.
	slices.Sort(list.paths)
	slices.Sort(list.submodules)
	return list, nil
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
