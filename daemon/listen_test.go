package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ctxd/client/wire"
)

// The test binary, run with this variable set to a socket, is a daemon without workspaces.
const serveEnv = "CTXD_TEST_SERVE"

func init() {
	path := os.Getenv(serveEnv)
	if path == "" {
		return
	}
	listen := Listen
	if len(os.Args) > 1 && os.Args[1] == "--inherit" {
		listen = Inherit
	}
	l, lock, err := listen(path)
	if err == nil {
		fmt.Println("serving")
		err = NewServer(ServerOptions{Listener: l, Path: path, Lock: lock}).Serve(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startProcess runs this test binary as a daemon at path; it has started when this returns.
func startProcess(t *testing.T, path string, args []string, files ...*os.File) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), serveEnv+"="+path)
	cmd.ExtraFiles = files
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "serving\n" {
		t.Fatalf("the daemon says %q, %v", line, err)
	}
	return cmd
}

func pidAt(t *testing.T, path string) int {
	t.Helper()
	r := &running{t: t, path: path}
	var hello wire.HelloResult
	if err := r.dial().call(wire.MethodHello, "{}", &hello); err != nil {
		t.Fatal(err)
	}
	return hello.PID
}

// D1: kill -9 leaves a socket and a lock file, and neither is in the way. What stands in the lock
// file does not matter.
func TestKilledDaemonLeavesNothingInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctxd.sock")
	for round := range 5 {
		cmd := startProcess(t, path, nil)
		if pid := pidAt(t, path); pid != cmd.Process.Pid {
			t.Fatalf("process %d answers, want %d", pid, cmd.Process.Pid)
		}
		var locked *LockedError
		if _, _, err := Listen(path); !errors.As(err, &locked) {
			t.Fatalf("while it lives: %v, want a *LockedError", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if _, err := os.Lstat(path); err != nil {
			t.Fatalf("no stale socket to test with: %v", err)
		}
		text := []string{strconv.Itoa(os.Getpid()), "1", "", "999999999", "\x00"}[round]
		if err := os.WriteFile(wire.LockPath(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, lock, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	lock.Close()
}

// The client hands socket and lock to the daemon and goes away: there is no moment without a
// holder of the lock, and a connection made before the daemon ran is served.
func TestInherit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctxd.sock")
	l, lock, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	early := (&running{t: t, path: path}).dial()
	early.send(wire.MethodEcho, "[1]")
	cmd := startProcess(t, path, []string{"--inherit"}, socket, lock)
	l.Close()
	socket.Close()
	lock.Close()
	if err := early.answer(nil); err != nil {
		t.Error(err)
	}
	var locked *LockedError
	if _, _, err := Listen(path); !errors.As(err, &locked) {
		t.Errorf("the lock did not pass on: %v", err)
	}
	var result wire.StopResult
	if err := early.call(wire.MethodStop, "{}", &result); err != nil || !result.Stopping {
		t.Errorf("stop: %+v, %v", result, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the daemon: %v", err)
	}
	if l, lock, err = Listen(path); err != nil {
		t.Fatal(err)
	}
	l.Close()
	lock.Close()
}

// --inherit without what ctx passes is refused with a reason.
func TestInheritRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctxd.sock")
	l, lock, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	defer lock.Close()
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	free, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	again, err := os.Open(wire.LockPath(path)) // another open file of the lock: it is not ours
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for _, test := range []struct {
		name, want string
		files      []*os.File
	}{
		{"nothing", "descriptor 4 is not " + wire.LockPath(path), nil},
		{"a file as lock", "descriptor 4 is not " + wire.LockPath(path), []*os.File{socket, free}},
		{"a file as socket", "descriptor 3 is no listening socket", []*os.File{free, lock}},
		{"somebody else's lock", "another ctxd holds it", []*os.File{socket, again}},
	} {
		cmd := exec.Command(os.Args[0], "--inherit")
		cmd.Env = append(os.Environ(), serveEnv+"="+path)
		cmd.ExtraFiles = test.files
		out, err := cmd.Output()
		if err == nil || !strings.Contains(string(out), test.want) {
			t.Errorf("%s: %q, %v; want %q", test.name, out, err, test.want)
		}
	}
}

// Of many that start at once exactly one gets the socket.
// CASES D7.
func TestListenIsRaceFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "ctxd.sock")
	var won atomic.Int32
	var all sync.WaitGroup
	held := make(chan func(), 50)
	for range 50 {
		all.Go(func() {
			l, lock, err := Listen(path)
			if err == nil {
				won.Add(1)
				held <- func() { l.Close(); lock.Close() }
				return
			}
			var locked *LockedError
			if !errors.As(err, &locked) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 50 hold the socket", won.Load())
	}
	nc, err := net.Dial("unix", path)
	if err != nil {
		t.Error(err)
	} else {
		nc.Close()
	}
	(<-held)()
}

// S3: whatever the umask is, the socket is the user's alone from its first moment.
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o777} {
		path := filepath.Join(t.TempDir(), "run", "ctxd.sock")
		if umask == 0o777 { // a directory made under it could not be entered
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		old := syscall.Umask(umask)
		l, lock, err := Listen(path)
		syscall.Umask(old)
		if err != nil {
			t.Fatalf("umask %03o: %v", umask, err)
		}
		for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Lstat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s: %v, %v; want %v", umask, name, info.Mode(), err, want)
			}
		}
		l.Close()
		lock.Close()
	}
}

// D6, D9: a start that fails says why, and holds nothing afterwards.
func TestListenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file.sock")
	write(t, file, "x")
	served := filepath.Join(dir, "served.sock")
	other, err := net.Listen("unix", served)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	long := "/tmp/" + strings.Repeat("x", 103)
	for _, test := range []struct{ path, want string }{
		{long, "the path has 108 bytes, the limit is 107"},
		{file, "something that is not a socket is there"},
		{served, "a socket that another process serves is there"},
		{filepath.Join(file, "x.sock"), "not a directory"},
		{"/proc/ctxd.sock", "/proc/ctxd.lock"},
	} {
		for range 2 { // the second time shows that the lock was let go
			_, _, err := Listen(test.path)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), filepath.Dir(test.path)) {
				t.Errorf("Listen(%s): %v; want %q", test.path, err, test.want)
			}
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "x" {
		t.Errorf("the file in the way: %q, %v", got, err)
	}
	fits := filepath.Join("/tmp", "c"+strconv.Itoa(os.Getpid()))
	defer os.RemoveAll(fits)
	fits = filepath.Join(fits, strings.Repeat("x", 106-len(fits)))
	l, lock, err := Listen(fits)
	if err != nil {
		t.Fatalf("107 bytes: %v", err)
	}
	l.Close()
	lock.Close()
}

// File systems give the inode number of a removed file to the next one: the number alone does not
// make a socket ours.
func TestSocketWithOurInode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctxd.sock")
	l, lock, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	defer l.Close()
	s := statSocket(path)
	if !s.there() {
		t.Fatal("our own socket is not known")
	}
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if s.there() {
		t.Error("a later socket with the same inode number is taken for ours")
	}
	s.remove()
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("it was removed: %v", err)
	}
}
