package wire

import (
	"strings"
	"syscall"
	"testing"
)

func TestLockPath(t *testing.T) {
	for socket, want := range map[string]string{"/r/ctxd.sock": "/r/ctxd.lock", "/r/x": "/r/x.lock"} {
		if got := LockPath(socket); got != want {
			t.Errorf("LockPath(%q) = %q", socket, got)
		}
	}
}

// The limit is the system's: a path of that length can be bound, one that is longer cannot.
func TestMaxSocketPath(t *testing.T) {
	for _, n := range []int{MaxSocketPath, MaxSocketPath + 1} {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		// Nothing has to be there: a name that is too long is refused before it is looked up.
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: "/" + strings.Repeat("x", n-1)})
		syscall.Close(fd)
		if fits := err == syscall.ENOENT; fits != (n == MaxSocketPath) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
