package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// want compares what a fresh sweep of root lists.
func (c clean) want(t *testing.T, root string, files ...string) *Listing {
	t.Helper()
	l := sweep(t, c.tree(t, root))
	if got := paths(l); !slices.Equal(got, files) {
		t.Errorf("%s: listed %q, want %q", root, got, files)
	}
	return l
}

// TestIgnoreRules: what is listed under which rules (CASES D4, I1, I3, I4).
func TestIgnoreRules(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		noGit bool
		want  []string
	}{
		{name: "nested file, no repository", noGit: true,
			files: map[string]string{"web/.gitignore": ".out\n", "web/.out/min.js": "", "src/f.js": ""},
			want:  []string{"src/f.js", "web/.gitignore"}},
		{name: "negation in a nested file",
			files: map[string]string{".gitignore": "**/vendor/\n", "a/.gitignore": "!vendor\n", "a/vendor/f.py": "", "b/vendor/g.py": ""},
			want:  []string{".gitignore", "a/.gitignore", "a/vendor/f.py"}},
		{name: "nothing of git's ever",
			files: map[string]string{".gitignore": "*\n!*.*\n", "a.py": "", "b": ""},
			want:  []string{".gitignore", "a.py"}},
		{name: "root level pattern stays at its level",
			files: map[string]string{".gitignore": "/a/**\n", "a/x": "", "b/a/x": ""},
			want:  []string{".gitignore", "b/a/x"}},
		{name: "ctxignore only adds",
			files: map[string]string{".gitignore": "*.o\n", ".ctxignore": "!*.o\ngen/\n*.md\n!keep.md\n", "x.o": "", "gen/a.go": "", "a.md": "", "keep.md": "",
				"sub/.ctxignore": "*.txt\n", "sub/n.txt": "", "n.txt": ""},
			want: []string{".ctxignore", ".gitignore", "keep.md", "n.txt", "sub/.ctxignore"}},
		{name: "nested checkouts are their own",
			files: map[string]string{"f.go": "", "wt/.git": "gitdir: /nowhere/.git/worktrees/wt\n", "wt/f.go": "",
				"clone/.git/HEAD": "ref: refs/heads/main\n", "clone/.git/objects/": "", "clone/.git/refs/": "", "clone/f.go": "",
				"fixture/.git/notes": "", "fixture/f.go": ""},
			want: []string{"f.go", "fixture/f.go"}},
		{name: "links",
			files: map[string]string{"real/f.go": "", "man": "-> .", "loop/a": "-> b", "loop/b": "-> a", "up": "-> ..", "slash": "-> /",
				"l.go": "-> real/f.go", "out": "-> /etc/passwd", "conf": "-> .git/config", "gone": "-> nowhere", "dir": "-> real"},
			want: []string{"l.go", "real/f.go"}},
		{name: "order is that of whole paths",
			files: map[string]string{"a/x": "", "a.go": "", "a-b": "", "a0": "", "A": "", "a/y/z": "", "a/y.c": "", "ab": ""},
			want:  []string{"A", "a-b", "a.go", "a/x", "a/y.c", "a/y/z", "a0", "ab"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, root := clean{t.TempDir()}, t.TempDir()
			if !test.noGit {
				c.git(t, root, "", "init", "-q")
			}
			write(t, root, test.files)
			l := c.want(t, root, test.want...)
			if len(l.Problems) > 0 {
				t.Errorf("problems: %v", l.Problems)
			}
		})
	}
}

// TestTrackingAlone: what is tracked changes while no name and no rule does.
func TestTrackingAlone(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	write(t, root, map[string]string{".gitignore": "*.o\nout\n", "a.o": "", "out/x": "", "out/y/z": ""})
	tree := c.tree(t, root)
	for _, step := range []struct {
		git  []string
		want []string
	}{
		{[]string{"status"}, []string{".gitignore"}},
		{[]string{"add", "-f", "a.o"}, []string{".gitignore", "a.o"}},
		{[]string{"add", "-f", "out/y"}, []string{".gitignore", "a.o", "out/y/z"}},
		{[]string{"add", "-f", "out/x"}, []string{".gitignore", "a.o", "out/x", "out/y/z"}},
		{[]string{"rm", "-q", "--cached", "a.o", "out/y/z"}, []string{".gitignore", "out/x"}},
		{[]string{"reset", "-q"}, []string{".gitignore"}},
	} {
		c.git(t, root, "", step.git...)
		if got := paths(sweep(t, tree)); !slices.Equal(got, step.want) {
			t.Errorf("after git %q: %q, want %q", step.git, got, step.want)
		}
	}
}

func TestCtxignoreHidesTrackedFiles(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	write(t, root, map[string]string{".gitignore": "*.o\nout/\n", "a.o": "", "b.o": "", "out/x": "", "out/y": "", "third/z.c": "", ".ctxignore": "third\nb.o\n"})
	c.git(t, root, "", "add", "-f", "a.o", "b.o", "out/x", "third/z.c")
	c.want(t, root, ".ctxignore", ".gitignore", "a.o", "out/x")
}

// TestExcludesOutsideTheTree is I2: info/exclude and core.excludesFile, in the main checkout
// and in a linked worktree; I3: below the top level.
func TestExcludesOutsideTheTree(t *testing.T) {
	c := clean{t.TempDir()}
	base := t.TempDir()
	root, linked := filepath.Join(base, "main"), filepath.Join(base, "linked")
	must(t, os.Mkdir(root, 0o755))
	c.git(t, root, "", "init", "-q")
	write(t, root, map[string]string{"f.c": "", "sub/g.c": ""})
	c.git(t, root, "", "add", ".")
	c.git(t, root, "", "commit", "-q", "-m", "m")
	c.git(t, root, "", "worktree", "add", "-q", linked)
	for _, dir := range []string{root, linked} {
		write(t, dir, map[string]string{"big/x": "", "sub/big/x": ""})
	}
	check := func(what string, hidden bool) {
		t.Helper()
		for _, dir := range []string{root, linked, filepath.Join(root, "sub"), filepath.Join(linked, "sub")} {
			c.equalToGit(t, dir)
			if _, ignored := c.tree(t, dir).Ignored("big/x"); ignored != hidden {
				t.Errorf("%s: big/x below %s ignored: %v", what, dir, ignored)
			}
		}
	}
	check("no rule", false)
	write(t, root, map[string]string{".git/info/exclude": "big/\n"})
	check("info/exclude", true)
	write(t, root, map[string]string{".git/info/exclude": ""})
	write(t, c.home, map[string]string{"excl": "big/\n", "more": "[core]\n\texcludesFile = ~/excl ; here\n", ".gitconfig": "[user]\n\tname = \"x\\\"y\"\n[include]\n\tpath = more\n"})
	check("core.excludesFile", true)
	write(t, c.home, map[string]string{".gitconfig": "[includeIf \"gitdir:main/\"]\npath = more\n"})
	c.equalToGit(t, root)
	c.equalToGit(t, linked)
	write(t, c.home, map[string]string{".gitconfig": "", ".config/git/ignore": "big\n"})
	check("global file", true)
	c.git(t, root, "", "config", "core.excludesFile", "")
	check("emptied setting", false)
	c.git(t, root, "", "config", "core.ignoreCase", "true")
	write(t, root, map[string]string{".gitignore": "BIG\n"})
	c.equalToGit(t, root)
	if reason, _ := c.tree(t, root).Ignored("sub/big/x"); reason != ".gitignore:1: BIG" {
		t.Errorf("reason %q", reason)
	}
}

func TestIgnoredReasons(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	write(t, root, map[string]string{".gitignore": "\n*.o\nout/\n", ".ctxignore": "gen\n", "web/.gitignore": "!x.o\n# c\n/dist\n", "out/kept": "", "out/new": "",
		"mod/.git": "gitdir: ../x\n", "mod/f": "", ".git/info/exclude": "*.bak\n"})
	c.git(t, root, "", "add", "-f", "out/kept")
	tree := c.tree(t, root)
	tests := map[string]string{
		"a.o": ".gitignore:2: *.o", "web/a.o": ".gitignore:2: *.o", "web/x.o": "", "web/dist/a/b.js": "web/.gitignore:3: /dist",
		"dist/a": "", "gen/a/b": ".ctxignore:1: gen", "out/kept": "", "out/new": ".gitignore:3: out/", "out/": "", "other/out": "", "other/out/": ".gitignore:3: out/",
		".git/config": "git's own directory", "a/.git": "git's own directory", "mod/f": "mod is a repository of its own", "none/at/all": "",
		"..": "", "../x.o": "", "/x.o": "", ".": "", "": "", "a\x00.o": ".gitignore:2: *.o", "x.bak": filepath.Join(tree.Root(), ".git/info/exclude") + ":1: *.bak",
	}
	for path, want := range tests {
		if got, ignored := tree.Ignored(path); got != want || ignored != (want != "") {
			t.Errorf("Ignored(%q) = %q, %v; want %q", path, got, ignored, want)
		}
	}
}

// TestIgnoredRoot: a root that the repository around it ignores is a tree of its own. Its own
// rules and the user's count, those around it do not.
func TestIgnoredRoot(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	write(t, c.home, map[string]string{".config/git/ignore": "*.swp\n"})
	write(t, root, map[string]string{".gitignore": "out\n*.py\n", "out/sub/a.py": "", "out/sub/b": "", "out/sub/c": "", "out/sub/d.swp": "", "out/sub/.gitignore": "c\n"})
	for _, tracked := range []string{"", "out/sub/b"} {
		if tracked != "" {
			c.git(t, root, "", "add", "-f", tracked)
		}
		sub := filepath.Join(root, "out/sub")
		if l := c.want(t, sub, ".gitignore", "a.py", "b"); len(l.Problems) > 0 {
			t.Errorf("problems %v", l.Problems)
		}
		if reason, _ := c.tree(t, sub).Ignored("c"); reason != ".gitignore:1: c" {
			t.Errorf("reason %q", reason)
		}
	}
}

// TestUnusableIndex: without a list of tracked files the ignore rules alone decide, and that is said.
func TestUnusableIndex(t *testing.T) {
	for name, spoil := range map[string]func(c clean, root string){
		"split":   func(c clean, root string) { c.git(t, root, "", "update-index", "--split-index") },
		"damaged": func(c clean, root string) { write(t, root, map[string]string{".git/index": "DIRC"}) },
		"sparse": func(c clean, root string) {
			c.git(t, root, "", "commit", "-q", "-m", "m")
			c.git(t, root, "", "sparse-checkout", "set", "--cone", "--sparse-index", "kept")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, root := clean{t.TempDir()}, t.TempDir()
			c.git(t, root, "", "init", "-q")
			write(t, root, map[string]string{".gitignore": "*.o\n", "a.o": "", "kept/x": "", "gone/y/z": ""})
			c.git(t, root, "", "add", "-f", ".")
			spoil(c, root)
			l := sweep(t, c.tree(t, root))
			if len(l.Problems) != 1 || !strings.HasSuffix(l.Problems[0].Path, ".git/index") {
				t.Errorf("problems %v", l.Problems)
			}
			if !slices.Contains(paths(l), "kept/x") || slices.Contains(paths(l), "a.o") {
				t.Errorf("listed %q", paths(l))
			}
		})
	}
}

// TestIndexVersions reads what git writes, in every version and with both hashes.
func TestIndexVersions(t *testing.T) {
	for _, hash := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			c, root := clean{t.TempDir()}, t.TempDir()
			c.git(t, root, "", "init", "-q", "--object-format="+hash)
			write(t, root, map[string]string{".gitignore": "out\n", "out/" + strings.Repeat("n", 250) + "/" + strings.Repeat("m", 250): "", "out/a/b": "", "out/a/c": "", "out/new": "", "z": ""})
			c.git(t, root, "", "add", "-f", "out/a", "out/"+strings.Repeat("n", 250), "z")
			c.git(t, root, "", "add", "-N", "-f", "out/new")
			c.git(t, root, "", "update-index", "--index-version", version)
			if version == "3" {
				c.git(t, root, "", "update-index", "--skip-worktree", "z")
			}
			c.equalToGit(t, root)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	c, root := clean{f.TempDir()}, f.TempDir()
	c.git(f, root, "", "init", "-q")
	write(f, root, map[string]string{"a": "", "a.b/c": "", "d": "x"})
	for _, version := range []string{"2", "4"} {
		c.git(f, root, "", "add", ".")
		c.git(f, root, "", "update-index", "--index-version", version)
		data, err := os.ReadFile(filepath.Join(root, ".git/index"))
		must(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseIndex(data, 20)
		if err != nil {
			return
		}
		for i := range list.files.ends {
			if i > 0 && list.files.at(i-1) > list.files.at(i) {
				t.Errorf("%q stands before %q", list.files.at(i-1), list.files.at(i))
			}
		}
		if len(list.files.ends) > len(data) {
			t.Errorf("%d paths from %d bytes", len(list.files.ends), len(data))
		}
	})
}

// FuzzParseConfig compares the parser with git's wherever git accepts the file.
func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{
		"[core]\n\texcludesFile = \"~/a b\" # c\n\tignorecase\n[include \"x\"] path = \\\n y\n",
		"[a.b] c = d ; e\n[A \"B\\\"]\"]\nk-1=\" x \" y \\t \r\n", "\ufeff[x]y=\\\"z\n", "A", "A=\\", "[x]\ny = a\\\n   b  \"c;\" ;d\nz",
	} {
		f.Add(s)
	}
	c := clean{f.TempDir()}
	f.Fuzz(func(t *testing.T, s string) {
		got := parseConfig(s)
		if strings.ContainsRune(s, 0) {
			return
		}
		out, err := c.tryGit(c.home, s, "config", "--file", "-", "--no-includes", "-z", "--list")
		if err != nil {
			return
		}
		var b strings.Builder
		for _, set := range got {
			b.WriteString(set.name)
			if !set.bare {
				b.WriteString("\n" + set.value)
			}
			b.WriteByte(0)
		}
		// Between words that are not quoted, git before 2.45 makes a space of a tab.
		if strings.ReplaceAll(b.String(), "\t", " ") != strings.ReplaceAll(out, "\t", " ") {
			t.Errorf("%q: read %q, git reads %q", s, b.String(), out)
		}
	})
}
