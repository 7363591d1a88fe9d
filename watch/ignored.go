package watch

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// Ignored tells whether a sweep would leave a path (relative to the root, slashes) out because
// of the ignore rules, and which rule says so: `web/.gitignore:3: *.o`. A path that does not
// exist is judged as a file, or as a directory when it ends with a slash. A path that is no
// path below the root is not ignored.
func (t *Tree) Ignored(name string) (reason string, ignored bool) {
	dir := strings.HasSuffix(name, "/")
	name = path.Clean(name)
	if name == "." || name == ".." || path.IsAbs(name) || strings.HasPrefix(name, "../") {
		return "", false
	}
	fd, err := openDir(unix.AT_FDCWD, t.root)
	if err != nil {
		return "", false
	}
	defer func() { unix.Close(fd) }()
	var st *state
	select {
	case st = <-t.asking:
	default:
		st = new(state)
	}
	s := &sweeper{root: t.root}
	l := st.prepare(s, t)
	tracked, prefix, fold := s.tracked, s.prefix, s.fold
	select {
	case t.asking <- st: // its rules are immutable; the index it keeps serves the next question
	default:
	}
	why := "lies in a directory that git ignores"
	elements := strings.Split(name, "/")
	at := 0 // bytes of name before the element
	for i, element := range elements {
		full := prefix + name[:at+len(element)]
		if element == ".git" {
			return "git's own directory", true
		}
		if i > 0 && !tracked.below(strings.TrimSuffix(prefix+name[:at], "/")) && nested(fd) {
			return name[:at-1] + " is a repository of its own", true
		}
		l = l.read(fd, name[:at], prefix, fold)
		kind := file
		var info unix.Stat_t
		if i < len(elements)-1 || dir {
			kind = enter
		} else if unix.Fstatat(fd, element, &info, unix.AT_SYMLINK_NOFOLLOW) == nil && uint32(info.Mode)&unix.S_IFMT == unix.S_IFDIR {
			kind = enter
		}
		if kind == enter && tracked.submodule(full) {
			return name[:at+len(element)] + " is a submodule", true
		}
		v, list, p := l.decide(full, element, kind, tracked)
		if v == skip {
			if p == nil {
				return why, true
			}
			return list.reason(p), true
		}
		if v == hidden {
			if list, p := l.git.match(full, element, true); p != nil && !p.negated {
				why = list.reason(p)
			}
		}
		l = l.inside(v)
		at += len(element) + 1
		if i == len(elements)-1 {
			break
		}
		// A directory that is not there has no ignore files: go on with the rules around it.
		sub, err := openDir(fd, element)
		if err != nil {
			sub = -1
		}
		unix.Close(fd)
		fd = sub
	}
	return "", false
}

// read adds the ignore files of an open directory (path as in name/, "" for the root).
func (l layers) read(fd int, dir, prefix string, fold bool) layers {
	base := len(prefix) + len(dir)
	add := func(name string, outer *ruleChain) *ruleChain {
		text, err := readIgnore(fd, name, nil)
		if err != nil {
			return outer
		}
		return new(ignoreFile).chained(text, dir+name, fold, outer, base)
	}
	if !l.hidden {
		l.git = add(gitignore, l.git)
	}
	l.ctx = add(ctxignore, l.ctx)
	return l
}

// reason names a pattern and where it stands.
func (l *ruleList) reason(p *pattern) string {
	return fmt.Sprintf("%s:%d: %s", l.source, p.line, p.text)
}
