package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxd/client/wire"
)

// saves are the ways in which programs write a file anew; each leaves nothing else behind.
var saves = map[string]func(path, text string) error{
	"in place": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) },
	"temporary file and rename": func(path, text string) error {
		if err := os.WriteFile(path+".tmp", []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(path+".tmp", path)
	},
	"moved away, written, removed": func(path, text string) error {
		if err := os.Rename(path, path+"~"); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		return os.Remove(path + "~")
	},
	"truncated, then written": func(path, text string) error {
		if err := os.Truncate(path, 0); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	},
	"written over, then cut": func(path, text string) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte(text), 0); err != nil {
			return err
		}
		return f.Truncate(int64(len(text)))
	},
}

// TestReadYourWrites: whoever writes and then asks is answered from what was written, however it was
// saved, with the mtime set back as touch -r does or not. CASES F2, F7.
func TestReadYourWrites(t *testing.T) {
	const kept = "def kept():\n    return 0\n"
	ws := newWorkspace(t, map[string]string{"m.py": kept})
	path := filepath.Join(ws.Root, "m.py")
	held := get(t, ws, wire.GetParams{Ref: "repo:m.py"}).Live.Address
	last, i := "kept", 0
	for style, save := range saves {
		for range 20 {
			i++
			name := fmt.Sprintf("n_%03d", i)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := save(path, strings.Repeat("# above\n", i%3)+kept+"\ndef "+name+"():\n    pass\n"); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
					t.Fatal(err)
				}
			}
			if got := def(t, ws, name); len(got) != 1 || !strings.Contains(got[0], "m.py") {
				t.Fatalf("%s: %s: %q", style, name, got)
			}
			if got := def(t, ws, last); last != "kept" && got != nil {
				t.Fatalf("%s: %s is still answered: %q", style, last, got)
			}
			if o := outcomes(t, ws, held)[0]; o.Outcome != wire.Verified && o.Outcome != wire.Relocated {
				t.Fatalf("%s: an untouched range is %+v", style, o)
			}
			last = name
		}
	}
	if n := len(ws.cur.Load().files); n != 1 {
		t.Errorf("%d files are listed: temporary ones stayed", n)
	}
}

// TestOneGenerationOfFile: the index being older than the file, text and positions are one generation's,
// never a neighbour's under the name that was asked for; and nothing is listed twice. CASES F1, F12.
func TestOneGenerationOfFile(t *testing.T) {
	const text = "def alpha():\n    return 1\n\ndef beta():\n    return 2\n"
	ws := newWorkspace(t, map[string]string{"m.py": text})
	def(t, ws, "beta")
	write(t, filepath.Join(ws.Root, "m.py"), "#\n#\n#\n"+text)
	// noSync holds the watcher back: the snapshot is the old one.
	for _, noSync := range []bool{true, false} {
		res, err := ws.Def(t.Context(), wire.DefParams{Common: wire.Common{NoSync: noSync}, Target: "beta"})
		if err != nil || len(res.Definitions) != 1 {
			t.Fatalf("noSync %v: %v %+v", noSync, err, res)
		}
		d := res.Definitions[0]
		if d.Lines != (wire.Lines{7, 8}) || strings.Join(d.Text, "|") != "def beta():|    return 2" || d.Captured.Lines != d.Lines || d.Live.Lines != d.Lines {
			t.Errorf("noSync %v: %+v", noSync, d)
		}
	}
}

// TestNewDirectories: what is born in a directory just made is seen, and so is what changes there later.
// CASES F4, M16.
func TestNewDirectories(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "x = 1\n"})
	def(t, ws, "x")
	write(t, filepath.Join(ws.Root, "a/b/c/m.py"), "def deep():\n    pass\n")
	for i := range 500 {
		write(t, filepath.Join(ws.Root, fmt.Sprintf("a/u%d/p%d/m.py", i%7, i)), fmt.Sprintf("def unpacked_%d():\n    pass\n", i))
	}
	for _, name := range []string{"deep", "unpacked_0", "unpacked_499"} {
		if got := def(t, ws, name); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
	write(t, filepath.Join(ws.Root, "a/b/c/m.py"), "def deeper():\n    pass\n")
	write(t, filepath.Join(ws.Root, "a/u3/p3/m.py"), "def repacked():\n    pass\n")
	if a, b, c := def(t, ws, "deeper"), def(t, ws, "repacked"), def(t, ws, "deep"); len(a) != 1 || len(b) != 1 || c != nil {
		t.Errorf("after an edit: deeper %q, repacked %q, deep %q", a, b, c)
	}
}

// TestRenamedDirectory: everything below a renamed directory is found under its new name alone, what
// happens there later too. CASES F5, M17.
func TestRenamedDirectory(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"d/sub/m.py": "def one():\n    pass\n"})
	old := get(t, ws, wire.GetParams{Ref: "repo:d/sub/m.py"}).Live.Address
	def(t, ws, "one")
	if err := os.Rename(filepath.Join(ws.Root, "d"), filepath.Join(ws.Root, "e")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws.Root, "e/sub/m.py"), "def one():\n    pass\n\ndef two():\n    pass\n")
	write(t, filepath.Join(ws.Root, "e/new.py"), "def three():\n    pass\n")
	for name, path := range map[string]string{"one": "e/sub/m.py", "two": "e/sub/m.py", "three": "e/new.py"} {
		if got := def(t, ws, name); len(got) != 1 || !strings.HasPrefix(got[0], path) {
			t.Errorf("%s: %q, want it in %s", name, got, path)
		}
	}
	if o := outcomes(t, ws, old)[0]; o.Outcome != wire.Lost || o.Error == nil || !strings.Contains(o.Error.Message, "no such path") && !strings.Contains(o.Error.Message, "gone") {
		t.Errorf("the old address: %+v %+v", o, o.Error)
	}
	if fd := ws.cur.Load().told; fd.watched != 3 {
		t.Errorf("%d directories are watched, want ., e and e/sub", fd.watched)
	}
}

// TestLostEvents: after the queue of events overflowed, with 30,000 files created and others changed, all
// is found, and status tells of the look at the whole tree. CASES F6, M19.
func TestLostEvents(t *testing.T) {
	files := map[string]string{"big/none.txt": ""}
	for i := range 10 {
		files[fmt.Sprintf("d%d/m.py", i)] = fmt.Sprintf("def before_%d():\n    pass\n", i)
	}
	ws := newWorkspace(t, files)
	def(t, ws, "before_0")
	before := ws.status().Sweeps
	if err := flood(ws.Root); err != nil {
		t.Fatal(err)
	}
	for i := range 30_000 {
		f, err := os.Create(filepath.Join(ws.Root, "big", fmt.Sprintf("f%d.txt", i)))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for i := range 10 {
		write(t, filepath.Join(ws.Root, fmt.Sprintf("d%d/m.py", i)), fmt.Sprintf("def after_%d():\n    pass\n", i))
	}
	for i := range 10 {
		if a, b := def(t, ws, fmt.Sprintf("after_%d", i)), def(t, ws, fmt.Sprintf("before_%d", i)); len(a) != 1 || b != nil {
			t.Errorf("file %d: after %q, before %q", i, a, b)
		}
	}
	if s := ws.status(); s.Sweeps == before || s.Files != 11+30_000+2 {
		t.Errorf("%d looks at the whole tree (%d before), %d files", s.Sweeps, before, s.Files)
	}
}

// refillsLate has a file that is empty for a moment waited for, however long the machine takes to fill it.
func refillsLate(t *testing.T) {
	usual := refill
	refill = patience
	t.Cleanup(func() { refill = usual })
}

// TestTruncatedForAMoment: between truncation and write a file is empty; what stood in it is not lost.
// CASES F13.
func TestTruncatedForAMoment(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "x_%d = %d\n", i, i)
	}
	reading := make(chan struct{}, 1)
	slowly = func() {
		select {
		case reading <- struct{}{}:
		default:
		}
	}
	t.Cleanup(func() { slowly = func() {} })
	refillsLate(t)
	ws := newWorkspace(t, map[string]string{"m.py": b.String()})
	path := filepath.Join(ws.Root, "m.py")
	held := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "1000:1001"}).Live.Address
	asked := make(chan *wire.GetResult, 1)
	for range 5 {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		select {
		case <-reading:
		default:
		}
		go func() {
			res, err := ws.Get(t.Context(), wire.GetParams{Ref: held})
			if err != nil {
				t.Errorf("while the file was empty: %v", err)
			}
			asked <- res
		}()
		<-reading // of the empty file, or it was read by the one that follows changes: a moment later then
		write(t, path, b.String())
		if res := <-asked; res != nil && res.Outcome != wire.Verified {
			t.Errorf("%+v", res)
		}
		if o := outcomes(t, ws, held)[0]; o.Outcome != wire.Verified {
			t.Errorf("%+v", o)
		}
	}
	// A file that stays empty is empty.
	refill = time.Millisecond
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Get(t.Context(), wire.GetParams{Ref: held}); word(err) != wire.AnchorStale {
		t.Errorf("of an empty file: %v", err)
	}
}

// TestRefusedWatches: where watches are refused, the disk is looked at for each answer, and status says
// where, why, and what to do; ignored trees cost no watches. CASES F16.
func TestRefusedWatches(t *testing.T) {
	user := ParseUserConfig("", nil)
	user.Watch.MaxWatches = 50
	d := newDaemonWith(t, user)
	root := t.TempDir()
	write(t, filepath.Join(root, ".gitignore"), "node_modules/\n")
	for i := range 200 {
		write(t, filepath.Join(root, fmt.Sprintf("d%03d/m.py", i)), fmt.Sprintf("def n_%d_0():\n    pass\n", i))
		write(t, filepath.Join(root, fmt.Sprintf("node_modules/p%d/m.js", i)), "function hidden() {}\n")
	}
	ws := use(t, d, root)
	for i := range 200 {
		def(t, ws, fmt.Sprintf("n_%d_0", i))
		write(t, filepath.Join(root, fmt.Sprintf("d%03d/m.py", i)), fmt.Sprintf("def n_%d_1():\n    pass\n", i))
		if a, b := def(t, ws, fmt.Sprintf("n_%d_1", i)), def(t, ws, fmt.Sprintf("n_%d_0", i)); len(a) != 1 || b != nil {
			t.Fatalf("directory %d: new %q, old %q", i, a, b)
		}
	}
	s := ws.status()
	if s.Watched != 50 || s.Watched+s.Unwatched != 201 || len(s.Degraded) == 0 || !strings.Contains(s.Degraded[0].Fix, "max_watches") {
		t.Errorf("status: %d watched, %d unwatched, degraded %+v", s.Watched, s.Unwatched, s.Degraded)
	}
	res, err := ws.Def(t.Context(), wire.DefParams{Target: "n_0_1"})
	if err != nil || !strings.Contains(res.Coverage.Freshness, "sweep of unwatched") {
		t.Errorf("coverage does not tell: %v %+v", err, res)
	}
}

// TestWritesThroughLinks: a file changed through another name, or at the other end of a link, is read as it
// is now. CASES F22, M18.
func TestWritesThroughLinks(t *testing.T) {
	const text = "def real():\n    pass\n"
	ws := newWorkspace(t, map[string]string{"real/m.py": text})
	outside := filepath.Join(t.TempDir(), "m.py")
	write(t, outside, text)
	other := filepath.Join(t.TempDir(), "other.py")
	for _, err := range []error{
		os.Symlink("real/m.py", filepath.Join(ws.Root, "l.py")),
		os.Symlink(outside, filepath.Join(ws.Root, "out.py")),
		os.Link(filepath.Join(ws.Root, "real/m.py"), other),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	held := get(t, ws, wire.GetParams{Ref: "repo:l.py"}).Live.Address
	if _, err := ws.Get(t.Context(), wire.GetParams{Ref: "repo:out.py"}); word(err) != wire.PathDenied {
		t.Errorf("a link out of the root: %v", err)
	}
	for i, path := range []string{filepath.Join(ws.Root, "real/m.py"), other} {
		write(t, path, strings.Repeat("\n", i+1)+text)
		if res := get(t, ws, wire.GetParams{Ref: held}); res.Outcome != wire.Relocated || res.Lines != (wire.Lines{i + 2, i + 3}) {
			t.Errorf("through the link, after a write to %s: %+v", path, res)
		}
		if got := def(t, ws, "real"); len(got) != 1 || !strings.HasPrefix(got[0], fmt.Sprintf("real/m.py:%d", i+2)) {
			t.Errorf("after a write to %s: %q", path, got)
		}
	}
}

// TestSwitches: going back and forth between two commits parses each content once, however many switches there
// are, and every answer is right for the commit. CASES F24, Q1.
func TestSwitches(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"same.py": "def same():\n    pass\n"})
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", ws.Root, "-c", "user.email=a@b", "-c", "user.name=a", "-c", "gc.auto=0"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	const files = 600
	fill := func(branch string) {
		for i := range files {
			write(t, filepath.Join(ws.Root, fmt.Sprintf("d%02d/m%d.py", i%50, i)), fmt.Sprintf("def %s_%d():\n    pass\n", branch, i))
		}
		run("add", "-A")
		run("commit", "-qm", branch)
		run("tag", branch)
	}
	run("init", "-q")
	fill("a")
	fill("b")
	settled(t, ws)
	run("checkout", "-q", "a")
	settled(t, ws)
	built := ws.catalog.parser.built.Load()
	names := [2]string{"a", "b"}
	for i := range 20 {
		now, before := names[(i+1)%2], names[i%2]
		run("checkout", "-q", now)
		for k := range 5 {
			n := (i*131 + k*397) % files
			if got := def(t, ws, fmt.Sprintf("%s_%d", now, n)); len(got) != 1 {
				t.Fatalf("switch %d to %s: %s_%d: %q", i, now, now, n, got)
			}
			if got := def(t, ws, fmt.Sprintf("%s_%d", before, n)); got != nil {
				t.Fatalf("switch %d to %s: still %q", i, now, got)
			}
		}
	}
	settled(t, ws)
	// All contents were known. But git creates a file and then writes it: one that is read in between is empty, which
	// each path may be once; a busy machine showed 324 of the 600. To forget what is known would be 12,000 parses.
	if again := ws.catalog.parser.built.Load() - built; again > files {
		t.Errorf("%d parses for 20 switches between %d files that were all known", again, files)
	}
}

// TestMissesAreCheap: a name that nothing defines costs no look at the tree and no parse. CASES Q7.
func TestMissesAreCheap(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/m%d.py", i%20, i)] = fmt.Sprintf("def n_%d():\n    pass\n", i)
	}
	ws := newWorkspace(t, files)
	settled(t, ws)
	sweeps, built := ws.status().Sweeps, ws.catalog.parser.built.Load()
	for range 50 {
		if got := def(t, ws, "no_such_name"); got != nil {
			t.Fatal(got)
		}
	}
	if s, b := ws.status().Sweeps, ws.catalog.parser.built.Load(); s != sweeps || b != built {
		t.Errorf("50 misses: %d looks at the whole tree, %d parses", s-sweeps, b-built)
	}
}

// TestBackgroundGoesOn: a request that is cancelled while others look through the pending files does not keep
// the background from parsing them. Nothing here asks for a sync, which would wake it.
func TestBackgroundGoesOn(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("d%d/m%d.py", i%20, i)] = fmt.Sprintf("def n_%d():\n    pass\n", i)
	}
	ws := newWorkspace(t, files)
	ws.looking <- struct{}{} // as if another request were at it
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() {
		_, err := ws.Def(ctx, wire.DefParams{Target: "n_7"})
		asked <- err
	}()
	waitFor(t, "the tree is listed", func() error {
		if len(ws.cur.Load().files) < len(files) {
			return errors.New("not yet")
		}
		return nil
	})
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	waitFor(t, "all is parsed in the background", func() error {
		if n := ws.status().Pending; n > 0 {
			return fmt.Errorf("%d files are pending", n)
		}
		return nil
	})
	<-ws.looking
}

// TestColdMiss: a name that nothing defines is looked for in a tree that is not indexed yet with a few looks at
// each file, however much the background publishes meanwhile.
func TestColdMiss(t *testing.T) {
	var reads atomic.Int64
	slowly = func() { reads.Add(1) }
	t.Cleanup(func() { slowly = func() {} })
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%d/m%d.py", i%20, i)] = fmt.Sprintf("def n_%d():\n    pass\n", i)
	}
	ws := newWorkspace(t, files)
	if got := def(t, ws, "no_such_name"); got != nil {
		t.Fatal(got)
	}
	if n := int(reads.Load()); n > 4*len(files) {
		t.Errorf("%d reads of %d files", n, len(files))
	}
}

// TestSameTickUnderRules: a second write within one tick of the clock, of the same size into the same inode, beside a
// change of the ignore rules: the event tells of the write, or of the directory that it came with, and the tree is not looked
// at as a whole.
func TestSameTickUnderRules(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"d/m.py": "def n_000():\n    pass\n", "d/still.py": "def still():\n    pass\n"})
	f, err := os.OpenFile(filepath.Join(ws.Root, "d/m.py"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	settled(t, ws)
	swept := ws.sweeps.Load()
	for i := 1; i < 200; i++ {
		if _, err := f.WriteAt(fmt.Appendf(nil, "%03d", i), int64(len("def n_"))); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(ws.Root, ".ctxignore"), fmt.Sprintf("none%d\n", i))
		if i%20 == 0 {
			for _, move := range [][2]string{{"d", "e"}, {"e", "d"}} {
				if err := os.Rename(filepath.Join(ws.Root, move[0]), filepath.Join(ws.Root, move[1])); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i)); len(got) != 1 {
			t.Fatalf("write %d is not seen", i)
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i-1)); got != nil {
			t.Fatalf("write %d: the name before is still answered: %q", i, got)
		}
	}
	if n := ws.sweeps.Load() - swept; n > 0 {
		t.Errorf("%d looks at the whole tree", n)
	}
}

// TestWrittenWithoutPause: a file that changes whenever it is read is pending after a look, which waits for nobody's
// writes; what it holds is known once it rests.
func TestWrittenWithoutPause(t *testing.T) {
	var path string
	var busy atomic.Bool
	var reads atomic.Int32
	slowly = func() {
		if busy.Load() {
			next := fmt.Sprint(path, "-", reads.Add(1)) // by rename: at no moment is there no "two"
			write(t, next, "def two():\n    pass\n")
			if err := os.Rename(next, path); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(func() { slowly = func() {} }) // after the workspace's end
	ws := newWorkspace(t, map[string]string{"m.py": "def one():\n    pass\n", "n.py": "def other():\n    pass\n"})
	path = filepath.Join(ws.Root, "m.py")
	if got := def(t, ws, "one"); len(got) != 1 {
		t.Fatal(got)
	}
	busy.Store(true)
	write(t, path, "def two():\n    pass\n")
	if err := ws.sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := ws.cur.Load().file("m.py"); f.Facts != nil {
		t.Errorf("not pending: %+v", f)
	}
	busy.Store(false)
	for _, name := range []string{"two", "other"} {
		if got := def(t, ws, name); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := def(t, ws, "one"); got != nil {
		t.Errorf("%q", got)
	}
}
