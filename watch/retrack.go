package watch

import "strings"

// retrack notes in d where something must be decided anew because git tracks other files than when it was
// decided: a file that a rule hides, a directory that would not be entered but for what is tracked in it, a
// repository below the root. A switch of branches adds and removes thousands of names, and next to none of them
// is one of these; to look at the whole tree instead took a request with 1,600 files tens of milliseconds
// while git kept both cores busy.
func (st *state) retrack(d *dirt, s *sweeper) {
	if st.decided == s.tracked {
		return
	}
	r := retracking{dirt: d, prefix: s.prefix, old: st.decided, new: s.tracked, kids: map[*node]map[string]*kid{}}
	decide := func(path string) { r.path(st.root, path) }
	differing(r.old.sortedFiles(), r.new.sortedFiles(), decide)
	differing(r.old.sortedSubmodules(), r.new.sortedSubmodules(), decide)
}

// retracking compares two lists of tracked files.
type retracking struct {
	dirt     *dirt
	prefix   string
	old, new *tracked
	kids     map[*node]map[string]*kid // of the nodes on the way, by name
}

// path notes what one path that is in one list only, relative to the top level, changes below root.
func (r *retracking) path(root *node, path string) {
	rest, ok := strings.CutPrefix(path, r.prefix)
	if !ok {
		return
	}
	for n := root; ; {
		name, below, more := strings.Cut(rest, "/")
		rest = below
		full := path
		if more {
			full = path[:len(path)-len(rest)-1]
		}
		k := r.kid(n, name)
		if k == nil {
			return // not there. When it comes, its name tells, and it is decided then
		}
		if v, _, _ := n.inner.decide(full, name, kindVerdict(k.kind), r.new); v != k.verdict {
			r.dirt.directory(n).decide = true
		}
		if n = k.sub; !more || n == nil {
			return
		}
		if r.old.below(full) != r.new.below(full) { // it may be a repository of its own
			r.dirt.directory(n).decide = true
		}
	}
}

// kid is the kid of n with that name, nil if there is none.
func (r *retracking) kid(n *node, name string) *kid {
	kids := r.kids[n]
	if kids == nil {
		kids = make(map[string]*kid, len(n.kids))
		for i := range n.kids {
			kids[n.kids[i].name()] = &n.kids[i]
		}
		r.kids[n] = kids
	}
	return kids[name]
}

// sorted is a list of paths in order.
type sorted struct {
	size int
	at   func(int) string
}

func (t *tracked) sortedFiles() sorted {
	if t == nil {
		return sorted{}
	}
	return sorted{len(t.files.ends), t.files.at}
}

func (t *tracked) sortedSubmodules() sorted {
	if t == nil {
		return sorted{}
	}
	return sorted{len(t.submodules), func(i int) string { return t.submodules[i] }}
}

// differing calls yield with each path that is in one list only.
func differing(a, b sorted, yield func(string)) {
	for i, j := 0, 0; i < a.size || j < b.size; {
		c := 0
		switch {
		case i == a.size:
			c = 1
		case j == b.size:
			c = -1
		default:
			c = strings.Compare(a.at(i), b.at(j))
		}
		switch {
		case c < 0:
			yield(a.at(i))
		case c > 0:
			yield(b.at(j))
		}
		if c <= 0 {
			i++
		}
		if c >= 0 {
			j++
		}
	}
}
