package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
)

// The references of a file are kept in one string, because there are many (4 million in the Go library, of which
// a slice would take 24 bytes each and this takes 4), and because they are asked for by name.
//
//	filter     length, then a Bloom filter of the hashes of all names, 8 bits a name, 3 probes
//	vias       how many; each: root (8 more for a value, 64 for a key), import, length of the path, path
//	types      length; for each definition with a type that is told: how many definitions behind the one before, its via
//	names      how many; each: hash (4 bytes), length of the name, length of its places, places
//	place      how far it starts behind the one before, then via<<3 | role
//
// Numbers are varints. A name is kept as its hash, by which they are sorted: whoever asks compares the text at a place
// before it is shown, and of 200 names in a file two share a hash once in 200,000 files. The filter has a look-up pass
// over most files in 20 ns.

const probes = 3

// Beside a root.
const (
	viaValue = 1 << 3 // Via.Value
	viaKey   = 1 << 6 // Via.Key
)

// hashOf is FNV-1a.
func hashOf[T string | []byte](name T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// encode is the kept form of b.out.
func (b *binder) encode() string {
	if len(b.out) == 0 {
		return ""
	}
	order := b.byHash()
	uses := b.byName()
	known := 0
	vias, list, places := make([]byte, 0, 1024), make([]byte, 0, 6*len(b.out)), make([]byte, 0, 256)
	filter := make([]byte, len(order))
	number := func(w *way) uint64 {
		if w.number < 0 {
			w.number = known
			known++
			vias = appendVia(vias, w.Via)
		}
		return uint64(w.number)
	}
	for _, name := range order {
		places = places[:0]
		before := uint32(0)
		for i, u := range uses[name] {
			if i > 0 && u.start == before && !isTwo(uses[name][i-1], u) {
				continue // a name of a definition and of an import
			}
			places = binary.AppendUvarint(places, uint64(u.start-before))
			places = binary.AppendUvarint(places, number(u.via)<<3|uint64(u.role))
			before = u.start
		}
		entry := &b.names.names[name]
		list = binary.LittleEndian.AppendUint32(list, entry.hash)
		list = binary.AppendUvarint(list, uint64(len(entry.text)))
		list = binary.AppendUvarint(list, uint64(len(places)))
		list = append(list, places...)
		for p := range uint32(probes) {
			bit := probe(entry.hash, p, len(order))
			filter[bit/8] |= 1 << (bit % 8)
		}
	}
	types := b.encodeTypes(number)
	all := make([]byte, 0, len(filter)+len(vias)+len(types)+len(list)+16)
	all = binary.AppendUvarint(all, uint64(len(filter)))
	all = append(all, filter...)
	all = binary.AppendUvarint(all, uint64(known))
	all = append(all, vias...)
	all = append(binary.AppendUvarint(all, uint64(len(types))), types...)
	all = binary.AppendUvarint(all, uint64(len(order)))
	return string(append(all, list...))
}

// isTwo says whether two uses of a name at one place are two: {x} is a variable and a member, an embedded T a field and a
// type.
func isTwo(first, second use) bool {
	return second.via.Root <= RootValue && first.via.Root > RootValue || first.role == Declaration && second.role == TypeUse
}

// encodeTypes lists the definitions of which the syntax tells the type, with what their members are looked up in.
func (b *binder) encodeTypes(number func(*way) uint64) (types []byte) {
	before := int32(0)
	for _, def := range slices.Sorted(maps.Keys(b.types)) {
		via := b.members(b.types[def], 0)
		if via.Root == RootUnknown || via.Root == RootValue {
			continue
		}
		types = binary.AppendUvarint(types, uint64(def-before))
		types = binary.AppendUvarint(types, number(b.ways.of(via)))
		before = def
	}
	return types
}

// TypeOf is what members of the definition Defs[def] are looked up in, if the syntax tells the type of it.
func (f *File) TypeOf(def int) (Via, bool) {
	r := refReader{rest: f.refs}
	if f.refs == "" {
		return Via{}, false
	}
	r.take(r.number())
	vias := r.vias()
	types := refReader{rest: r.take(r.number())}
	at := 0
	for len(types.rest) > 0 {
		at += int(types.number())
		via := types.number()
		if at == def && !types.bad && int(via) < len(vias) && f.sound(vias[via]) {
			return vias[via], true
		}
		if at > def {
			break
		}
	}
	return Via{}, false
}

// sound says whether a via means something in f: what is read back from a cache may not.
func (f *File) sound(v Via) bool {
	switch v.Root {
	case RootImport, RootAlias, RootModule:
		return v.Import >= 0 && int(v.Import) < len(f.Imports)
	}
	return true
}

// byHash lists the names that have uses, by hash and then by text.
func (b *binder) byHash() (order []int32) {
	names := b.names.names
	used := make([]bool, len(names))
	for i := range b.out {
		if id := b.out[i].name; !used[id] {
			used[id] = true
			order = append(order, id)
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(names[x].hash, names[y].hash), bytes.Compare(names[x].text, names[y].text))
	})
	return order
}

// byName is b.out by name, each by start. Counted, not sorted: that took a twentieth of the parse.
func (b *binder) byName() [][]use {
	n := b.names.size()
	counts := make([]int32, n+1)
	for i := range b.out {
		counts[b.out[i].name+1]++
	}
	for i := range n {
		counts[i+1] += counts[i]
	}
	b.sorted = resized(b.sorted, len(b.out))
	sorted := b.sorted
	next := slices.Clone(counts)
	for _, u := range b.out {
		sorted[next[u.name]] = u
		next[u.name]++
	}
	lists := make([][]use, n)
	for i := range lists {
		lists[i] = sorted[counts[i]:counts[i+1]]
		if !slices.IsSortedFunc(lists[i], byPlace) { // imports and odd definitions were added last
			slices.SortStableFunc(lists[i], byPlace)
		}
	}
	return lists
}

func byPlace(x, y use) int { return cmp.Compare(x.start, y.start) }

func appendVia(b []byte, v Via) []byte {
	root := byte(v.Root)
	if v.Key {
		root |= viaKey
	}
	if v.Value {
		root |= viaValue
	}
	b = append(b, root)
	b = binary.AppendUvarint(b, uint64(v.Import))
	b = binary.AppendUvarint(b, uint64(len(v.Path)))
	return append(b, v.Path...)
}

// probe is the number of a bit of a filter of that many bytes.
func probe(hash, p uint32, size int) uint32 {
	return (hash + p*(hash>>15|1)*0x9e3779b1) % uint32(8*size)
}

// refReader reads File.refs. Facts may come from a cache that is damaged in a way that its checksum does not show:
// what makes no sense ends the reading.
type refReader struct {
	rest string
	bad  bool
}

func (r *refReader) number() uint32 {
	v := uint32(0)
	for shift := 0; shift < 35 && len(r.rest) > 0; shift += 7 {
		c := r.rest[0]
		r.rest = r.rest[1:]
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.bad, r.rest = true, ""
	return 0
}

func (r *refReader) take(n uint32) string {
	if uint64(n) > uint64(len(r.rest)) {
		r.bad, r.rest = true, ""
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// HasRefs says whether there may be references to name; one in 30 times that there are none it says yes all
// the same.
func (f *File) HasRefs(name string) bool {
	r := refReader{rest: f.refs}
	return f.refs != "" && r.mayHold(hashOf(name))
}

func (r *refReader) mayHold(hash uint32) bool {
	size := r.number()
	filter := r.take(size)
	if r.bad || size == 0 {
		return false
	}
	for p := range uint32(probes) {
		if bit := probe(hash, p, int(size)); filter[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// Refs lists the references to name, by Start. A place may hold another name of the same length and hash: compare it
// with the source.
func (f *File) Refs(name string) []Ref {
	r := refReader{rest: f.refs}
	hash := hashOf(name)
	if f.refs == "" || !r.mayHold(hash) {
		return nil
	}
	vias := r.vias()
	r.take(r.number())
	for n := r.number(); n > 0 && !r.bad; n-- {
		found, size, places := r.name()
		if found > hash {
			break
		}
		if found != hash || int(size) != len(name) {
			continue
		}
		return f.places(places, size, vias)
	}
	return nil
}

// AllRefs yields all references, those of one name after the other.
func (f *File) AllRefs() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		r := refReader{rest: f.refs}
		if f.refs == "" {
			return
		}
		r.take(r.number())
		vias := r.vias()
		r.take(r.number())
		for n := r.number(); n > 0 && !r.bad; n-- {
			_, size, places := r.name()
			for _, ref := range f.places(places, size, vias) {
				if !yield(ref) {
					return
				}
			}
		}
	}
}

func (r *refReader) vias() []Via {
	n := r.number()
	if uint64(n) > uint64(len(r.rest)) {
		r.bad, r.rest = true, ""
		return nil
	}
	vias := make([]Via, 0, n)
	for ; n > 0 && !r.bad; n-- {
		root := r.number()
		vias = append(vias, Via{Root: Root(root &^ (viaKey | viaValue)), Key: root&viaKey != 0, Value: root&viaValue != 0,
			Import: int32(r.number()), Path: r.take(r.number())})
	}
	return vias
}

// name reads the head of one name: its hash, its length in bytes and its places.
func (r *refReader) name() (hash, size uint32, places string) {
	h := r.take(4)
	if r.bad {
		return 0, 0, ""
	}
	hash = binary.LittleEndian.Uint32([]byte(h))
	size = r.number()
	return hash, size, r.take(r.number())
}

func (f *File) places(places string, size uint32, vias []Via) []Ref {
	r := refReader{rest: places}
	var refs []Ref
	start := uint32(0)
	for len(r.rest) > 0 {
		start += r.number()
		what := r.number()
		if r.bad || int(what>>3) >= len(vias) || what&7 > uint32(Declaration) || start > MaxSize {
			break
		}
		ref := Ref{Start: start, End: start + size, Role: Role(what & 7), Via: vias[what>>3]}
		if !f.sound(ref.Via) {
			break
		}
		refs = append(refs, ref)
	}
	return refs
}
