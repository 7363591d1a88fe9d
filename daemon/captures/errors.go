package captures

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrClosed is returned by every method after Close.
var ErrClosed = errors.New("the capture store is closed")

// What an id can name; see the Kind of the errors.
const (
	kindSpan     = "span"
	kindSnapshot = "snapshot"
	kindBlob     = "blob"
)

// maxListed is the most candidates that an *AmbiguousError lists.
const maxListed = 8

// PrefixError refuses an id that is not 6 to 64 hex digits.
type PrefixError struct {
	Kind string // span, snapshot or blob
	ID   string // as asked
}

func (e *PrefixError) Error() string {
	if len(e.ID) < minPrefix {
		return fmt.Sprintf("id prefix too short: %s %q (need ≥%d hex chars)", e.Kind, e.ID, minPrefix)
	}
	shown := e.ID
	if len(shown) > maxDigits+8 {
		shown = shown[:maxDigits+8] + "…"
	}
	return fmt.Sprintf("invalid %s id %q: an id is %d to %d hex digits", e.Kind, shown, minPrefix, maxDigits)
}

// AmbiguousError refuses a short id that several ids begin with.
type AmbiguousError struct {
	Kind       string
	ID         string   // as asked
	N          int      // how many ids begin with it
	Candidates []string // the first 8 of them in order, each an id that can be asked for
}

func (e *AmbiguousError) Error() string {
	more := ""
	if e.N > len(e.Candidates) {
		more = ", …"
	}
	return fmt.Sprintf("ambiguous short id '%s'; %d candidates: %s%s", e.ID, e.N, strings.Join(e.Candidates, ", "), more)
}

// UnknownError says that an id was never returned here, or was collected since.
type UnknownError struct {
	Kind      string
	ID        string        // as asked
	Retention time.Duration // how long the store keeps what is not used
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s '%s': never returned by an answer here, or collected since (gc removes what was not used for %s, "+
		"or sooner at the size cap); ask the question again, and keep what must stay with ctx pin",
		e.Kind, e.ID, days(e.Retention))
}

// days prints a duration in days where it is a whole number of them.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d > 0 && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}

// DamagedError says that a blob failed its check and was set aside: its bytes are not returned.
type DamagedError struct {
	Blob BlobID
	Path string // where the damaged file is now
	Err  error  // what the check found
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("blob %.12s is damaged (%v), set aside as %s; ask the question again to capture it anew", e.Blob, e.Err, e.Path)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// WriteError says that something could not be stored: no space, no permission, a read-only disk.
// Nothing stored before is harmed; answers can go on without captured addresses.
type WriteError struct {
	Path string // what could not be written
	Err  error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("%s: cannot store: %v; nothing stored before is harmed, answers have no captured address until this is mended",
		e.Path, e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

// LockedError says that another process held a lock of the store for too long.
type LockedError struct {
	Path  string
	After time.Duration // how long was waited
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s: locked by another process for more than %v; see which with: fuser %s", e.Path, e.After, e.Path)
}

// TooLargeError refuses bytes above MaxBlob.
type TooLargeError struct{ Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d bytes are more than the %d that one capture may have", e.Bytes, MaxBlob)
}

// RecordError refuses a record that cannot be written down.
type RecordError struct {
	Record Record
	Reason string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("cannot record lines %d:%d of %.200q: %s", e.Record.First, e.Record.Last, e.Record.Path, e.Reason)
}

// PinsError says that a line of the pins file is damaged. Nothing is collected until it is
// mended, since what the line kept is not known.
type PinsError struct {
	Path string
	Line int // from 1
	Text string
}

func (e *PinsError) Error() string {
	return fmt.Sprintf("%s:%d: damaged pin %.120q; nothing is collected until this line is removed or restored", e.Path, e.Line, e.Text)
}
