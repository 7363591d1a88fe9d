package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestNames(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	names := []string{"\xff\xfe", "a\nb", strings.Repeat("x", 255), " ", "%41", "#", ":", "\x1b[31m", "é", "..a", "..."}
	for _, n := range names {
		write(t, root, map[string]string{n: ""})
	}
	write(t, root, map[string]string{"d\n/" + names[2] + "/\xfe": ""})
	names = append(names, "d\n/"+names[2]+"/\xfe")
	slices.Sort(names)
	c.want(t, root, names...)
}

func TestStatIsLstat(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"d/f.go": "hello", "l": "-> d/f.go"})
	tree := c.tree(t, root)
	l := sweep(t, tree)
	info, err := os.Lstat(filepath.Join(root, "d/f.go"))
	must(t, err)
	f, err := os.Open(filepath.Join(root, "l"))
	must(t, err)
	defer f.Close()
	opened, err := StatFile(f)
	must(t, err)
	want := []Entry{{Path: "d/f.go", Stat: StatInfo(info)}, {Path: "l", Stat: opened, Link: true}}
	if !slices.Equal(l.Entries, want) {
		t.Errorf("got %+v, want %+v", l.Entries, want)
	}
	if s := l.Entries[0].Stat; s.Size != 5 || s.Mode&unix.S_IFMT != unix.S_IFREG || s.Ino == 0 || s.Mtime == 0 || s.Ctime == 0 {
		t.Errorf("stat %+v", s)
	}
	if s := StatInfo(fakeInfo{info}); s != (Stat{}) {
		t.Errorf("a file of no system has %+v", s)
	}

	// F22: a write to the target is seen under both names.
	must(t, os.WriteFile(filepath.Join(root, "d/f.go"), []byte("hello, world"), 0o644))
	for i, e := range sweep(t, tree).Entries {
		if e.Stat == l.Entries[i].Stat || e.Stat.Size != 12 {
			t.Errorf("%s: still %+v", e.Path, e.Stat)
		}
	}
}

type fakeInfo struct{ os.FileInfo }

func (fakeInfo) Sys() any { return nil }

// TestSpecialFiles: nothing that could block is opened, ignore files that are none included.
func TestSpecialFiles(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"f": "", "a/f": "", "b/f": "", "b/rules": "f\n", "b/.gitignore": "-> rules", "d/.gitignore/x": ""})
	for _, fifo := range []string{"pipe", "a/.gitignore", "a/.ctxignore", "a/.git", ".git"} {
		must(t, unix.Mkfifo(filepath.Join(root, fifo), 0o644))
	}
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	defer unix.Close(socket)
	t.Chdir(root) // a socket's path may have only 108 bytes
	must(t, unix.Bind(socket, &unix.SockaddrUnix{Name: "sock"}))
	l := c.want(t, root, "a/f", "b/.gitignore", "b/f", "b/rules", "d/.gitignore/x", "f")
	if len(l.Problems) != 1 || l.Problems[0].Path != "b/.gitignore" {
		t.Errorf("problems %v", l.Problems)
	}
}

// asNobody runs f without root's power over permissions.
func asNobody(t *testing.T, f func()) {
	if os.Geteuid() == 0 {
		must(t, syscall.Setreuid(-1, 65534))
		defer func() { must(t, syscall.Setreuid(-1, 0)) }()
	}
	f()
}

func TestUnreadable(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	write(t, root, map[string]string{"closed/f": "", "listonly/f": "", "listonly/g": "", "norules/.gitignore": "f\n", "norules/f": "", "ok/f": ""})
	tree := c.tree(t, root)
	if n := len(sweep(t, tree).Entries); n != 5 {
		t.Fatalf("%d entries before", n)
	}
	for name, mode := range map[string]os.FileMode{"closed": 0, "listonly": 0o444, "norules/.gitignore": 0} {
		must(t, os.Chmod(filepath.Join(root, name), mode))
		defer os.Chmod(filepath.Join(root, name), 0o755)
	}
	var l *Listing
	asNobody(t, func() { l = sweep(t, tree) })
	if got, want := paths(l), []string{"norules/.gitignore", "norules/f", "ok/f"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	var where []string
	for _, p := range l.Problems {
		where = append(where, p.Path)
		if !strings.Contains(p.Reason, "permission denied") || p.Hides != !strings.HasSuffix(p.Path, gitignore) {
			t.Errorf("%v, hides files: %v", p, p.Hides)
		}
	}
	if want := []string{"closed", "listonly", "norules/.gitignore"}; !slices.Equal(where, want) {
		t.Errorf("problems at %q, want %q", where, want)
	}
}

// comb makes a chain of directories, each with a file at every hundredth level, and with
// branches also a second directory at every level, which keeps its parent's descriptor in use.
func comb(t *testing.T, root string, depth int, branches bool) {
	t.Helper()
	fd, err := openDir(unix.AT_FDCWD, root)
	must(t, err)
	for i := range depth {
		if i%100 == 99 {
			f, err := unix.Openat(fd, "f", unix.O_CREAT|unix.O_WRONLY, 0o644)
			must(t, err)
			unix.Close(f)
		}
		if branches {
			must(t, unix.Mkdirat(fd, "other", 0o755))
		}
		must(t, unix.Mkdirat(fd, "deep", 0o755))
		sub, err := openDir(fd, "deep")
		must(t, err)
		unix.Close(fd)
		fd = sub
	}
	unix.Close(fd)
}

// limitFiles lowers the soft limit of open files.
func limitFiles(t *testing.T, n uint64) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	limit := old
	limit.Cur = n
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	t.Cleanup(func() { must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)) })
}

// TestDeep: far below what one path can name, with few descriptors, in either shape.
func TestDeep(t *testing.T) {
	for _, shape := range []struct {
		depth    int
		branches bool
		dirs     int
	}{{5000, false, 5001}, {800, true, 1601}} {
		c, root := clean{t.TempDir()}, t.TempDir()
		comb(t, root, shape.depth, shape.branches)
		limitFiles(t, 256)
		tree, err := New(root, Options{Getenv: c.getenv, Workers: 16, NoEvents: true})
		must(t, err)
		defer tree.Close()
		for range 2 {
			l := sweep(t, tree)
			if len(l.Entries) != shape.depth/100 || l.Dirs != shape.dirs || len(l.Problems) > 0 {
				t.Errorf("%d files, %d directories, problems %v; want %d, %d, none", len(l.Entries), l.Dirs, l.Problems, shape.depth/100, shape.dirs)
			}
		}
	}
}

// TestTooDeep: a path beyond maxPath is a problem, not a silence.
func TestTooDeep(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	name := strings.Repeat("n", 250)
	fd, err := openDir(unix.AT_FDCWD, root)
	must(t, err)
	for range maxPath/251 + 5 {
		must(t, unix.Mkdirat(fd, name, 0o755))
		sub, err := openDir(fd, name)
		must(t, err)
		unix.Close(fd)
		fd = sub
	}
	unix.Close(fd)
	l := sweep(t, c.tree(t, root))
	if l.Dirs != maxPath/251+1 || len(l.Problems) != 1 {
		t.Errorf("%d directories, %d problems", l.Dirs, len(l.Problems))
	}
}

// TestOutOfDescriptors: a sweep that cannot open directories fails; it never lists less. CASES Q8.
func TestOutOfDescriptors(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	write(t, root, map[string]string{"a/b/c/d/e/f": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	limitFiles(t, 64)
	var held []*os.File
	defer func() {
		for _, f := range held {
			f.Close()
		}
	}()
	for {
		f, err := os.Open(root)
		if err != nil {
			break
		}
		held = append(held, f)
	}
	failed := 0
	for len(held) > 0 {
		l, err := tree.Sweep(t.Context())
		switch {
		case err == nil && !slices.Equal(paths(l), []string{"a/b/c/d/e/f"}):
			t.Fatalf("listed %q", paths(l))
		case err == nil:
			if failed == 0 {
				t.Error("no sweep failed")
			}
			return
		case !errors.Is(err, unix.EMFILE):
			t.Fatal(err)
		}
		failed++
		held[len(held)-1].Close()
		held = held[:len(held)-1]
	}
	t.Error("no sweep succeeded")
}

func TestRootGoesAndComes(t *testing.T) {
	c, parent := clean{t.TempDir()}, t.TempDir()
	root := filepath.Join(parent, "r")
	var rootErr *RootError
	if _, err := New(root, Options{}); !errors.As(err, &rootErr) {
		t.Errorf("a root that is not there: %v", err)
	}
	write(t, root, map[string]string{"a/f": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	must(t, os.RemoveAll(root))
	if _, err := tree.Sweep(t.Context()); !errors.As(err, &rootErr) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a root that is gone: %v", err)
	}
	write(t, root, map[string]string{"g": "", ".gitignore": "h\n", "h": "", ".git/": ""})
	if got := paths(sweep(t, tree)); !slices.Equal(got, []string{".gitignore", "g"}) {
		t.Errorf("a root that came back: %q", got)
	}
}

func TestCloseAndCancel(t *testing.T) {
	c := clean{t.TempDir()}
	tree := c.tree(t, filepath.Join(runtime.GOROOT(), "src"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Sweep(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if l, err := tree.Sweep(context.Background()); err == nil && len(l.Entries) < 5000 || err != nil && !errors.Is(err, ErrClosed) {
				t.Errorf("closed meanwhile: %v", err)
			}
		})
	}
	must(t, tree.Close())
	callers.Wait()
	if _, err := tree.Sweep(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	must(t, tree.Close())
}

// TestOwnWritesAreSeen: many callers at once share sweeps, and each still sees what it wrote
// before it asked.
func TestOwnWritesAreSeen(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	for i := range 200 {
		write(t, root, map[string]string{fmt.Sprintf("d%d/f", i): ""})
	}
	tree := c.treeWith(t, root, Options{NoEvents: true}) // what changed is told once, to one caller
	var writers sync.WaitGroup
	for id := range 8 {
		writers.Go(func() {
			for i := range 100 {
				name := fmt.Sprintf("d%d/w%d", (i*7+id)%200, id)
				full := filepath.Join(root, name)
				if os.WriteFile(full, make([]byte, i), 0o644) != nil {
					t.Error("write failed")
				}
				l, err := tree.Sweep(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				at, ok := slices.BinarySearchFunc(l.Entries, name, func(e Entry, n string) int { return strings.Compare(e.Path, n) })
				if !ok || l.Entries[at].Stat.Size != int64(i) {
					t.Errorf("%s of %d bytes not seen", name, i)
				}
				_ = os.Remove(full)
			}
		})
	}
	writers.Wait()
}

// TestChangesMeanwhile sweeps while the tree is torn down and built up. Files that are left
// alone are in every listing, in order and once; afterwards the Tree that lived through it
// lists what a new one does; no descriptor is left open.
func TestChangesMeanwhile(t *testing.T) {
	t.Run("sweeps", func(t *testing.T) { changesMeanwhile(t, Options{NoEvents: true}) })
	t.Run("events", func(t *testing.T) { changesMeanwhile(t, Options{}) })
}

func changesMeanwhile(t *testing.T, opts Options) {
	c, root := clean{t.TempDir()}, t.TempDir()
	c.git(t, root, "", "init", "-q")
	var still []string
	for i := range 40 {
		name := fmt.Sprintf("still%d/f", i)
		write(t, root, map[string]string{name: ""})
		still = append(still, name)
	}
	slices.Sort(still)
	tree := c.treeWith(t, root, opts)
	sweep(t, tree)
	before := openFiles(t)
	ctx, cancel := context.WithCancel(t.Context())
	var movers sync.WaitGroup
	for id := range 4 {
		movers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 9))
			base := filepath.Join(root, fmt.Sprintf("m%d", id))
			for ctx.Err() == nil {
				dir := filepath.Join(base, fmt.Sprint(r.IntN(4)), fmt.Sprint(r.IntN(4)))
				file := filepath.Join(dir, fmt.Sprint(r.IntN(4)))
				// Each of these may fail because of what is there; that is part of the disorder.
				switch r.IntN(8) {
				case 0:
					_ = os.RemoveAll(filepath.Dir(dir))
				case 1:
					_ = os.Rename(dir, filepath.Join(base, fmt.Sprint(r.IntN(4))))
				case 2:
					_ = os.Symlink("..", file)
				case 3:
					_ = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(fmt.Sprint(r.IntN(4), "\n")), 0o644)
				case 4:
					_ = os.RemoveAll(file)
				default:
					_ = os.MkdirAll(dir, 0o755)
					_ = os.WriteFile(file, nil, 0o644)
				}
			}
		})
	}
	for range 200 {
		l := sweep(t, tree)
		got := paths(l)
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("out of order or twice: %q", got)
		}
		for _, name := range still {
			if _, ok := slices.BinarySearch(got, name); !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if len(l.Problems) > 0 {
			t.Errorf("problems %v", l.Problems)
		}
	}
	cancel()
	movers.Wait()
	if got, want := sweep(t, tree), sweep(t, c.treeWith(t, root, Options{NoEvents: true})); !slices.Equal(got.Entries, want.Entries) || opts.NoEvents && got.Dirs != want.Dirs {
		t.Errorf("lived through it: %q; new: %q", paths(got), paths(want))
	}
	c.equalToGit(t, root)
	if after := openFiles(t); after > before {
		t.Errorf("%d open files before, %d after", before, after)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/dev/fd")
	must(t, err)
	return len(names)
}

// TestAllocations: what an unchanged directory costs is system calls, not garbage.
func TestAllocations(t *testing.T) {
	c, root := clean{t.TempDir()}, t.TempDir()
	for i := range 1000 {
		write(t, root, map[string]string{fmt.Sprintf("d%d/file%d", i%20, i): ""})
	}
	tree := c.tree(t, root)
	sweep(t, tree)
	if n := testing.AllocsPerRun(5, func() { sweep(t, tree) }); n > 400 {
		t.Errorf("%.0f allocations to list 1,000 unchanged files in 20 directories", n)
	}
}
