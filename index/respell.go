package index

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Respelling puts Text in the place of a range of an import statement.
type Respelling struct {
	Range
	Text string
}

// Respellings are the edits after which the imports of the file at from, which has the bytes src, name the same files when
// files have moved; to has their new paths by their old ones, from's own among them if it moves. before resolves in the
// tree as it is, after in Moved of it: an edit is given only where before shows that a path names a file, and after that
// the new path names that file. Statements to which a path gives a name that the file uses keep that name.
func Respellings(before, after *Resolver, to map[string]string, from string, f *File, src []byte) (edits []Respelling) {
	l := languageNamed(f.Language)
	if l == nil || l.resolver == nil || l.resolver.respell == nil {
		return nil
	}
	s := &respeller{before: before, after: after, to: to, from: from, now: moved(to, from), f: f, l: l}
	for _, p := range ModulePaths(from, src) {
		m := &f.Imports[p.Imports[0]]
		if text, ok := s.path(m.Path); ok {
			if l.resolver.dynamic {
				text, ok = asBefore(src, p.Range, m, text)
			}
			if ok {
				edits = append(edits, Respelling{p.Range, text})
			}
		}
	}
	if l.resolver.separator != "" {
		edits = append(edits, s.submodules()...)
	}
	slices.SortFunc(edits, func(a, b Respelling) int { return int(a.Start) - int(b.Start) })
	return edits
}

// respeller writes the imports of one file anew.
type respeller struct {
	before, after *Resolver
	to            map[string]string
	from, now     string // the file's path, and the one that it will have
	f             *File
	l             *language
}

func moved(to map[string]string, file string) string {
	if fresh, ok := to[file]; ok {
		return fresh
	}
	return file
}

// path is what names the module afterwards that spelled names now; false where that is spelled itself, and where nothing
// shows what it is.
func (s *respeller) path(spelled string) (string, bool) {
	place, verdict := s.before.Module(s.from, s.f, spelled)
	if verdict != Bound || len(place.Files) == 0 {
		return "", false
	}
	want := make([]string, len(place.Files))
	for i, file := range place.Files {
		want[i] = moved(s.to, file)
	}
	if s.now == s.from && slices.Equal(want, place.Files) {
		return "", false
	}
	astray := false
	if s.l.resolver.includes { // what is not beside the file the compiler may find anywhere: nothing shows which header is meant
		if path.Join(dirOf(s.from), spelled) != place.Files[0] {
			return "", false
		}
		astray = path.Join(dirOf(s.now), spelled) != want[0]
	}
	slices.Sort(want)
	names := func(spelled string) bool {
		place, verdict := s.after.Module(s.now, s.f, spelled)
		return verdict == Bound && slices.Equal(place.Files, want)
	}
	if !astray && names(spelled) {
		return "", false
	}
	for _, candidate := range s.l.resolver.respell(s.after.w, s.from, s.now, place.Files[0], moved(s.to, place.Files[0]), spelled) {
		if writable(candidate) && names(candidate) {
			return candidate, true
		}
	}
	return "", false
}

// writable says whether a path can stand in a string, an include or a statement as it is, without an escape.
func writable(path string) bool {
	return utf8.ValidString(path) && !strings.Contains(path, "${") && !strings.ContainsFunc(path, func(r rune) bool {
		return strings.ContainsRune("\"'`\\<>", r) || !unicode.IsGraphic(r) // of which no line break is one
	})
}

// submodules respells names that a package has because they are modules in it: from package import module.
func (s *respeller) submodules() (edits []Respelling) {
	sep := s.l.resolver.separator
	for i := range s.f.Imports {
		m := &s.f.Imports[i]
		if m.Name == "" || m.Name == "*" || m.Path == "" {
			continue
		}
		inside := m.Path
		if !strings.HasSuffix(inside, sep) {
			inside += sep
		}
		text, ok := s.path(inside + m.Name)
		name, same := strings.CutPrefix(text, inside)
		if !ok || !same || strings.Contains(name, sep) {
			continue
		}
		alias := Ref{Start: m.AliasStart, End: m.AliasStart, Role: Importing, Via: Via{Root: RootAlias, Import: int32(i)}}
		if _, verdict := s.before.Resolve(s.from, s.f, alias, m.Alias); verdict == Bound {
			continue // the package itself defines that name
		}
		if m.AliasStart == m.Start && name != m.Name {
			name += " as " + m.Name
		}
		edits = append(edits, Respelling{Range{Start: m.Start, End: m.End}, name})
	}
	return edits
}

// asBefore is the new path of a Python import, with the name by which the file knows the module. import a.b is used as
// a.b: that is left.
func asBefore(src []byte, at Range, m *Import, text string) (string, bool) {
	switch {
	case m.Name != "" || m.Alias != "" && m.AliasStart != m.Start: // from a import, import a as
		return text, true
	case strings.Contains(m.Path, ".") || m.Alias != m.Path || int(at.End) < len(src) && src[at.End] == '.':
		return "", false
	}
	return text + " as " + m.Alias, true
}

// Moved is the tree of w with files under other paths, which to gives by their old ones.
func Moved(w World, to map[string]string) World {
	m := &movedWorld{World: w, to: to, from: map[string]string{}, dirs: map[string][]string{}, bases: map[string][]string{}}
	for old, fresh := range to {
		m.from[fresh] = old
		m.dirs[dirOf(fresh)] = append(m.dirs[dirOf(fresh)], fresh)
		m.bases[path.Base(fresh)] = append(m.bases[path.Base(fresh)], fresh)
	}
	return m
}

type movedWorld struct {
	World
	to, from    map[string]string
	dirs, bases map[string][]string // of the files that moved
}

// old is the path that a file had; false: there is none of that path any more.
func (m *movedWorld) old(file string) (string, bool) {
	if old, ok := m.from[file]; ok {
		return old, true
	}
	_, gone := m.to[file]
	return file, !gone
}

func (m *movedWorld) File(file string) *File {
	if old, ok := m.old(file); ok {
		return m.World.File(old)
	}
	return nil
}

func (m *movedWorld) Read(file string) []byte {
	if old, ok := m.old(file); ok {
		return m.World.Read(old)
	}
	return nil
}

func (m *movedWorld) Dir(dir string) []string { return m.with(m.World.Dir(dir), m.dirs[dir]) }

func (m *movedWorld) Named(base string) []string { return m.with(m.World.Named(base), m.bases[base]) }

// with is a list without the files that are gone, and with those that came.
func (m *movedWorld) with(list, came []string) []string {
	var out []string
	for _, file := range list {
		if _, gone := m.to[file]; !gone {
			out = append(out, file)
		}
	}
	out = append(out, came...)
	slices.Sort(out)
	return slices.Compact(out)
}

// relative is the path from a directory to a file, which begins with ./ or ../.
func relative(dir, file string) string {
	up := "./"
	for dir != "" && !strings.HasPrefix(file, dir+"/") {
		dir = dirOf(dir)
		if up == "./" {
			up = ""
		}
		up += "../"
	}
	if dir != "" {
		file = file[len(dir)+1:]
	}
	return up + file
}
