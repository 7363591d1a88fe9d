//go:build linux && (amd64 || arm64 || riscv64)

package watch

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// statName is fstatat without following links; name is NUL-terminated. x/sys's own takes a
// string and copies it for the NUL: 11,000 allocations in a sweep of 11,000 files.
func statName(fd int, name *byte, st *unix.Stat_t) error {
	for {
		_, _, e := unix.Syscall6(sysFstatat, uintptr(fd), uintptr(unsafe.Pointer(name)),
			uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
		switch e {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return e
		}
	}
}
