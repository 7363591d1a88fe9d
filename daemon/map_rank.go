package daemon

import (
	"context"
	"math/bits"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxd/index"
)

// ranked holds how much the definitions of a snapshot matter. It is made when it is first asked for, and depends on
// the snapshot alone: requests that make it at the same time make the same.
type ranked struct {
	weights atomic.Pointer[weights]
	order   atomic.Pointer[order]
}

// rest gives back what is quickly made again.
func (r *ranked) rest() {
	if r != nil {
		r.order.Store(nil)
	}
}

// weights has a number for each definition and for each file of a snapshot.
type weights struct {
	starts   []uint32 // by the place of a file among the snapshot's: its first definition; one more at the end
	defs     []uint32
	imported []uint32 // by file: how many others import it
}

// Weights are in sixteenths of one use beside the definition.
const (
	near = 16
	// far is a use in another file or package.
	far = 64
	// secondaryShift: what tests and examples use counts for a quarter.
	secondaryShift = 2
)

// weigh makes the weights of a snapshot in which nothing is pending.
//
// A definition weighs what refers to it, each file by the logarithm of how often it does. The 4 million references of
// the Go library are not resolved one by one, as Refs does for one name, but looked up by three hashes: the file or package,
// which the imports tell, the container and the name; that takes 0.35 s of processor time. Definitions of the same
// three, under build tags, share what is found. A use whose binding is not shown is shared among all members of the
// name. PageRank over these edges would need all of them in memory.
func (ws *Workspace) weigh(ctx context.Context, snap *Snapshot) (*weights, error) {
	if w := snap.ranked.weights.Load(); w != nil {
		return w, nil
	}
	s := &scales{ctx: ctx, snap: snap, world: ws.world(ctx, snap), modules: map[[3]string]module{}, places: map[placeKey]module{}}
	s.resolver = index.NewResolver(s.world)
	s.count()
	s.group()
	s.enter()
	if err := s.add(); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	w := s.weights
	snap.ranked.weights.Store(&w)
	return &w, nil
}

// scales is one weighing.
type scales struct {
	weights
	ctx      context.Context
	snap     *Snapshot
	world    *world
	resolver *index.Resolver
	homes    []uint32 // by file: the first of the files that share its top-level names
	keys     *homeKeys
	names    *keys    // those of the names, see nameKeys
	own      []uint64 // by definition: its key
	hashes   []uint32 // by definition: NameHash of its name
	modules  map[[3]string]module
	places   map[placeKey]module
	importer []uint32 // by file: who was counted last as importing it, plus 1
}

// module is what the path of an import stands for.
type module struct {
	files []int
	binds []bind // one for each home
}

// placeKey is one place: sorted files of one language, which their ends and number tell apart.
type placeKey struct {
	first, last string
	count       int
	container   string
}

// bind is what an import, or a definition that it takes, makes known.
type bind struct {
	home      uint32
	container string // in which names behind it are looked up
	key       uint64 // of the definition itself; 0: a module
}

// maxBinds is how many files one import may stand for.
const maxBinds = 16

// count numbers the definitions.
func (s *scales) count() {
	files := s.snap.files
	s.starts = make([]uint32, len(files)+1)
	for i, f := range files {
		s.starts[i+1] = s.starts[i]
		if f.Facts != nil {
			s.starts[i+1] += uint32(len(f.Facts.Defs))
		}
	}
	s.defs = make([]uint32, s.starts[len(files)])
	s.imported, s.importer = make([]uint32, len(files)), make([]uint32, len(files))
}

// at is the place of the file with that path, -1 when there is none with facts.
func (s *scales) at(p string) int {
	i, ok := slices.BinarySearchFunc(s.snap.files, p, func(f *File, p string) int { return strings.Compare(f.Path, p) })
	if !ok || s.snap.files[i].Facts == nil {
		return -1
	}
	return i
}

// group finds for each file those that share its top-level names. It asks for one file of each group: asked for each
// file, a directory would be listed once for every file in it.
func (s *scales) group() {
	const none = ^uint32(0)
	s.homes = slices.Repeat([]uint32{none}, len(s.snap.files))
	for i, f := range s.snap.files {
		if f.Facts == nil || s.homes[i] != none {
			continue
		}
		s.homes[i] = uint32(i)
		for _, p := range s.resolver.Home(f.Path, &f.Facts.File) {
			if k := s.at(p); k >= 0 && s.homes[k] == none {
				s.homes[k] = uint32(i)
			}
		}
	}
}

// enter makes a key for each definition, and one for its name among the members, or the others, of its language.
func (s *scales) enter() {
	counts := make([]uint32, len(s.snap.files))
	for i, f := range s.snap.files {
		if f.Facts != nil {
			counts[s.homes[i]] += uint32(len(f.Facts.Defs))
		}
	}
	s.keys, s.names = newHomeKeys(counts), newKeys(uint32(len(s.defs))/2)
	s.own, s.hashes = make([]uint64, len(s.defs)), make([]uint32, len(s.defs))
	for i, f := range s.snap.files {
		if f.Facts == nil {
			continue
		}
		names, number := newNameKeys(f.Facts.Language), s.starts[i]
		container, hash := "", index.NameHash("")
		for k := range f.Facts.Defs {
			d := &f.Facts.Defs[k]
			if d.Container != container {
				container, hash = d.Container, index.NameHash(d.Container)
			}
			name := index.NameHash(d.Name)
			key := keyOf(s.homes[i], hash, name)
			s.own[number], s.hashes[number] = key, name
			number++
			s.keys.enter(s.homes[i], key)
			s.names.enter(names.of(d.Container != "", name))
		}
	}
}

// key is that of a definition of the file at i.
func (s *scales) key(i, def int) uint64 { return s.own[s.starts[i]+uint32(def)] }

// add counts all references. The imports are resolved first, by one goroutine, whose the resolver is.
func (s *scales) add() error {
	files := s.snap.files
	bound := make([][][]bind, len(files)) // by file and import
	for i, f := range files {
		if f.Facts == nil {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		bound[i] = s.imports(i, f)
	}
	return s.each(func(i int, f *File) { s.addFile(i, f, bound[i]) })
}

// each has do look at every file that has facts, on all processors.
func (s *scales) each(do func(i int, f *File)) error {
	files := s.snap.files
	var next atomic.Int32
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for s.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if files[i].Facts != nil {
					do(i, files[i])
				}
			}
		})
	}
	workers.Wait()
	return s.ctx.Err()
}

// imports resolves the imports of a file, and counts which files they name.
func (s *scales) imports(i int, f *File) [][]bind {
	if len(f.Facts.Imports) == 0 {
		return nil
	}
	found := make([][]bind, len(f.Facts.Imports))
	for k := range f.Facts.Imports {
		m := &f.Facts.Imports[k]
		to := s.module(f, m.Path)
		for _, file := range to.files {
			s.countImport(i, file)
		}
		if m.Name == "" || m.Name == "*" {
			found[k] = to.binds
			continue
		}
		ref := index.Ref{Start: m.AliasStart, End: m.AliasStart, Via: index.Via{Root: index.RootAlias, Import: int32(k)}}
		symbols, _ := s.resolver.Resolve(f.Path, &f.Facts.File, ref, m.Alias)
		for _, x := range symbols[:min(len(symbols), maxBinds)] {
			at := s.at(x.Path)
			if at < 0 || x.Def >= len(s.snap.files[at].Facts.Defs) {
				continue
			}
			if len(to.files) == 0 {
				s.countImport(i, at)
			}
			d := &s.snap.files[at].Facts.Defs[x.Def]
			found[k] = append(found[k], bind{home: s.homes[at], container: d.Qualified(), key: s.key(at, x.Def)})
		}
	}
	return found
}

// countImport counts one file as importing another, once.
func (s *scales) countImport(by, file int) {
	if by != file && s.importer[file] != uint32(by)+1 {
		s.importer[file] = uint32(by) + 1
		s.imported[file]++
	}
}

// module is where the path of an import leads. It leads to the same from all files of a directory, but for Rust, where
// each file is a module.
func (s *scales) module(f *File, importPath string) module {
	key := [3]string{path.Dir(f.Path), f.Facts.Language, importPath}
	if f.Facts.Language == "rust" {
		key[0] = f.Path
	}
	to, ok := s.modules[key]
	if ok {
		return to
	}
	place, verdict := s.resolver.Module(f.Path, &f.Facts.File, importPath)
	if verdict == index.Bound && len(place.Files) > 0 {
		to = s.placed(place)
	}
	s.modules[key] = to
	return to
}

// placed finds the files of a place among the snapshot's, once: many directories import the same.
func (s *scales) placed(place index.Place) module {
	key := placeKey{place.Files[0], place.Files[len(place.Files)-1], len(place.Files), place.Container}
	to, ok := s.places[key]
	if !ok {
		for _, p := range place.Files {
			at := s.at(p)
			if at < 0 {
				continue
			}
			to.files = append(to.files, at)
			same := func(b bind) bool { return b.home == s.homes[at] }
			if len(to.binds) < maxBinds && !slices.ContainsFunc(to.binds, same) {
				to.binds = append(to.binds, bind{home: s.homes[at], container: place.Container})
			}
		}
		s.places[key] = to
	}
	return to
}

// way is a Via of one file, resolved as far as the names behind it need not be known.
type way struct {
	keys []bind   // definitions: the name does not matter
	in   []inside // where the name is looked up
	// What the name is looked up as when it is in none of these, or there are none.
	elsewhere bool // it is not in the tree
	member    bool
}

type inside struct {
	home, container uint32
	weight          uint32
}

// addFile counts the references of one file.
func (s *scales) addFile(i int, f *File, bound [][]bind) {
	vias, uses := f.Facts.Uses()
	ways := make([]way, len(vias))
	for k := range vias {
		ways[k] = s.way(i, f, &vias[k], bound)
	}
	shift := 0
	if secondary(f.Path) {
		shift = secondaryShift
	}
	names := newNameKeys(f.Facts.Language)
	for u := range uses {
		w := &ways[u.Via]
		n := uint32(bits.Len(uint(u.Places)))
		hit := false
		for _, b := range w.keys {
			s.keys.weigh(b.home, b.key, far*n>>shift)
		}
		for _, in := range w.in {
			hit = s.keys.weigh(in.home, keyOf(in.home, in.container, u.Name), in.weight*n>>shift) || hit
		}
		if !hit && !w.elsewhere {
			s.names.weigh(names.of(w.member, u.Name), near*n>>shift)
		}
	}
}

func (s *scales) way(i int, f *File, v *index.Via, bound [][]bind) way {
	w := way{member: true}
	switch v.Root {
	case index.RootFile, index.RootFree:
		w.in = []inside{{s.homes[i], index.NameHash(v.Path), near}}
		w.member = v.Path != ""
		// A free name that is not in the file's home may be anything where imports are not resolved, or where one takes
		// all of a module; elsewhere it is built in.
		w.elsewhere = v.Root == index.RootFile || index.Resolves(f.Facts.Language) && !takesAll(f)
	case index.RootImport:
		for _, b := range bound[v.Import] {
			at := inside{b.home, index.NameHash(joined(b.container, v.Path)), far}
			if b.home == s.homes[i] {
				at.weight = near
			}
			w.in = append(w.in, at)
		}
		w.elsewhere = len(w.in) == 0 && index.Resolves(f.Facts.Language)
	case index.RootAlias, index.RootModule:
		for _, b := range bound[v.Import] {
			if b.key != 0 {
				w.keys = append(w.keys, b)
			}
		}
		w.elsewhere = true
	}
	return w
}

func takesAll(f *File) bool {
	return slices.ContainsFunc(f.Facts.Imports, func(m index.Import) bool { return m.Name == "*" && m.Alias == "" })
}

func joined(container, path string) string {
	if container == "" || path == "" {
		return container + path
	}
	return container + "." + path
}

// settle turns what was counted into the weights of definitions.
func (s *scales) settle() error {
	return s.each(func(i int, f *File) {
		standing, names := newStanding(f, s.imported[i]), newNameKeys(f.Facts.Language)
		for k := range f.Facts.Defs {
			d := &f.Facts.Defs[k]
			number := s.starts[i] + uint32(k)
			uses := uint64(s.keys.share(s.homes[i], s.own[number])) + uint64(s.names.share(names.of(d.Container != "", s.hashes[number])))
			s.defs[number] = standing.weight(d, uses)
		}
	})
}
