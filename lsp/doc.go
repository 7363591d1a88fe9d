// Package lsp speaks the Language Server Protocol, version 3.17, on one connection of the daemon.
//
// A connection whose first message is initialize belongs to a Session; `ctx lsp` is a byte pump between an editor's
// stdio and such a connection, so that several editors and shells share one index. The methods ctx/… work on it too,
// with the first workspace folder for their root.
//
// # Order
//
// What an editor sends is a sequence: a request means the buffers as they were when it was sent. So every message is
// looked at on the goroutine that reads them (Session.arrive). What changes the state, which is opening, changing and
// closing documents and folders, is done there and then, and publishes a new, immutable moment; a request takes the
// moment that it finds and runs on a goroutine of its own. No request waits for another.
//
// # Buffers
//
// An open document takes the place of its file for this connection alone (daemon.Overlay). Nothing that is typed
// reaches another client: who asks on disk is answered from disk, and told that the file is open and modified.
//
// # Positions
//
// Inside, a place is a byte offset. It becomes a line and a character here and nowhere else (position.go), in the
// encoding that was negotiated: UTF-16 unless the client offers better.
//
// # Types
//
// Results are the types of go.lsp.dev/protocol v0.12.0 where these are right. Not taken from it: the parameters of
// initialize, which it cannot decode from every client, content changes, of which it loses whether they have a range,
// what 3.17 added, and its URIs, which panic on what is no file. Its connection is not used either: see daemon/rpc.
package lsp
