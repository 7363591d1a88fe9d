package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"ctxd/client/wire"
)

// startLimit bounds the wait for a daemon that somebody else is starting.
const startLimit = 10 * time.Second

// open returns a connection, starting the daemon when none listens and start is set; the process
// is nil unless this call started it. A patient caller waits for as long as ctx allows: it knows
// that an older daemon is finishing its work.
//
// Of any number of processes that find no daemon, the one that gets the lock makes the listening
// socket and passes both to the daemon, which holds the lock for life. Everybody else's dial is
// answered by the kernel as soon as the socket listens, before the daemon has even been started:
// nobody polls a daemon that is slow to start, and nobody unlinks a socket that is in use.
func (o *Options) open(ctx context.Context, start, patient bool) (*os.File, *process, error) {
	socket, err := socketPath(o.Socket)
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	var pause pause
	for {
		file, err := dial(socket, os.Geteuid(), o.blocking)
		switch {
		case err == nil:
			return file, nil, nil
		case absent(err) && start:
			lock, lockErr := tryLock(wire.LockPath(socket))
			if lockErr != nil {
				return nil, nil, &StartError{Err: lockErr}
			}
			if lock != nil {
				return o.startLocked(socket, lock)
			}
		case !crowded(err):
			return nil, nil, err
		}
		if !patient && time.Since(began) > startLimit {
			return nil, nil, &DialError{Socket: socket, Err: fmt.Errorf(
				"%w for %v, though %s is held: end the process that holds it (fuser %s)",
				errors.Unwrap(err), startLimit, wire.LockPath(socket), wire.LockPath(socket))}
		}
		if err := pause.wait(ctx); err != nil {
			return nil, nil, fmt.Errorf("waiting for the daemon at %s: %w", socket, err)
		}
	}
}

// Gone waits until the daemon that was asked to stop has ended: nobody holds the lock of the socket, or another daemon serves
// it, that somebody else has started since. pid is the process that was asked,
// 0 when that is not known: it did not answer.
func Gone(ctx context.Context, options Options, pid int) error {
	socket, err := socketPath(options.Socket)
	if err != nil {
		return err
	}
	for pause := pause(0); ; {
		lock, err := tryLock(wire.LockPath(socket))
		if err != nil {
			return err
		}
		if lock != nil {
			return lock.Close()
		}
		if now, err := serving(ctx, options); err == nil && pid != 0 && now != pid {
			return nil
		}
		if err := pause.wait(ctx); err != nil {
			return fmt.Errorf("waiting for the daemon at %s to end: %w", socket, err)
		}
	}
}

// serving is the daemon that answers at the socket now.
func serving(ctx context.Context, options Options) (pid int, err error) {
	c, err := Dial(ctx, options)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	hello, err := c.Hello(ctx, wire.HelloParams{})
	if err != nil {
		return 0, err
	}
	return hello.PID, nil
}

// tryLock takes the lock, or returns nil when another process holds it.
func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		if names(path, file) {
			return file, nil
		}
		err = syscall.EWOULDBLOCK // it was removed meanwhile: nobody else would see this lock
	}
	file.Close()
	if err == syscall.EWOULDBLOCK {
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// names says whether path leads to the file that is open.
func names(path string, file *os.File) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	ours, err := file.Stat()
	return err == nil && os.SameFile(there, ours)
}

// startLocked starts the daemon and dials it. It owns lock, and lets go of it whatever happens:
// by then the daemon has its own copy, or there is no daemon.
func (o *Options) startLocked(socket string, lock *os.File) (*os.File, *process, error) {
	defer lock.Close()
	// Between our first dial and the lock another client may have started one, and that one
	// may have given up the lock without giving up the socket.
	if file, err := dial(socket, os.Geteuid(), o.blocking); err == nil {
		return file, nil, nil
	}
	daemon, err := o.executable()
	if err != nil {
		return nil, nil, &StartError{Err: err}
	}
	state, err := stateDir()
	if err != nil {
		return nil, nil, &StartError{Daemon: daemon, Err: err}
	}
	listener, err := listen(socket)
	if err != nil {
		return nil, nil, &StartError{Daemon: daemon, Err: err}
	}
	defer listener.Close()
	child, err := o.spawn(daemon, socket, state, listener, lock)
	if err != nil {
		os.Remove(socket)
		return nil, nil, &StartError{Daemon: daemon, Err: err}
	}
	file, err := dial(socket, os.Geteuid(), o.blocking)
	if err != nil {
		return nil, nil, child.failure(err)
	}
	return file, child, nil
}

// executable finds ctxd: what the options name, CTXD, next to this executable, on PATH.
func (o *Options) executable() (string, error) {
	if o.Daemon != "" {
		return filepath.Abs(o.Daemon)
	}
	if path := os.Getenv("CTXD"); path != "" {
		return filepath.Abs(path)
	}
	self, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), "ctxd")
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath("ctxd")
	if err != nil {
		return "", fmt.Errorf("no ctxd in %[1]s nor on PATH: build it there (`go build -o %[1]s/ ./daemon/ctxd` in the checkout of ctx), or set CTXD to its path", filepath.Dir(self))
	}
	return filepath.Abs(path)
}

// listen makes the listening socket in place of a stale one. The caller holds the lock, so that
// nobody serves what is unlinked. The mode is set before listen: until then nobody can connect.
func listen(socket string) (*os.File, error) {
	if info, err := os.Lstat(socket); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, fmt.Errorf("socket %s: something that is not a socket is there: move it away, or set CTX_SOCKET to another path", socket)
		}
		if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("socket %s: bind: %w: set CTX_SOCKET to a path where you can make a socket", socket, err)
	}
	if err = os.Chmod(socket, 0o600); err == nil {
		err = os.NewSyscallError("listen", syscall.Listen(fd, wire.Backlog))
	}
	if err != nil {
		syscall.Close(fd)
		os.Remove(socket)
		return nil, fmt.Errorf("socket %s: %w", socket, err)
	}
	return os.NewFile(uintptr(fd), socket), nil
}

// spawn runs the daemon apart from our terminal (setsid), with the listening socket as descriptor 3 and
// the lock as descriptor 4. It is told the state directory, so that what the variables mean is
// decided once, and here, where they were set.
func (o *Options) spawn(daemon, socket, state string, listener, lock *os.File) (*process, error) {
	if err := os.MkdirAll(state, 0o700); err != nil { // said here: the daemon could only say it there
		return nil, &StateError{Problem: err.Error()}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	child := &process{daemon: daemon, ended: make(chan struct{})}
	stderr, err := child.openStderr(state)
	switch {
	case errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS):
		return nil, &StateError{Problem: err.Error()} // it could write nothing there, not even that
	case err != nil:
		stderr = null // a daemon that cannot be heard is better than none
	default:
		defer stderr.Close()
	}
	if o.CloseInherited {
		closeInherited()
	}
	running, err := os.StartProcess(daemon, []string{daemon, "--socket", socket, "--state", state, "--inherit"}, &os.ProcAttr{
		Dir:   "/",
		Env:   os.Environ(),
		Files: []*os.File{null, null, stderr, listener, lock},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: install ctxd there, or set CTXD to its path", err)
	}
	go child.reap(running) // ends with the daemon: nobody else can reap a child
	return child, nil
}

// closeInherited marks the descriptors that this process was given, beyond the standard three,
// close-on-exec. Go's own are already; one left by a shell or a test harness would stay open in
// the daemon for as long as it lives, and whoever waits for that pipe to close would wait too.
func closeInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		var fd int
		if _, err := fmt.Sscanf(entry.Name(), "%d", &fd); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
