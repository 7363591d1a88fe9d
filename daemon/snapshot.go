package daemon

import (
	"cmp"
	"slices"
	"strings"

	"ctxd/daemon/captures"
	"ctxd/index"
	"ctxd/watch"
)

// File is one path of the worktree as it was read once. Immutable.
type File struct {
	Path string
	Stat watch.Stat
	// Racy: the file was written so shortly before it was read that a later write could leave the
	// same stat behind. The next sync reads it again.
	Racy bool
	// Link: it is a symbolic link, and Stat is its target's.
	Link bool
	// Facts is nil while the file is pending: seen, but not yet parsed. What is the same in all worktrees is
	// in there: a File takes 80 bytes, not 128.
	Facts *Facts
}

// blob is the SHA-256 of the bytes that Facts describes; zero when they were not read.
func (f *File) blob() captures.BlobID {
	if f.Facts == nil {
		return captures.BlobID{}
	}
	return f.Facts.Blob
}

// problem says why the file could not be read or parsed; "" when it could, and while it is pending.
func (f *File) problem() string {
	if f.Facts == nil {
		return ""
	}
	return f.Facts.Problem
}

// failed says that the file could not be read or parsed, and that it is worth another try.
func (f *File) failed() bool { return f.Racy && f.problem() != "" }

// unparsed says that the file should have definitions, by its language, and that they are not known.
func (f *File) unparsed() bool {
	return f.Facts != nil && (f.Facts.Problem != "" || f.Facts.Language != "" && f.Facts.Status != index.Parsed)
}

// symbol is one definition of one file.
type symbol struct {
	file *File
	def  int32 // index into file.Facts.Defs
}

// Snapshot is the state of a worktree at one moment. Immutable once published: readers hold it for
// as long as they like, the garbage collector frees it.
type Snapshot struct {
	catalog *catalog
	files   []*File // sorted by path
	byFacts []*File // those with definitions, sorted by the id of their facts, then by path
	paths   *paths  // where they are; shared by snapshots of the same paths
	ranked  *ranked // how much its definitions matter; shared by snapshots of the same files
	// counts, kept by with
	pending  int // files with Facts == nil
	parsed   int // files whose definitions are known
	unparsed int // files of a known language whose definitions are not
	failed   int // files that could not be read or parsed, and may be at the next try
	defs     int
	told     told
	// problems are the directories that could not be listed, and the rules that could not be read.
	problems []watch.Problem
}

// told is how many directories tell of their changes by events, and how many are read each time.
type told struct {
	watched, unwatched int
	blind              []watch.Blind // which ones are read each time, and why
	more               int           // rows that blind leaves out
	swept              watch.Cause   // why the last look was at the whole tree, "" when it was not
}

func (t told) equal(o told) bool {
	return t.watched == o.watched && t.unwatched == o.unwatched && t.more == o.more && t.swept == o.swept && slices.Equal(t.blind, o.blind)
}

// freshness names how answers are brought up to date.
func (t told) freshness() string {
	switch {
	case t.watched == 0:
		return "sweep"
	case t.swept != "" && t.swept != watch.CauseFirst:
		return "sweep (" + string(t.swept) + ")"
	case t.unwatched > 0:
		return "events, sweep of unwatched directories"
	}
	return "events"
}

// change replaces old by new; nil old is an addition, nil new a removal.
type change struct{ old, new *File }

func (c change) path() string {
	if c.new != nil {
		return c.new.Path
	}
	return c.old.Path
}

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
		s.catalog.named(name, func(facts *Facts, def int32) {
			if matches(&facts.File, &facts.Defs[def], query) {
				for _, f := range s.holding(facts) {
					found = append(found, symbol{f, def})
				}
			}
		})
	}
	slices.SortFunc(found, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.file.Path, b.file.Path), cmp.Compare(a.def, b.def))
	})
	return slices.Compact(found)
}

// holding lists the files with these facts, which have definitions.
func (s *Snapshot) holding(facts *Facts) []*File {
	i, _ := slices.BinarySearchFunc(s.byFacts, facts.id, func(f *File, id int64) int { return cmp.Compare(f.Facts.id, id) })
	j := i
	for j < len(s.byFacts) && s.byFacts[j].Facts == facts {
		j++
	}
	return s.byFacts[i:j]
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

// with returns the snapshot after changes; s itself is not touched. A change whose old file is no
// longer the one that s holds is dropped: its path was dirtied again while it was being read, or a
// worker and a request parsed it both.
func (s *Snapshot) with(changes []change) *Snapshot {
	next := *s
	valid := make([]change, 0, len(changes))
	seen := make(map[string]bool, len(changes))
	for _, c := range changes {
		path := c.path()
		if seen[path] || s.file(path) != c.old {
			continue
		}
		seen[path] = true
		valid = append(valid, c)
		next.count(c.old, -1)
		next.count(c.new, 1)
	}
	if slices.ContainsFunc(valid, func(c change) bool { return c.old == nil || c.new == nil }) {
		next.paths = new(paths)
	}
	if len(valid) > 0 {
		next.ranked = new(ranked)
	}
	next.files = merged(s.files, valid, byPath, func(f *File) bool { return f != nil })
	next.byFacts = merged(s.byFacts, valid, byFacts, func(f *File) bool { return f != nil && f.Facts != nil && f.Facts.id != 0 })
	return &next
}

func byPath(a, b *File) int { return cmp.Compare(a.Path, b.Path) }

func byFacts(a, b *File) int {
	return cmp.Or(cmp.Compare(a.Facts.id, b.Facts.id), cmp.Compare(a.Path, b.Path))
}

// merged is files, sorted by order, without the old files of changes and with the new ones, as far as
// they belong into it. What lies between two changes is copied as a whole: one change in 100,000
// files costs a copy of 0.8 MB, not 100,000 comparisons.
func merged(files []*File, changes []change, order func(a, b *File) int, belongs func(*File) bool) []*File {
	type step struct {
		file *File
		gone bool
	}
	steps := make([]step, 0, 2*len(changes))
	added := 0
	for _, c := range changes {
		if belongs(c.old) {
			steps = append(steps, step{c.old, true})
		}
		if belongs(c.new) {
			steps = append(steps, step{c.new, false})
			added++
		}
	}
	if len(steps) == 0 {
		return files
	}
	// A removal goes before an addition in the same place.
	slices.SortFunc(steps, func(a, b step) int {
		if c := order(a.file, b.file); c != 0 || a.gone == b.gone {
			return c
		} else if a.gone {
			return -1
		}
		return 1
	})
	out := make([]*File, 0, len(files)+added)
	for _, st := range steps {
		i, _ := slices.BinarySearchFunc(files, st.file, order)
		out = append(out, files[:i]...)
		files = files[i:]
		if st.gone {
			files = files[1:]
		} else {
			out = append(out, st.file)
		}
	}
	return append(out, files...)
}

// count adds n times f to the counts. s is not published yet.
func (s *Snapshot) count(f *File, n int) {
	switch {
	case f == nil:
		return
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
