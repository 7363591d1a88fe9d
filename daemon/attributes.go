//go:build linux || darwin

package daemon

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// keepAttributes gives a new file the extended attributes of the old one: without its access list others might read or write it,
// or no longer.
func keepAttributes(f, old *os.File) error {
	from, to := int(old.Fd()), int(f.Fd())
	names, err := attribute(func(b []byte) (int, error) { return unix.Flistxattr(from, b) })
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	} else if err != nil {
		return err
	}
	for name := range bytes.SplitSeq(names, []byte{0}) {
		if len(name) == 0 {
			continue
		}
		value, err := attribute(func(b []byte) (int, error) { return unix.Fgetxattr(from, string(name), b) })
		if err != nil {
			return err
		}
		is, err := attribute(func(b []byte) (int, error) { return unix.Fgetxattr(to, string(name), b) })
		if err == nil && bytes.Equal(is, value) { // such as a label that the directory gives, which might not be set
			continue
		}
		if err := unix.Fsetxattr(to, string(name), value, 0); err != nil {
			return err
		}
	}
	return nil
}

// attribute reads what get gives into a slice that is large enough.
func attribute(get func([]byte) (int, error)) ([]byte, error) {
	n, err := get(nil)
	if err != nil || n == 0 {
		return nil, err
	}
	b := make([]byte, n)
	n, err = get(b)
	return b[:max(n, 0)], err
}
