package watch

import "os"

// Stat is what tells one state of a file from another without reading it: two equal Stats of
// one path mean unchanged content, unless a file was rewritten in place to the same size within
// one tick of the file system's clock. Times are nanoseconds since 1970; Size is in bytes; Mode
// is the raw st_mode, type bits included.
type Stat struct {
	Dev, Ino     uint64
	Size         int64
	Mtime, Ctime int64
	Mode         uint32
}

// StatFile is the Stat of an open file. The error is fstat's.
func StatFile(f *os.File) (Stat, error) {
	// Not unix.Fstat(f.Fd()): Fd would switch the descriptor to blocking mode.
	info, err := f.Stat()
	if err != nil {
		return Stat{}, err
	}
	return StatInfo(info), nil
}
