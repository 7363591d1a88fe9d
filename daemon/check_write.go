package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// replace puts text in the place of a file that still holds the bytes of want, and is an edit_conflict when it does
// not. It is written beside and renamed, so that whoever reads sees all of the old or all of the new; mode, owner and
// extended attributes, among them access lists, stay. A file with several names is left alone: only one would get the new text.
// Root.WriteFile would leave half a file behind when the machine stops, and renameio knows no os.Root to stay in.
func (ws *Workspace) replace(ctx context.Context, name string, want captures.BlobID, text []byte) error {
	ref := wire.RepoRef(name)
	root := ws.root()
	info, err := root.Lstat(name)
	if err != nil {
		return ws.readRefusal(name, err)
	}
	if !info.Mode().IsRegular() {
		return refusePath(wire.EditConflict, name, nil, "%s is no regular file any more; nothing was written", ref)
	}
	// A rename does not ask whether the file itself may be written, and the superuser is never told that it may not.
	if info.Mode().Perm()&0o222 == 0 {
		return ws.unwritable(name, syscall.EACCES)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		return refusePath(wire.PathDenied, name, nil, "%s has %d names (hard links), and the others would keep the old text: write it by hand; nothing was written", ref, st.Nlink)
	}
	old, err := root.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ws.unwritable(name, err)
	}
	defer old.Close()
	beside := path.Join(path.Dir(name), ".ctx-"+rand.Text()[:12]+".tmp")
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ws.unwritable(name, err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, keepOwner(f, info), keepAttributes(f, old), f.Chmod(info.Mode()), f.Sync(), f.Close())
	was := occupant{info, want}
	switch {
	case err != nil:
		err = ws.unwritable(name, err)
	case !ws.occupies(ctx, name).is(was):
		err = conflict(name)
	default:
		return ws.swap(context.WithoutCancel(ctx), beside, name, was, exchange)
	}
	root.Remove(beside)
	return err
}

// occupant is what stands under a name: a file, and the digest of its bytes.
type occupant struct {
	info fs.FileInfo     // nil: nothing
	blob captures.BlobID // zero: it cannot be read
}

func (o occupant) is(was occupant) bool {
	return o.info != nil && os.SameFile(o.info, was.info) && o.info.Mode() == was.info.Mode() && o.blob == was.blob
}

func (ws *Workspace) occupies(ctx context.Context, name string) (o occupant) {
	src, _, _, readErr := ws.disk.Load().readStable(ctx, name, nil)
	info, err := ws.root().Lstat(name)
	if err == nil {
		o.info = info
	}
	if readErr == nil && err == nil && info.Mode().IsRegular() {
		o.blob = blobOf(src)
	}
	return o
}

// maxSwaps ends the exchanges where somebody replaces a file again and again.
const maxSwaps = 16

// exchanger swaps two names of a directory in one step, as exchange does.
type exchanger func(dir *os.File, a, b string) error

// swap puts the file beside in the place of name. The two are exchanged, and what came out is looked at: if it is not what
// was there, somebody has written in the moment before, and it goes back. A rename would have lost that: no system
// has one that compares. Where they cannot be exchanged it is a rename, a moment after the last look. A write through a descriptor
// that was opened before, and that comes after the look, is lost; so it is with every program that replaces files.
//
// Afterwards nothing is beside, unless what somebody else wrote got there and could not be put back: it stays, and the refusal names it.
func (ws *Workspace) swap(ctx context.Context, beside, name string, was occupant, exchange exchanger) error {
	ours := ws.occupies(ctx, beside)
	err := ws.exchange(ctx, beside, name, was, ours, exchange)
	if left := ws.occupies(ctx, beside); left.info != nil && (err == nil || left.is(ours)) {
		if e := ws.root().Remove(beside); e != nil {
			ws.log.Warn("left behind", "path", beside, "error", e)
		}
	} else if left.info != nil {
		ws.log.Warn("not put back", "path", name, "kept", beside, "error", err)
		return refusePath(wire.EditConflict, name, nil, "%s was changed while it was being fixed, and what somebody else wrote there could not be put back: "+
			"it is kept in %s; compare the two by hand", wire.RepoRef(name), wire.RepoRef(beside))
	}
	return err
}

// exchange is swap, but for what is left beside. When it succeeds, that is what was to be replaced.
func (ws *Workspace) exchange(ctx context.Context, beside, name string, was, ours occupant, exchange exchanger) error {
	root := ws.root()
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return ws.unwritable(name, err)
	}
	defer dir.Close()
	expected, put := was, ours
	for swaps := range maxSwaps {
		err := exchange(dir, path.Base(beside), path.Base(name))
		switch {
		case errors.Is(err, errors.ErrUnsupported) && swaps == 0:
			if err := root.Rename(beside, name); err != nil {
				return ws.unwritable(name, err)
			}
			return nil
		case errors.Is(err, fs.ErrNotExist):
			return conflict(name)
		case err != nil:
			return ws.unwritable(name, err)
		}
		out := ws.occupies(ctx, beside)
		if !out.is(expected) { // newer than what was put in its place
			expected, put = put, out
			continue
		}
		if swaps > 0 {
			return conflict(name)
		}
		return nil
	}
	return conflict(name)
}

// conflict is the refusal to write a file that somebody else has written.
func conflict(name string) error {
	ref := wire.RepoRef(name)
	return refusePath(wire.EditConflict, name, []string{"ctx check --fix " + ref}, "%s was changed while it was being fixed; nothing was written to it", ref)
}

// keepOwner gives a new file the owner of the old one.
func keepOwner(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok1 := old.Sys().(*syscall.Stat_t)
	is, ok2 := info.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

// unwritable is the refusal of a write that the system does not do. It names no temporary file.
func (ws *Workspace) unwritable(name string, err error) error {
	ws.log.Warn("not written", "path", name, "error", err)
	reason := "see ctxd.log"
	var no syscall.Errno
	if errors.As(err, &no) {
		reason = no.Error()
	}
	return refusePath(wire.PathDenied, name, nil, "%s cannot be written: %s", wire.RepoRef(name), reason)
}
