package captures

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Locks are flock(2) on open files: the kernel drops them when their holder dies, so there is no
// stale lock to break. They are tried and not waited for, so that a stopped process that holds
// one makes an error here and not a hang.
const lockPoll = time.Millisecond

// lockFile takes the exclusive lock of f, or fails with a *LockedError after patience.
func lockFile(f *os.File, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return &WriteError{Path: f.Name(), Err: err}
		case !time.Now().Before(deadline):
			return &LockedError{Path: f.Name(), After: patience}
		}
		time.Sleep(lockPoll)
	}
}

func unlockFile(f *os.File) {
	// Fails only for a closed file, whose lock is gone already.
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
}
