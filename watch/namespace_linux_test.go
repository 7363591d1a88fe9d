package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// inNamespace runs the rest of the calling test in a process of its own that is root of a user and a mount
// namespace, and so may mount and lower limits. false: that process has run, or there can be none.
func inNamespace(t *testing.T) bool {
	t.Helper()
	const mark = "CTX_TEST_NAMESPACE"
	if os.Getenv(mark) == t.Name() {
		must(t, unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if len(out) == 0 && err != nil {
		t.Skipf("no namespace here (%v); the same with made-up devices and limits: TestRemote, TestMaxWatches", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// TestMounts: what is mounted over a watched directory, and what is unmounted, is seen, though no event
// tells; a local file system keeps its events.
func TestMounts(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	c, root, other := clean{t.TempDir()}, filepath.Join(t.TempDir(), `a b\`), t.TempDir()
	write(t, root, map[string]string{"a/f": "", "a/deep/f": "", "b/f": "", "file": ""})
	write(t, other, map[string]string{"g": "", "deep/g": "", "file": ""})
	tree := c.tree(t, root)
	sweep(t, tree)
	over := filepath.Join(root, "a")

	must(t, unix.Mount("none", over, "tmpfs", 0, ""))
	if l := full(t, tree, CauseMounts); len(l.Entries) != 2 || l.Watched != 3 || l.Unwatched != 0 {
		t.Errorf("a tmpfs: %+v", l)
	}
	equalsNew(t, c, tree)
	write(t, root, map[string]string{"a/new": "1"})
	if l := followed(t, tree); len(l.Changed) != 1 || l.Changed[0].Path != "a/new" || l.Dirs != 1 {
		t.Errorf("events in a tmpfs: %+v", l)
	}
	must(t, unix.Mount(other, filepath.Join(root, "b"), "", unix.MS_BIND, ""))
	full(t, tree, CauseMounts)
	write(t, other, map[string]string{"deep/g": "through the other name"})
	if l := followed(t, tree); len(l.Changed) != 1 || l.Changed[0].Path != "b/deep/g" || l.Dirs != 1 {
		t.Errorf("events in a bind mount: %+v", l)
	}
	equalsNew(t, c, tree)

	// One directory under two names has one watch: whichever name has it not is looked at.
	must(t, os.Mkdir(filepath.Join(root, "again"), 0o755))
	followed(t, tree)
	must(t, unix.Mount(other, filepath.Join(root, "again"), "", unix.MS_BIND, ""))
	if l := full(t, tree, CauseMounts); l.Unwatched == 0 {
		t.Errorf("mounted twice: %+v", l)
	}
	for i := range 5 {
		followed(t, tree) // the names take turns
		write(t, other, map[string]string{"g": fmt.Sprint(i), "deep/g": fmt.Sprint(i), fmt.Sprint("deep/new", i): ""})
		equalsNew(t, c, tree)
	}
	must(t, unix.Unmount(filepath.Join(root, "again"), 0))
	equalsNew(t, c, tree)

	// A mounted file changes where it comes from.
	must(t, unix.Mount(filepath.Join(other, "file"), filepath.Join(root, "file"), "", unix.MS_BIND, ""))
	if l := full(t, tree, CauseMounts); l.Unwatched != 1 || l.Blind[0].Kind != Shared || l.Blind[0].Path != "." {
		t.Errorf("a mounted file: %+v", l)
	}
	write(t, other, map[string]string{"file": "new"})
	if l := equalsNew(t, c, tree); l.Full {
		t.Errorf("a mounted file: full because of %q", l.Cause)
	}
	must(t, unix.Unmount(filepath.Join(root, "file"), unix.MNT_DETACH))
	must(t, unix.Unmount(over, unix.MNT_DETACH)) // lazily: the file system itself tells nothing
	if l := full(t, tree, CauseMounts); len(l.Entries) != 11 || l.Unwatched != 0 {
		t.Errorf("unmounted: %q", paths(l))
	}
	elsewhere := t.TempDir()
	must(t, unix.Mount("none", elsewhere, "tmpfs", 0, ""))
	followed(t, tree) // elsewhere: nothing to do with this tree

	must(t, unix.Mount("none", root, "tmpfs", 0, ""))
	if l := full(t, tree, CauseRoot); len(l.Entries) != 0 {
		t.Errorf("the root: %q", paths(l))
	}
	for _, dir := range []string{root, filepath.Join(root, "b"), elsewhere} { // or they cannot be removed
		must(t, unix.Unmount(dir, 0))
	}
}

// TestKernelLimit: the kernel refuses, by the user's limits of watches and of instances (CASES F16).
func TestKernelLimit(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	limit := func(name string, n int) {
		must(t, os.WriteFile("/proc/sys/user/max_inotify_"+name, []byte(fmt.Sprint(n)), 0o644))
	}
	c, root := clean{t.TempDir()}, t.TempDir()
	for i := range 200 {
		write(t, root, map[string]string{fmt.Sprintf("d%d/f", i): ""})
	}
	limit("instances", 0)
	tree := c.tree(t, root)
	for _, cause := range []Cause{CauseFirst, CauseNoEvents} {
		l := full(t, tree, cause)
		if len(l.Blind) != 1 || l.Blind[0].Kind != NoInstance || l.Blind[0].Dirs != 201 || !strings.Contains(l.Blind[0].Reason, "fs.inotify.max_user_instances is ") {
			t.Errorf("no instance: %+v", l.Blind)
		}
	}
	limit("instances", 5)
	limit("watches", 50)
	l := full(t, tree, CauseNoEvents)
	if l.Watched != 50 || l.Unwatched != 151 || l.Blind[0].Kind != KernelLimit || !strings.Contains(l.Blind[0].Reason, "fs.inotify.max_user_watches is ") {
		t.Fatalf("%+v", l)
	}
	for i := range 200 {
		write(t, root, map[string]string{fmt.Sprintf("d%d/f", i): "new"})
		if l := followed(t, tree); len(l.Changed) != 1 {
			t.Fatalf("write %d: %+v", i, l)
		}
	}
	// Some are freed by the tree itself, then more by others.
	for i := range 100 {
		must(t, os.RemoveAll(filepath.Join(root, fmt.Sprint("d", i))))
	}
	followed(t, tree)
	if l := followed(t, tree); l.Watched != 50 || l.Unwatched != 51 {
		t.Errorf("half removed: %d watched, %d not", l.Watched, l.Unwatched)
	}
	limit("watches", 1000)
	if l := followed(t, tree); l.Watched != 101 || l.Unwatched != 0 || l.Blind != nil {
		t.Errorf("limit raised: %d watched, %d not", l.Watched, l.Unwatched)
	}
	equalsNew(t, c, tree)
}
