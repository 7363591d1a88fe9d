package commits

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var (
	errDamaged = errors.New("damaged")
	errMissing = errors.New("there is no such object")
)

const (
	// maxObject bounds the bytes of one object: what is parsed is far smaller.
	maxObject = 64 << 20
	// maxDeltas bounds a chain of deltas; git itself makes 50, or 250 when asked to try hard.
	maxDeltas = 4096
)

// object is the kind and the bytes of an object. errMissing is certain: where a pack cannot be searched the error is that.
func (r *Repository) object(id ID) (kind string, body []byte, err error) {
	for _, store := range r.stores {
		kind, body, err = looseObject(filepath.Join(store, string(id[:2]), string(id[2:])))
		if !errors.Is(err, os.ErrNotExist) {
			return kind, body, err
		}
	}
	name, err := hex.DecodeString(string(id))
	if err != nil {
		return "", nil, err
	}
	p, at, err := r.inPacks(name)
	if err != nil {
		return "", nil, fmt.Errorf("object %s: %w", id, err)
	}
	return r.packed(p, at, nil)
}

// inPacks finds an object in the packs. It may be in one that cannot be searched: then that is the error.
func (r *Repository) inPacks(name []byte) (*pack, int64, error) {
	packs, problem := r.allPacks(len(name))
	for _, p := range packs {
		at, ok, err := p.find(name)
		if ok && err == nil {
			return p, at, nil
		}
		problem = cmp.Or(problem, err)
	}
	return nil, 0, cmp.Or(problem, errMissing)
}

// allPacks lists the packs of all stores, as packsOf does.
func (r *Repository) allPacks(size int) (all []*pack, problem error) {
	for _, store := range r.stores {
		packs, err := r.packsOf(store, size)
		all, problem = append(all, packs...), cmp.Or(problem, err)
	}
	return all, problem
}

// looseObject reads an object that is a file of its own: zlib of "KIND SIZE\0" and the bytes.
func looseObject(path string) (kind string, body []byte, err error) {
	f, err := openRegular(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return "", nil, err
	}
	in := bufio.NewReader(z)
	head, err := in.ReadString(0)
	if err != nil {
		return "", nil, err
	}
	kind, length, _ := strings.Cut(strings.TrimSuffix(head, "\x00"), " ")
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil || size < 0 || size > maxObject {
		return "", nil, fmt.Errorf("an object of %q bytes: %w", length, errDamaged)
	}
	body, err = exactly(in, size)
	return kind, body, err
}

// inflaters are used again: to make one took a fourth of the time of a walk through a history.
var inflaters sync.Pool

// inflate is the size bytes that are compressed in in.
func inflate(in io.Reader, size int64) ([]byte, error) {
	z, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = z.(zlib.Resetter).Reset(in, nil)
	} else {
		z, err = zlib.NewReader(in)
	}
	if err != nil {
		return nil, err
	}
	body, err := exactly(z, size)
	inflaters.Put(z)
	return body, err
}

func exactly(in io.Reader, size int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, size+1))
	if err == nil && int64(len(body)) != size {
		err = errDamaged
	}
	return body, err
}

// pack is one pack file and its index.
type pack struct {
	data, index *os.File
	size        int // bytes of an object's name
	count       uint32
	fanout      [256]uint32
}

// packsOf lists the packs of a store that can be searched, and says why one cannot be. Files are opened once and stay open; a pack that
// came later is found, and what git has removed is closed when nobody reads it any more.
func (r *Repository) packsOf(store string, size int) (all []*pack, problem error) {
	dir := filepath.Join(store, "pack")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "pack-") && strings.HasSuffix(e.Name(), ".idx") {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	r.mu.Lock()
	known := maps.Clone(r.packs)
	maps.DeleteFunc(r.packs, func(name string, _ *pack) bool { return filepath.Dir(name) == dir && !slices.Contains(names, name) })
	r.mu.Unlock()
	for _, name := range names {
		p := known[name]
		if p == nil {
			if p, err = openPack(name, size); err != nil {
				problem = err // it may be readable the next time
				continue
			}
			p = r.opened(name, p)
		}
		all = append(all, p)
	}
	return all, problem
}

// opened keeps a pack that was opened, unless another request was first.
func (r *Repository) opened(name string, p *pack) *pack {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.packs[name]; first != nil {
		p.close()
		return first
	}
	r.packs[name] = p
	return p
}

func (p *pack) close() {
	p.index.Close()
	p.data.Close()
}

// Close closes the packs.
func (r *Repository) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.packs {
		p.close()
	}
	clear(r.packs)
}

// openPack opens a pack with an index of version 2, which is git's only one since 2007.
func openPack(name string, size int) (*pack, error) {
	index, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	p := &pack{index: index, size: size}
	head := make([]byte, 8+4*256)
	if _, err = index.ReadAt(head, 0); err == nil && !bytes.HasPrefix(head, []byte("\xfftOc\x00\x00\x00\x02")) {
		err = errDamaged
	}
	if err == nil {
		p.data, err = openRegular(strings.TrimSuffix(name, ".idx") + ".pack")
	}
	if err != nil {
		index.Close()
		return nil, err
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
	}
	p.count = p.fanout[255]
	return p, nil
}

// find is the offset of an object in the pack.
func (p *pack) find(name []byte) (at int64, found bool, err error) {
	low, high := uint32(0), p.fanout[name[0]]
	if name[0] > 0 {
		low = p.fanout[name[0]-1]
	}
	const names = 8 + 4*256
	size := int64(p.size)
	got := make([]byte, size)
	for low < high {
		mid := low + (high-low)/2
		if _, err := p.index.ReadAt(got, names+size*int64(mid)); err != nil {
			return 0, false, err
		}
		switch c := bytes.Compare(name, got); {
		case c < 0:
			high = mid
		case c > 0:
			low = mid + 1
		default:
			at, err := p.offset(mid)
			return at, err == nil, err
		}
	}
	return 0, false, nil
}

// offset is where the object number i of the index begins. Behind the names stand their checksums, then
// offsets of 31 bits; one with the highest bit set numbers a wider one behind those.
func (p *pack) offset(i uint32) (int64, error) {
	table := int64(8+4*256) + (int64(p.size)+4)*int64(p.count)
	var b [8]byte
	if _, err := p.index.ReadAt(b[:4], table+4*int64(i)); err != nil {
		return 0, err
	}
	short := binary.BigEndian.Uint32(b[:])
	if short>>31 == 0 {
		return int64(short), nil
	}
	if _, err := p.index.ReadAt(b[:], table+4*int64(p.count)+8*int64(short&^(1<<31))); err != nil {
		return 0, err
	}
	if at := int64(binary.BigEndian.Uint64(b[:])); at >= 0 {
		return at, nil
	}
	return 0, errDamaged
}

// The kinds of objects in a pack.
var packKinds = map[byte]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

const (
	offsetDelta    = 6
	referenceDelta = 7
)

// packed reads the object at an offset, and what it is a delta of. Objects that known has are not read again; nil
// has none.
func (r *Repository) packed(p *pack, at int64, known *bases) (kind string, body []byte, err error) {
	first := at
	var deltas [][]byte
	total := 0
	for range maxDeltas {
		if o, ok := known.get(p, at); ok {
			return known.undelta(p, first, o, deltas)
		}
		in := bufio.NewReader(io.NewSectionReader(p.data, at, 1<<62-at))
		code, size, err := entryHeader(in)
		if err != nil {
			return "", nil, err
		}
		var base int64
		var name []byte
		switch code {
		case offsetDelta:
			back, err := backwards(in)
			if err != nil || back <= 0 || back >= at {
				return "", nil, errDamaged
			}
			base = at - back
		case referenceDelta:
			name = make([]byte, p.size)
			if _, err := io.ReadFull(in, name); err != nil {
				return "", nil, err
			}
		}
		body, err := inflate(in, size)
		if err != nil {
			return "", nil, err
		}
		if kind := packKinds[code]; kind != "" {
			return known.undelta(p, first, object{kind, body}, deltas)
		}
		if total += len(body); total > maxObject {
			return "", nil, errDamaged
		}
		deltas = append(deltas, body)
		switch code {
		case offsetDelta:
			at = base
		case referenceDelta:
			next, found, err := p.find(name)
			if err != nil {
				return "", nil, err
			}
			if !found { // only packs on their way between repositories have their bases elsewhere
				return "", nil, errDamaged
			}
			at = next
		default:
			return "", nil, errDamaged
		}
	}
	return "", nil, errDamaged
}

// entryHeader reads the kind and the size of what follows: 3 bits of kind and 4 of size, then 7 more in each byte
// while the highest bit is set.
func entryHeader(in io.ByteReader) (code byte, size int64, err error) {
	b, err := in.ReadByte()
	code, size = b>>4&7, int64(b&15)
	for shift := 4; err == nil && b&0x80 != 0; shift += 7 {
		if b, err = in.ReadByte(); shift > 40 {
			return 0, 0, errDamaged
		}
		size |= int64(b&0x7f) << shift
	}
	if err == nil && size > maxObject {
		err = fmt.Errorf("an object of %d bytes: %w", size, errDamaged)
	}
	return code, size, err
}

// backwards reads how far before its delta a base begins.
func backwards(in io.ByteReader) (int64, error) {
	b, err := in.ReadByte()
	n := int64(b & 0x7f)
	for err == nil && b&0x80 != 0 {
		if b, err = in.ReadByte(); n > 1<<48 {
			return 0, errDamaged
		}
		n = (n+1)<<7 | int64(b&0x7f)
	}
	return n, err
}

// apply makes the text that a delta describes: two lengths, then copies from base (highest bit set) and bytes of
// its own.
func apply(base, delta []byte) ([]byte, error) {
	in := bytes.NewReader(delta)
	from, err1 := binary.ReadUvarint(in)
	to, err2 := binary.ReadUvarint(in)
	if err1 != nil || err2 != nil || from != uint64(len(base)) || to > maxObject {
		return nil, errDamaged
	}
	out := make([]byte, 0, to)
	for in.Len() > 0 {
		op, _ := in.ReadByte()
		if op == 0 {
			return nil, errDamaged
		}
		if op&0x80 == 0 {
			own := make([]byte, op)
			if _, err := io.ReadFull(in, own); err != nil {
				return nil, errDamaged
			}
			out = append(out, own...)
			continue
		}
		var at, n uint32
		for i := range 7 {
			if op>>i&1 == 0 {
				continue
			}
			b, err := in.ReadByte()
			if err != nil {
				return nil, errDamaged
			}
			if i < 4 {
				at |= uint32(b) << (8 * i)
			} else {
				n |= uint32(b) << (8 * (i - 4))
			}
		}
		if n == 0 {
			n = 0x10000
		}
		if uint64(at)+uint64(n) > uint64(len(base)) || len(out)+int(n) > int(to) {
			return nil, errDamaged
		}
		out = append(out, base[at:at+n]...)
	}
	if uint64(len(out)) != to {
		return nil, errDamaged
	}
	return out, nil
}
