// Package captures keeps what answers showed: the exact bytes of cited files, and one mint record
// for each span that was returned. A span, once returned, resolves to those bytes after the file
// was edited or deleted, after kill -9 and after a restart, until it is collected.
//
// The store is a directory of plain files, mode 0700, its files 0600:
//
//	blobs/ab/<64 hex>.zst  the zstd frame of a file's exact bytes, named by their SHA-256;
//	                       the modification time is the time of last use
//	captures.log           mint records and sightings, appended; see frame.go, record.go and sighting.go
//	pins                   what gc must keep, one line a pin
//	gc.lock                held by the one process that collects
//	damaged/               what failed its check, set aside
//	tmp/                   files being written
//
// Plain files and no database: what write(2) has taken is in the page cache and survives the
// death of the process without an fsync, several daemons may share a store, and neither a full
// disk nor a truncated file can raise SIGBUS as under a memory map. A crash of the machine may
// cost the last seconds; what it leaves half-written is found by its checksum and refused.
//
// A log record is made of everything needed to use it, and every read of a blob or a record is
// checked, so damage makes a span unknown and never another span's bytes.
//
// Lines count from 1, both ends included. All methods are safe for concurrent use, by several
// stores in one or many processes on one directory.
package captures
