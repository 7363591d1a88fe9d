package client

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSocketPath is the most bytes that a socket's path may have: sun_path holds 108 with the NUL.
const maxSocketPath = 107

// Socket is the path of the daemon's socket: CTX_SOCKET, else ctx/ctxd.sock in XDG_RUNTIME_DIR,
// else ctxd.sock in the private directory ctx-UID of the temporary directory. The directory is
// made when it is missing, and must be ours alone. A path that is too long for a socket is
// replaced by a short one in the private temporary directory, named by a hash of the long one.
func Socket() (string, error) { return socketPath("") }

func socketPath(override string) (string, error) {
	if override == "" {
		override = os.Getenv("CTX_SOCKET")
	}
	if override != "" {
		return overridden(override)
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		path := filepath.Join(dir, "ctx", "ctxd.sock")
		if len(path) > maxSocketPath {
			return shortened(path)
		}
		err := privateDir(filepath.Dir(path))
		if err == nil {
			return path, nil
		}
		// A runtime directory that cannot be used at all (after su it is often somebody
		// else's) is as good as none; one that is there but not private is never passed by.
		if _, wrong := errors.AsType[*DirError](err); wrong {
			return "", err
		}
	}
	return inTemp("ctxd.sock")
}

// overridden is the socket that the user named. Its directory is the user's choice: the socket
// has mode 0600 and the peer is checked, but the directory need not be private.
func overridden(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", &DirError{Path: filepath.Dir(path), Problem: err.Error(), Fix: "set CTX_SOCKET to an absolute path"}
	}
	if len(path) > maxSocketPath {
		return shortened(path)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &DirError{Path: dir, Problem: err.Error(), Fix: "set CTX_SOCKET to a path in a directory that you can write to"}
	}
	return path, nil
}

// shortened names a socket in the private temporary directory after a path that is too long.
// FNV and not SHA-256: the directory is private, and crypto/sha256 would cost start-up time.
func shortened(path string) (string, error) {
	h := fnv.New64a()
	h.Write([]byte(path))
	return inTemp(fmt.Sprintf("%016x.sock", h.Sum64()))
}

func inTemp(name string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(os.TempDir(), fmt.Sprintf("ctx-%d", os.Geteuid())))
	if err != nil {
		return "", &DirError{Path: dir, Problem: err.Error(), Fix: "set TMPDIR to an absolute path"}
	}
	path := filepath.Join(dir, name)
	if len(path) > maxSocketPath {
		return "", &LengthError{Path: path, Limit: maxSocketPath}
	}
	if err := privateDir(dir); err != nil {
		if _, wrong := errors.AsType[*DirError](err); wrong {
			return "", err
		}
		return "", &DirError{Path: dir, Problem: err.Error(), Fix: "set CTX_SOCKET to a path in a directory that you can write to"}
	}
	return path, nil
}

// privateDir makes dir when it is missing and checks that it is a real directory of ours that
// nobody else can enter: a *DirError when it is not, another error when it cannot be made.
func privateDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return err
	}
	const elsewhere = "set CTX_SOCKET to a path in a directory of yours"
	if !info.IsDir() {
		return &DirError{Path: dir, Problem: "it is not a directory but " + kind(info.Mode()), Fix: "remove it, or " + elsewhere}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return &DirError{Path: dir, Problem: fmt.Sprintf("it does not belong to you (user %d)", os.Geteuid()), Fix: elsewhere}
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		return &DirError{Path: dir, Problem: fmt.Sprintf("its mode is %04o, not 0700", mode), Fix: "chmod 700 " + dir}
	}
	return nil
}

func kind(mode os.FileMode) string {
	switch {
	case mode&os.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsRegular():
		return "a file"
	}
	return "something else"
}

// Lock is the path of the lock that the daemon of a socket holds for as long as it lives:
// ctxd.lock beside ctxd.sock. The file is never removed, for then two processes could hold
// locks on two files of one name.
func Lock(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".lock" }

// stateDir is where the daemon keeps its state: CTX_STATE_HOME, else ctx in XDG_STATE_HOME, else
// .local/state/ctx in the home directory; "" when there is none of these.
func stateDir() string {
	if dir := os.Getenv("CTX_STATE_HOME"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ctx")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", "ctx")
	}
	return ""
}
