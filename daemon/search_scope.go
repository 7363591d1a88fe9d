package daemon

import (
	"encoding/base64"
	"path"
	"regexp"
	"slices"
	"strings"

	"ctxd/client/wire"
	"ctxd/index"
	"ctxd/watch"
)

// scope is which files a search reads.
type scope struct {
	ws        *Workspace
	path      string // "" is the whole worktree
	files     []func(path string) bool
	notFiles  []func(path string) bool
	languages []string
}

// exactPatterns are the patterns as bytes.
func exactPatterns(p wire.SearchParams) ([]string, error) {
	if len(p.PatternsBase64) == 0 {
		return p.Patterns, nil
	}
	if len(p.PatternsBase64) != len(p.Patterns) {
		return nil, refuse(wire.InvalidRequest, nil, "patternsBase64 has %d patterns, patterns %d: they are the same", len(p.PatternsBase64), len(p.Patterns))
	}
	exact := slices.Clone(p.Patterns)
	for i, text := range p.PatternsBase64 {
		if text == "" {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, refuse(wire.InvalidRequest, nil, "patternsBase64: %v", err)
		}
		exact[i] = string(b)
	}
	return exact, nil
}

func newScope(ws *Workspace, p wire.SearchParams) (*scope, error) {
	s := &scope{ws: ws, languages: p.Languages}
	for _, name := range p.Languages {
		if !slices.Contains(index.Languages(), name) {
			meant := wire.Nearest(name, index.Languages())
			if meant != "" {
				meant = " (did you mean " + meant + "?)"
			}
			return nil, refuse(wire.InvalidRequest, nil, "unknown language %s%s: there are %s", quote(clipped(name)), meant, strings.Join(index.Languages(), ", "))
		}
	}
	var err error
	if s.files, err = globs(p.Files); err != nil {
		return nil, err
	}
	if s.notFiles, err = globs(p.NotFiles); err != nil {
		return nil, err
	}
	if s.path, err = ws.below(p.Path, p.Dir); err != nil || s.path == "" {
		return s, err
	}
	return s, ws.searchable(s.path)
}

// below is ws.path for what may be the root itself: "".
func (ws *Workspace) below(ref, dir string) (string, error) {
	if err := bounded(ref); err != nil {
		return "", err
	}
	rest, repo := strings.CutPrefix(ref, "repo:")
	if ref == "" || path.Clean(rest) == "." && repo || path.Clean(rest) == ws.Root ||
		!repo && path.Join(wire.DecodePath(dir), ref) == "." {
		return "", nil
	}
	return ws.path(ref, dir)
}

// searchable refuses a path in which nothing is searched, each for its own reason.
func (ws *Workspace) searchable(name string) error {
	ref := wire.RepoRef(name)
	real := ws.real(name)
	if err := ws.allowed(name, real); err != nil {
		return err
	}
	if _, err := ws.place(name); err != nil {
		return err
	}
	if real != name {
		return refusePath(wire.Unsupported, name, nil, "%s goes through a symbolic link, and links are not searched; name its target: %s", ref, wire.RepoRef(real))
	}
	tree := ws.disk.Load().tree
	for _, form := range []string{name, name + "/"} {
		if rule, ignored := tree.Ignored(form); ignored {
			return refusePath(wire.NotFound, name, nil, "%s is ignored (%s), and ignored files are not searched; `ctx get` reads them", ref, rule)
		}
	}
	return nil
}

func (s *scope) printed() string {
	if s.path == "" {
		return "repo:."
	}
	return wire.RepoRef(s.path)
}

// filesOf are those of a snapshot that are in the scope by their names. Symbolic links are not: their
// targets are listed themselves, or do not belong to the worktree.
func (s *scope) filesOf(snap *Snapshot) []*File {
	all := snap.files
	if s.path != "" {
		all = below(all, s.path)
	}
	in := make([]*File, 0, len(all))
	for _, f := range all {
		if !f.Link && s.has(f.Path) {
			in = append(in, f)
		}
	}
	return in
}

// holds says whether a file of any snapshot is one of those.
func (s *scope) holds(f *File) bool { return !f.Link && within(f.Path, s.path) && s.has(f.Path) }

// hidden are the directories in the scope that could not be read when the snapshot was made: what is in them is not
// searched.
func (s *scope) hidden(snap *Snapshot) (found []watch.Problem) {
	for _, p := range snap.problems {
		if p.Hides && within(p.Path, s.path) && !anyGlob(s.notFiles, p.Path+"/") {
			found = append(found, p)
		}
	}
	return found
}

// below are the files at and below a path. A name such as "a.b" sorts between "a" and "a/b".
func below(files []*File, name string) []*File {
	find := func(path string) int {
		i, _ := slices.BinarySearchFunc(files, path, func(f *File, p string) int { return strings.Compare(f.Path, p) })
		return i
	}
	if i := find(name); i < len(files) && files[i].Path == name {
		return files[i : i+1]
	}
	return files[find(name+"/"):find(name+"0")] // "0" follows "/"
}

func (s *scope) has(name string) bool {
	return (len(s.files) == 0 || anyGlob(s.files, name)) && !anyGlob(s.notFiles, name) &&
		(len(s.languages) == 0 || index.Undecided(name) || index.Language(name, nil) != "")
}

// anyGlob says whether one of the globs matches a path.
func anyGlob(globs []func(string) bool, name string) bool {
	return slices.ContainsFunc(globs, func(g func(string) bool) bool { return g(name) })
}

// inLanguage says whether a file is in one of the languages that were asked for. Its content decides, as
// it does for the index.
func (s *scope) inLanguage(name string, src []byte) bool {
	return len(s.languages) == 0 || slices.Contains(s.languages, index.Language(name, src))
}

func globs(texts []string) (all []func(string) bool, err error) {
	for _, text := range texts {
		g, err := glob(text)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// glob compiles a pattern of paths: see wire.SearchParams.
func glob(text string) (func(string) bool, error) {
	if err := bounded(text); err != nil {
		return nil, err
	}
	if text == "" {
		return nil, refuse(wire.InvalidRequest, nil, "a file filter is empty")
	}
	if !strings.ContainsAny(text, "*?[") {
		return func(name string) bool { return strings.Contains(name, text) }, nil
	}
	// Not path.Match, which has no **. Bytes that are not UTF-8 are U+FFFD on both sides.
	var b strings.Builder
	b.WriteString(`^(?:.*/)?`)
	rest := strings.TrimPrefix(text, "/")
	if rest != text {
		b.Reset()
		b.WriteByte('^')
	}
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			rest = rest[3:]
			continue
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			rest = rest[2:]
			continue
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
		case rest[0] == '?':
			b.WriteString(`[^/]`)
		case rest[0] == '[':
			if end := strings.IndexByte(rest, ']'); end > 1 {
				set := strings.Replace(rest[1:end], "!", "^", 1)
				b.WriteString("[" + strings.ReplaceAll(set, `\`, `\\`) + "]")
				rest = rest[end+1:]
				continue
			}
			b.WriteString(`\[`)
		default:
			i := max(1, strings.IndexAny(rest[1:]+"*", "*?[")+1)
			b.WriteString(regexp.QuoteMeta(strings.ToValidUTF8(rest[:i], "�")))
			rest = rest[i:]
			continue
		}
		rest = rest[1:]
	}
	if strings.HasSuffix(text, "/") {
		b.WriteString(`.*`)
	}
	re, err := regexp.Compile(`(?s)` + b.String() + `$`)
	if err != nil {
		return nil, refuse(wire.InvalidRequest, nil, "a file filter cannot be read: %s", quote(clipped(text)))
	}
	return re.MatchString, nil
}
