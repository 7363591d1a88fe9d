package watch

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mounts tells when something was mounted or unmounted below a root. inotify does not: a watch stays
// with the directory that a mount hides. The kernel marks /proc/self/mountinfo for poll(2) whenever
// the table changed, so that a question costs one system call (0.5 µs), and the table is read when it did.
type mounts struct {
	fd    int // -1: there is no table
	below string
	list  []string // the lines of the mounts below
}

func openMounts(root string) *mounts {
	m := &mounts{below: strings.TrimSuffix(root, "/") + "/"}
	var err error
	if m.fd, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		m.fd = -1
		return m
	}
	m.changed()
	m.read()
	return m
}

// changed tells whether the mounts below are others than the last time.
func (m *mounts) changed() bool {
	poll := []unix.PollFd{{Fd: int32(m.fd), Events: unix.POLLPRI}}
	if n, err := unix.Poll(poll, 0); n == 0 && err == nil {
		return false
	}
	return m.read() // after the poll: what is mounted from here on is told by the next one
}

// read reads the table and tells whether the mounts below are others than before. A table that
// cannot be read counts as changed.
func (m *mounts) read() bool {
	var text []byte
	for buf := make([]byte, 16<<10); ; {
		n, err := unix.Pread(m.fd, buf, int64(len(text)))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			m.list = nil
			return true
		}
		if n == 0 {
			break
		}
		text = append(text, buf[:n]...)
	}
	var list []string
	for line := range bytes.Lines(text) {
		// ID, parent, device, root in the file system, mount point, …: proc_pid_mountinfo(5).
		if fields := bytes.Fields(line); len(fields) > 4 && strings.HasPrefix(unescape(string(fields[4])), m.below) {
			list = append(list, string(line))
		}
	}
	same := slices.Equal(list, m.list)
	m.list = list
	return !same
}

// unescape undoes the octal escapes of spaces and the like in a mount point.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// any tells whether there are mounts below.
func (m *mounts) any() bool { return len(m.list) > 0 }

func (m *mounts) close() {
	if m.fd >= 0 {
		unix.Close(m.fd)
	}
}
