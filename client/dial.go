package client

import (
	"errors"
	"os"
	"syscall"
)

// dial connects to a socket and checks that uid serves it, before anything is sent. The
// connection is closed on exec; nothing here waits. Reads and writes of a blocking one hold a thread and have no deadlines,
// else the runtime's poller serves it.
func dial(socket string, uid int, blocking bool) (*os.File, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, &DialError{Socket: socket, Err: os.NewSyscallError("socket", err)}
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		syscall.Close(fd)
		return nil, &DialError{Socket: socket, Err: os.NewSyscallError("connect", err)}
	}
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		syscall.Close(fd)
		return nil, &DialError{Socket: socket, Err: os.NewSyscallError("getsockopt", err)}
	}
	if int(peer.Uid) != uid {
		syscall.Close(fd)
		return nil, &PeerError{Socket: socket, UID: int(peer.Uid), Want: uid}
	}
	if blocking {
		if err := syscall.SetNonblock(fd, false); err != nil {
			syscall.Close(fd)
			return nil, &DialError{Socket: socket, Err: os.NewSyscallError("fcntl", err)}
		}
	}
	return os.NewFile(uintptr(fd), socket), nil
}

// absent says that nobody listens at the socket: it is not there, or its server is gone.
func absent(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED)
}

// crowded says that a server is there, and has more waiting connections than it asked for.
func crowded(err error) bool { return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) }
