// Package daemon owns the state of every open worktree: one writer per workspace, immutable
// snapshots for readers, the capture store, the requests and the socket.
//
// Inside, positions are byte offsets and lines count from 1 (the line table of package anchors);
// UTF-16 columns exist only in the answers, made by convert.go.
//
// How a request is answered, always in this order:
//
//  1. sync: the tree is compared by stat with the published snapshot, after the request arrived
//     (workspace.go), so the answer is at least as new as every write that finished before;
//  2. one snapshot is loaded, once, and passed down (snapshot.go);
//  3. every file the answer cites is read (disk.go) and, when it is not what was indexed, parsed
//     again: text, anchors, positions and captured bytes come from one generation of the file;
//  4. the cited bytes are captured and the addresses minted before the answer leaves (mint.go).
package daemon
