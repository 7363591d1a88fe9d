package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMaxWatches: as many directories as allowed are watched, the others looked at; nothing is missed
// in either, both are named, and events come back when watches are free (CASES F16).
func TestMaxWatches(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	for i := range 200 {
		write(t, root, map[string]string{fmt.Sprintf("d%03d/f", i): ""})
	}
	tree := c.treeWith(t, root, Options{MaxWatches: 50})
	l := sweep(t, tree)
	dirs := 0
	for _, b := range l.Blind {
		dirs += b.Dirs
		if b.Kind != ConfiguredLimit || !strings.Contains(b.Reason, "limit of 50 watches") {
			t.Errorf("%+v", b)
		}
	}
	if l.Watched != 50 || l.Unwatched != 151 || len(l.Blind) != 20 || dirs != 20 || l.MoreBlind != 131 {
		t.Fatalf("%d watched, %d not, %d rows of %d directories and %d more", l.Watched, l.Unwatched, len(l.Blind), dirs, l.MoreBlind)
	}
	for i := range 200 {
		write(t, root, map[string]string{fmt.Sprintf("d%03d/f", i): "new"})
		l := followed(t, tree)
		if len(l.Changed) != 1 || l.Changed[0].Path != fmt.Sprintf("d%03d/f", i) {
			t.Fatalf("write %d: changed %v", i, l.Changed)
		}
	}
	equalsNew(t, c, tree)

	// Watched directories go, blind ones take their place.
	gone := 0
	for i := 0; gone < 40; i++ {
		dir := fmt.Sprintf("d%03d", i)
		if !slices.ContainsFunc(l.Blind, func(b Blind) bool { return b.Path == dir }) {
			must(t, os.RemoveAll(filepath.Join(root, dir)))
			gone++
		}
	}
	followed(t, tree)
	if l := followed(t, tree); l.Watched != 50 || l.Unwatched != 111 {
		t.Errorf("after 40 were removed: %d watched, %d not", l.Watched, l.Unwatched)
	}
	must(t, os.RemoveAll(root))
	must(t, os.Mkdir(root, 0o755))
	write(t, root, map[string]string{"a/f": ""})
	if l := sweep(t, tree); l.Watched != 2 || l.Unwatched != 0 || l.Blind != nil || l.MoreBlind != 0 {
		t.Errorf("a small tree: %+v", l)
	}
}

// TestMaxWatchesHolds: workers that add at once do not exceed the limit.
func TestMaxWatchesHolds(t *testing.T) {
	c := clean{t.TempDir()}
	tree := c.treeWith(t, filepath.Join(runtime.GOROOT(), "src/cmd"), Options{MaxWatches: 37, Workers: 16})
	if l := sweep(t, tree); l.Watched != 37 || l.Unwatched < 100 {
		t.Errorf("%d watched, %d not", l.Watched, l.Unwatched)
	}
}

// TestBlindRows: subtrees that are blind throughout are one row.
func TestBlindRows(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/b/c/f": "", "a/b/l": "-> c/f", "x/f": "", "x/y/g": "", "x/y/z/h": "", "x-/f": ""})
	rows := func(l *Listing) string {
		var out []string
		for _, b := range l.Blind {
			out = append(out, fmt.Sprint(b.Path, " ", b.Kind, " ", b.Dirs))
		}
		return strings.Join(out, ", ")
	}
	tree := c.tree(t, root)
	if got := rows(sweep(t, tree)); got != "a/b shared 1" {
		t.Errorf("a link: %s", got)
	}
	must(t, os.Link(filepath.Join(root, "x/f"), filepath.Join(root, "x/y/z/f")))
	must(t, os.Link(filepath.Join(root, "x/f"), filepath.Join(root, "x/y/f")))
	l := full(t, tree, CauseLinks)
	if got := rows(l); got != "a/b shared 1, x shared 3" || l.Unwatched != 4 {
		t.Errorf("links: %s", got)
	}
	must(t, os.Remove(filepath.Join(root, "x/y/f")))
	write(t, root, map[string]string{"b/l": "-> ../a"})
	l = followed(t, tree)
	if got := rows(l); got != "a/b shared 1, b shared 1, x shared 1, x/y/z shared 1" {
		t.Errorf("fewer links: %s", got)
	}
	if again := followed(t, tree); &again.Blind[0] != &l.Blind[0] {
		t.Error("rows are made anew though nothing changed")
	}
	must(t, os.RemoveAll(filepath.Join(root, "x")))
	if got := rows(followed(t, tree)); got != "a/b shared 1, b shared 1" {
		t.Errorf("after rm: %s", got)
	}

	tree = c.treeWith(t, root, Options{NoEvents: true})
	for _, cause := range []Cause{CauseFirst, CauseNoEvents} {
		if l := full(t, tree, cause); rows(l) != ". events off 6" || l.Watched != 0 || l.Unwatched != 6 {
			t.Errorf("without events: %+v", l)
		}
	}
}

// blindfold has the directory at path looked at from now on, however many watches are free.
func blindfold(tree *Tree, path string) {
	st := &tree.state
	n := st.root
	for name := range strings.SplitSeq(path, "/") {
		for i := range n.kids {
			if k := &n.kids[i]; k.sub != nil && k.name() == name {
				n = k.sub
				break
			}
		}
	}
	st.notify.drop(n)
	st.notify.max = st.notify.count()
	st.blind.look(n)
}

// TestReplacedUnseen: where the parent is blind, nothing tells that a name stands for another directory
// now, when the old one lives on elsewhere or is kept alive by whoever stands in it.
func TestReplacedUnseen(t *testing.T) {
	c, root, out := clean{t.TempDir()}, t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"p/a/x/y/f": "1", "p/b/x/y/g": "1", "p/b/x/y/f": "other"})
	at := func(name string) string { return filepath.Join(root, name) }
	swap := func(one, two string) {
		spare := filepath.Join(out, "spare")
		must(t, os.Rename(at(one), spare))
		must(t, os.Rename(at(two), at(one)))
		must(t, os.Rename(spare, at(two)))
	}
	for _, blind := range []string{"p", "p/a", "p/a/x", "p/b/x/y"} {
		tree := c.tree(t, root)
		sweep(t, tree)
		blindfold(tree, blind)
		if l := followed(t, tree); l.Unwatched != 1 {
			t.Errorf("blind %s: %+v", blind, l)
		}
		swap("p/a", "p/b")
		equalsNew(t, c, tree)
		swap("p/a/x", "p/b/x")
		equalsNew(t, c, tree)
		must(t, os.Mkdir(at("p/a/x/empty"), 0o755))
		equalsNew(t, c, tree)
		held, err := os.Open(at("p/a/x/empty"))
		must(t, err)
		must(t, os.Remove(at("p/a/x/empty")))
		write(t, root, map[string]string{"p/a/x/empty/f": ""})
		equalsNew(t, c, tree)
		must(t, os.RemoveAll(at("p/a/x/empty")))
		held.Close()
		tree.Close()
	}
}

// made is a tree whose directories at the given paths begin file systems of the given types; "" is one with
// events. asked counts how often one was asked for its type.
func made(t *testing.T, tree *Tree, types map[string]string) (asked *int) {
	t.Helper()
	asked = new(int)
	begins := func(fd int) string { // the path where the file system of fd begins
		path, err := os.Readlink(fmt.Sprint("/proc/self/fd/", fd))
		must(t, err)
		for path = strings.TrimPrefix(strings.TrimPrefix(path, tree.Root()), "/"); path != "."; path = filepath.Dir(path) {
			if _, ok := types[path]; ok || path == "" {
				return path
			}
		}
		return ""
	}
	tree.fstat = func(fd int, st *unix.Stat_t) error {
		if at := begins(fd); at != "" {
			defer func() { st.Dev = 7000 + uint64(len(at)) }() // no two of one length
		}
		return statSelf(fd, st)
	}
	tree.remote = func(fd int) string {
		*asked++
		return types[begins(fd)]
	}
	tree.workers = 1
	return asked
}

// TestRulesUnseen: an ignore file in a blind directory decides about watched ones below.
func TestRulesUnseen(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/b/c/f.o": "", "a/b/c/f": ""})
	for _, types := range []map[string]string{nil, {"a": "nfs", "a/b": ""}, {"a": "nfs"}, {"a/b": "nfs", "a/b/c": ""}} {
		tree := c.tree(t, root)
		made(t, tree, types)
		sweep(t, tree)
		for _, rules := range []map[string]string{{"a/.gitignore": "*.o\n"}, {"a/.gitignore": "*.x\n"}, {"a/b/.ctxignore": "c\n"}, {"a/b/.ctxignore": ""}} {
			write(t, root, rules)
			if l := equalsNew(t, c, tree); l.Full {
				t.Errorf("%v: %+v", rules, l)
			}
		}
		tree.Close()
	}
}

// TestPermissionsUnseen: what becomes unreadable, or unreachable, in or below a blind directory is told, and
// comes back.
func TestPermissionsUnseen(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	write(t, root, map[string]string{"a/b/c/f": "", "a/g": ""})
	for _, types := range []map[string]string{nil, {"a": "nfs", "a/b": ""}, {"a": "nfs"}, {"a/b": "nfs", "a/b/c": ""}, {"a": "nfs", "a/b/c": ""}} {
		for _, mode := range []os.FileMode{0, 0o444} {
			tree := c.tree(t, root)
			made(t, tree, types)
			want := func(when string, problem bool, files ...string) {
				t.Helper()
				asNobody(t, func() {
					for range 3 {
						if l := sweep(t, tree); !slices.Equal(paths(l), files) || problem != (len(l.Problems) > 0) {
							t.Errorf("%v, mode %o, %s: %q, problems %v", types, mode, when, paths(l), l.Problems)
						}
					}
				})
			}
			want("before", false, "a/b/c/f", "a/g")
			must(t, os.Chmod(filepath.Join(root, "a/b"), mode))
			want("closed", true, "a/g")
			must(t, os.Chmod(filepath.Join(root, "a/b"), 0o755))
			want("open", false, "a/b/c/f", "a/g")
			tree.Close()
		}
	}
}

// TestRemote: a file system that others write to gets no watches and is looked at, from where the device
// changes; it is asked for its type there only.
func TestRemote(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": "", "share/g": "", "share/deep/h": "", "share/local/i": ""})
	tree := c.tree(t, root)
	asked := made(t, tree, map[string]string{"share": "nfs", "share/local": ""})
	l := sweep(t, tree)
	want := []Blind{{Path: "share", Kind: Remote, Reason: "nfs does not tell of writes made elsewhere", Dirs: 1},
		{Path: "share/deep", Kind: Remote, Reason: "nfs does not tell of writes made elsewhere", Dirs: 1}}
	if l.Watched != 3 || !slices.Equal(l.Blind, want) || *asked != 3 {
		t.Errorf("%d watched, blind %+v, asked %d times", l.Watched, l.Blind, *asked)
	}
	for _, name := range []string{"share/g", "share/deep/h", "share/local/i", "share/deep/new", "a/f"} {
		write(t, root, map[string]string{name: "new"})
		if l := followed(t, tree); len(l.Changed) != 1 || l.Changed[0].Path != name || l.Unwatched != 2 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	write(t, root, map[string]string{"share/deep/d/f": ""})
	if l := followed(t, tree); l.Unwatched != 3 || l.Watched != 3 {
		t.Errorf("a new directory: %d watched, %d not", l.Watched, l.Unwatched)
	}
	if *asked != 3 {
		t.Errorf("asked %d times", *asked)
	}
}

// TestRemoteRoot: a root that was local, and inside it another system of the kind.
func TestRemoteRoot(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/b/f": "", "other/f": ""})
	tree := c.tree(t, root)
	if l := sweep(t, tree); l.Watched != 4 {
		t.Errorf("local: %+v", l)
	}
	made(t, tree, map[string]string{"": "9p", "other": "fuse"})
	write(t, c.home, map[string]string{".gitconfig": "[core]\n\tignoreCase = true\n"})
	l := full(t, tree, CauseRules)
	var rows []string
	for _, b := range l.Blind {
		rows = append(rows, fmt.Sprint(b.Path, " ", b.Dirs, " ", b.Reason[:4]))
	}
	if l.Watched != 0 || strings.Join(rows, ", ") != ". 1 9p d, a 2 9p d, other 1 fuse" {
		t.Errorf("%d watched, %q", l.Watched, rows)
	}
	write(t, root, map[string]string{"a/b/f": "new"})
	if l := followed(t, tree); len(l.Changed) != 1 || l.Dirs != 4 {
		t.Errorf("%+v", l)
	}
}
