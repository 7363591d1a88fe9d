package client

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrClosed is returned by calls on a Client that was closed.
var ErrClosed = errors.New("client: closed")

// DialError says that nothing could be reached at a socket.
type DialError struct {
	Socket string
	Err    error
}

func (e *DialError) Error() string {
	text := fmt.Sprintf("socket %s: no daemon answers: %v", e.Socket, e.Err)
	if errors.Is(e.Err, os.ErrPermission) {
		text += ": set CTX_SOCKET to a path in a directory of yours"
	}
	return text
}

func (e *DialError) Unwrap() error { return e.Err }

// PeerError says that a socket is served by somebody else. Nothing was sent to it.
type PeerError struct {
	Socket string
	UID    int // who serves the socket
	Want   int // who we are
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("socket %s: served by user %d, not by you (user %d): set CTX_SOCKET to a path in a directory of yours",
		e.Socket, e.UID, e.Want)
}

// DirError says that the directory of the socket cannot be trusted or made.
type DirError struct {
	Path    string
	Problem string
	Fix     string
}

func (e *DirError) Error() string {
	return fmt.Sprintf("socket directory %s: %s: %s", e.Path, e.Problem, e.Fix)
}

// LengthError says that a socket path is longer than the system takes.
type LengthError struct {
	Path  string
	Limit int // bytes
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("socket path %s: %d bytes, the limit is %d: set CTX_SOCKET or TMPDIR to something shorter",
		e.Path, len(e.Path), e.Limit)
}

// StateError says that there is no place for the daemon's state.
type StateError struct{ Problem string }

func (e *StateError) Error() string {
	return fmt.Sprintf("state directory: %s: set CTX_STATE_HOME to an absolute path that you can write to", e.Problem)
}

// StartError says that the daemon could not be started, or ended before it answered.
type StartError struct {
	Daemon string // the executable, when one was found
	Stderr string // the last lines that it wrote
	Killed bool   // it was ended by a signal: it might start if it is tried again
	Err    error
}

func (e *StartError) Error() string {
	var b strings.Builder
	b.WriteString("ctxd did not start")
	if e.Daemon != "" {
		fmt.Fprintf(&b, " (%s)", e.Daemon)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Stderr != "" {
		b.WriteString("\n" + e.Stderr)
	}
	return b.String()
}

func (e *StartError) Unwrap() error { return e.Err }

// ConnError says that the connection ended before the answer came.
type ConnError struct {
	Socket string
	Method string
	Sent   bool // the request may have reached the daemon
	Err    error
}

func (e *ConnError) Error() string {
	return fmt.Sprintf("%s: connection to %s ended before the answer: %v", e.Method, e.Socket, e.Err)
}

func (e *ConnError) Unwrap() error { return e.Err }

// ProtocolError says that the peer sent something that is not an answer.
type ProtocolError struct {
	Problem string
	Err     error
}

func (e *ProtocolError) Error() string {
	if e.Err == nil {
		return "bad answer from the daemon: " + e.Problem
	}
	return fmt.Sprintf("bad answer from the daemon: %s: %v", e.Problem, e.Err)
}

func (e *ProtocolError) Unwrap() error { return e.Err }
