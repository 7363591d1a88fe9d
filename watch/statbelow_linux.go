package watch

import "golang.org/x/sys/unix"

// OpenBelow opens what path leads to for reading, in one system call and with the same confinement as
// StatBelow: a pipe is not waited for. The caller closes the descriptor. Any error means: ask os.Root.
func OpenBelow(root int, path string) (fd int, err error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH}
	return unix.Openat2(root, path, &how)
}

// StatBelow is the Stat of what path, relative to the directory root, leads to, in three system calls:
// links are followed by the kernel, and only below root. os.Root.Stat opens each directory on the way,
// which took half of a look at 250 files. Any error, a kernel before 5.6 included, means: ask os.Root.
func StatBelow(root int, path string) (Stat, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH}
	fd, err := unix.Openat2(root, path, &how)
	if err != nil {
		return Stat{}, err
	}
	defer unix.Close(fd)
	return StatDescriptor(fd)
}

// StraightDir says whether the absolute path leads to a directory with no symbolic link on the way, in two system calls. False
// is also for what cannot be found out so, a kernel before 5.6 included: ask filepath.EvalSymlinks.
func StraightDir(path string) bool {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}
