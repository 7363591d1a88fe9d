package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"ctxd/client/wire"
)

// SocketPathError is a path that is too long for a socket: bind itself says "invalid argument".
type SocketPathError struct {
	Path  string
	Limit int // bytes
}

func (e *SocketPathError) Error() string {
	return fmt.Sprintf("socket %s: the path has %d bytes, the limit is %d: choose a shorter one", e.Path, len(e.Path), e.Limit)
}

// LockedError is a lock that another daemon holds.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("lock %s: another ctxd holds it: stop that one (ctx stop), or choose another socket", e.Path)
}

// InUseError is a socket's path where something else is.
type InUseError struct{ Path, What string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("socket %s: %s is there: move it away, or choose another socket", e.Path, e.What)
}

// Listen takes the lock of a socket and then makes the socket, mode 0600, in place of a stale one.
// Its directory is made with mode 0700 when it is missing. The lock is held until the file is
// closed; whatever fails, nothing is held afterwards.
//
// The order is what makes it free of races: only the holder of the lock removes or makes the
// socket, and the lock file itself is never removed.
func Listen(path string) (*net.UnixListener, *os.File, error) {
	if len(path) > wire.MaxSocketPath {
		return nil, nil, &SocketPathError{path, wire.MaxSocketPath}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fmt.Errorf("socket %s: %w", path, err)
	}
	lock, err := takeLock(wire.LockPath(path))
	if err != nil {
		return nil, nil, err
	}
	l, err := listenSocket(path)
	if err != nil {
		lock.Close()
		return nil, nil, err
	}
	return l, lock, nil
}

// Inherit takes over the listening socket (descriptor 3) and the lock (descriptor 4) from the
// client that started this process. The lock belongs to the open file, which both processes
// share, so that there is no moment at which nobody holds it.
func Inherit(path string) (*net.UnixListener, *os.File, error) {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	lock := os.NewFile(4, wire.LockPath(path))
	socket := os.NewFile(3, path)
	if lock == nil || socket == nil {
		return nil, nil, errors.New("--inherit: descriptors 3 and 4 are not open: only ctx starts ctxd like this")
	}
	defer socket.Close() // FileListener makes a copy
	if !namesFile(lock.Name(), lock) {
		return nil, nil, fmt.Errorf("--inherit: descriptor 4 is not %s: only ctx starts ctxd like this", lock.Name())
	}
	if err := flock(lock); err != nil {
		return nil, nil, fmt.Errorf("--inherit: %w", err)
	}
	l, err := net.FileListener(socket)
	if err != nil {
		lock.Close()
		return nil, nil, fmt.Errorf("--inherit: descriptor 3 is no listening socket: %w", err)
	}
	unix, ok := l.(*net.UnixListener)
	if !ok {
		l.Close()
		lock.Close()
		return nil, nil, fmt.Errorf("--inherit: descriptor 3 listens on %s, not on a unix socket", l.Addr().Network())
	}
	unix.SetUnlinkOnClose(false)
	return unix, lock, nil
}

// takeLock opens the lock file, made when missing, and locks it.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := flock(lock); err != nil {
		lock.Close()
		return nil, err
	}
	if !namesFile(path, lock) { // removed between the two lines above: we hold a lock that nobody sees
		lock.Close()
		return nil, &LockedError{path}
	}
	return lock, nil
}

// flock locks f, or finds that this open file has the lock already.
func flock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return &LockedError{f.Name()}
		default:
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

// namesFile says whether path still leads to f.
func namesFile(path string, f *os.File) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	ours, err := f.Stat()
	return err == nil && os.SameFile(there, ours)
}

// listenSocket makes the listening socket in place of a stale one. The caller holds the lock. The
// mode is set between bind and listen, when nobody can connect yet: a umask belongs to the whole
// process, and a chmod after listen comes too late.
func listenSocket(path string) (*net.UnixListener, error) {
	if err := clearSocket(path); err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close() // FileListener makes a copy
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return nil, fmt.Errorf("socket %s: bind: %w", path, err)
	}
	err = os.Chmod(path, 0o600)
	if err == nil {
		err = os.NewSyscallError("listen", syscall.Listen(fd, wire.Backlog))
	}
	var l net.Listener
	if err == nil {
		l, err = net.FileListener(f)
	}
	if err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	unix := l.(*net.UnixListener)
	unix.SetUnlinkOnClose(false) // it may be somebody else's by then: see socketFile.remove
	return unix, nil
}

// clearSocket removes a stale socket. One that somebody serves without the lock, or something
// that is no socket, is not ours to remove.
func clearSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("socket %s: %w", path, err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return &InUseError{path, "something that is not a socket"}
	}
	nc, err := net.Dial("unix", path)
	if err == nil {
		nc.Close()
	}
	if err == nil || errors.Is(err, syscall.EAGAIN) { // EAGAIN: served, with many waiting
		return &InUseError{path, "a socket that another process serves"}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("socket %s: %w", path, err)
	}
	return nil
}

// socketFile is the socket as it is in its directory, so that its loss is noticed: a tmp cleaner
// removes it, another program puts something in its place.
type socketFile struct {
	path string
	info fs.FileInfo // nil: it was not there
}

func statSocket(path string) socketFile {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return socketFile{path, nil}
	}
	return socketFile{path, info}
}

// there says whether the path still leads to our socket. The time belongs to it: file systems
// give the inode number of a removed file to the next one.
func (s socketFile) there() bool {
	now, err := os.Lstat(s.path)
	return err == nil && s.info != nil && os.SameFile(now, s.info) && now.ModTime().Equal(s.info.ModTime())
}

// remove removes the socket if it is still ours. The lock must be held.
func (s socketFile) remove() {
	if s.there() {
		os.Remove(s.path)
	}
}

// peerUID is the user at the other end of a unix socket, as the kernel noted it at connect.
func peerUID(nc net.Conn) (int, error) {
	unix, ok := nc.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("%T has no peer credentials", nc)
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, os.NewSyscallError("getsockopt", credErr)
	}
	return int(cred.Uid), nil
}
