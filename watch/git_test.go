package watch

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// clean is an environment in which neither this machine's nor this user's git settings count,
// unless a test writes some into home.
type clean struct{ home string }

func (c clean) getenv(name string) string {
	switch name {
	case "HOME":
		return c.home
	case "GIT_CONFIG_NOSYSTEM":
		return "1"
	}
	return ""
}

func (c clean) git(t testing.TB, dir string, stdin string, args ...string) string {
	t.Helper()
	out, err := c.tryGit(dir, stdin, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (c clean) tryGit(dir string, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a"}
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out) + stderr.String(), err
	}
	return string(out), nil
}

// gitFiles is what git lists in dir, less what a listing leaves out by its own rules: nested
// repositories ("dir/", submodules), files that are gone, and links that do not lead to a
// regular file below dir.
func (c clean) gitFiles(t testing.TB, dir string) []string {
	t.Helper()
	out := c.git(t, dir, "", "-c", "core.fsmonitor=false", "ls-files", "-co", "--exclude-standard", "-z")
	var files []string
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		full := filepath.Join(real, name)
		info, err := os.Lstat(full)
		if err != nil || name == "" || strings.HasSuffix(name, "/") {
			continue
		}
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := filepath.EvalSymlinks(full)
			if err != nil || !strings.HasPrefix(target, real+"/") || strings.Contains(target[len(real):]+"/", "/.git/") {
				continue
			}
			if info, err = os.Stat(full); err != nil {
				continue
			}
			if raw, _ := os.Readlink(full); filepath.IsAbs(raw) {
				continue
			}
		}
		if info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func (c clean) tree(t testing.TB, root string) *Tree {
	t.Helper()
	return c.treeWith(t, root, Options{})
}

func (c clean) treeWith(t testing.TB, root string, opts Options) *Tree {
	t.Helper()
	opts.Getenv = c.getenv
	tree, err := New(root, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// lists are the files of each living tree, brought forward by its listings.
var lists sync.Map // of *Tree to map[string]Entry

// sweep is what the tree holds now: its next listing, applied to the ones before.
func sweep(t testing.TB, tree *Tree) *Listing {
	t.Helper()
	l, err := tree.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return applied(tree, l)
}

// applied is l as a full listing.
func applied(tree *Tree, l *Listing) *Listing {
	files := map[string]Entry{}
	if !l.Full {
		known, _ := lists.Load(tree)
		maps.Copy(files, known.(map[string]Entry))
	}
	for _, path := range l.Gone {
		delete(files, path)
	}
	for _, e := range append(slices.Clone(l.Entries), l.Changed...) {
		files[e.Path] = e
	}
	lists.Store(tree, files)
	full := *l
	full.Entries = slices.SortedFunc(maps.Values(files), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return &full
}

// followed is the next listing, which must be a follow-up.
func followed(t *testing.T, tree *Tree) *Listing {
	t.Helper()
	l, err := tree.Sweep(t.Context())
	must(t, err)
	if l.Full {
		t.Fatalf("a full sweep because of %q", l.Cause)
	}
	applied(tree, l)
	return l
}

// full is the next listing, which must be a full one because of cause.
func full(t *testing.T, tree *Tree, cause Cause) *Listing {
	t.Helper()
	l, err := tree.Sweep(t.Context())
	must(t, err)
	if !l.Full || l.Cause != cause {
		t.Fatalf("full %v, cause %q; want %q", l.Full, l.Cause, cause)
	}
	applied(tree, l)
	return l
}

// equalsNew compares what tree holds after its next listing with the sweep of a new tree.
func equalsNew(t *testing.T, c clean, tree *Tree) *Listing {
	t.Helper()
	fresh := c.treeWith(t, tree.Root(), Options{NoEvents: true})
	defer fresh.Close()
	got, want := sweep(t, tree), sweep(t, fresh)
	if !slices.Equal(got.Entries, want.Entries) {
		t.Errorf("%s got  %v\nwant %v", diff(paths(got), paths(want)), got.Entries, want.Entries)
	}
	return got
}

func paths(l *Listing) []string {
	var out []string
	for _, e := range l.Entries {
		out = append(out, e.Path)
	}
	return out
}

// diff names what only one of two sorted lists has.
func diff(got, want []string) string {
	var b strings.Builder
	for _, g := range got {
		if _, ok := slices.BinarySearch(want, g); !ok {
			b.WriteString("only listed here: " + g + "\n")
		}
	}
	for _, w := range want {
		if _, ok := slices.BinarySearch(got, w); !ok {
			b.WriteString("only git lists: " + w + "\n")
		}
	}
	if b.Len() == 0 && !slices.Equal(got, want) {
		return "different order or duplicates"
	}
	return b.String()
}

// equalToGit compares a sweep of root, the second one by the same tree included, with git.
func (c clean) equalToGit(t testing.TB, root string) {
	t.Helper()
	tree := c.treeWith(t, root, Options{NoEvents: true})
	want := c.gitFiles(t, root)
	for range 2 {
		if d := diff(paths(sweep(t, tree)), want); d != "" {
			t.Fatalf("%s differs from git:\n%s", root, d)
		}
	}
}

// write makes files; a name that ends with a slash is a directory, content "-> x" a link.
func write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			must(t, os.Symlink(target, full))
			continue
		}
		must(t, os.WriteFile(full, []byte(content), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
