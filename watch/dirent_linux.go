package watch

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

const direntHeader = 19 // d_ino 8, d_off 8, d_reclen 2, d_type 1

// readNames reads all of a directory's records into raw and finds the names in it, "." and ".."
// left out. Both slices are reused; a name may appear twice, or not, when the directory changes
// meanwhile.
func readNames(fd int, raw []byte, names []dirent) ([]byte, []dirent, error) {
	raw, names = raw[:0], names[:0]
	for {
		if cap(raw)-len(raw) < 4096 {
			grown := make([]byte, len(raw), 2*cap(raw)+32768)
			copy(grown, raw)
			raw = grown
		}
		n, err := unix.Getdents(fd, raw[len(raw):cap(raw)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return raw, names, err
		}
		if n <= 0 {
			return raw, names, nil
		}
		end := len(raw) + n
		for at := len(raw); at+direntHeader < end; {
			record := int(binary.NativeEndian.Uint16(raw[at+16 : end]))
			if record <= direntHeader || at+record > end {
				break
			}
			name := raw[at+direntHeader : at+record : end]
			if size := bytes.IndexByte(name, 0); size > 0 && !dots(name[:size]) {
				names = append(names, dirent{
					ino: binary.NativeEndian.Uint64(raw[at:end]), at: int32(at + direntHeader), size: int32(size), kind: raw[:end][at+18],
				})
			}
			at += record
		}
		raw = raw[:end]
	}
}
