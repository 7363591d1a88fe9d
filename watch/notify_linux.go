package watch

import (
	"context"
	"encoding/binary"
	"fmt"
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
	fd     int
	wake   int // an eventfd that ends a wait
	max    int // watches at most; 0: as many as the kernel gives
	mounts *mounts
	buf    []byte

	mu     sync.Mutex
	nodes  map[int32]*node // by watch descriptor
	adding int             // watches that are being asked for
	full   bool            // the kernel has none left: not asked again by this listing
}

// newNotifier makes one for the tree at root. With NoInstance the system has no more for this user.
func newNotifier(root string, limit int) (*notifier, BlindKind) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, NoInstance
	}
	wake, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(fd)
		return nil, NoInstance
	}
	return &notifier{fd: fd, wake: wake, max: limit, mounts: openMounts(root), buf: make([]byte, 16<<10), nodes: map[int32]*node{}}, 0
}

// add watches the open directory fd for n, or finds that it is watched already. It must come before
// the directory is read: what changes between the two is then seen twice, not never. n.refused says
// why when n is not watched. The node that fd was watched for until now, if any, is returned: one
// directory under two names, of which the other was moved away or is mounted, and has no events any more.
//
// A refused watch is asked for again by every listing that looks at n, so that events come back as
// soon as they can. After the kernel's first "no" in a listing nobody is asked for: it holds for all
// directories alike, and to ask for 10,000 took 110 ms, nearly as long as to look at them.
func (w *notifier) add(n *node, fd int) (other *node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !n.watched {
		n.refused = 0
		if w.max > 0 && len(w.nodes)+w.adding >= w.max {
			n.refused = ConfiguredLimit
		} else if w.full {
			n.refused = KernelLimit
		}
		if n.refused != 0 {
			return nil
		}
	}
	w.adding++
	w.mu.Unlock()
	wd, err := unix.InotifyAddWatch(w.fd, "/proc/self/fd/"+strconv.Itoa(fd), interest)
	w.mu.Lock()
	w.adding--
	if n.watched && (err != nil || n.wd != int32(wd)) {
		w.forget(n)
		n.watched = false
	}
	if err != nil {
		n.refused = Refused
		if err == unix.ENOSPC {
			n.refused, w.full = KernelLimit, true
		}
		return nil
	}
	if other = w.nodes[int32(wd)]; other == n {
		other = nil
	} else if other != nil {
		other.watched, other.refused = false, Shared
	}
	n.wd, n.watched = int32(wd), true
	w.nodes[n.wd] = n
	return other
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

// close gives the descriptors back; nobody may be in wait.
func (w *notifier) close() {
	unix.Close(w.fd)
	unix.Close(w.wake)
	w.mounts.close()
}

// drain begins a listing: it takes all events that are queued and notes in d what they are about.
// d.all says that events were lost, or that more than single directories changed.
func (w *notifier) drain(d *dirt) {
	w.full = false // no worker is under way
	if w.mounts.changed() {
		d.everything(CauseMounts)
	}
	for {
		n, err := unix.Read(w.fd, w.buf)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN || n <= 0 {
			if err != nil && err != unix.EAGAIN {
				d.everything(CauseOverflow)
			}
			return
		}
		for b := w.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			wd := int32(binary.NativeEndian.Uint32(b))
			mask := binary.NativeEndian.Uint32(b[4:])
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			if size > len(b) {
				d.everything(CauseOverflow)
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
		d.everything(CauseOverflow)
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
	case directory && mask&unix.IN_ATTRIB != 0:
		d.everything(CausePermissions) // it may have become readable, or unreadable, with all below
	case mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0 || len(name) == 0:
		// The directory itself: its parent's listing tells what became of it. The root has none.
		if n.parent == nil {
			d.everything(CauseRoot)
			return
		}
		d.directory(n)
		d.directory(n.parent)
	case directory && mask&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO) != 0:
		d.replaced(n, string(name))
	case directory:
	default:
		d.name(n, string(name))
	}
}

// wait blocks until an event is queued or ctx ends. poll(2) holds an operating system's thread
// meanwhile. Go's own poller would not, but it would be woken for each event, with nobody waiting too.
func (w *notifier) wait(ctx context.Context) error {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		unix.Write(w.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // any number but 0; it cannot block
	})
	defer func() {
		if !stop() {
			<-woken
			unix.Read(w.wake, make([]byte, 8)) // for whoever waits next
		}
	}()
	poll := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.wake), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, -1)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("watch: poll: %w", err)
		case ctx.Err() != nil:
			return ctx.Err()
		case n > 0 && poll[0].Revents != 0:
			return nil
		}
	}
}
