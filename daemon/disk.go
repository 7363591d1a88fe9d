package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/watch"
)

// maxRead is the most bytes of one file that are read for an answer. Line tables count offsets in
// 32 bits, and the text is held in memory while it is answered.
const maxRead = 1 << 30

// racyWindow: a file whose ctime is this close to the moment it was read may be written once more
// without its stat changing. The kernel stamps files with a clock of 1 to 10 ms; a file system
// that stores whole seconds gets racyCoarse.
const (
	// bigFile: files above it are read one at a time for the whole daemon.
	bigFile = 16 << 20

	racyWindow = 100 * time.Millisecond
	racyCoarse = 2 * time.Second
)

// Text is one generation of one file: what was read between two equal stats.
type Text struct {
	Path  string
	Real  string // Path without symbolic links, "" when that leads nowhere
	Stat  watch.Stat
	Racy  bool
	Blob  captures.BlobID
	Table *anchors.Table
	// Open: it is what an editor has open, which may never have been on disk. Stat is zero then.
	Open bool

	allowed atomic.Pointer[config] // the rules under which it was last found allowed
}

// Src is the exact bytes.
func (t *Text) Src() []byte { return t.Table.Source() }

// isBinary says whether the text is binary by the rule of git and grep: a NUL early on.
func isBinary(src []byte) bool { return bytes.IndexByte(src[:min(len(src), 8<<10)], 0) >= 0 }

// errUnstable: the file changed during every one of the attempts to read it.
var errUnstable = errors.New("it is being written without pause; ask again")

// hurried and patient are how often a file is read that changes while it is read: without a pause, for whom everybody
// waits, and with pauses of 0.5 s in all.
const (
	hurried = 3
	patient = 12
)

// readStable reads path between two equal stats, into buf if it is large enough. It opens regular files
// only, never blocks on a pipe or device, and never leaves the root. The error is an *fs.PathError, a
// system's, errUnstable, or the context's.
func (d *disk) readStable(ctx context.Context, path string, buf []byte) ([]byte, watch.Stat, bool, error) {
	return d.read(ctx, path, buf, patient)
}

// read is readStable with at most so many tries.
func (d *disk) read(ctx context.Context, path string, buf []byte, tries int) ([]byte, watch.Stat, bool, error) {
	for try := range tries {
		if err := ctx.Err(); err != nil {
			return nil, watch.Stat{}, false, err
		}
		// The writer is at work: it has a moment, twice as long each time. (24 ms at first were what one question in a
		// hundred waited during a switch of branches: git writes a file in 0.1 ms.)
		if try >= hurried && !pause(ctx, time.Millisecond<<(try-hurried)) {
			return nil, watch.Stat{}, false, ctx.Err()
		}
		src, stat, racy, stable, err := d.readOnce(ctx, path, buf)
		if err != nil || stable {
			return src, stat, racy, err
		}
	}
	return nil, watch.Stat{}, false, errUnstable
}

// slowly is called between the stat of a file and the read of its bytes: a test makes reads slow with it.
var slowly = func() {}

func (d *disk) readOnce(ctx context.Context, path string, buf []byte) (src []byte, stat watch.Stat, racy, stable bool, err error) {
	// Stat first: opening a device can have effects of its own.
	if !d.regular(path) {
		if stat, err = d.stat(path); err != nil {
			return nil, stat, false, false, err
		} else if !stat.Regular() {
			return nil, stat, false, false, d.irregular(path)
		}
	}
	now := time.Now()
	f, err := d.open(path)
	if err != nil {
		return nil, stat, false, false, err
	}
	defer f.close()
	before, err := watch.StatDescriptor(f.fd)
	if err != nil {
		return nil, stat, false, false, err
	}
	if !before.Regular() {
		return nil, stat, false, false, d.irregular(path)
	}
	if before.Size > maxRead {
		return nil, before, false, false, &tooLargeError{path, before.Size, maxRead}
	}
	slowly()
	src, err = readAll(ctx, f, before.Size, buf)
	if err != nil {
		return nil, before, false, false, err
	}
	after, err := watch.StatDescriptor(f.fd)
	if err != nil {
		return nil, before, false, false, err
	}
	stable = after == before && int64(len(src)) == before.Size
	return src, before, isRacy(before, now), stable, nil
}

// opened is an open file: a descriptor, with the os.File that it belongs to, if any.
type opened struct {
	fd   int
	file *os.File
}

// open opens path for reading: in one system call where the kernel can confine it to the root, for os.Root takes
// three for each directory on the way.
func (d *disk) open(path string) (opened, error) {
	fd, err := watch.OpenBelow(d.fd, path)
	runtime.KeepAlive(d.dir)
	if err == nil {
		return opened{fd: fd}, nil
	}
	f, err := d.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return opened{}, err
	}
	return opened{int(f.Fd()), f}, nil
}

func (f opened) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, b)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f opened) close() {
	if f.file != nil {
		f.file.Close()
		return
	}
	unix.Close(f.fd)
}

// regular says whether path is a regular file, in one system call. Links on the way are followed wherever they
// lead, which tells nobody anything: what is opened then is confined. False means: ask stat, which takes three.
func (d *disk) regular(path string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, path, &st, unix.AT_SYMLINK_NOFOLLOW)
	runtime.KeepAlive(d.dir)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

// irregular is the error of a path that leads to no regular file.
func (d *disk) irregular(path string) error {
	fi, err := d.root.Stat(path)
	if err != nil {
		return err
	}
	return &irregularError{path, fi.Mode()}
}

// readAll reads to the end, into buf if that is large enough; size is what stat promised, one byte more
// tells a grown file. A read that brings less than was asked for, and as much as was promised, was the last.
func readAll(ctx context.Context, f io.Reader, size int64, buf []byte) ([]byte, error) {
	src := buf[:cap(buf)]
	if int64(len(src)) <= size {
		src = make([]byte, size+1)
	}
	n := 0
	for n < len(src) && int64(n) <= size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		asked := src[n:min(len(src), n+8<<20)]
		k, err := f.Read(asked)
		n += k
		if err == io.EOF || err == nil && int64(n) == size && k < len(asked) && size > 0 {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return src[:n], nil
}

// isRacy says whether a file with this stat, read at now, may change without its stat changing.
// A ctime in the future (a clock that was set back) is racy too: such a file is read every time.
func isRacy(st watch.Stat, now time.Time) bool {
	window := racyWindow
	if st.Ctime%int64(time.Second) == 0 {
		window = racyCoarse
	}
	return st.Ctime > now.Add(-window).UnixNano()
}

// irregularError: the path names no regular file.
type irregularError struct {
	path string
	mode fs.FileMode
}

func (e *irregularError) Error() string { return e.path + " is a " + kindOf(e.mode) }

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// tooLargeError: more bytes than are read for an answer.
type tooLargeError struct {
	path       string
	size, most int64
}

func (e *tooLargeError) Error() string { return e.path + " is too large" }

// text reads path and makes its line table, or takes both from the cache when the file's stat is
// still the one that was read. It is the one way to a file's content for an answer, so the policy is
// applied here. The error is a *wire.Error that a user can act on.
func (ws *Workspace) text(ctx context.Context, path string) (*Text, error) {
	if b := ws.overlay.buffer(path); b != nil {
		t := b.text()
		return t, ws.allowed(path, "")
	}
	disk := ws.disk.Load()
	root := disk.root
	if t := ws.texts.get(path); t != nil && !t.Racy {
		if st, err := disk.stat(path); err == nil && st == t.Stat {
			rules := ws.config.Load()
			if t.allowed.Load() == rules {
				return t, nil
			}
			err := ws.allowed(path, t.Real)
			if err == nil {
				t.allowed.Store(rules)
			}
			return t, err
		}
	}
	real := ws.real(path)
	if err := ws.allowed(path, real); err != nil {
		return nil, err
	}
	if fi, err := root.Stat(path); err == nil && fi.Size() > bigFile {
		// The bytes, the table and what the search needs are a multiple of the file: one at a time.
		select {
		case ws.big <- struct{}{}:
			defer func() { <-ws.big }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	src, stat, racy, err := disk.readStable(ctx, path, nil)
	if err != nil {
		return nil, ws.readRefusal(path, err)
	}
	t := &Text{Path: path, Real: real, Stat: stat, Racy: racy}
	if known := ws.texts.get(path); known != nil && bytes.Equal(known.Src(), src) {
		t.Blob, t.Table = known.Blob, known.Table // it was touched, or is young: digests cost ten times the comparison
	} else {
		t.Blob, t.Table = sha256.Sum256(src), anchors.NewTable(src)
	}
	if err := ctx.Err(); err != nil {
		return nil, err // it took long, and nobody waits any more
	}
	ws.texts.put(path, t)
	return t, nil
}

// place says whether a path is a regular file, and not a directory. Anything else is refused, and so is a directory that
// cannot be read: that nothing is in it would be an answer about what nobody has seen.
func (ws *Workspace) place(path string) (file bool, err error) {
	fi, err := ws.root().Stat(path)
	switch {
	case err != nil:
	case fi.IsDir():
		var dir *os.File
		if dir, err = ws.root().Open(path); err == nil {
			dir.Close()
		}
	case !fi.Mode().IsRegular():
		err = &irregularError{path, fi.Mode()}
	}
	if err != nil {
		return false, ws.readRefusal(path, err)
	}
	return !fi.IsDir(), nil
}

// readRefusal turns a failed read into a refusal that names the path and the way forward.
func (ws *Workspace) readRefusal(path string, err error) error {
	ref := wire.RepoRef(path)
	var irregular *irregularError
	var large *tooLargeError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &irregular):
		var try []string
		if irregular.mode.IsDir() {
			try = []string{"ctx map " + wire.ShellWord(ref)}
		}
		return refusePath(wire.Unsupported, path, try, "%s is a %s; only regular files can be read", ref, kindOf(irregular.mode))
	case errors.As(err, &large):
		return refusePath(wire.FileTooLarge, path, nil, "%s has %d bytes; at most %d are read", ref, large.size, large.most)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		if target, err := ws.root().Readlink(path); err == nil {
			return refusePath(wire.NotFound, path, nil, "%s is a symbolic link to %s, which is not there", ref, quote(target))
		}
		return refusePath(wire.NotFound, path, nil, "no such path in workspace: %s", ref)
	case errors.Is(err, errUnstable):
		return refusePath(wire.EditConflict, path, nil, "%s cannot be read now: %v", ref, err)
	case strings.Contains(err.Error(), "path escapes"):
		// os.Root does not export this error.
		return refusePath(wire.PathDenied, path, nil, "%s leads out of the workspace through a symbolic link", ref)
	case errors.Is(err, syscall.ELOOP):
		return refusePath(wire.PathDenied, path, nil, "%s is a loop of symbolic links", ref)
	case errors.Is(err, fs.ErrPermission):
		return refusePath(wire.PathDenied, path, nil, "%s cannot be read: permission denied; check its mode and owner", ref)
	case errors.Is(err, syscall.ENXIO):
		return refusePath(wire.Unsupported, path, nil, "%s is a socket; only regular files can be read", ref)
	}
	return refusePath(wire.Internal, path, nil, "%s cannot be read: %v", ref, err)
}
