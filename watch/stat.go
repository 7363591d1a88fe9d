package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

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

// StatDescriptor is the Stat of an open descriptor. The error is fstat's.
func StatDescriptor(fd int) (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Stat{}, os.NewSyscallError("fstat", err)
	}
	return statOf(&st), nil
}

// Regular says whether it is a regular file's.
func (s Stat) Regular() bool { return s.Mode&unix.S_IFMT == unix.S_IFREG }
