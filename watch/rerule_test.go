package watch

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRulesTold: of changed ignore files only the directories are read that hold them, or of which they decide otherwise. CASES F19.
func TestRulesTold(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{".gitignore": "out\n", "a/.ctxignore": "b\n", "a/b": "", "c/.gitignore": "# none\n", "c/out": "", "d/x": "", "d/e/f/x": ""})
	tree := c.tree(t, root)
	full(t, tree, CauseFirst)
	for _, step := range []struct {
		path, text string // text "": it is removed
		read       int    // directories
		changed    string
		gone       string
	}{
		{".gitignore", "out\n", 1, ".gitignore", ""},
		{"a/.ctxignore", "b\n", 1, "a/.ctxignore", ""},
		{"c/.gitignore", "# none\n", 1, "c/.gitignore", ""},
		{".gitignore", "x\n", 4, ".gitignore c/out", "d/e/f/x d/x"},
		{".gitignore", "x\n", 1, ".gitignore", ""},
		{"d/.gitignore", "# nothing\n", 1, "d/.gitignore", ""},
		{"d/.gitignore", "!x\n", 2, "d/.gitignore d/e/f/x d/x", ""},
		{"a/.ctxignore", "", 1, "a/b", "a/.ctxignore"},
		{"a/.ctxignore", "b\n", 1, "a/.ctxignore", "a/b"},
		{"c/.gitignore", "", 1, "", "c/.gitignore"},
		{".gitignore", "b\n", 1, ".gitignore", ""},
		{"a/.ctxignore", "", 1, "", "a/.ctxignore"},
		{".gitignore", "", 2, "a/b", ".gitignore"},
		{".gitignore", "e/\n", 2, ".gitignore", "d/e/f/x"},
		{".gitignore", "q\n", 2, ".gitignore d/e/f/x", ""},
	} {
		path := filepath.Join(root, step.path)
		if step.text == "" {
			must(t, os.Remove(path))
		} else {
			must(t, os.WriteFile(path, []byte(step.text), 0o600))
		}
		l := equalsNew(t, c, tree)
		var changed []string
		for _, e := range l.Changed {
			changed = append(changed, e.Path)
		}
		slices.Sort(changed)
		slices.Sort(l.Gone)
		if got := strings.Join(changed, " "); l.Full || got != step.changed || strings.Join(l.Gone, " ") != step.gone || l.Dirs != step.read {
			t.Errorf("%s %q: changed %q, gone %q, full %v because of %q, %d directories read", step.path, step.text, got, l.Gone, l.Full, l.Cause, l.Dirs)
		}
	}
}

// TestRulesTogether: several ignore files that change at once, one below the other, decide as they do in a tree that is looked at
// for the first time. CASES F19.
func TestRulesTogether(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{".gitignore": "a\n", "p/.gitignore": "b\n", "p/x/f": "", "p/x/y/f": "", "p/x/y/z/g": "", "q/x/f": "", "q/x/g": ""})
	tree := c.tree(t, root)
	full(t, tree, CauseFirst)
	write(t, root, map[string]string{".gitignore": "f\n", "p/.gitignore": "!f\n"})
	equalsNew(t, c, tree)
	random := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	for round := range 200 {
		files := map[string]string{}
		for range 1 + random.IntN(4) {
			files[one("", "p/", "p/x/", "p/x/y/", "q/", "q/x/")+one(gitignore, ctxignore)] =
				one("", "f\n", "!f\n", "g\n!f\n", "x/y\n", "z/\n", "*\n!*/\n!f\n", "/x\n", ".ctxignore\n")
		}
		write(t, root, files)
		if l := equalsNew(t, c, tree); l.Full || t.Failed() {
			t.Fatalf("round %d, %q: full because of %q", round, files, l.Cause)
		}
	}
}

// TestCaseFolds: whether git's patterns match in either case is a rule of its own, also where no ignore file around the root
// would show it.
func TestCaseFolds(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/.gitignore": "out\n", "a/OUT": "", "b/x": ""})
	tree := c.tree(t, root)
	c.want(t, root, "a/.gitignore", "a/OUT", "b/x")
	full(t, tree, CauseFirst)
	for _, text := range []string{"[core]\n\tignoreCase = true\n", "", "[core]\n\tignoreCase\n", "[core]\n\tignoreCase = no\n"} {
		write(t, c.home, map[string]string{".gitconfig": text})
		if l := equalsNew(t, c, tree); l.Cause != CauseRules {
			t.Errorf("%q: full %v because of %q", text, l.Full, l.Cause)
		}
	}
	if l := equalsNew(t, c, tree); l.Full {
		t.Errorf("nothing happened: full because of %q", l.Cause)
	}
}

// TestProblemGoes: a Problem that is there no more is not told any more, though another one of the same directory stays, and
// though it lay outside the root.
func TestProblemGoes(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/x": ""})
	write(t, c.home, map[string]string{".gitconfig": "[core]\n\texcludesFile = ~nobody/ignore\n"})
	for _, name := range []string{gitignore, ctxignore} {
		must(t, os.Symlink("x", filepath.Join(root, "a", name)))
	}
	tree := c.tree(t, root)
	if l := full(t, tree, CauseFirst); len(l.Problems) != 3 {
		t.Fatalf("%v", l.Problems)
	}
	for i, gone := range []string{filepath.Join(root, "a", gitignore), filepath.Join(c.home, ".gitconfig")} {
		must(t, os.Remove(gone))
		if l := equalsNew(t, c, tree); len(l.Problems) != 2-i || l.Problems[0].Path != []string{filepath.Join(c.home, ".gitconfig"), "a/.ctxignore"}[i] {
			t.Errorf("without %s: %v", gone, l.Problems)
		}
	}
	if l := equalsNew(t, c, tree); l.Full {
		t.Errorf("nothing happened: full because of %q", l.Cause)
	}
}

// TestRulesHalfApplied: a look that fails while changed rules are applied leaves nothing decided by the old ones.
func TestRulesHalfApplied(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/b/x": "", "a/b/.ctxignore": "none\n", "a/c/x": "", "a/c/.ctxignore": "none\n"})
	tree := c.tree(t, root)
	full(t, tree, CauseFirst)
	limitFiles(t, 64)
	var held []*os.File
	looked := 0
	tree.fstat = func(fd int, st *unix.Stat_t) error {
		if looked++; looked == 2 { // of b or c, which is open: its ignore file cannot be read
			for f, err := os.Open(root); err == nil; f, err = os.Open(root) {
				held = append(held, f)
			}
		}
		return statSelf(fd, st)
	}
	write(t, root, map[string]string{".gitignore": "x\n"})
	_, err := tree.Sweep(t.Context())
	tree.fstat = statSelf
	for _, f := range held {
		f.Close()
	}
	if !errors.Is(err, unix.EMFILE) {
		t.Fatal(err)
	}
	if l := equalsNew(t, c, tree); !slices.Equal(paths(l), []string{".gitignore", "a/b/.ctxignore", "a/c/.ctxignore"}) {
		t.Errorf("listed %q", paths(l))
	}
}
