package commits

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in dir under nobody's configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func write(t *testing.T, dir, path, text string) {
	t.Helper()
	file := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func head(t *testing.T, r *Repository) *Commit {
	t.Helper()
	id, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// compare reads every committed file and compares it with what git says.
func compare(t *testing.T, dir string, r *Repository) {
	t.Helper()
	c := head(t, r)
	n := 0
	for row := range strings.SplitSeq(strings.TrimSuffix(git(t, dir, "ls-tree", "-r", "-z", "HEAD"), "\x00"), "\x00") {
		meta, path, _ := strings.Cut(row, "\t")
		fields := strings.Fields(meta)
		id, err := c.File(path)
		if !strings.HasPrefix(fields[0], "100") {
			if !errors.Is(err, ErrNone) {
				t.Errorf("%s with mode %s: %v, want none", path, fields[0], err)
			}
			continue
		}
		if err != nil || string(id) != fields[2] {
			t.Fatalf("%s: %s, %v, want %s", path, id, err, fields[2])
		}
		body, err := c.Read(id)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if want := git(t, dir, "cat-file", "blob", fields[2]); string(body) != want {
			t.Fatalf("%s: %d bytes, want %d", path, len(body), len(want))
		}
		if Blob(body, id) != id {
			t.Errorf("%s: Blob is %s, want %s", path, Blob(body, id), id)
		}
		n++
	}
	if n == 0 {
		t.Error("nothing was compared")
	}
}

func TestAgainstGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "init", "-q", "-b", "main", "--object-format="+format)
			g := filepath.Join(dir, ".git")
			if _, err := Open(g, g).Head(); !errors.Is(err, ErrNone) {
				t.Fatalf("before the first commit: %v", err)
			}
			rnd := rand.New(rand.NewPCG(1, 2))
			var text strings.Builder
			for i := range 3000 {
				fmt.Fprintf(&text, "line %d %d\n", i, rnd.IntN(1000))
			}
			os.Symlink("a.txt", filepath.Join(dir, "link"))
			for round := range 12 { // many versions of one file make a chain of deltas
				write(t, dir, "a.txt", text.String())
				write(t, dir, fmt.Sprintf("deep/er/%d.txt", round), strings.Repeat("x", round))
				write(t, dir, "deep/sp ace\n.txt", fmt.Sprint(round))
				fmt.Fprintf(&text, "one more %d\n", round)
				git(t, dir, "add", "-A")
				git(t, dir, "commit", "-qm", "x")
			}
			compare(t, dir, Open(g, g))
			git(t, dir, "gc", "-q", "--aggressive")
			git(t, dir, "pack-refs", "--all")
			r := Open(g, g)
			defer r.Close()
			compare(t, dir, r)
			write(t, dir, "a.txt", text.String()+"end\n")
			git(t, dir, "commit", "-qam", "y")
			git(t, dir, "repack", "-q") // a second pack, while the first is open
			compare(t, dir, r)
			git(t, dir, "checkout", "-q", "--detach", "HEAD~3")
			compare(t, dir, r)
			linked := filepath.Join(t.TempDir(), "w")
			git(t, dir, "worktree", "add", "-q", "-b", "other", linked, "HEAD~2")
			compare(t, linked, Open(filepath.Join(g, "worktrees", "w"), g))
		})
	}
}

func TestAlternates(t *testing.T) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	git(t, dir, "init", "-q")
	write(t, dir, "a", "text")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "x")
	git(t, dir, "clone", "-q", "--shared", dir, copied)
	g := filepath.Join(copied, ".git")
	compare(t, copied, Open(g, g))
}

// Whatever is damaged is an error: no panic, no endless loop, no other bytes.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir, "a", strings.Repeat("some text\n", 500))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "x")
	write(t, dir, "a", strings.Repeat("some text\n", 500)+"end")
	git(t, dir, "commit", "-qam", "y")
	git(t, dir, "gc", "-q")
	g := filepath.Join(dir, ".git")
	good := Open(g, g)
	c := head(t, good)
	id, err := c.File("a")
	if err != nil {
		t.Fatal(err)
	}
	body, err := c.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	good.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, pattern := range []string{"*.pack", "*.idx"} {
		files, _ := filepath.Glob(filepath.Join(g, "objects", "pack", pattern))
		if len(files) != 1 {
			t.Fatal(files)
		}
		sound, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(files[0], 0o644)
		for range 400 {
			bad := bytes.Clone(sound)
			for range 1 + rnd.IntN(4) {
				bad[rnd.IntN(len(bad))] ^= byte(1 + rnd.IntN(255))
			}
			if rnd.IntN(4) == 0 {
				bad = bad[:rnd.IntN(len(bad))]
			}
			if err := os.WriteFile(files[0], bad, 0o644); err != nil {
				t.Fatal(err)
			}
			r := Open(g, g)
			if head, err := r.Head(); err == nil {
				if c, err := r.Commit(head); err == nil {
					if id, err := c.File("a"); err == nil {
						if got, err := c.Read(id); err == nil && !bytes.Equal(got, body) {
							t.Fatal("other bytes under the same name")
						}
					}
				}
			}
			r.Close()
		}
		if err := os.WriteFile(files[0], sound, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("base text"), []byte("\x09\x04\x90\x04"))
	f.Add([]byte("base"), []byte("\x04\x03\x03abc"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := apply(base, delta)
		if err == nil && len(out) > maxObject {
			t.Errorf("%d bytes", len(out))
		}
	})
}

// TestUnsearched: what may stand in a pack that cannot be read is not said to be missing, and is found as soon as it can be. A pack that git
// has removed is given up.
func TestUnsearched(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for n := range 3 {
		write(t, dir, "a.txt", fmt.Sprint(n))
		if n == 1 {
			write(t, dir, "gone.txt", "x")
		} else if n == 2 {
			os.Remove(filepath.Join(dir, "gone.txt"))
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
		git(t, dir, "repack", "-q")
	}
	g := filepath.Join(dir, ".git")
	git(t, dir, "prune-packed")
	r := Open(g, g)
	defer r.Close()
	at := head(t, r).ID()
	parent := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD^"))
	hidden, known := "", NewKnown()
	for p := range maps.Values(r.packs) {
		name, err := hex.DecodeString(parent)
		if err != nil {
			t.Fatal(err)
		}
		if _, found, err := p.find(name); found && err == nil {
			hidden = p.index.Name()
		}
	}
	r = Open(g, g)
	defer r.Close()
	aside := filepath.Join(dir, "aside")
	for _, err := range []error{os.Rename(hidden, aside), os.Symlink(filepath.Base(hidden), hidden)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Commit(ID(parent)); err == nil || errors.Is(err, errMissing) {
		t.Errorf("in a pack that cannot be read: %v", err)
	}
	if may, err := known.MayHave(t.Context(), r, at, "gone.txt"); !may || err != nil || known.Shallow() {
		t.Errorf("%v, %v", may, err)
	}
	if err := os.Rename(aside, hidden); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Commit(ID(parent)); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]bool{"gone.txt": true, "never.txt": false} {
		if may, err := known.MayHave(t.Context(), r, at, path); may != want || err != nil {
			t.Errorf("%s: %v, %v", path, may, err)
		}
	}
	git(t, dir, "gc", "-q")
	if _, err := r.Commit(ID(parent)); err != nil || len(r.packs) != 1 {
		t.Errorf("%v; %d packs are held, want the one that is there", err, len(r.packs))
	}
}
