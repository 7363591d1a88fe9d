package watch

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStatBelow: the same as os.Root, for what is below the root; an error for what is not.
func TestStatBelow(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a/b/f": "12", "a/l": "-> b/f", "out": "-> ../..", "abs": "-> /etc/hosts", "loop": "-> loop"})
	dir, err := os.Open(root)
	must(t, err)
	defer dir.Close()
	for _, path := range []string{"a/b/f", "a/l", "a", "a/../a/b/f"} {
		info, err := os.Stat(filepath.Join(root, path))
		must(t, err)
		got, err := StatBelow(int(dir.Fd()), path)
		if err != nil || got != StatInfo(info) {
			t.Errorf("%s: %+v, %v; want %+v", path, got, err, StatInfo(info))
		}
		fd, err := OpenBelow(int(dir.Fd()), path)
		must(t, err)
		if got, err := StatDescriptor(fd); err != nil || got != StatInfo(info) || got.Regular() != info.Mode().IsRegular() {
			t.Errorf("%s, opened: %+v, %v; want %+v", path, got, err, StatInfo(info))
		}
		unix.Close(fd)
	}
	for _, path := range []string{"out", "abs", "loop", "..", "/etc/hosts", "absent", "a/../../x"} {
		if got, err := StatBelow(int(dir.Fd()), path); err == nil {
			t.Errorf("%s: %+v", path, got)
		}
		if fd, err := OpenBelow(int(dir.Fd()), path); err == nil {
			t.Errorf("%s is opened", path)
			unix.Close(fd)
		}
	}
}
