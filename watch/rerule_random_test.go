package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ruleEdits changes ignore files and what git tracks, at random.
type ruleEdits struct {
	t    *testing.T
	r    *rand.Rand
	c    clean
	top  string // of the repository
	root string
	git  bool
}

var (
	ruleDirs  = []string{".", "a", "a/b", "a/b/c", "d", "d/a", "d/a/b", "out", "out/a"}
	ruleLines = []string{
		"x", "!x", "y", "!y", "a/", "!a/", "/a", "!/a", "b", "!b", "out/", "!out/", "out/*", "!out/a/", "*", "!*/", "c/**", "**/c/x", "!**/c/x", "/b/", "!b/",
		"a/b", "!a/b", ".gitignore", "#", "*.go", "!m.go",
	}
)

func (e *ruleEdits) pick(of []string) string { return of[e.r.IntN(len(of))] }

func (e *ruleEdits) rules() string {
	var b strings.Builder
	for range e.r.IntN(4) {
		lines := ruleLines
		if e.r.IntN(2) == 0 {
			lines = lines[:4] // of the files that are everywhere
		}
		b.WriteString(e.pick(lines) + "\n")
	}
	return b.String()
}

func (e *ruleEdits) edit() {
	dir := filepath.Join(e.root, e.pick(ruleDirs))
	ignore := filepath.Join(dir, e.pick([]string{gitignore, gitignore, gitignore, ctxignore}))
	switch n := e.r.IntN(32); {
	case n > 19, n < 8: // most of these may fail: the directory is not there
		_ = os.WriteFile(ignore, []byte(e.rules()), 0o644)
	case n == 8:
		_ = os.Remove(ignore)
	case n == 9: // as git does it
		if os.WriteFile(ignore+".lock", []byte(e.rules()), 0o644) == nil {
			_ = os.Rename(ignore+".lock", ignore)
		}
	case n == 10:
		_ = os.Rename(ignore, filepath.Join(e.root, e.pick(ruleDirs), gitignore))
	case n == 11:
		must(e.t, os.WriteFile(filepath.Join(e.top, ".git/info/exclude"), []byte(e.rules()), 0o644))
	case n == 12:
		write(e.t, e.c.home, map[string]string{".config/git/ignore": e.rules()})
	case n == 13:
		_ = os.WriteFile(filepath.Join(e.top, gitignore), []byte(e.rules()), 0o644)
	case n == 14:
		_ = os.Rename(dir, filepath.Join(e.root, e.pick(ruleDirs)))
	case n == 15:
		_ = os.Remove(ignore)
		_ = os.Symlink("x", ignore)
	case n < 18 && e.git:
		path := filepath.Join(dir, e.pick([]string{"x", "y", "m.go"}))
		if _, err := os.Stat(path); err != nil {
			return
		}
		rel, err := filepath.Rel(e.top, path)
		must(e.t, err)
		if e.r.IntN(2) == 0 {
			e.c.git(e.t, e.top, "", "add", "-f", rel)
		} else {
			e.c.git(e.t, e.top, "", "rm", "-q", "-f", "--cached", "--ignore-unmatch", rel)
		}
	default:
		_ = os.MkdirAll(dir, 0o755)
		_ = os.WriteFile(filepath.Join(dir, e.pick([]string{"x", "y", "m.go"})), []byte(strconv.Itoa(e.r.Int())), 0o644)
	}
}

// TestRerulesEqualNew: after any changes of ignore files at all depths, several at once, and of what git tracks, a tree that
// is followed lists what a new one does, has the problems that it has, and watches the directories that are looked at. CTX_FOLLOW_SEEDS is how
// many trees are grown.
func TestRerulesEqualNew(t *testing.T) {
	seeds := uint64(24)
	if n, err := strconv.Atoi(os.Getenv("CTX_FOLLOW_SEEDS")); err == nil {
		seeds = uint64(n)
	}
	followed, rounds := 0, 40
	for seed := range seeds {
		top := filepath.Join(t.TempDir(), "r")
		e := &ruleEdits{t: t, r: rand.New(rand.NewPCG(seed, 12)), c: clean{t.TempDir()}, top: top, root: top, git: seed%2 == 0}
		must(t, os.MkdirAll(filepath.Join(top, ".git/info"), 0o755))
		if e.git {
			e.c.git(t, top, "", "init", "-q")
		}
		if seed%3 == 0 {
			e.root = filepath.Join(top, "sub")
		}
		for _, dir := range ruleDirs {
			write(t, e.root, map[string]string{dir + "/x": "", dir + "/y": "", dir + "/m.go": ""})
		}
		tree := e.c.treeWith(t, e.root, Options{MaxWatches: []int{0, 0, 3}[seed/2%3]})
		sweep(t, tree)
		for round := range rounds {
			for range 1 + e.r.IntN(6) {
				e.edit()
			}
			l, err := tree.Sweep(t.Context())
			must(t, err)
			if !l.Full {
				followed++
			}
			fresh := e.c.treeWith(t, e.root, Options{})
			got, want := applied(tree, l), sweep(t, fresh)
			fresh.Close()
			if !slices.Equal(got.Entries, want.Entries) || !slices.Equal(got.Problems, want.Problems) {
				t.Fatalf("seed %d round %d (full %v):\n%sproblems %v, want %v", seed, round, l.Full, diff(paths(got), paths(want)), got.Problems, want.Problems)
			}
			if tree.limit == 0 && l.Watched != want.Watched {
				t.Fatalf("seed %d round %d (full %v): %d directories watched, want %d", seed, round, l.Full, l.Watched, want.Watched)
			}
		}
		tree.Close()
	}
	if followed < int(seeds)*rounds/3 {
		t.Error(fmt.Sprint("only ", followed, " of ", int(seeds)*rounds, " listings were follow-ups: the test is too tame"))
	}
}
