package watch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A repository is the git worktree that a root lies in.
type repository struct {
	top    string // absolute path of the worktree's top level
	git    string // its git directory; for a linked worktree, its own part
	common string // the part that all worktrees of the repository share
}

// findRepository looks at dir and its parents, as git does: up to a mount point, and without
// the environment variables (GIT_DIR and the like) of whoever started this process. Above dir,
// a repository counts only when it belongs to this user or to dir's owner; git has the same
// rule, because anyone can make one in /tmp.
func (o *outside) findRepository(dir string) (repository, bool) {
	var first unix.Stat_t
	if unix.Stat(dir, &first) != nil {
		return repository{}, false
	}
	for at, st := dir, first; ; {
		if !o.lacksGit(at, &st) {
			if r, ok := o.repositoryAt(at); ok {
				owned := st.Uid == first.Uid || int(st.Uid) == os.Geteuid()
				return r, at == dir || owned
			}
		}
		above := filepath.Dir(at)
		if above == at || unix.Stat(above, &st) != nil || st.Dev != first.Dev {
			return repository{}, false
		}
		at = above
	}
}

// repositoryAt is the repository whose top level is dir, if there is one.
func (o *outside) repositoryAt(dir string) (repository, bool) {
	r := repository{top: dir, git: filepath.Join(dir, ".git")}
	info, err := os.Stat(r.git)
	if err != nil {
		return r, false
	}
	if !info.IsDir() {
		target, ok := o.gitFile(r.git)
		if !ok {
			return r, false
		}
		r.git = under(dir, target)
	}
	r.common = r.git
	if data, err := o.read(filepath.Join(r.git, "commondir")); err == nil {
		r.common = under(r.git, strings.TrimRight(string(data), "\r\n"))
	}
	return r, exists(filepath.Join(r.git, "HEAD")) &&
		exists(filepath.Join(r.common, "objects")) && exists(filepath.Join(r.common, "refs"))
}

// gitFile is where a .git that is a file points.
func (o *outside) gitFile(path string) (string, bool) {
	data, err := o.read(path)
	if err != nil {
		return "", false
	}
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	return strings.TrimRight(target, "\r\n"), ok
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func exists(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil
}

// maxIgnoreFile is the largest ignore or configuration file that is read, in bytes.
const maxIgnoreFile = 16 << 20

var errNotRegular = errors.New("not a regular file")
var errTooLarge = errors.New("larger than 16 MiB")

// openRegular opens a file of git's for reading and never waits: a FIFO is refused.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readAll reads a descriptor of a regular file into buf, which grows as needed.
func readAll(fd int, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, max(4096, cap(buf)))...)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return buf, nil
		}
		if buf = buf[:len(buf)+n]; len(buf) > maxIgnoreFile {
			return nil, errTooLarge
		}
	}
}

// nested reports whether the open directory is the top of a repository of its own: a .git that
// is a file pointing elsewhere (a linked worktree or a submodule, even when what it points to
// is gone), or a .git directory with a HEAD, objects and refs. Anything else called .git is
// passed over, and the directory is an ordinary one, as it is for git.
func nested(fd int) bool {
	var st unix.Stat_t
	if unix.Fstatat(fd, ".git", &st, 0) != nil {
		return false
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFDIR {
		data, err := readIgnore(fd, ".git", nil)
		return err != nil && err != errNotRegular && !vanished(err) || bytes.HasPrefix(data, []byte("gitdir: "))
	}
	linked := unix.Fstatat(fd, ".git/commondir", &st, 0) == nil
	for _, name := range []string{".git/HEAD", ".git/objects", ".git/refs"} {
		if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil && !(linked && name != ".git/HEAD") {
			return false
		}
	}
	return true
}

// readIgnore reads a small regular file of an open directory; links are not followed.
func readIgnore(fd int, name string, buf []byte) ([]byte, error) {
	f, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(f)
	var st unix.Stat_t
	if err := unix.Fstat(f, &st); err != nil {
		return nil, err
	}
	if uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG {
		return nil, errNotRegular
	}
	return readAll(f, buf)
}
