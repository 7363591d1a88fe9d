package daemon

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a directory in one step; errors.ErrUnsupported where the file system cannot.
func exchange(dir *os.File, a, b string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, a, fd, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		err = errors.ErrUnsupported
	}
	return err
}
