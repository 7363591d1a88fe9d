package watch

import "golang.org/x/sys/unix"

// walkBelow opens the directory that the elements name below root, one at a time: no link is
// followed, and no path is too long. The caller keeps root.
func walkBelow(root int, names []string) (int, error) {
	at := root
	for _, name := range names {
		fd, err := openDir(at, name)
		if at != root {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = fd
	}
	return at, nil
}
