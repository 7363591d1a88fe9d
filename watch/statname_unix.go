//go:build unix && !(linux && (amd64 || arm64 || riscv64))

package watch

import "golang.org/x/sys/unix"

// statName is fstatat without following links; name is NUL-terminated.
func statName(fd int, name *byte, st *unix.Stat_t) error {
	for {
		err := unix.Fstatat(fd, unix.BytePtrToString(name), st, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.EINTR {
			return err
		}
	}
}
