// Package watch says which paths under a root may have changed. It reads directories, ignore
// files and git's own small files, never the contents that are indexed, and it never runs git:
// a repository's configuration can name programs to run.
//
// [Tree.Sweep] lists every file that is not ignored with what lstat says of it, and the caller
// compares. After the first listing, events say which directories are worth another look, and a
// listing tells only what changed; see "Events". A full sweep is complete and needs no history, so
// it is what events fall back to: after an overflow, a recreated root (see [Cause]), and where the system has no events.
//
// # Events
//
// inotify's queue is read when somebody asks, by whoever asks. The kernel puts an event into the
// queue before the system call that caused it returns, so what is read then is complete for every
// write that finished before the question. The contract's design, fsnotify and a cookie file whose
// event is waited for, was measured at 0.11 to 0.12 ms a question; reading the queue costs 1 µs, and
// needs no goroutine that owns the events, no debouncing and no waiting.
//
// An ignore file that changed is read with its directory, and its rules are applied to the names below that are known; only the
// directories are read of which they decide otherwise than before.
//
// An event decides nothing: it names a directory to read again, and a name whose content may have
// changed even though its stat is the same. A directory is watched before it is read, so nothing
// falls between. Three gaps remain, in which the queue holds nothing: a write through a memory map whose
// descriptor was closed long before; through a second name that was made in a place that is not listed after
// the file was listed; and through a descriptor of a file that had no name yet when it was opened (O_TMPFILE).
// Their stat shows them: a caller that compares the files it cites sees them there, and nobody sees
// a name that is new in them before something else happens in the directory.
//
// # Blind directories
//
// What events cannot tell is looked at by every listing: its names, its files' stats, its ignore
// files. [Listing.Blind] says where and why:
//
//   - No watch: the kernel's limit or [Options.MaxWatches] is reached, or the system refuses for another
//     reason. A look asks again, so that events come back; after the kernel's first refusal in a listing
//     no other directory is asked for, which makes the retries of 10,000 directories one system call.
//   - Remote: a file system that other machines or processes change behind the kernel (remotes), by
//     statfs at the root and wherever the device differs from the parent's. It takes no watches at all:
//     they would tell of a part of the changes and count against the limit.
//   - Shared: a symbolic link, a file with several names, or a mounted file may change where nothing is
//     watched. Its directory is watched as well.
//
// A blind directory's parent may be blind too. Then nothing tells that its name stands for another
// directory now, while the old one lives on elsewhere, watched and silent; the inode numbers that a
// parent's listing holds do. A change of permissions that only a look finds leads to a full sweep.
//
// # Mounts
//
// Mounting causes no event, and a watch stays with the directory that the mount hides. The kernel marks
// /proc/self/mountinfo when the table changes, and each listing asks for that mark; when a mount
// point below the root came, went or changed, the listing is a full one. This sees the mount namespace of
// this process, which is the one that its paths are resolved in. A mount over the root or above it, like a
// root that was moved away or made again, shows in the root's device and inode, which each listing compares.
//
// # What is listed
//
// The files of `git ls-files -co --exclude-standard`: what git tracks, and what no ignore rule
// hides. .ctxignore files (same grammar, nested too) hide more, tracked files included; they
// cannot bring back what git hides. Nothing named .git is ever listed or entered. A directory
// below the root that is a repository, a linked worktree or a submodule is a workspace of its
// own and is not entered, unless the outer repository tracks files in it.
//
// A root below the top level of a repository is under the rules of the directories above it,
// unless they ignore the root itself: then it is taken as a tree of its own.
//
// Listed are regular files, and symbolic links whose target is a regular file inside the root:
// [Entry.Link] marks those, and their Stat is the target's, because a write through the link or
// to its target changes the target and not the link. Links to directories are not followed, so
// each real file is listed once per directory entry and a loop of links ends the walk at once.
//
// # Why a sweep reads every directory
//
// A directory's mtime says that a name was added or removed, at the resolution of the kernel's
// clock tick (4 ms here): two changes in one tick look like one, and a file system may round to
// 2 s. The usual cure (trust an mtime only when it is older than the reading by more than the
// resolution) compares the file system's clock with ours, and the two differ on network mounts
// and after a clock step. Reading the names of an unchanged directory costs four system calls,
// about half of a sweep (18 of 36 ms of processor time for 1,324 directories with 11,478 files);
// being wrong costs the one promise that this package makes. The same
// reasoning holds for ignore files: they are small and few, so a sweep reads and compares their
// bytes; only compiled rules and the decisions made with them are kept. The git index may be
// large. It is kept by device, inode, size, times and its trailing checksum; git replaces it by
// renaming a new file over it, so two consecutive versions never share an inode.
package watch
