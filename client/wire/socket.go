package wire

import "strings"

const (
	// MaxSocketPath is the most bytes that the path of a socket may have: sun_path of Linux
	// holds 108 with the NUL.
	MaxSocketPath = 107
	// Backlog is how many connections the kernel keeps until the daemon accepts them.
	Backlog = 128
)

// LockPath is the path of the lock that the daemon of a socket holds for as long as it lives:
// ctxd.lock beside ctxd.sock. The file is never removed, for then two processes could hold locks
// on two files of one name.
func LockPath(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".lock" }
