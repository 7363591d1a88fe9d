//go:build unix && !linux

package watch

import "golang.org/x/sys/unix"

// readNames reads all names of a directory into raw, each with a NUL behind it, "." and ".."
// left out. Types are asked for one by one: record layouts differ too much between systems.
func readNames(fd int, raw []byte, names []dirent) ([]byte, []dirent, error) {
	raw, names = raw[:0], names[:0]
	buf := make([]byte, 32768)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return raw, names, err
		}
		_, _, found := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range found {
			names = append(names, dirent{at: int32(len(raw)), size: int32(len(name)), kind: unix.DT_UNKNOWN})
			raw = append(append(raw, name...), 0)
		}
	}
}
