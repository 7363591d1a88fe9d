package watch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unique"

	"golang.org/x/sys/unix"
)

// A worker visits directories; its buffers live as long as the Tree.
type worker struct {
	raw   []byte
	names []dirent
	path  []byte
	text  []byte
	subs  []work
	stats []Stat // of the kids of the node that was visited last
	known map[string]int32
}

func (w *worker) run(s *sweeper) {
	for {
		next, ok := s.queue.pop()
		if !ok {
			return
		}
		w.visit(s, next)
		s.queue.finished()
		if cap(w.raw)+cap(w.text) > maxBuffer {
			*w = worker{}
		}
	}
}

// visit reads one directory and queues those below it.
func (w *worker) visit(s *sweeper, job work) {
	n := job.node
	if s.delta != nil {
		before := slices.Clone(n.kids)
		if !n.listed {
			before = nil
		}
		troubles := n.troubles
		// Before those below are visited: it says which of them are dropped.
		defer func() {
			s.delta.compare(n, before, w.stats)
			s.delta.now = nil
			if n.troubles < troubles { // a new one shows in the list; one of several that has gone does not
				s.delta.full = CauseProblems
			}
		}()
	}
	n.listed, n.troubles = false, 0
	fd, err := s.open(job)
	if err == nil {
		w.place(s, n, fd)
		s.watch(n, fd)
		w.raw, w.names, err = readNames(fd, w.raw, w.names)
		if err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		n.clear()
		switch {
		case exhausted(err):
			s.fail(fmt.Errorf("watch: %w; close some files or raise the limit, then ask again", err))
		case n.parent == nil:
			s.fail(&RootError{Root: s.root, Err: err})
		case !vanished(err):
			w.hides(s, n, "directory cannot be read ("+err.Error()+"); its files are not listed")
		case s.delta != nil:
			s.delta.torn = true
		}
		return
	}
	if !w.look(s, n, fd) {
		n.clear()
		unix.Close(fd)
		return
	}
	n.listed = true
	subs := w.stat(s, n, fd)
	s.found(n, w.stats)
	if s.delta != nil {
		// Directories that were there before have events of their own, or are looked at themselves.
		subs = slices.DeleteFunc(subs, func(sub work) bool { return sub.node.visited && sub.node.listed })
	}
	for _, sub := range subs {
		sub.node.visited = true
	}
	h := s.keep(fd, len(subs))
	for i := range subs {
		subs[i].from = h
	}
	s.queue.push(subs)
}

// place finds out where the open directory lies. The name "." instead of the descriptor alone, because
// that also fails where files and directories below cannot be reached.
func (w *worker) place(s *sweeper, n *node, fd int) {
	var st unix.Stat_t
	if err := s.fstat(fd, &st); err != nil {
		w.hides(s, n, "files in it cannot be looked at ("+err.Error()+") and are not listed")
		if unix.Fstat(fd, &st) != nil {
			return
		}
	}
	if dev := uint64(st.Dev); n.fresh || s.delta == nil || n.dev != dev {
		n.dev = dev
		// A file system begins where the device changes: statfs, which may ask a server, is for there only.
		if n.parent != nil && n.parent.dev == dev {
			n.remote = n.parent.remote
		} else {
			n.remote = s.remote(fd)
		}
	}
}

// statSelf is fstat that fails when the directory may not be searched.
func statSelf(fd int, st *unix.Stat_t) error {
	return statName(fd, &dot[0], st)
}

var dot = [...]byte{'.', 0}

// watch has events tell of what changes in n from now on.
func (s *sweeper) watch(n *node, fd int) {
	if s.notify == nil {
		return
	}
	var other *node
	if n.remote != "" {
		s.notify.drop(n)
	} else {
		other = s.notify.add(n, fd)
	}
	s.mu.Lock()
	if s.visited == nil {
		s.visited = map[*node]bool{}
	}
	s.visited[n] = true
	if other != nil && s.delta != nil { // a full sweep comes to it, or it is not there any more
		s.visited[other] = true
	}
	s.mu.Unlock()
}

// look compares the names with those of the last sweep and brings n up to date; false when the
// directory is a repository of its own.
func (w *worker) look(s *sweeper, n *node, fd int) bool {
	same := len(w.names) == len(n.kids) && !n.fresh
	git, own, ctx := false, false, false
	for i := range w.names {
		d := &w.names[i]
		name := w.name(d)
		if d.kind == unix.DT_UNKNOWN {
			d.kind = w.kindOf(fd, d)
		}
		if name[0] == '.' {
			switch string(name) {
			case ".git":
				git = true
			case gitignore:
				own = true
			case ctxignore:
				ctx = true
			}
		}
		same = same && n.kids[i].kind == d.kind && n.kids[i].name() == string(name) && !w.replaced(s, n, &n.kids[i], d)
	}
	if git && n.parent != nil && !s.tracked.below(w.full(s, n)) && nested(fd) {
		return false
	}
	inner := n.outer
	base := -1
	if own && !inner.hidden {
		base = len(s.prefix) + len(n.path(w.path[:0]))
		inner.git = w.rules(s, n, fd, gitignore, &n.gitignore, inner.git, base)
	}
	if ctx {
		if base < 0 {
			base = len(s.prefix) + len(n.path(w.path[:0]))
		}
		inner.ctx = w.rules(s, n, fd, ctxignore, &n.ctxignore, inner.ctx, base)
	}
	if s.delta != nil && s.delta.now != nil && (len(s.delta.now.dirs) > 0 || s.delta.now.decide) {
		same = false
	}
	if !same || n.inner != inner || s.decide {
		n.inner, n.fresh = inner, false
		w.rebuild(s, n)
	}
	return true
}

// replaced tells that a directory's name stands for another directory than at the last look, as far
// as d_ino shows it. Where the name is watched, an event tells; this is for those that are not, whose
// old directory may live on elsewhere, watched and silent. A file system that is made up as it goes (some
// of fuse) has new numbers each time, but there every directory is looked at for itself.
func (w *worker) replaced(s *sweeper, n *node, k *kid, d *dirent) bool {
	if d.kind != unix.DT_DIR {
		return false
	}
	return k.mark != d.ino && n.remote == "" ||
		s.delta != nil && s.delta.now != nil && s.delta.now.dirs[string(w.name(d))]
}

// rules are outer with the directory's own ignore file innermost.
func (w *worker) rules(s *sweeper, n *node, fd int, name string, kept **ignoreFile, outer *ruleChain, base int) *ruleChain {
	text, err := readIgnore(fd, name, w.text)
	if err != nil {
		switch {
		case exhausted(err):
			s.fail(fmt.Errorf("watch: %w; close some files or raise the limit, then ask again", err))
		case err == unix.ELOOP:
			w.problem(s, n, join(w.display(n), name), "is a symbolic link: not read, as git does")
		case !vanished(err) && err != errNotRegular:
			w.problem(s, n, join(w.display(n), name), "cannot be read ("+err.Error()+"); its rules are not applied")
		}
		return outer
	}
	w.text = text
	w.path = append(n.path(w.path[:0]), name...)
	if *kept == nil {
		*kept = new(ignoreFile)
	}
	f := *kept
	if f.list == nil || f.content != string(text) {
		return f.chained(text, string(w.path), s.fold, outer, base)
	}
	return f.chained(text, f.list.source, s.fold, outer, base)
}

// problem notes what could not be looked at in n.
func (w *worker) problem(s *sweeper, n *node, path, reason string) {
	n.troubles++
	s.problem(Problem{Path: path, Reason: reason})
}

// hides notes why files of n are not listed.
func (w *worker) hides(s *sweeper, n *node, reason string) {
	n.troubles++
	s.problem(Problem{Path: w.display(n), Reason: reason, Hides: true})
}

// rebuild makes n's kids from the names just read, with everything decided anew; strings and
// nodes of names that were there before are kept.
func (w *worker) rebuild(s *sweeper, n *node) {
	old := n.kids
	if w.known == nil {
		w.known = make(map[string]int32)
	}
	for i := range old {
		w.known[old[i].name()] = int32(i)
	}
	w.path = append(w.path[:0], s.prefix...)
	w.path = n.path(w.path)
	dir := len(w.path)
	all := w.join()
	// The files of a directory that is met for the first time share one string: single ones take a fifth
	// more. So do the same directories of linked worktrees, which list their names in the same order, mostly.
	// Later ones get their own, lest one name keep a thousand that are gone.
	text, files := unique.Handle[string]{}, false
	own := strings.Clone
	if len(old) == 0 {
		text = unique.Make(all)
		all = text.Value()
		own = func(text string) string { return text }
	}
	n.kids = make([]kid, len(w.names))
	for i := range w.names {
		d := &w.names[i]
		name := w.name(d)
		k := &n.kids[i]
		if j, ok := w.known[string(name)]; ok && old[j].kind == d.kind && !w.replaced(s, n, &old[j], d) {
			*k = old[j]
			k.present = false
		} else {
			k.kind = d.kind
		}
		full := all[:dir+len(name)]
		all = all[len(full):]
		k.verdict, _, _ = n.inner.decide(full, full[dir:], kindVerdict(d.kind), s.tracked)
		if len(full)-len(s.prefix) > maxPath {
			k.verdict = skip
			w.hides(s, n, fmt.Sprintf("names below it are longer than %d bytes and are not listed", maxPath))
			n.fresh = true // decided, and told, at the next look too
		}
		k.size = uint16(d.size)
		if k.verdict == file || k.verdict == link {
			if path := full[len(s.prefix):]; k.text != path {
				k.text = own(path)
			}
			files = true
			k.sub = nil
			continue
		}
		if k.text != full[dir:] {
			k.text = strings.Clone(full[dir:]) // of a deep chain of directories, not the path
		}
		k.mark = d.ino
		if k.verdict == skip {
			k.sub = nil
			continue
		}
		if k.sub == nil {
			k.sub = &node{name: k.text, parent: n, fresh: true}
		}
		k.sub.outer = n.inner.inside(k.verdict)
	}
	if len(old) == 0 && files {
		n.text = text
	}
	clear(w.known)
}

// join is the directory w.path before each of the names, one after the other.
func (w *worker) join() string {
	w.text = w.text[:0]
	for i := range w.names {
		w.text = append(append(w.text, w.path...), w.name(&w.names[i])...)
	}
	return string(w.text)
}

// stat asks for the state of n's files and returns the directories to visit below it.
func (w *worker) stat(s *sweeper, n *node, fd int) []work {
	var st unix.Stat_t
	subs := w.subs[:0]
	w.stats = slices.Grow(w.stats[:0], len(n.kids))[:len(n.kids)]
	n.shared = false
	mounted := s.notify != nil && s.notify.mounts.any()
	for i := range n.kids {
		k := &n.kids[i]
		switch k.verdict {
		case enter, hidden:
			subs = append(subs, work{node: k.sub})
		case file:
			err := statName(fd, &w.raw[w.names[i].at], &st)
			k.present = err == nil && uint32(st.Mode)&unix.S_IFMT == unix.S_IFREG
			if k.present {
				now := statOf(&st)
				w.stats[i], k.mark = now, mark(now)
				// Once linked, the file stays so: a descriptor that was opened by a name that is gone still
				// writes to it, and tells only the directory of that name.
				id := identity{now.Dev, now.Ino}
				linked := st.Nlink > 1 || k.linked && n.linked[k.name()] == id
				if linked {
					n.shared = true
					if n.linked == nil {
						n.linked = map[string]identity{}
					}
					n.linked[k.name()] = id
					if s.delta != nil && !k.linked {
						s.delta.full = CauseLinks
					}
				}
				if mounted && (now.Ino != w.names[i].ino || now.Dev != n.dev) {
					n.shared = true // a mounted file: its events go to where it comes from
				}
				k.linked = linked
			} else if err != nil && !vanished(err) {
				w.hides(s, n, "files in it cannot be looked at ("+err.Error()+") and are not listed")
			}
		case link:
			w.stats[i], k.present = s.links.resolve(k.text)
			k.mark = mark(w.stats[i])
			n.shared = true
		}
	}
	w.subs = subs
	return subs
}

// kindOf asks for a type that the file system does not tell with the name.
func (w *worker) kindOf(fd int, d *dirent) uint8 {
	var st unix.Stat_t
	if statName(fd, &w.raw[d.at], &st) != nil {
		return unix.DT_UNKNOWN
	}
	return uint8(uint32(st.Mode) & unix.S_IFMT >> 12)
}

// kindVerdict is what becomes of a type when no rule speaks against it.
func kindVerdict(kind uint8) verdict {
	switch kind {
	case unix.DT_REG:
		return file
	case unix.DT_LNK:
		return link
	case unix.DT_DIR:
		return enter
	}
	return skip
}

func (w *worker) name(d *dirent) []byte { return w.raw[d.at : d.at+d.size] }

// full is n's path relative to the top level, without a final slash.
func (w *worker) full(s *sweeper, n *node) string {
	w.path = n.path(append(w.path[:0], s.prefix...))
	return string(bytes.TrimSuffix(w.path, []byte("/")))
}

// display is n's path relative to the root.
func (w *worker) display(n *node) string {
	if n.parent == nil {
		return "."
	}
	p := n.path(nil)
	return string(p[:len(p)-1])
}

// join is a path below a displayed directory.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
