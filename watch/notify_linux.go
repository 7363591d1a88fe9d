package watch

import (
	"encoding/binary"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// interest is every way in which a name in a directory, or what it stands for, can change.
// IN_CLOSE_WRITE is for writers through a memory map, which cause no IN_MODIFY.
const interest = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// A notifier is one inotify instance. Its queue is read by whoever asks for the changes (drain), not
// by a goroutine: the kernel queues an event before the system call that caused it returns, so what
// drain finds is complete for every write that finished before it. A cookie file, which fsnotify's
// own reading goroutine would make necessary, costs 0.11 ms a question; this costs one read(2).
type notifier struct {
	fd  int
	buf []byte

	mu    sync.Mutex
	nodes map[int32]*node // by watch descriptor
}

// newNotifier fails when the system has no more instances for this user.
func newNotifier() (*notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &notifier{fd: fd, buf: make([]byte, 64<<10), nodes: map[int32]*node{}}, nil
}

// add watches the open directory fd for n, or finds that it is watched already. It must come before
// the directory is read: what changes between the two is then seen twice, not never.
func (w *notifier) add(n *node, fd int) error {
	wd, err := unix.InotifyAddWatch(w.fd, "/proc/self/fd/"+strconv.Itoa(fd), interest)
	if err != nil {
		n.watched = false
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.watched && n.wd != int32(wd) {
		w.forget(n)
	}
	if other := w.nodes[int32(wd)]; other != nil && other != n {
		// One directory under two names: it was moved, and the old name is about to go, or it is
		// mounted twice, and the other name is looked at every time from now on.
		other.watched = false
	}
	n.wd, n.watched = int32(wd), true
	w.nodes[n.wd] = n
	return nil
}

// drop ends the watch of n.
func (w *notifier) drop(n *node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.watched {
		w.forget(n)
		n.watched = false
	}
}

// forget ends n's watch if it is still n's; w.mu is held.
func (w *notifier) forget(n *node) {
	if w.nodes[n.wd] == n {
		delete(w.nodes, n.wd)
		// It fails when the directory is gone, and its watch with it.
		unix.InotifyRmWatch(w.fd, uint32(n.wd))
	}
}

// beside lists the watched nodes that are not among visited.
func (w *notifier) beside(visited map[*node]bool) (stale []*node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.nodes {
		if !visited[n] {
			stale = append(stale, n)
		}
	}
	return stale
}

func (w *notifier) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.nodes)
}

func (w *notifier) close() { unix.Close(w.fd) }

// drain takes all events that are queued and notes in d what they are about. d.all says that events
// were lost, or that more than single directories changed.
func (w *notifier) drain(d *dirt) {
	for {
		n, err := unix.Read(w.fd, w.buf)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN || n <= 0 {
			if err != nil && err != unix.EAGAIN {
				d.all = true
			}
			return
		}
		for b := w.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			wd := int32(binary.NativeEndian.Uint32(b))
			mask := binary.NativeEndian.Uint32(b[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			if size > len(b) {
				d.all = true
				return
			}
			w.note(d, wd, mask, b[unix.SizeofInotifyEvent:size])
			b = b[size:]
		}
	}
}

// note notes one event. name is padded with NULs.
func (w *notifier) note(d *dirt, wd int32, mask uint32, name []byte) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		d.all = true
		return
	}
	w.mu.Lock()
	n := w.nodes[wd]
	if n != nil && mask&unix.IN_IGNORED != 0 {
		delete(w.nodes, wd)
		n.watched = false
	}
	w.mu.Unlock()
	if n == nil {
		return // of a directory that is not ours any more
	}
	for i, c := range name {
		if c == 0 {
			name = name[:i]
			break
		}
	}
	directory := mask&unix.IN_ISDIR != 0
	switch {
	case mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0 || len(name) == 0:
		// The directory itself: its parent's listing tells what became of it. The root has none.
		if n.parent == nil {
			d.all = true
			return
		}
		d.directory(n)
		d.directory(n.parent)
	case directory && mask&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO) != 0:
		d.replaced(n, string(name))
	case directory:
		d.all = d.all || mask&unix.IN_ATTRIB != 0 // it may have become readable, or unreadable
	default:
		d.name(n, string(name))
	}
}
