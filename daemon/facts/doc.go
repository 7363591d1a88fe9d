// Package facts keeps on disk what index.Build found in files, and what the files of each workspace
// were, so that a daemon that starts again looks at the tree and parses nothing that it knows.
//
// Facts are stored by Key: the SHA-256 of the file's bytes, and what else index.Build takes from the
// path. All workspaces of a user share them. A manifest is the list of one workspace's files, each
// with its stat and the SHA-256 of its bytes; see manifest.go.
//
// The store is a directory of plain files, mode 0700, its files 0600:
//
//	<version>/00000001.seg  a segment: records in blocks, appended; see record.go
//
// All integers are little-endian, and all blocks and records start at a multiple of 8:
//
//	segment  block after block, nothing else
//	block    "ctxfacts", bytes of the records, number of them (4 bytes each); the records; for each
//	         record the first 8 bytes of its key and its size in 4 bytes, which is the block's
//	         index; zero bytes
//	record   CRC-32C of what follows, bytes of the facts (4 bytes each), key, facts as
//	         index.File.AppendBinary writes them; zero bytes
//
// A block is what one write(2) wrote, about 1 MiB. Its index is what makes the store open without
// reading the facts: 8,000 files in a millisecond, where a footer would be missing after every
// kill -9 and an index file of its own could be that of another segment. What a kill leaves torn is
// a block at the end; the index ends before it.
//
// A segment is appended to, and removed, by who holds its flock(2), and is read by anybody: what
// stands before its end never changes. One that nobody holds is continued by the next who writes, so
// that a thousand short lives do not make a thousand files. Nothing is ever compacted: when the store
// is over its cap its oldest segments go, and what was found in the older half before that has been
// written again at the new end. So facts stay that are used once in the time in which half the cap
// is written, and no use has to be recorded.
//
// Every fault is a miss: damage, a store that was removed under us, a full or read-only disk. Every
// read is checked by checksum and by full key, so a miss is the worst.
//
// Plain files and no database, for the reasons of package captures; and reads with pread(2), as a
// file that is cut short under a memory map is SIGBUS.
package facts
