package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// stderrLimit is the size above which the file that keeps the daemon's stderr starts anew.
	stderrLimit = 1 << 20
	// tailLines and tailBytes bound what an error quotes from it.
	tailLines, tailBytes = 10, 4096
	// exitLimit bounds the wait for the exit of a daemon that has let go of its socket.
	exitLimit = 2 * time.Second
)

// process is a daemon that this process started.
type process struct {
	daemon string        // its executable
	stderr string        // the file that it writes stderr to, "" when there is none
	offset int64         // where in it this run began
	ended  chan struct{} // closed when it has exited; the next two are set before
	state  string
	killed bool // by a signal
}

// openStderr opens ctxd.stderr in dir, the state directory, for appending. What the daemon says there is said
// before its log is open, or by a crash.
func (p *process) openStderr(dir string) (*os.File, error) {
	path := filepath.Join(dir, "ctxd.stderr")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil && size > stderrLimit {
		size, err = 0, file.Truncate(0)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	p.stderr, p.offset = path, size
	return file, nil
}

func (p *process) reap(running *os.Process) {
	state, err := running.Wait()
	if err != nil {
		p.state = err.Error()
	} else {
		p.state = state.String()
		status, ok := state.Sys().(syscall.WaitStatus)
		p.killed = ok && status.Signaled()
	}
	close(p.ended)
}

// failure explains a connection that broke before the daemon had answered anything on it: a
// *StartError when the daemon has ended, else cause.
func (p *process) failure(cause error) error {
	timer := time.NewTimer(exitLimit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return &StartError{Daemon: p.daemon, Stderr: p.tail(), Killed: p.killed, Err: fmt.Errorf("it ended with %s", p.state)}
	case <-timer.C:
		return cause
	}
}

// tail is the last lines that this run of the daemon wrote to stderr.
func (p *process) tail() string {
	if p.stderr == "" {
		return ""
	}
	file, err := os.Open(p.stderr)
	if err != nil {
		return ""
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil || size <= p.offset {
		return ""
	}
	from := max(p.offset, size-tailBytes)
	text := make([]byte, size-from)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	text = bytes.TrimRight(text[:n], "\n")
	for lines, at := 0, len(text); at > 0; {
		at = bytes.LastIndexByte(text[:at], '\n')
		if lines++; lines == tailLines && at >= 0 {
			text = text[at+1:]
			break
		}
	}
	return string(text)
}

// pause is a wait that grows from 1 ms to 50 ms: a daemon that is being started is there within
// a few milliseconds, one that finishes its work may take long.
type pause time.Duration

func (p *pause) wait(ctx context.Context) error {
	if *p == 0 {
		*p = pause(time.Millisecond)
	}
	timer := time.NewTimer(time.Duration(*p))
	defer timer.Stop()
	*p = min(*p*2, pause(50*time.Millisecond))
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
