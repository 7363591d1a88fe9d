package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNamed: a full listing because of rules names the files that events named, and all of directories that are new or
// others than before; what happened where nothing is watched makes it name none, for then it could not name all.
func TestNamed(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/f": "1", "a/g": "", "b/h": "", "d/i": "", "d/j": "", "out/k": ""})
	tree := c.tree(t, root)
	if l := full(t, tree, CauseFirst); l.Named != nil {
		t.Errorf("at first: %v", l.Named)
	}
	for _, step := range []struct {
		do   func()
		want []string
	}{
		{func() {}, []string{".gitignore"}},
		{func() { write(t, root, map[string]string{"a/f": "2", "new/n": ""}) }, []string{".gitignore", "a/f", "new/n"}},
		{func() {
			must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "e"))) // and back: watched all the time
			must(t, os.Rename(filepath.Join(root, "e"), filepath.Join(root, "a")))
			must(t, os.Rename(filepath.Join(root, "b"), filepath.Join(root, "c")))
			must(t, os.Rename(filepath.Join(root, "d"), filepath.Join(c.home, "d")))
			write(t, root, map[string]string{"d/i": "", "d/j": ""})
		}, []string{".gitignore", "c/h", "d/i", "d/j"}},
	} {
		step.do()
		write(t, root, map[string]string{".gitignore": "out\n#" + step.want[len(step.want)-1]})
		l := full(t, tree, CauseRules)
		got := slices.Sorted(maps.Keys(l.Named))
		got = slices.DeleteFunc(got, func(path string) bool { return path == ".gitignore" })
		if !slices.Equal(got, step.want[1:]) {
			t.Errorf("named %q, want %q", got, step.want[1:])
		}
	}
	must(t, os.Link(filepath.Join(root, "a/f"), filepath.Join(root, "a/second")))
	sweep(t, tree)
	must(t, os.Remove(filepath.Join(root, "a/second")))
	must(t, os.Remove(filepath.Join(root, "a/f")))
	write(t, root, map[string]string{".gitignore": ""})
	if l := full(t, tree, CauseRules); l.Named != nil || l.Unwatched != 0 {
		t.Errorf("after a blind directory: %v, %d unwatched", l.Named, l.Unwatched)
	}
}

// TestRulesTold: an ignore file that is written as it was needs no look at the whole tree; one that came, went, or is
// another, at the root or below, does.
func TestRulesTold(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{".gitignore": "out\n", "a/.ctxignore": "b\n", "a/b": "", "c/.gitignore": "# none\n", "c/out": "", "d/x": ""})
	tree := c.tree(t, root)
	full(t, tree, CauseFirst)
	for _, step := range []struct {
		path, text string // text "": it is removed
		full       bool
	}{
		{".gitignore", "out\n", false},
		{"a/.ctxignore", "b\n", false},
		{"c/.gitignore", "# none\n", false},
		{".gitignore", "x\n", true},
		{".gitignore", "x\n", false},
		{"d/.gitignore", "# nothing\n", true},
		{"d/.gitignore", "# nothing\n", false},
		{"a/.ctxignore", "", true},
		{"a/.ctxignore", "b\n", true},
		{"c/.gitignore", "", false},
		{".gitignore", "", true},
	} {
		path := filepath.Join(root, step.path)
		if step.text == "" {
			must(t, os.Remove(path))
		} else {
			must(t, os.WriteFile(path, []byte(step.text), 0o600))
		}
		if l := equalsNew(t, c, tree); l.Full != step.full || l.Full && l.Cause != CauseRules {
			t.Errorf("%s %q: full %v because of %q, want %v", step.path, step.text, l.Full, l.Cause, step.full)
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
