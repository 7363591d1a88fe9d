package watch

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// archive is a tar of files in new directories, three levels deep.
func archive(t *testing.T, files int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range files {
		body := fmt.Sprintf("def f_%d(): pass\n", i)
		must(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("p/%d/%d/m%d.py", i%7, i%11, i), Mode: 0o644, Size: int64(len(body))}))
		_, err := w.Write([]byte(body))
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// unpack writes an archive below dir as fast as it can, and calls each after every file.
func unpack(t *testing.T, data []byte, dir string, each func(i int)) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(data))
	for i := 0; ; i++ {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		must(t, err)
		name := filepath.Join(dir, h.Name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		body, err := io.ReadAll(r)
		must(t, err)
		must(t, os.WriteFile(name, body, 0o644))
		each(i)
	}
}

// TestNewDirectories: files born inside directories that have just been made are seen, and so is what
// happens to them next (CASES F4).
func TestNewDirectories(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	tree := c.tree(t, root)
	sweep(t, tree)
	deep := map[string]string{"a/b/c/m.py": "def deep(): pass\n"}
	for i := range 3 {
		write(t, root, deep)
		if l := followed(t, tree); len(l.Changed) != 1 || l.Changed[0].Path != "a/b/c/m.py" || l.Changed[0].Stat.Size != int64(len(deep["a/b/c/m.py"])) {
			t.Errorf("round %d: %+v", i, l)
		}
		deep["a/b/c/m.py"] += "# more\n"
	}
	data := archive(t, 500)
	for _, every := range []int{1000, 50, 1} { // how many files are unpacked between two listings
		dir := fmt.Sprint("x", every)
		unpack(t, data, filepath.Join(root, dir), func(i int) {
			if i%every == every-1 {
				followed(t, tree)
			}
		})
		l := equalsNew(t, c, tree)
		if n := len(l.Entries); l.Full || n%500 != 1 || l.Unwatched != 0 {
			t.Errorf("listing after %d files each: full %v, %d entries, %d unwatched", every, l.Full, n, l.Unwatched)
		}
		write(t, root, map[string]string{dir + "/p/3/3/m3.py": "def edited(): pass\n"})
		if l := followed(t, tree); len(l.Changed) != 1 || l.Dirs != 1 {
			t.Errorf("an edit after that: %+v", l)
		}
	}
}

// TestRenamedDirectory: after mv d e nothing is left under the old name, what is new below e is seen, and
// no watch stays behind (CASES F5).
func TestRenamedDirectory(t *testing.T) {
	c, root, out := clean{t.TempDir()}, t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"d/sub/m.py": "1", "d/f": "", "g": ""})
	tree := c.tree(t, root)
	watched := sweep(t, tree).Watched
	must(t, os.Rename(filepath.Join(root, "d"), filepath.Join(root, "e")))
	write(t, root, map[string]string{"e/sub/m.py": "1 and 2", "e/new.py": ""})
	l := followed(t, tree)
	slices.Sort(l.Gone)
	if !slices.Equal(l.Gone, []string{"d/f", "d/sub/m.py"}) || len(l.Changed) != 3 || l.Watched != watched {
		t.Errorf("%+v", l)
	}
	write(t, root, map[string]string{"e/sub/later": "", "e/sub/m.py": "3"})
	if l := followed(t, tree); len(l.Changed) != 2 || l.Dirs != 1 {
		t.Errorf("later: %+v", l)
	}
	must(t, os.Rename(filepath.Join(root, "e"), filepath.Join(out, "e"))) // out of the tree: its writes are nobody's
	if l := followed(t, tree); len(l.Gone) != 4 || l.Watched != 1 {
		t.Errorf("moved out: %+v", l)
	}
	write(t, out, map[string]string{"e/sub/m.py": "4"})
	if l := followed(t, tree); l.Dirs != 0 || len(l.Changed) != 0 {
		t.Errorf("written outside: %+v", l)
	}
	must(t, os.Rename(filepath.Join(out, "e"), filepath.Join(root, "back")))
	if l := followed(t, tree); len(l.Changed) != 4 || l.Watched != watched {
		t.Errorf("moved in: %+v", l)
	}
	equalsNew(t, c, tree)
}

// TestRecreated: a directory that was removed and made again, the root too, is the new one; a root that
// is another directory is never followed by the old one's events (CASES F8).
func TestRecreated(t *testing.T) {
	c, root := clean{t.TempDir()}, filepath.Join(t.TempDir(), "up", "r")
	write(t, root, map[string]string{"a/sub/old": "", "a/same": "1"})
	tree := c.tree(t, root)
	sweep(t, tree)
	for i := range 3 {
		must(t, os.RemoveAll(filepath.Join(root, "a")))
		write(t, root, map[string]string{"a/sub/new": fmt.Sprint(i), "a/same": "2"})
		followed(t, tree)
		if got := paths(equalsNew(t, c, tree)); !slices.Equal(got, []string{"a/same", "a/sub/new"}) {
			t.Errorf("round %d: %q", i, got)
		}
		write(t, root, map[string]string{"a/sub/new": "watched"})
		if l := followed(t, tree); len(l.Changed) != 1 || l.Dirs != 1 {
			t.Errorf("round %d: %+v", i, l)
		}
	}
	up, aside, moved := filepath.Dir(root), t.TempDir(), 0
	move := func(dir string) {
		moved++
		must(t, os.Rename(dir, filepath.Join(aside, fmt.Sprint(moved))))
	}
	for what, do := range map[string]func(){
		"removed":          func() { must(t, os.RemoveAll(root)) },
		"moved away":       func() { move(root) },
		"its parent moved": func() { move(up) },
	} {
		do()
		var gone *RootError
		if _, err := tree.Sweep(t.Context()); !errors.As(err, &gone) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
		write(t, root, map[string]string{what: ""})
		full(t, tree, CauseRoot)
		if got := paths(equalsNew(t, c, tree)); !slices.Equal(got, []string{what}) {
			t.Errorf("%s and made again: %q", what, got)
		}
		do() // and made again before anybody asks
		write(t, root, map[string]string{what + " twice": ""})
		full(t, tree, CauseRoot)
		if got := paths(equalsNew(t, c, tree)); !slices.Equal(got, []string{what + " twice"}) {
			t.Errorf("%s and made again: %q", what, got)
		}
	}
}

// TestIgnoredTreesCostNothing: no watch, no event and no look. CASES F16, Q8.
func TestIgnoredTreesCostNothing(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	write(t, root, map[string]string{".gitignore": "node_modules/\n/target\n", ".ctxignore": "gen\n", "src/a/f.js": "", "src/b/g.js": "", "web/h.js": ""})
	for i := range 300 {
		write(t, root, map[string]string{fmt.Sprintf("node_modules/p%d/lib/index.js", i): "", fmt.Sprintf("web/node_modules/q%d/i.js", i): "", fmt.Sprintf("gen/%d/f", i): ""})
	}
	write(t, root, map[string]string{"target/debug/deps/x": "", ".git/hooks/more/y": ""})
	tree := c.tree(t, root)
	l := sweep(t, tree)
	if l.Watched != 5 || l.Unwatched != 0 || len(l.Entries) != 5 { // ., src, src/a, src/b, web
		t.Fatalf("%d watched, %d not, %d files", l.Watched, l.Unwatched, len(l.Entries))
	}
	for i := range 50 {
		write(t, root, map[string]string{
			"node_modules/p1/lib/index.js": fmt.Sprint(i), fmt.Sprintf("web/node_modules/q%d/new/f.js", i): "",
			"target/debug/log": fmt.Sprint(i), fmt.Sprintf("gen/7/%d", i): "", ".git/hooks/more/y": fmt.Sprint(i),
		})
		if l := followed(t, tree); l.Dirs != 0 || l.Told != 0 || len(l.Changed)+len(l.Gone) != 0 || l.Watched != 5 {
			t.Fatalf("write %d: %+v", i, l)
		}
	}
}

// TestRulesAtOnce: a changed rule shows and hides at once, and what it shows is watched; from every place
// where rules are (CASES F19, I1, I2, I4).
func TestRulesAtOnce(t *testing.T) {
	c, base := clean{t.TempDir()}, t.TempDir()
	root := filepath.Join(base, "linked")
	repo := filepath.Join(base, "main")
	write(t, repo, map[string]string{"f": ""})
	c.git(t, repo, "", "init", "-q")
	c.git(t, repo, "", "add", ".")
	c.git(t, repo, "", "commit", "-q", "-m", "m")
	c.git(t, repo, "", "worktree", "add", "-q", root)
	write(t, root, map[string]string{"out/deep/f": "", "out/keep/f": "", "src/out/f": ""})
	write(t, c.home, map[string]string{".gitconfig": "[core]\n\texcludesFile = ~/x\n"}) // there is none yet
	tree := c.tree(t, root)
	sweep(t, tree)
	for _, step := range []struct {
		dir, name, rules string
		watched          int
	}{
		{root, ".gitignore", "out\n", 2},                       // hides out and src/out
		{root, "src/.gitignore", "!out\n", 3},                  // a nested negation brings src/out back
		{root, ".gitignore", "", 6},                            // all is back
		{repo, ".git/info/exclude", "/out/*\n!/out/keep\n", 5}, // of the main repository, for a linked worktree
		{repo, ".git/info/exclude", "", 6},                     //
		{c.home, "x", "out/\n", 3},                             // src/out is negated still
		{c.home, "x", "", 6},
		{root, ".ctxignore", "out\n!src/out\n", 3}, //
		{root, "src/.ctxignore", "out\n", 2},       //
		{root, ".ctxignore", "", 5},                //
		{root, "src/.ctxignore", "", 6},            //
	} {
		write(t, step.dir, map[string]string{step.name: step.rules})
		if l := followed(t, tree); l.Watched != step.watched || l.Unwatched != 0 {
			t.Errorf("%s %q: %d watched", step.name, step.rules, l.Watched)
		}
		listed := paths(equalsNew(t, c, tree))
		if step.rules == "" {
			step.rules = "nothing"
		}
		for _, name := range []string{"out/deep/f", "out/keep/f", "src/out/f"} {
			write(t, root, map[string]string{name: step.name + step.rules})
			l := followed(t, tree)
			if _, visible := slices.BinarySearch(listed, name); visible != (len(l.Changed) == 1) || !visible && l.Dirs != 0 {
				t.Errorf("%s %q: %s visible %v: %+v", step.name, step.rules, name, visible, l)
			}
		}
	}
}

// TestRulesFromAbove: rules of the directories between the top level and the root, and none from above
// the repository (CASES I3).
func TestRulesFromAbove(t *testing.T) {
	c, above := clean{t.TempDir()}, t.TempDir()
	top := filepath.Join(above, "repo")
	write(t, above, map[string]string{".gitignore": "*.py\n", ".ctxignore": "*.py\n"})
	write(t, c.home, map[string]string{".gitignore": "*.py\n"}) // no file of git's, in spite of its name
	write(t, top, map[string]string{".gitignore": "**/bar/*\n/a/**\n/foo/x.py\n", "foo/.gitignore": "/inner\n"})
	for _, dir := range []string{"", "foo/", "foo/a/", "foo/foo/", "sub/foo/"} {
		write(t, top, map[string]string{dir + "x.py": "", dir + "bar/y.py": "", dir + "bar/deep/y.py": "", dir + "a/z.py": "", dir + "inner/i.py": ""})
	}
	c.git(t, top, "", "init", "-q")
	for _, dir := range []string{"", "foo", "foo/a", "foo/foo", "sub", "sub/foo"} {
		c.equalToGit(t, filepath.Join(top, dir))
	}
	c.want(t, filepath.Join(top, "foo/a"), "a/z.py", "inner/i.py", "x.py", "z.py")
}

// TestLinkTargets: a write to what a link leads to is told under the link's name, wherever the target is
// hidden in the root; a link that leads out of the root is not listed (CASES F22).
func TestLinkTargets(t *testing.T) {
	c, root, out := clean{t.TempDir()}, t.TempDir(), t.TempDir()
	write(t, out, map[string]string{"m.py": "1"})
	write(t, root, map[string]string{".gitignore": "hidden/\n", "hidden/deep/m.py": "1", "real/m.py": "1",
		"a/hidden.py": "-> ../hidden/deep/m.py", "b/real.py": "-> ../real/m.py", "c/chain.py": "-> ../b/real.py",
		"c/out.py": "-> " + filepath.Join(out, "m.py"), "c/up.py": "-> ../../" + filepath.Base(out) + "/m.py", "c/later.py": "-> ../later"})
	tree := c.tree(t, root)
	if got := paths(sweep(t, tree)); !slices.Equal(got, []string{".gitignore", "a/hidden.py", "b/real.py", "c/chain.py", "real/m.py"}) {
		t.Fatalf("listed %q", got)
	}
	for _, step := range []struct {
		name, content string
		told          []string
	}{
		{"hidden/deep/m.py", "22", []string{"a/hidden.py"}},
		{"real/m.py", "22", []string{"b/real.py", "c/chain.py", "real/m.py"}},
		{"b/real.py", "333", []string{"b/real.py", "c/chain.py", "real/m.py"}}, // through the link
		{"later", "4", []string{"c/later.py", "later"}},                        // a link that dangled
	} {
		write(t, root, map[string]string{step.name: step.content})
		l := followed(t, tree)
		var told []string
		for _, e := range l.Changed {
			told = append(told, e.Path)
			if e.Stat.Size != int64(len(step.content)) {
				t.Errorf("%s has %d bytes", e.Path, e.Stat.Size)
			}
		}
		slices.Sort(told)
		if !slices.Equal(told, step.told) {
			t.Errorf("%s: told %q, want %q", step.name, told, step.told)
		}
		equalsNew(t, c, tree)
	}
	write(t, out, map[string]string{"m.py": "somewhere else"})
	if l := followed(t, tree); len(l.Changed) != 0 {
		t.Errorf("outside: %+v", l)
	}
	must(t, os.Remove(filepath.Join(root, "real/m.py")))
	if l := followed(t, tree); len(l.Gone) != 3 {
		t.Errorf("target removed: %+v", l)
	}
}

// TestSaves: every way in which editors save ends with the one file, changed (CASES F7, F9, F10).
func TestSaves(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"m.py": "0", "other": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	name := filepath.Join(root, "m.py")
	for style, save := range map[string]func(text []byte){
		"in place": func(text []byte) { must(t, os.WriteFile(name, text, 0o644)) },
		"temporary file": func(text []byte) {
			must(t, os.WriteFile(name+".tmp", text, 0o644))
			must(t, os.Rename(name+".tmp", name))
		},
		"backup": func(text []byte) {
			must(t, os.Rename(name, name+"~"))
			must(t, os.WriteFile(name, text, 0o644))
			must(t, os.Remove(name+"~"))
		},
		"truncated first": func(text []byte) {
			must(t, os.Truncate(name, 0))
			followed(t, tree)
			must(t, os.WriteFile(name, text, 0o644))
		},
		"part of it": func(text []byte) {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteAt(text[:1], 0)
			must(t, errors.Join(err, f.Close()))
		},
		"removed and restored": func(text []byte) {
			must(t, os.Remove(name))
			if l := followed(t, tree); !slices.Equal(l.Gone, []string{"m.py"}) {
				t.Errorf("removed: %+v", l)
			}
			must(t, os.WriteFile(name, text, 0o644))
		},
	} {
		for i := range 3 {
			save(fmt.Appendf(nil, "%d %s", i, style))
			l := followed(t, tree)
			if len(l.Changed) != 1 || l.Changed[0].Path != "m.py" || len(l.Gone) > 0 || l.Dirs != 1 {
				t.Errorf("%s: %+v", style, l)
			}
			equalsNew(t, c, tree)
		}
	}
}

// TestWriteThroughGoneName: a descriptor that was opened by a name that is gone still writes to the file, and
// no event tells where the file stands now. CASES F22.
func TestWriteThroughGoneName(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/x": "1", "b/z": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	f, err := os.OpenFile(filepath.Join(root, "a/x"), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	must(t, os.Link(filepath.Join(root, "a/x"), filepath.Join(root, "b/y")))
	sweep(t, tree)
	must(t, os.Remove(filepath.Join(root, "a/x")))
	sweep(t, tree)
	sweep(t, tree)
	for size := int64(2); size < 5; size++ {
		_, err := f.WriteAt([]byte("x"), size-1)
		must(t, err)
		l := sweep(t, tree)
		if len(l.Changed) != 1 || l.Changed[0].Path != "b/y" || l.Changed[0].Stat.Size != size {
			t.Fatalf("after a write: %+v", l)
		}
	}
}
