package daemon

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"ctxd/daemon/captures"
	"ctxd/index"
	"ctxd/watch"
)

// nameShards is the number of name maps: a commit copies only those that its files touch. Copying
// one map of all names cost 7 ms at 100,000 files, a shard of 256 costs 16–30 µs.
const nameShards = 256

var nameSeed = maphash.MakeSeed()

// File is one path of the worktree as it was read once. Immutable.
type File struct {
	Path string
	Stat watch.Stat
	// Racy: the file was written so shortly before it was read that a later write could leave the
	// same stat behind. The next sync reads it again.
	Racy bool
	// Blob is the SHA-256 of the bytes that Facts describes; zero when they were not read.
	Blob captures.BlobID
	// Facts is nil while the file is pending: seen, but not yet parsed.
	Facts *index.File
	// Problem says why the file could not be read ("" when it could).
	Problem string
}

// failed says that the file could not be read or parsed, and that it is worth another try.
func (f *File) failed() bool { return f.Problem != "" && f.Racy }

// unparsed says that the file should have definitions, by its language, and that they are not known.
func (f *File) unparsed() bool {
	return f.Problem != "" || f.Facts != nil && f.Facts.Language != "" && f.Facts.Status != index.Parsed
}

// symbol is one definition of one file.
type symbol struct {
	file *File
	def  int32 // index into file.Facts.Defs
}

// Snapshot is the state of a worktree at one moment. Immutable once published: readers hold it for
// as long as they like, the garbage collector frees it.
type Snapshot struct {
	files []*File // sorted by path
	names [nameShards]map[string][]symbol
	// counts, kept by with
	pending  int // files with Facts == nil
	parsed   int // files whose definitions are known
	unparsed int // files of a known language whose definitions are not
	failed   int // files that could not be read or parsed, and may be at the next try
	defs     int
	told     told
	// problems are the directories that could not be listed.
	problems []watch.Problem
}

// told is how many directories tell of their changes by events, and how many are read each time.
type told struct{ watched, unwatched int }

// freshness names how answers are brought up to date.
func (t told) freshness() string {
	switch {
	case t.watched == 0:
		return "sweep"
	case t.unwatched > 0:
		return "events, sweep of unwatched directories"
	}
	return "events"
}

// change replaces old by new; nil old is an addition, nil new a removal.
type change struct{ old, new *File }

// file is the entry of path, or nil.
func (s *Snapshot) file(path string) *File {
	i, ok := slices.BinarySearchFunc(s.files, path, func(f *File, p string) int { return cmp.Compare(f.Path, p) })
	if !ok {
		return nil
	}
	return s.files[i]
}

// lookup lists the definitions that the first spelling with any names: it equals the qualified name,
// module included, or ends it at a dot. The order is (path, position).
func (s *Snapshot) lookup(spellings []string) []symbol {
	for _, query := range spellings {
		if found := s.named(query); len(found) > 0 {
			return found
		}
	}
	return nil
}

func (s *Snapshot) named(query string) []symbol {
	var found []symbol
	for _, name := range lastNames(query) {
		for _, sym := range s.names[shardOf(name)][name] {
			if matches(sym.file.Facts, &sym.file.Facts.Defs[sym.def], query) {
				found = append(found, sym)
			}
		}
	}
	slices.SortFunc(found, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.file.Path, b.file.Path), cmp.Compare(a.def, b.def))
	})
	return slices.Compact(found)
}

// lastNames lists the names that a definition matched by query can have: query after each of its
// dots. There are several because a name may hold dots itself (a heading "1.2 Scope").
func lastNames(query string) []string {
	names := []string{query}
	for i := 0; i < len(query)-1; i++ {
		if query[i] == '.' {
			names = append(names, query[i+1:])
		}
	}
	return names
}

// matches says whether query is the dotted name of d, or ends it at a dot.
func matches(facts *index.File, d *index.Def, query string) bool {
	rest, ok := strings.CutSuffix(query, d.Name)
	if !ok {
		return false
	}
	for _, outer := range [2]string{d.Container, facts.Module} {
		if rest == "" {
			return true
		}
		if outer == "" {
			continue
		}
		rest, ok = strings.CutSuffix(rest, ".")
		if !ok {
			return false
		}
		if strings.HasSuffix("."+outer, "."+rest) {
			return true
		}
		if rest, ok = strings.CutSuffix(rest, outer); !ok {
			return false
		}
	}
	return rest == ""
}

func shardOf(name string) int {
	return int(maphash.String(nameSeed, name) % nameShards)
}

// with returns the snapshot after changes; s itself is not touched. A change whose old file is no
// longer the one that s holds is dropped: its path was dirtied again while it was being read, or a
// worker and a request parsed it both.
func (s *Snapshot) with(changes []change) *Snapshot {
	next := *s
	replaced := make(map[string]*File, len(changes))
	var added []*File
	touched := newTouched(&next)
	for _, c := range changes {
		path := ""
		if c.new != nil {
			path = c.new.Path
		} else {
			path = c.old.Path
		}
		if _, twice := replaced[path]; twice || s.file(path) != c.old {
			continue
		}
		replaced[path] = c.new
		if c.old == nil {
			added = append(added, c.new)
		}
		touched.remove(c.old)
		touched.add(c.new)
	}
	next.files = make([]*File, 0, len(s.files)+len(added))
	for _, f := range s.files {
		if len(replaced) == 0 {
			next.files = append(next.files, f)
			continue
		}
		r, ok := replaced[f.Path]
		if !ok {
			next.files = append(next.files, f)
		} else if r != nil {
			next.files = append(next.files, r)
		}
	}
	if len(added) > 0 {
		next.files = append(next.files, added...)
		slices.SortFunc(next.files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	}
	touched.finish()
	return &next
}

// count adds n times f to the counts. s is not published yet.
func (s *Snapshot) count(f *File, n int) {
	switch {
	case f.Facts == nil:
		s.pending += n
		return
	case f.unparsed():
		s.unparsed += n
	case f.Facts.Status == index.Parsed:
		s.parsed += n
	}
	if f.failed() {
		s.failed += n
	}
	s.defs += n * len(f.Facts.Defs)
}

// touched collects what a commit does to the name shards, so that each shard and each name is
// copied once.
type touched struct {
	s      *Snapshot
	gone   map[*File]bool
	shards [nameShards]map[string][]symbol // additions and emptied names, by shard
}

func newTouched(s *Snapshot) *touched { return &touched{s: s, gone: map[*File]bool{}} }

func (t *touched) remove(f *File) {
	if f == nil {
		return
	}
	t.s.count(f, -1)
	if f.Facts == nil {
		return
	}
	t.gone[f] = true
	for i := range f.Facts.Defs {
		t.touch(f.Facts.Defs[i].Name)
	}
}

func (t *touched) add(f *File) {
	if f == nil {
		return
	}
	t.s.count(f, 1)
	if f.Facts == nil {
		return
	}
	for i := range f.Facts.Defs {
		name := f.Facts.Defs[i].Name
		m := t.touch(name)
		m[name] = append(m[name], symbol{f, int32(i)})
	}
}

func (t *touched) touch(name string) map[string][]symbol {
	k := shardOf(name)
	if t.shards[k] == nil {
		t.shards[k] = map[string][]symbol{}
	}
	if _, ok := t.shards[k][name]; !ok {
		t.shards[k][name] = nil
	}
	return t.shards[k]
}

func (t *touched) finish() {
	for k, news := range t.shards {
		if news == nil {
			continue
		}
		shard := maps.Clone(t.s.names[k])
		if shard == nil {
			shard = make(map[string][]symbol, len(news))
		}
		for name, add := range news {
			old := shard[name]
			merged := make([]symbol, 0, len(old)+len(add))
			for _, sym := range old {
				if !t.gone[sym.file] {
					merged = append(merged, sym)
				}
			}
			if merged = append(merged, add...); len(merged) == 0 {
				delete(shard, name)
			} else {
				shard[name] = slices.Clip(merged)
			}
		}
		t.s.names[k] = shard
	}
}
