package commits

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// history is what History tells of a path, as "PATH BLOB".
func history(t *testing.T, r *Repository, path string) (told []string) {
	t.Helper()
	id, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.History(id, path, NewKnown())
	if err != nil {
		t.Fatal(err)
	}
	for {
		v, err := w.Next(t.Context())
		if errors.Is(err, ErrNone) {
			return told
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if body, err := w.Read(v); err != nil || Blob(body, id) != v.Blob {
			t.Errorf("%s: %v", v.Blob, err)
		}
		told = append(told, v.Path+" "+string(v.Blob))
	}
}

// gitHistory is the set of a path's blobs in the commits that git log lists for it.
func gitHistory(t *testing.T, dir, path string) (want []string) {
	t.Helper()
	for id := range strings.FieldsSeq(git(t, dir, "log", "--format=%H", "HEAD", "--", path)) {
		cmd := exec.Command("git", "rev-parse", "--verify", "--quiet", id+":"+path)
		cmd.Dir = dir
		if out, err := cmd.Output(); err == nil { // else it was deleted there
			want = append(want, path+" "+strings.TrimSpace(string(out)))
		}
	}
	slices.Sort(want)
	return slices.Compact(want)
}

// TestHistory compares a path's versions with git's own, over branches and merges.
func TestHistory(t *testing.T) {
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		git(t, dir, "init", "-q", "-b", "main")
		files := []string{"a.txt", "d/b.txt", "d/e/c.txt"}
		for _, f := range files {
			write(t, dir, f, "0\n")
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "0")
		branches := []string{"main"}
		for n := range 25 {
			switch rnd.IntN(6) {
			case 0:
				b := fmt.Sprintf("b%d", n)
				git(t, dir, "checkout", "-q", "-b", b)
				branches = append(branches, b)
			case 1:
				git(t, dir, "checkout", "-q", branches[rnd.IntN(len(branches))])
			case 2:
				cmd := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t", "merge", "-q", "-X", "ours", "-m", "m", branches[rnd.IntN(len(branches))])
				cmd.Dir = dir
				if cmd.Run() != nil { // one side deleted what the other changed
					git(t, dir, "merge", "--abort")
				}
			default:
				f := files[rnd.IntN(len(files))]
				if rnd.IntN(5) == 0 {
					os.Remove(filepath.Join(dir, f))
				} else {
					write(t, dir, f, fmt.Sprintf("%d\n", rnd.IntN(4)))
				}
				git(t, dir, "add", "-A")
				git(t, dir, "commit", "-qm", "c", "--allow-empty", "--date", "2020-01-01T00:00:00Z")
			}
		}
		if seed%2 == 0 {
			git(t, dir, "repack", "-adq")
		}
		r := Open(filepath.Join(dir, ".git"), filepath.Join(dir, ".git"))
		for _, f := range files {
			got := history(t, r, f)
			got = slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, f+" ") }) // its earlier names
			slices.Sort(got)
			if want := gitHistory(t, dir, f); !slices.Equal(got, want) {
				t.Errorf("seed %d, %s:\n%s\nwant\n%s", seed, f, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		r.Close()
	}
}

// TestHistoryFollowsRenames: a file that was moved, and changed on the way, has its versions from before.
func TestHistoryFollowsRenames(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	text := func(from, to int) (s string) {
		for i := from; i < to; i++ {
			s += fmt.Sprintf("line %d\n", i)
		}
		return s
	}
	var want []string
	commit := func(path string) {
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "c", "--date", "2020-01-01T00:00:00Z")
		if path != "" {
			want = append(want, path+" "+strings.TrimSpace(git(t, dir, "rev-parse", "HEAD:"+path)))
		}
	}
	write(t, dir, "old/a.go", text(0, 20))
	write(t, dir, "old/other.go", text(100, 120))
	commit("old/a.go")
	write(t, dir, "old/a.go", text(1, 20))
	commit("old/a.go")
	git(t, dir, "mv", "old/a.go", "a.go")
	os.Remove(filepath.Join(dir, "old/other.go"))
	commit("") // the same bytes: no version of its own
	git(t, dir, "mv", "a.go", "b.go")
	write(t, dir, "b.go", text(3, 24))
	commit("b.go")
	r := Open(filepath.Join(dir, ".git"), filepath.Join(dir, ".git"))
	defer r.Close()
	slices.Reverse(want)
	want[1] = strings.Replace(want[1], "old/a.go", "a.go", 1)
	if got := history(t, r, "b.go"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	os.Remove(filepath.Join(dir, "b.go"))
	commit("")
	if got := history(t, r, "b.go"); !slices.Equal(got, want) {
		t.Errorf("after its deletion\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestHistoryOfClone: below a shallow clone's last commit there is nothing, and no error.
func TestHistoryOfClone(t *testing.T) {
	dir, clone := t.TempDir(), t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for n := range 5 {
		write(t, dir, "a.txt", fmt.Sprintf("%d\n", n))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "c")
	}
	git(t, clone, "clone", "-q", "--depth", "2", "file://"+dir, ".")
	r := Open(filepath.Join(clone, ".git"), filepath.Join(clone, ".git"))
	defer r.Close()
	if got := history(t, r, "a.txt"); len(got) != 2 {
		t.Errorf("%d versions, want 2: %v", len(got), got)
	}
	if _, err := r.History(ID(strings.Repeat("0", 40)), "a.txt", NewKnown()); !errors.Is(err, errMissing) {
		t.Errorf("an unknown head: %v", err)
	}
}

// TestMayHave: a path may have been there if a commit has it, and only then.
func TestMayHave(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		git(t, dir, "init", "-q", "-b", "main")
		some := []string{"a", "b/c", "b/d/e", "b/d/f", "g/a", "a/b", "h"}
		var heads []ID
		known := NewKnown()
		r := Open(filepath.Join(dir, ".git"), filepath.Join(dir, ".git"))
		for n := range 12 {
			if rnd.IntN(4) == 0 {
				git(t, dir, "checkout", "-q", "-b", fmt.Sprint("b", n))
			} else if len(heads) > 0 && rnd.IntN(4) == 0 {
				git(t, dir, "checkout", "-q", "--detach", string(heads[rnd.IntN(len(heads))]))
			}
			path := some[rnd.IntN(len(some))]
			if err := os.RemoveAll(filepath.Join(dir, strings.SplitN(path, "/", 2)[0])); err != nil {
				t.Fatal(err)
			}
			if rnd.IntN(4) > 0 {
				write(t, dir, path, fmt.Sprint(n))
			}
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", "x", "--allow-empty")
			head, err := r.Head()
			if err != nil {
				t.Fatal(err)
			}
			heads = append(heads, head)
			ever := map[string]bool{}
			for id := range strings.FieldsSeq(git(t, dir, "rev-list", "HEAD")) {
				for path := range strings.FieldsSeq(git(t, dir, "ls-tree", "-r", "--name-only", id)) {
					ever[path] = true
				}
			}
			for _, path := range append(some, "never", "b/never", "b/d/never/e", "h/a", "b", "b/d") {
				fresh, err := NewKnown().MayHave(t.Context(), r, head, path)
				again, errAgain := known.MayHave(t.Context(), r, head, path) // knows other branches, too
				if err != nil || errAgain != nil {
					t.Fatal(err, errAgain)
				}
				folder := path == "a" || path == "b" || path == "b/d" // a name that was only a directory may be said to have been there
				if ever[path] && (!fresh || !again) || fresh && !again || !ever[path] && !folder && fresh {
					t.Errorf("seed %d, commit %d, %s: %v and %v, want %v", seed, n, path, fresh, again, ever[path])
				}
			}
		}
	}
}

// TestMayHaveDeepened: what was missing below a shallow clone counts as soon as it is there, for MayHave and for a walk.
func TestMayHaveDeepened(t *testing.T) {
	dir, clone := t.TempDir(), t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for n := range 6 {
		write(t, dir, "a.txt", fmt.Sprintf("%d\n", n))
		if n == 1 {
			write(t, dir, "gone.txt", "gone\n")
		} else if n == 2 {
			os.Remove(filepath.Join(dir, "gone.txt"))
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "c")
	}
	git(t, clone, "clone", "-q", "--depth", "2", "file://"+dir, ".")
	r := Open(filepath.Join(clone, ".git"), filepath.Join(clone, ".git"))
	defer r.Close()
	known, at := NewKnown(), head(t, r).ID()
	w, err := r.History(at, "a.txt", known)
	for err == nil {
		_, err = w.Next(t.Context())
	}
	if !errors.Is(err, ErrNone) || w.Deepened() {
		t.Fatal(err)
	}
	for _, step := range []struct {
		fetch string
		may   bool
	}{{"", false}, {"--depth=3", false}, {"--unshallow", true}} {
		if step.fetch != "" {
			git(t, clone, "fetch", "-q", step.fetch)
			if !w.Deepened() {
				t.Errorf("after %s the walk is whole", step.fetch)
			}
		}
		for path, want := range map[string]bool{"gone.txt": step.may, "a.txt": true, "never.txt": false} {
			if may, err := known.MayHave(t.Context(), r, at, path); may != want || err != nil {
				t.Errorf("after %q, %s: %v, %v", step.fetch, path, may, err)
			}
		}
	}
	if known.ever.size == 0 || len(known.ever.missing) != 0 {
		t.Errorf("%d, %v", known.ever.size, known.ever.missing)
	}
}

// cancelled is a context that ends after it was asked some times.
type cancelled struct {
	context.Context
	left int
}

func (c *cancelled) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMayHaveEnds: a walk that is cut off, at any commit or directory, leaves nothing behind that makes a later answer wrong, and what is
// too much is counted once.
func TestMayHaveEnds(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for n := range 6 {
		os.RemoveAll(filepath.Join(dir, "d"))
		write(t, dir, fmt.Sprintf("d/%d.txt", n), "x\n")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "c")
	}
	r := Open(filepath.Join(dir, ".git"), filepath.Join(dir, ".git"))
	defer r.Close()
	at := head(t, r).ID()
	ask := func(known *Known, path string, want bool) {
		t.Helper()
		if may, err := known.MayHave(t.Context(), r, at, path); may != want || err != nil {
			t.Errorf("%s: %v, %v", path, may, err)
		}
	}
	cut := 0
	for n := range 30 {
		known := NewKnown()
		may, err := known.MayHave(&cancelled{context.WithoutCancel(t.Context()), n}, r, at, "d/0.txt")
		if cut++; err == nil {
			cut--
			if !may {
				t.Errorf("cut off after %d, it is certain", n)
			}
		}
		ask(known, "d/0.txt", true)
		ask(known, "d/7.txt", false)
	}
	defer func(ever, commits int) { maxEver, maxCommits = ever, commits }(maxEver, maxCommits)
	for _, most := range []struct{ ever, commits int }{{3, 100}, {15, 100}, {100, 3}} {
		maxEver, maxCommits = most.ever, most.commits
		known := NewKnown()
		known.MayHave(t.Context(), r, at, "d/0.txt")
		if !known.ever.full {
			t.Errorf("%+v: the first question reads more than is kept", most)
		}
		ask(known, "d/7.txt", true)
		if e := known.ever; !e.full || e.commits != nil || e.top != nil {
			t.Errorf("%+v: %+v", most, e)
		}
		clear(known.revisions)
		ask(known, "d/0.txt", true)
		if len(known.revisions) > 0 {
			t.Errorf("%+v: it walks again", most)
		}
	}
	maxEver, maxCommits = 100, 6
	ask(NewKnown(), "d/7.txt", false)
	if cut == 0 || cut == 30 {
		t.Errorf("%d of 30 were cut off", cut)
	}
	at = ID(strings.Repeat("0", 40)) // of a checkout that is not there nothing is certain
	ask(NewKnown(), "d/7.txt", true)
}
