package client

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"

	"ctxd/client/wire"
)

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
		if len(path) > wire.MaxSocketPath {
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
	if len(path) > wire.MaxSocketPath {
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
	if len(path) > wire.MaxSocketPath {
		return "", &LengthError{Path: path, Limit: wire.MaxSocketPath}
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

// stateDir is where the daemon that we start keeps its state: CTX_STATE_HOME, else ctx in
// XDG_STATE_HOME, else .local/state/ctx in the home directory; always an absolute path. A relative
// CTX_STATE_HOME is refused, not taken from here: captures would stand in whatever worktree the
// first call was made from. A relative XDG_STATE_HOME is ignored, as its specification says.
func stateDir() (string, error) {
	if dir := os.Getenv("CTX_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Clean(dir), nil
	} else if dir != "" {
		return "", &StateError{Problem: fmt.Sprintf("CTX_STATE_HOME is the relative path %q", dir)}
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ctx"), nil
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "ctx"), nil
	}
	return "", &StateError{Problem: "neither CTX_STATE_HOME nor XDG_STATE_HOME nor HOME is an absolute path"}
}
