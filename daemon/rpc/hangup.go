package rpc

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// awaitHangup waits until the peer of a socket has closed both directions, and returns true; it
// returns false when the socket was closed on our side, and at once when nc is no socket.
//
// A read tells a peer that has finished sending (printf … | nc -N) and one that is gone by the
// same end of file; poll(2) does not: POLLHUP is set only for the second. The runtime's poller
// wakes us for each change, so that nothing is polled in a loop.
func awaitHangup(nc net.Conn) bool {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	_ = raw.Read(func(fd uintptr) bool { // an error: closed on our side
		fds := []unix.PollFd{{Fd: int32(fd)}}
		for {
			n, err := unix.Poll(fds, 0)
			if err == unix.EINTR {
				continue
			}
			gone = n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
			return gone
		}
	})
	return gone
}
