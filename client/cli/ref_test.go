package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxd/client/wire"
)

func TestRef(t *testing.T) {
	p := place{root: "/w", dir: "sub dir"}
	for typed, want := range map[string]string{
		"m.py":                  "repo:sub%20dir/m.py",
		"./m.py":                "repo:sub%20dir/m.py",
		"../m.py:4":             "repo:m.py:4",
		"../m.py:4-5":           "repo:m.py:4-5",
		"../m.py:4:7":           "repo:m.py:4:7",
		"/w/m.py:4":             "repo:m.py:4",
		"/w":                    "repo:",
		"../../etc/passwd":      "repo:../etc/passwd",
		"/etc/passwd":           "repo:../etc/passwd",
		"../50%25.py":           "repo:50%2525.py",
		"../#x y":               "repo:%23x%20y",
		"../a\nb":               "repo:a%0Ab",
		"../\xff":               "repo:%FF",
		" x":                    "repo:sub%20dir/%20x",
		"../naïve":              "repo:naïve",
		"repo:m.py":             "repo:m.py",
		"repo:a%20b":            "repo:a%20b",
		"snapshot:cf3db50116cd": "snapshot:cf3db50116cd",
		"blob:3f1c":             "blob:3f1c",
		"run:12#stdout":         "run:12#stdout",
	} {
		if got := p.address(typed).Ref; got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	for typed, want := range map[string]wire.Address{
		"repo:m.py --lines 4:5@07407f1c":      {Ref: "repo:m.py", Lines: "4:5@07407f1c"},
		"ctx get repo:m.py --span b34a0fcd32": {Ref: "repo:m.py", Span: "b34a0fcd32"},
		"../m.py --symbol Stack.push":         {Ref: "repo:m.py", Symbol: "Stack.push"},
		"snapshot:cf3db50116cd --bytes 1:20":  {Ref: "snapshot:cf3db50116cd", Bytes: "1:20"},
	} {
		if got := p.address(typed); got != want {
			t.Errorf("%q: %+v, want %+v", typed, got, want)
		}
		if again := wire.ParseAddress(printed(want)); again != want {
			t.Errorf("%q: printed and parsed %+v", typed, again)
		}
	}
}

func TestTarget(t *testing.T) {
	p := place{root: "/w", dir: "sub"}
	for typed, want := range map[string]string{
		"Server.Serve": "Server.Serve", "m.py:beta": "m.py:beta", "fmt::format": "fmt::format", "operator/": "operator/",
		"./m.py:beta": "repo:sub/m.py:beta", "../m.py:4:7": "repo:m.py:4:7", "/w/m.py:beta": "repo:m.py:beta",
		"repo:m.py:beta": "repo:m.py:beta",
	} {
		if got := p.target(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// Whatever is typed for a path, the daemon gets text that names exactly that path.
func FuzzRef(f *testing.F) {
	for _, seed := range []string{"m.py", "./a b", "../x:4", "/w/y", "/w/sub/../z", "a%41", "\xff\xfe", "a\x00b", "repo:x", "--lines 1:2", "a --span x", ":", ""} {
		f.Add(seed, "sub")
	}
	f.Fuzz(func(t *testing.T, typed, dir string) {
		dir = strings.Trim(filepath.Clean("/"+dir), "/")
		p := place{root: "/w", dir: dir}
		got := p.ref(typed)
		if typed == "" || complete(typed) {
			if got != typed {
				t.Fatalf("%q: %q", typed, got)
			}
			return
		}
		path, ok := strings.CutPrefix(got, "repo:")
		if !ok || !utf8.ValidString(got) || strings.ContainsAny(got, " \n\x00#'\"") {
			t.Fatalf("%q: %q", typed, got)
		}
		want := typed
		if !filepath.IsAbs(typed) {
			want = filepath.Join("/w", dir, typed)
		}
		if got := filepath.Join("/w", wire.DecodePath(path)); got != filepath.Clean(want) && !strings.Contains(typed, "..") {
			t.Fatalf("%q: %q names %q, not %q", typed, path, got, want)
		}
	})
}

// tree makes files; a name that ends in / is a directory.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// CASES D2, D3.
func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		name      string
		files     []string
		cwd, flag string
		root, dir string
	}{
		{"nothing", []string{"a/"}, "a", "", "a", ""},
		{"git", []string{".git/", "a/b/"}, "a/b", "", "", "a/b"},
		{"git file of a submodule", []string{"ctx.toml", ".git/", "s/.git=gitdir: ../.git/modules/s", "s/a/"}, "s/a", "", "", "s/a"},
		{"linked worktree in a checkout with ctx.toml", []string{"ctx.toml", ".git/", ".wt/x/.git=gitdir: /r/.git/worktrees/x", ".wt/x/a/"}, ".wt/x/a", "", ".wt/x", "a"},
		{"ctx.toml below git", []string{".git/", "a/ctx.toml", "a/b/"}, "a/b", "", "a", "b"},
		{"ctx.toml above git", []string{"ctx.toml", "a/.git/"}, "a", "", "", "a"},
		{"nested git", []string{".git/", "a/.git/", "a/b/"}, "a/b", "", "a", "b"},
		{"flag", []string{".git/", "a/b/"}, "a/b", "..", "a", "b"},
		{"flag elsewhere", []string{"a/", "b/"}, "a", "../b", "b", ""},
		{"a name like the root's", []string{"a/", "ab/"}, "ab", "../a", "a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := tree(t, tt.files...)
			t.Chdir(filepath.Join(top, tt.cwd))
			s := &command{root: tt.flag}
			got, err := s.place()
			want := place{root: filepath.Join(top, tt.root), dir: tt.dir}
			if got != want || err != nil {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

// CASES D7: a repository reached through a link is the same workspace.
func TestPlaceThroughLinks(t *testing.T) {
	top := tree(t, "real/.git/", "real/sub/m.py")
	link := filepath.Join(top, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	want := place{root: filepath.Join(top, "real"), dir: "sub"}
	t.Chdir(filepath.Join(link, "sub")) // sets PWD too
	if got, err := (&command{}).place(); got != want || err != nil {
		t.Errorf("cwd: %+v, %v", got, err)
	}
	if got, err := (&command{root: link}).place(); got != want || err != nil {
		t.Errorf("--root: %+v, %v", got, err)
	}
	if got := want.ref(filepath.Join(link, "sub/m.py:4")); got != "repo:sub/m.py:4" {
		t.Errorf("path through a link: %q", got)
	}
}

// A current directory that is gone is said, and --root helps.
func TestDirectoryIsGone(t *testing.T) {
	if os.Getenv("CTX_TEST_GONE") != "" {
		os.Remove(os.Getenv("CTX_TEST_GONE"))
		_, errs, code := ctx("def", "x")
		if code != 2 || !strings.Contains(errs, "--root") {
			t.Errorf("%q, exit %d", errs, code)
		}
		if _, err := (&command{root: "/"}).place(); err != nil {
			t.Error(err)
		}
		return
	}
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDirectoryIsGone$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CTX_TEST_GONE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSelectorGivenTwice(t *testing.T) {
	f := daemon(t, map[string]any{wire.MethodGet: beta()})
	if _, errs, code := ctx("get", "repo:m.py --lines 4:5", "--lines", "4:5"); code != 0 {
		t.Errorf("the same twice: %s", errs)
	}
	if p := asked[wire.GetParams](t, f); p.Ref != "repo:m.py" || p.Lines != "4:5" {
		t.Errorf("%+v", p)
	}
	if _, errs, code := ctx("get", "repo:m.py --lines 4:5", "--lines", "6:7"); code != 2 || !strings.Contains(errs, "--lines is given twice: 4:5 in the address, 6:7 as a flag") {
		t.Errorf("%q, exit %d", errs, code)
	}
	if _, _, code := ctx("get", "repo:m.py --lines 4:5", "--symbol", "beta"); code != 0 {
		t.Errorf("two selectors are the daemon's to judge: exit %d", code)
	}
	if p := asked[wire.GetParams](t, f); p.Lines != "4:5" || p.Symbol != "beta" {
		t.Errorf("%+v", p)
	}
}
