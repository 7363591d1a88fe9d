package daemon

import (
	"math/bits"
	"path"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"ctxd/index"
)

// keys adds up weights by hash: a table with open addresses, which two goroutines may add to once all keys are entered.
// A map of the standard library took 2.5 times as long for the 450,000 keys of the Go library.
type keys struct {
	slot []keySlot // a power of two
	used int
}

// homeKeys has a table for the definitions of each home. Most of what a file refers to is in its own home, whose table is in the
// processor's cache then; in one table for all, waiting for memory was nine tenths of a weighing.
type homeKeys struct {
	slot  []keySlot
	first []uint32 // by home: its first slot; the number of its slots is a power of two
	mask  []uint32
}

// newHomeKeys makes room for that many definitions of each home.
func newHomeKeys(counts []uint32) *homeKeys {
	k := &homeKeys{first: make([]uint32, len(counts)), mask: make([]uint32, len(counts))}
	all := uint32(0)
	for home, n := range counts {
		if n > 0 {
			size := uint32(1) << bits.Len32(n+n/3)
			k.first[home], k.mask[home] = all, size-1
			all += size
		}
	}
	k.slot = make([]keySlot, all)
	return k
}

// find is the slot of a key, or the one where it belongs; nil in a home without definitions.
func (k *homeKeys) find(home uint32, key uint64) *keySlot {
	mask := k.mask[home]
	if mask == 0 {
		return nil
	}
	slots := k.slot[k.first[home]:][:mask+1]
	for i := uint32(key>>1) & mask; ; i = (i + 1) & mask {
		if s := &slots[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (k *homeKeys) enter(home uint32, key uint64) {
	s := k.find(home, key)
	s.key = key
	s.defs++
}

// weigh adds n to a key; false when there is no such key.
func (k *homeKeys) weigh(home uint32, key uint64, n uint32) bool { return k.find(home, key).weigh(n) }

// share is what one of the definitions with the key gets.
func (k *homeKeys) share(home uint32, key uint64) uint32 { return k.find(home, key).share() }

func (s *keySlot) weigh(n uint32) bool {
	if s == nil || s.key == 0 {
		return false
	}
	atomic.AddUint32(&s.sum, n)
	return true
}

func (s *keySlot) share() uint32 {
	if s == nil || s.key == 0 {
		return 0
	}
	return s.sum / s.defs
}

type keySlot struct {
	key  uint64 // 0: none
	defs uint32 // definitions with the key
	sum  uint32
}

// newKeys makes room for some three quarters of that many keys; more find room as they come.
func newKeys(count uint32) *keys { return &keys{slot: make([]keySlot, 1024<<bits.Len32(count>>10))} }

// find is the slot of a key, or the one where it belongs.
func (k *keys) find(key uint64) *keySlot {
	mask := uint64(len(k.slot) - 1)
	for i := key >> 1 & mask; ; i = (i + 1) & mask {
		if s := &k.slot[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (k *keys) enter(key uint64) {
	s := k.find(key)
	if s.key == 0 {
		if k.used++; k.used > len(k.slot)/4*3 {
			k.grow()
			s = k.find(key)
		}
		s.key = key
	}
	s.defs++
}

func (k *keys) grow() {
	old := k.slot
	k.slot = make([]keySlot, 2*len(old))
	for _, s := range old {
		if s.key != 0 {
			*k.find(s.key) = s
		}
	}
}

// weigh adds n to a key, if there is one.
func (k *keys) weigh(key uint64, n uint32) { k.find(key).weigh(n) }

// share is what one of the definitions with the key gets.
func (k *keys) share(key uint64) uint32 { return k.find(key).share() }

// keyOf is the key of a definition: its home, the hashes of its container and of its name. The mixing is that of
// splitmix64 (Steele, Lea, Flood 2014).
func keyOf(home, container, name uint32) uint64 {
	return mix(mix(uint64(home)<<32|uint64(container)) ^ uint64(name))
}

// nameKeys gives the keys of names among the members, or the top-level names, of languages that use each other's.
type nameKeys struct{ member, top uint64 }

func newNameKeys(language string) nameKeys {
	switch language {
	case "typescript", "tsx", "svelte":
		language = "javascript"
	case "cpp":
		language = "c"
	}
	x := uint64(index.NameHash(language))
	return nameKeys{member: mix(^x | 1<<63), top: mix(x | 1<<63)}
}

// of is the key of the name with that hash.
func (n nameKeys) of(member bool, name uint32) uint64 {
	if member {
		return mix(n.member ^ uint64(name))
	}
	return mix(n.top ^ uint64(name))
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) | 1 // 0 is an empty slot
}

// standing is what a file lends its definitions.
type standing struct {
	language  string
	secondary bool
	depth     int // directories above it
	imported  uint32
}

func newStanding(f *File, imported uint32) standing {
	return standing{f.Facts.Language, secondary(f.Path), strings.Count(f.Path, "/"), imported}
}

// weight is what a definition weighs, of what refers to it. What nobody refers to is still ordered by what it is.
func (s standing) weight(d *index.Def, uses uint64) uint32 {
	own, sixteenths := kindWeight(d.Kind)
	own = (own + uint64(max(4-s.depth, 0))) >> min(strings.Count(d.Container, "."), 4)
	if s.exported(d) {
		if d.Container == "" {
			own += 8 * uint64(bits.Len32(s.imported))
		}
	} else {
		sixteenths /= 2
	}
	w := (16*uses + 16*own) * sixteenths / 16
	if s.secondary {
		w /= 8
	}
	return uint32(min(w/16, 1<<31))
}

// kindWeight is what a definition weighs by itself, and in sixteenths how much its uses count: many name a
// field, few look for it.
func kindWeight(k index.Kind) (own, sixteenths uint64) {
	switch k {
	case index.Class, index.Struct, index.Interface, index.Trait, index.Enum, index.Union, index.Type:
		return 24, 20
	case index.Function, index.Constructor:
		return 16, 16
	case index.Heading:
		return 16, 16
	case index.Method:
		return 8, 12
	case index.Constant, index.Variable, index.Macro:
		return 6, 10
	case index.Module, index.Namespace:
		return 6, 8
	}
	return 2, 6 // fields, properties, enumerators
}

// exported says whether others are meant to use a definition, by the conventions of its language.
func (s standing) exported(d *index.Def) bool {
	if s.language == "go" {
		return upper(d.Name) && (d.Container == "" || upper(d.Container))
	}
	private := func(name string) bool {
		return strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "__")
	}
	return !private(d.Name) && !private(d.Container)
}

func upper(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// secondaryWords mark, in the name of a file or directory, what serves the rest: tests, examples, copies of others.
var secondaryWords = map[string]bool{
	"test": true, "tests": true, "testdata": true, "spec": true, "fixtures": true, "mocks": true, "example": true, "examples": true,
	"bench": true, "benches": true, "benchmarks": true, "vendor": true, "thirdparty": true, "party": true, "deps": true,
}

// secondary: some of the words that the path is made of is one of secondaryWords. A library that is called so is
// listed lower than it should; it is not left out.
func secondary(p string) bool {
	stem := strings.TrimSuffix(p, path.Ext(p))
	for word := range strings.FieldsFuncSeq(stem, func(r rune) bool { return strings.ContainsRune("/_.-", r) }) {
		if secondaryWords[word] {
			return true
		}
	}
	return len(stem) > 4 && strings.HasSuffix(stem, "Test") // Java
}
