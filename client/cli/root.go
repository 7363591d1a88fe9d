package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"ctxd/client/wire"
)

// place is where a command runs: the workspace, and the directory that paths are relative to.
type place struct {
	root string // absolute, without symbolic links
	dir  string // the current directory below root, "" for root itself or when it is elsewhere
}

// common is what every request about a worktree carries.
func (c *command) common(p place) wire.Common {
	return wire.Common{Root: p.root, Dir: wire.EncodePath(p.dir), NoSync: c.noSync}
}

// place finds the workspace: --root, else the nearest directory upwards with a ctx.toml, else the
// nearest one with a .git, else the current directory, unless that holds everything. Links are
// resolved, so that one repository is one workspace whatever path leads to it.
func (c *command) place() (place, error) {
	c.greet()
	// Not os.Getwd: it believes PWD, which may hold links.
	cwd, err := getwd()
	if err != nil && (c.root == "" || !filepath.IsAbs(c.root)) {
		return place{}, &usageError{problem: fmt.Sprintf("the current directory cannot be found: %v", err), hint: "ctx --root DIR"}
	}
	var root string
	if c.root != "" {
		root, err = resolveRoot(cwd, c.root)
	} else {
		root, err = findRoot(cwd)
	}
	if err != nil {
		return place{}, err
	}
	if !utf8.ValidString(root) {
		return place{}, &usageError{problem: fmt.Sprintf("--root %q: the name of a workspace has to be UTF-8", root), hint: "ctx help"}
	}
	p := place{root: root}
	if dir, ok := below(root, cwd); ok {
		p.dir = dir
	}
	return p, nil
}

// wideError says that the workspace would be a whole file system or home directory.
type wideError struct{ usageError }

func (e *wideError) Unwrap() error { return &e.usageError }

// placeOrNone is place for what is asked about the daemon first: where no project is, it is asked
// about no workspace.
func (c *command) placeOrNone() (place, error) {
	where, err := c.place()
	if _, wide := errors.AsType[*wideError](err); wide {
		return place{}, nil
	}
	return where, err
}

func getwd() (string, error) {
	cwd, err := syscall.Getwd()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(cwd) { // "(unreachable)/…"
		return "", syscall.ENOENT
	}
	return cwd, nil
}

func resolveRoot(cwd, name string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	root, err := filepath.EvalSymlinks(path)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(root); err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
	}
	if err != nil {
		if wrapped, ok := errors.AsType[*os.PathError](err); ok {
			err = wrapped.Err
		}
		return "", &usageError{problem: fmt.Sprintf("--root %s: %v", name, err), hint: "ctx help"}
	}
	return root, nil
}

// findRoot walks up from cwd, which holds no links. Where nothing says that the whole of a file
// system or of a home directory is meant, it is a mistake to index it: one such had 916,461 files.
func findRoot(cwd string) (string, error) {
	if root := marked(cwd); root != "" {
		return root, nil
	}
	if cwd == "/" || isHome(cwd) {
		return "", &wideError{usageError{hint: "ctx --root DIR", problem: fmt.Sprintf(
			"no ctx.toml and no .git in %s or above it: the workspace would be all of %s; go to a project, or name it with --root DIR", cwd, cwd)}}
	}
	return cwd, nil
}

// isHome says whether dir is the user's home directory, however that is spelt.
func isHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	a, err := os.Stat(home)
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// marked is the directory at or above cwd that a ctx.toml or a .git makes a workspace, "" when
// there is none.
func marked(cwd string) string {
	top := ""
	for dir := cwd; ; {
		if exists(filepath.Join(dir, "ctx.toml")) {
			return dir
		}
		if git := filepath.Join(dir, ".git"); top == "" && exists(git) {
			top = dir
			if linkedWorktree(git) {
				// A ctx.toml further up belongs to the checkout that this one is nested
				// in: its definitions are not the ones that are being asked about.
				return top
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return top
}

// exists is asked a dozen times by each process; os.Lstat makes an error of each "no", 1 µs more.
func exists(path string) bool {
	var st syscall.Stat_t
	err := syscall.Lstat(path, &st)
	for err == syscall.EINTR {
		err = syscall.Lstat(path, &st)
	}
	return err == nil
}

// linkedWorktree says whether a .git is the file that git-worktree writes. A submodule has such
// a file too, and belongs to the checkout around it.
func linkedWorktree(git string) bool {
	info, err := os.Lstat(git)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return false
	}
	text, err := os.ReadFile(git)
	return err == nil && bytes.HasPrefix(text, []byte("gitdir:")) && bytes.Contains(text, []byte("/worktrees/"))
}

// below is path relative to root, if it is there.
func below(root, path string) (string, bool) {
	if path == root {
		return "", true
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(root, "/")+"/")
	return rest, ok
}
