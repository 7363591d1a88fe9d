package captures

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary runs itself as a child that does one of these, named by childEnv.
const childEnv = "CAPTURES_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "mint":
		childMints(os.Args[1], os.Args[2])
	case "full":
		childFillsDisk(os.Args[1])
	default:
		os.Exit(m.Run())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childMints puts and mints until it is killed, and prints each span once it was minted.
func childMints(dir, name string) {
	s, err := Open(dir, Options{})
	fail(err)
	for i := 0; ; i++ {
		id, err := s.Put(fmt.Appendf(nil, "%s %d", name, i/3))
		fail(err)
		r := rec(id, name, i, i+1)
		fail(s.Mint([]Record{r, rec(id, name+" too", i, i+1)}))
		fmt.Println(r.Span(), id, i)
	}
}

// Every span that was printed resolves after kill -9, whenever that came. Two children mint at a
// time while the parent collects beside them.
func TestKill9(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	parent := open(t, dir, Options{})
	random := rand.New(rand.NewPCG(9, 9))
	var printed []string
	start := func(name string) (*exec.Cmd, *bufio.Scanner) {
		cmd := exec.Command(exe, dir, name)
		cmd.Env = append(os.Environ(), childEnv+"=mint")
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, bufio.NewScanner(out)
	}
	for round := range 15 {
		a, outA := start(fmt.Sprint("a", round))
		b, outB := start(fmt.Sprint("b", round))
		for range 1 + random.IntN(40) {
			for _, out := range []*bufio.Scanner{outA, outB} {
				if !out.Scan() {
					t.Fatal("a child ended by itself")
				}
				printed = append(printed, out.Text())
			}
		}
		if _, err := parent.GC(-1); err != nil {
			t.Error(err)
		}
		for _, cmd := range []*exec.Cmd{a, b} {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for _, out := range []*bufio.Scanner{outA, outB} { // what it printed before it died counts
			for out.Scan() {
				printed = append(printed, out.Text())
			}
		}
		for _, cmd := range []*exec.Cmd{a, b} {
			if err := cmd.Wait(); err == nil {
				t.Fatal("a child ended by itself")
			}
		}
	}
	for _, s := range []*Store{parent, open(t, dir, Options{})} {
		for _, line := range printed {
			fields := strings.Fields(line)
			if len(fields) < 3 {
				continue // the line that it died over
			}
			recs, err := s.Span(fields[0])
			if err != nil || len(recs) != 2 || recs[0].Blob.String() != fields[1] || fmt.Sprint(recs[0].First) != fields[2] {
				t.Fatalf("%s: %+v, %v", line, recs, err)
			}
			if _, err := s.Read(recs[0].Blob); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	t.Logf("%d spans, 30 kills", len(printed))
}

// childFillsDisk mints under a limit of the size of files until the log cannot grow, which stands
// for a full disk: both cut a write short and then refuse it.
func childFillsDisk(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir, Options{})
	fail(err)
	id, err := s.Put([]byte("small"))
	fail(err)
	fail(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 2000, Max: unix.RLIM_INFINITY}))
	for i := range 100 {
		r := rec(id, "m", i, i)
		err := s.Mint([]Record{r})
		if err == nil {
			fmt.Println("minted", r.Span())
			continue
		}
		fmt.Println("refused", r.Span())
		var write *WriteError
		if !errors.As(err, &write) || !errors.Is(err, syscall.EFBIG) {
			fail(fmt.Errorf("not a typed error: %w", err))
		}
	}
	big := make([]byte, 5000)
	rand.NewChaCha8([32]byte{2}).Read(big)
	var write *WriteError
	if _, err := s.Put(big); !errors.As(err, &write) {
		fail(fmt.Errorf("put: %v", err))
	}
	// The store goes on, and takes up again once there is room.
	if _, err := s.Read(id); err != nil {
		fail(err)
	}
	fail(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}))
	r := rec(id, "after", 500, 500)
	fail(s.Mint([]Record{r}))
	fmt.Println("minted", r.Span())
	_, err = s.Put(big)
	fail(err)
}

func TestDiskFull(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), childEnv+"=full")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	refused := 0
	for line := range strings.Lines(string(out)) {
		what, span, _ := strings.Cut(strings.TrimSpace(line), " ")
		recs, err := s.Span(span)
		if what == "minted" && (err != nil || len(recs) != 1) {
			t.Errorf("%s: %+v, %v", span, recs, err)
		}
		if what == "refused" {
			refused++
			wantUnknown(t, err, kindSpan)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	if d := s.Stats().Damaged; len(d) != 0 {
		t.Errorf("damage is left behind: %q", d)
	}
	strays, err := os.ReadDir(filepath.Join(dir, tmpDir))
	if err != nil || len(strays) != 0 {
		t.Errorf("left in tmp: %v, %v", strays, err)
	}
}

// A store that cannot be written is read, and says what is wrong. Permissions do not bind root,
// so the place of the directories is taken by files.
func TestCannotWrite(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	r := rec(put(t, s, seedFile), "m.py", 4, 5)
	mint(t, s, r)
	if err := os.Remove(s.path(tmpDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(tmpDir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var write *WriteError
	if _, err := s.Put([]byte("new")); !errors.As(err, &write) {
		t.Errorf("put: %v", err)
	}
	put(t, s, seedFile)
	mint(t, s, r)
	wantSpan(t, s, r, seedFile)
	if _, err := Open(filepath.Join(s.path(logName), "x"), Options{}); !errors.As(err, &write) {
		t.Errorf("open inside a file: %v", err)
	}
	// A log that was opened without the permission to write.
	v := s.view.Load()
	v.writable = false
	mint(t, s, r)
	other := r
	other.Path = "other"
	if err := s.Mint([]Record{other}); !errors.As(err, &write) {
		t.Errorf("mint: %v", err)
	}
	if known(s, other) {
		t.Error("a record that was refused is known")
	}
}

// The log is not a regular file: a clear error at once, and no hang.
func TestStrangeLog(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"fifo":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"device":    func(path string) error { return os.Symlink(os.DevNull, path) },
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, logName)); err != nil {
			t.Fatal(err)
		}
		var write *WriteError
		if s, err := Open(dir, Options{}); !errors.As(err, &write) || !strings.Contains(err.Error(), logName) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// Another process that holds a lock for good makes an error and not a hang; a dead one none.
func TestLocked(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	r := rec(put(t, s, "x"), "m", 1, 1)
	f, err := os.OpenFile(s.path(logName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.patience = 20 * lockPoll
	if err := lockFile(f, 0); err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if err := s.Mint([]Record{r}); !errors.As(err, &locked) || !strings.Contains(err.Error(), logName) {
		t.Errorf("mint: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	mint(t, s, r)
	wantSpan(t, s, r, "x")
	if _, err := os.Stat(s.path(lockName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gc.lock: %v", err)
	}
}
