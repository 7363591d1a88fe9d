package watch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// prepare reads what lies outside the root: the repository around it, git's settings, the
// ignore files of the user, of the repository and of the directories above, and the index. It
// returns the rules that are in force where the root begins.
func (st *state) prepare(s *sweeper, t *Tree) layers {
	if st.ignoring == nil {
		st.outside.known, st.ignoring = map[string]*outsideFile{}, map[string]*ignoreFile{}
	}
	st.outside.remote, st.outside.root = remoteName, s.fd
	repo, found := st.outside.findRepository(t.root)
	if !found {
		repo = repository{top: t.root}
	}
	set := st.outside.settings(repo, t.getenv)
	s.problems = append(s.problems, set.problems...)
	s.fold = set.fold
	if repo.top != t.root {
		s.prefix = strings.TrimPrefix(t.root, strings.TrimSuffix(repo.top, "/")+"/") + "/"
	}
	s.tracked = nil
	if found {
		path := filepath.Join(repo.git, "index")
		index := loadIndex(t.index.Load(), path, set.hashSize)
		t.index.Store(index)
		if index.err != nil {
			s.problem(Problem{Path: path, Reason: "cannot be used (" + index.err.Error() + "); tracked files that an ignore rule matches are not listed"})
		}
		s.tracked = index.tracked
	}
	var l layers
	l.git = st.outsideRules(s, set.excludes, nil, 0)
	if found {
		l.git = st.outsideRules(s, filepath.Join(repo.common, "info", "exclude"), l.git, 0)
	}
	for base := 0; base < len(s.prefix); {
		dir := filepath.Join(repo.top, s.prefix[:base])
		l.git = st.outsideRules(s, filepath.Join(dir, gitignore), l.git, base)
		l.ctx = st.outsideRules(s, filepath.Join(dir, ctxignore), l.ctx, base)
		next := base + strings.IndexByte(s.prefix[base:], '/')
		if _, p := l.git.match(s.prefix[:next], s.prefix[base:next], true); p != nil && !p.negated {
			// Someone asked for a directory that the repository around it ignores: an installed
			// library, a build tree. Git lists nothing there; an index without files would answer
			// every question wrongly. It is a tree of its own, as if there were no repository.
			s.prefix, s.tracked = "", nil
			return layers{git: st.outsideRules(s, set.excludes, nil, 0)}
		}
		base = next + 1
	}
	return l
}

// outsideRules are outer with the ignore file at path innermost.
func (st *state) outsideRules(s *sweeper, path string, outer *ruleChain, base int) *ruleChain {
	if path == "" {
		return outer
	}
	text, err := st.outside.read(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errNotRegular) {
			s.problem(Problem{Path: path, Reason: "cannot be read (" + err.Error() + "); its rules are not applied"})
		}
		return outer
	}
	f := st.ignoring[path]
	if f == nil {
		f = new(ignoreFile)
		st.ignoring[path] = f
	}
	return f.chained(text, path, s.fold, outer, base)
}
