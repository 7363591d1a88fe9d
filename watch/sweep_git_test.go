package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a repository that grows and changes at random.
type world struct {
	t    *testing.T
	r    *rand.Rand
	c    clean
	root string

	linked map[uint64]bool // inodes that got a second name
	held   []*os.File      // directories that are removed and still in use
}

var (
	dirNames  = []string{"a", "b", "lib", "a-b", "a.d", "build", "x y"}
	fileNames = []string{"f.go", "g.py", "a", "a.o", "b.o", "keep", "new\nline", "\xff\xfe.c", "Z", "build.log", ".env"}
	someRules = []string{"*.o", "build", "build/", "/a", "a/", "!keep", "!*.o", "**/b/*", "/a/**", "lib/**/f.go", "*", "!*.*", "!*/",
		"a*", "# no", "x y/", "keep ", "[a-f].*", "!/a/b/", "a/b", "/*", "!/lib", "\\!x", "Z\r", "*.log", "!build.log", "new*", "?"}
)

func (w *world) pick(from []string) string { return from[w.r.IntN(len(from))] }

func (w *world) dir() string {
	dir := w.root
	for range w.r.IntN(4) {
		dir = filepath.Join(dir, w.pick(dirNames))
	}
	return dir
}

func (w *world) rules() string {
	var lines []string
	for range 1 + w.r.IntN(4) {
		lines = append(lines, w.pick(someRules))
	}
	return strings.Join(lines, "\n") + "\n"
}

// step makes one change; what does not apply to the tree as it is (a file where a directory
// should be) is left undone.
func (w *world) step() {
	dir := w.dir()
	name := filepath.Join(dir, w.pick(fileNames))
	if os.MkdirAll(dir, 0o755) != nil {
		return
	}
	switch n := w.r.IntN(30); {
	case n < 14:
		_ = os.WriteFile(name, []byte(name), 0o644)
	case n < 18:
		_ = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(w.rules()), 0o644)
	case n == 18:
		_ = os.Remove(filepath.Join(dir, ".gitignore"))
	case n == 19:
		must(w.t, os.WriteFile(filepath.Join(w.root, ".git/info/exclude"), []byte(w.rules()), 0o644))
	case n == 20:
		must(w.t, os.MkdirAll(filepath.Join(w.c.home, ".config/git"), 0o755))
		must(w.t, os.WriteFile(filepath.Join(w.c.home, ".config/git/ignore"), []byte(w.pick(someRules)), 0o644))
	case n == 21:
		_ = os.Remove(name)
	case n == 22:
		if dir != w.root {
			must(w.t, os.RemoveAll(dir))
		}
	case n < 25:
		targets := []string{"f.go", "../a", "a/f.go", ".", "..", "/etc/passwd", "nowhere", "build.log", ".git/config", "../.git/HEAD"}
		_ = os.Symlink(w.pick(targets), filepath.Join(dir, "link"+fmt.Sprint(w.r.IntN(3))))
	case n == 25:
		w.repository(dir)
	case n == 26:
		_, _ = w.c.tryGit(w.root, "", "--literal-pathspecs", "rm", "-r", "-q", "--cached", "--", name)
	default:
		// Anything at hand, ignored or not, becomes tracked. Git refuses what lies in a nested
		// repository; then nothing is added.
		_, _ = w.c.tryGit(w.root, "", "--literal-pathspecs", "add", "-f", "--", name)
	}
}

// repository puts something called .git into a directory: a repository, a pointer to one, or
// something that only has the name.
func (w *world) repository(dir string) {
	git := filepath.Join(dir, ".git")
	if exists(git) {
		return
	}
	switch w.r.IntN(4) {
	case 0, 1:
		write(w.t, git, map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/": "", "refs/": "", "config": "[core]\n\trepositoryformatversion = 0\n"})
	case 2:
		write(w.t, git, map[string]string{"empty/": ""})
	case 3:
		write(w.t, dir, map[string]string{".git": "nothing of git's"})
	}
}

// TestSweepEqualsGit compares sweeps with git ls-files while a random repository changes, from
// its top level and from a directory below it. One Tree lives through all the changes, so what
// it remembers is tested along with what it decides.
// CASES D4.
func TestSweepEqualsGit(t *testing.T) {
	listed, hiddenOnce := 0, 0
	compared := map[bool]int{}
	for seed := range uint64(25) {
		w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), c: clean{t.TempDir()}, root: t.TempDir()}
		w.c.git(t, w.root, "", "init", "-q")
		sub := filepath.Join(w.root, "lib")
		must(t, os.Mkdir(sub, 0o755))
		trees := map[string]*Tree{w.root: w.c.tree(t, w.root), sub: w.c.tree(t, sub)}
		for round := range 5 {
			for range 25 {
				w.step()
			}
			must(t, os.MkdirAll(sub, 0o755))
			for root, tree := range trees {
				if root == sub && exists(filepath.Join(sub, ".git")) {
					continue // a workspace of its own by now
				}
				if _, err := w.c.tryGit(w.root, "", "check-ignore", "--no-index", "-q", "lib"); root == sub && err == nil {
					continue // git lists nothing in an ignored root; see TestIgnoredRoot
				}
				compared[root == sub]++
				got, want := paths(sweep(t, tree)), w.c.gitFiles(t, root)
				listed += len(want)
				if d := diff(got, want); d != "" {
					out, _ := w.c.tryGit(w.root, "", "ls-files", "-s")
					t.Fatalf("seed %d round %d root %s:\n%s\nindex:\n%s", seed, round, root, d, out)
				}
				hiddenOnce += w.agree(tree, root, got)
			}
		}
	}
	if listed < 1000 || hiddenOnce < 500 || compared[true] < 20 {
		t.Fatalf("only %d files listed, %d ignored, %d roots below the top: the generator is too tame", listed, hiddenOnce, compared[true])
	}
}

// agree checks that Ignored says of each file on disk what the sweep did, and counts the
// ignored ones.
func (w *world) agree(tree *Tree, root string, listed []string) int {
	count := 0
	must(w.t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root || d.IsDir() || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		_, want := slices.BinarySearch(listed, rel)
		reason, ignored := tree.Ignored(rel)
		if ignored == want || ignored && reason == "" {
			w.t.Fatalf("Ignored(%q) in %s: %q %v, listed %v", rel, root, reason, ignored, want)
		}
		if ignored {
			count++
		}
		return nil
	}))
	return count
}

// TestGitTrees compares the listing of real repositories with git's: those that CTX_GIT_TREES names,
// separated by colons. The generated ones of TestSweepEqualsGit need no such name.
func TestGitTrees(t *testing.T) {
	dirs := filepath.SplitList(os.Getenv("CTX_GIT_TREES"))
	if len(dirs) == 0 {
		t.Skip("CTX_GIT_TREES=dir1:dir2 names no repository")
	}
	for _, dir := range dirs {
		c := clean{t.TempDir()}
		write(t, c.home, map[string]string{".gitconfig": "[safe]\n\tdirectory = *\n"})
		tree := c.tree(t, dir)
		got, want := paths(sweep(t, tree)), c.gitFiles(t, dir)
		raw := c.git(t, dir, "", "ls-files", "-co", "--exclude-standard", "-z")
		d := diff(got, want)
		t.Logf("%s: %d files listed, %d differences; git names %d, of which %d are links that lead to no file inside, submodules, or gone",
			dir, len(got), strings.Count(d, "\n"), strings.Count(raw, "\x00"), strings.Count(raw, "\x00")-len(want))
		if d != "" {
			t.Errorf("%s:\n%s", dir, d)
		}
	}
}
