package commits

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// ErrNone says that nothing is committed: no repository, or no commit yet.
var ErrNone = errors.New("nothing is committed")

// ID names an object: 40 hex digits, or 64 in a repository with SHA-256.
type ID string

// Repository is the object store of one worktree. Its methods may be called from any goroutine.
type Repository struct {
	git, common string
	stores      []string // directories of objects: its own, then its alternates

	mu    sync.Mutex
	packs map[string]*pack // by path of the index
}

// Open takes the git directory of a worktree, and the one that it shares with the repository's other worktrees.
func Open(git, common string) *Repository {
	r := &Repository{git: git, common: common, packs: map[string]*pack{}}
	r.addStore(filepath.Join(common, "objects"), 0)
	return r
}

// maxStores bounds the alternates, which may name each other in a circle.
const maxStores = 16

func (r *Repository) addStore(dir string, depth int) {
	if len(r.stores) >= maxStores || depth > 5 {
		return
	}
	r.stores = append(r.stores, dir)
	list, err := readRegular(filepath.Join(dir, "info", "alternates"), 1<<20)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		r.addStore(line, depth+1)
	}
}

// Head is the commit that is checked out; ErrNone before the first commit.
func (r *Repository) Head() (ID, error) {
	name := "HEAD"
	for range 5 {
		text, err := readRegular(filepath.Join(r.git, name), 4096)
		if errors.Is(err, os.ErrNotExist) && name != "HEAD" {
			text, err = readRegular(filepath.Join(r.common, name), 4096)
		}
		if errors.Is(err, os.ErrNotExist) {
			return r.packedRef(name)
		}
		if err != nil {
			return "", err
		}
		line := strings.TrimSpace(string(text))
		target, symbolic := strings.CutPrefix(line, "ref:")
		if !symbolic {
			return parseID(line)
		}
		name = strings.TrimSpace(target)
		if !strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") {
			return "", fmt.Errorf("HEAD refers to %q", name)
		}
	}
	return "", errors.New("HEAD refers to itself")
}

// packedRef looks a reference up in packed-refs.
func (r *Repository) packedRef(name string) (ID, error) {
	text, err := readRegular(filepath.Join(r.common, "packed-refs"), 64<<20)
	if errors.Is(err, os.ErrNotExist) {
		return "", ErrNone
	} else if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		id, ref, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if ok && ref == name {
			return parseID(id)
		}
	}
	return "", ErrNone
}

func parseID(text string) (ID, error) {
	if _, err := hex.DecodeString(text); err != nil || len(text) != 40 && len(text) != 64 {
		return "", fmt.Errorf("%.80q names no object", text)
	}
	return ID(text), nil
}

// Blob is the name that git gives these bytes, in a repository whose names are as long as like.
func Blob(src []byte, like ID) ID {
	var h hash.Hash = sha1.New()
	if len(like) == 64 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(src))
	h.Write(src)
	return ID(hex.EncodeToString(h.Sum(nil)))
}

// shallow tells apart the states of git's list of the commits whose parents it did not fetch: it is replaced behind each fetch that changes
// it, when the commits are there. Zero: there is none.
type shallow struct {
	ino         uint64
	size, mtime int64
}

func (r *Repository) shallow() (s shallow) {
	info, err := os.Stat(filepath.Join(r.common, "shallow"))
	if err != nil {
		return s
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ino = st.Ino
	}
	s.size, s.mtime = info.Size(), info.ModTime().UnixNano()
	return s
}

// Commit is one commit's tree, of which directories are read as they are asked for. It may be used from any
// goroutine.
type Commit struct {
	r    *Repository
	id   ID
	root ID

	mu   sync.Mutex
	dirs map[string]map[string]entry // by path, "" is the top
}

// entry is one name of a directory.
type entry struct {
	id   ID
	mode string // octal: 40000 is a directory, 100644 and 100755 are files
}

// Commit reads a commit.
func (r *Repository) Commit(id ID) (*Commit, error) {
	kind, body, err := r.object(id)
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(body, []byte("\n"))
	tree, ok := strings.CutPrefix(string(line), "tree ")
	if kind != "commit" || !ok {
		return nil, fmt.Errorf("object %s is no commit", id)
	}
	root, err := parseID(tree)
	if err != nil {
		return nil, err
	}
	return &Commit{r: r, id: id, root: root, dirs: map[string]map[string]entry{}}, nil
}

// ID names the commit.
func (c *Commit) ID() ID { return c.id }

// File is the object that path, relative to the top of the worktree, is committed as; ErrNone when there is no file of
// that name.
func (c *Commit) File(path string) (ID, error) {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	entries, err := c.dir(dir)
	if err != nil {
		return "", err
	}
	e, ok := entries[name]
	if !ok || !strings.HasPrefix(e.mode, "100") {
		return "", ErrNone
	}
	return e.id, nil
}

// dir lists a directory.
func (c *Commit) dir(path string) (map[string]entry, error) {
	c.mu.Lock()
	known, ok := c.dirs[path]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	id := c.root
	if path != "" {
		parent, name := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			parent, name = path[:i], path[i+1:]
		}
		entries, err := c.dir(parent)
		if err != nil {
			return nil, err
		}
		e, ok := entries[name]
		if !ok || e.mode != "40000" {
			return nil, ErrNone
		}
		id = e.id
	}
	kind, body, err := c.r.object(id)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("object %s is no tree", id)
	}
	entries, err := parseTree(body, len(c.id)/2)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dirs[path] = entries
	return entries, nil
}

// parseTree reads "MODE NAME\0" and the bytes of an id, again and again.
func parseTree(body []byte, size int) (map[string]entry, error) {
	entries := map[string]entry{}
	for len(body) > 0 {
		head, rest, ok := bytes.Cut(body, []byte{0})
		mode, name, two := strings.Cut(string(head), " ")
		if !ok || !two || len(rest) < size {
			return nil, errDamaged
		}
		entries[name] = entry{ID(hex.EncodeToString(rest[:size])), mode}
		body = rest[size:]
	}
	return entries, nil
}

// Read gives the bytes of a file's object. They are what the name says: it is a digest of them.
func (c *Commit) Read(id ID) ([]byte, error) { return c.r.Read(id) }

// Read is Commit.Read.
func (r *Repository) Read(id ID) ([]byte, error) {
	kind, body, err := r.object(id)
	switch {
	case err != nil:
		return nil, err
	case kind != "blob":
		return nil, fmt.Errorf("object %s is no file", id)
	case Blob(body, id) != id:
		return nil, fmt.Errorf("object %s: %w", id, errDamaged)
	}
	return body, nil
}

// readRegular reads a file of at most so many bytes. It does not wait for a FIFO that bears its name.
func readRegular(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d bytes", filepath.Base(path), most)
	}
	return text, err
}

func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", filepath.Base(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
