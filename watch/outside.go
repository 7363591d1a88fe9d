package watch

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// settled is the age that a file must have when it is read for its stat to tell it from every later content: two seconds
// are the coarsest clock of a file system.
const settled = 2 * time.Second

// outside remembers the small files that lie outside the root and decide what is listed: git's settings, and ignore files.
// Each question looks at all of them. A stat takes 1 µs, to open, read and close one 12. What lies on a file system that others
// change is not remembered: a stat there may be as old as a cache, or always the same, where opening asks anew.
type outside struct {
	known  map[string]*outsideFile // nil: nothing is remembered
	remote func(fd int) string     // remoteName, but for tests
	root   int                     // the root, open: what lacksGit is asked of is on its file system
}

type outsideFile struct {
	stat     Stat
	data     []byte    // not to be changed
	parsed   bool      // settings is what data says
	settings []setting // of a configuration
}

// read is the content of the regular file at path. The error is the system's, errNotRegular, or errTooLarge.
func (o *outside) read(path string) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		delete(o.known, path)
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	stat := statOf(&st)
	if known := o.known[path]; known != nil && known.stat == stat {
		return known.data, nil
	}
	delete(o.known, path)
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	now := time.Now()
	data, err := readAll(int(file.Fd()), nil)
	if err != nil {
		return nil, err
	}
	if !o.lasting(stat, now, int(file.Fd())) {
		return data, nil
	}
	// What was read is of this stat, before and after, or nothing is known of it.
	if after, err := StatDescriptor(int(file.Fd())); err == nil && after == stat {
		o.known[path] = &outsideFile{stat: stat, data: data}
	}
	return data, nil
}

// lasting says whether what was found at now is still so as long as the stat is the same; fd is open on the same file system.
func (o *outside) lasting(stat Stat, now time.Time, fd int) bool {
	return o.known != nil && now.Sub(time.Unix(0, stat.Ctime)) >= settled && o.remote(fd) == ""
}

// config is what the configuration file at path sets, in its order.
func (o *outside) config(path string) ([]setting, error) {
	data, err := o.read(path)
	if err != nil {
		return nil, err
	}
	known := o.known[path]
	if known == nil {
		return parseConfig(string(data)), nil
	}
	if !known.parsed {
		known.parsed, known.settings = true, parseConfig(string(data))
	}
	return known.settings, nil
}

// lacksGit says whether nothing in the directory dir, of which st is the state now, is called .git. A directory to which
// nothing was added since that was seen still lacks it: no second look at each directory above the root.
func (o *outside) lacksGit(dir string, st *unix.Stat_t) bool {
	stat := statOf(st)
	if known := o.known[dir]; known != nil && known.stat == stat {
		return true
	}
	delete(o.known, dir)
	now := time.Now()
	if unix.Lstat(filepath.Join(dir, ".git"), new(unix.Stat_t)) != unix.ENOENT {
		return false
	}
	if o.lasting(stat, now, o.root) {
		o.known[dir] = &outsideFile{stat: stat}
	}
	return true
}
