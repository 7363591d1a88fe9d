package wire

import (
	"strconv"
	"strings"
)

// Lines is an inclusive range of lines, counted from 1: [first, last].
type Lines [2]int

// Ref is a pointer to a copy of l, for fields that may be left out.
func (l Lines) Ref() *Lines { return &l }

// Selector is l as it is written in an address: 4:5.
func (l Lines) Selector() string { return strconv.Itoa(l[0]) + ":" + strconv.Itoa(l[1]) }

// Position is LSP's: line and character from 0, the character in UTF-16 code units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is LSP's: End is excluded.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Bytes is a half-open range of byte offsets, [start, end).
type Bytes [2]int

// Captured addresses bytes as they were when the answer was made.
type Captured struct {
	Snapshot string `json:"snapshot"` // 12 hex
	Span     string `json:"span"`     // 10 hex
	Lines    Lines  `json:"lines"`
	Address  string `json:"address"` // repo:m.py --span b34a0fcd32
}

// Live addresses content that is followed through edits, or refused.
type Live struct {
	Anchor  string `json:"anchor"` // 8 hex
	Lines   Lines  `json:"lines"`
	Address string `json:"address"` // repo:m.py --lines 4:5@07407f1c
}

// Coverage says what an answer was made from, and what it could not look at.
type Coverage struct {
	Files    int `json:"files"`    // files in the worktree that are not ignored
	Parsed   int `json:"parsed"`   // of these, files whose definitions were extracted
	Unparsed int `json:"unparsed"` // files of a known language that could not be parsed: see status
	Pending  int `json:"pending"`  // files not parsed yet; those that hold the name were, for this answer
	// Unlisted counts directories that could not be read (permission denied): what is in them is missing from every list.
	// Status names them.
	Unlisted int `json:"unlisted,omitempty"`
	// Freshness says how the answer was brought up to date: "events" (directories that events
	// named were read just before), "sweep" (the whole tree was, for want of events), "sweep (overflow)"
	// and other causes (it was this once), "events, sweep of unwatched directories", or "none" (the caller asked for no sync).
	// Unsettled stands behind it where that is so.
	Freshness string `json:"freshness"`
}

// Unsettled is said of an answer when files came, went or moved during each of several looks: one that was never where it was
// looked for is missing from it.
const Unsettled = " (files moved during every look: some may be missing; ask again)"

// FreshnessWarning is what a text says of a Freshness, without a line feed; "" when there is nothing to say.
func FreshnessWarning(freshness string) string {
	switch {
	case freshness == "none":
		return "freshness: none (the tree was not compared with the index)"
	case strings.HasSuffix(freshness, Unsettled):
		return "freshness: " + freshness
	}
	return ""
}

// Common is what every request about a worktree carries.
type Common struct {
	// Root is the absolute path of the workspace.
	Root string `json:"root,omitempty"`
	// Dir is the caller's directory relative to Root ("" or "sub/dir"), percent-encoded like a
	// path in an address; paths written without repo: are relative to it.
	Dir string `json:"dir,omitempty"`
	// NoSync skips bringing the workspace up to date before the answer.
	NoSync bool `json:"noSync,omitempty"`
}

// Workspace is the root of the request that c is a part of.
func (c Common) Workspace() string { return c.Root }

// HelloParams opens a connection; it may be left out.
type HelloParams struct {
	Version string `json:"version"`
}

// HelloResult names the daemon.
type HelloResult struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// Busy is the number of requests under way on other connections.
	Busy int `json:"busy"`
}

// DefParams asks where a symbol is defined.
type DefParams struct {
	Common
	// Target is repo:PATH:Symbol.dotted, Symbol.dotted, repo:PATH:LINE or repo:PATH:LINE:COL.
	Target string `json:"target"`
	// Symbol is the name when Target is a bare repo:PATH.
	Symbol string `json:"symbol,omitempty"`
	NoBody bool   `json:"noBody,omitempty"`
	// Limit is the most definitions to return (0: the workspace's max_matches); After is the
	// Next of the answer before.
	Limit int `json:"limit,omitempty"`
	After int `json:"after,omitempty"`
}

// DefResult lists every definition that the target names, in the order (path, line).
type DefResult struct {
	Target      string       `json:"target"` // the target as it is printed
	Engine      string       `json:"engine"`
	Coverage    Coverage     `json:"coverage"`
	Definitions []Definition `json:"definitions"`
	Total       int          `json:"total"`
	Next        int          `json:"next,omitempty"` // pass as After to go on; 0: that was all
}

// Definition is one definition with its two addresses. Text and all positions belong to the
// bytes that Captured names.
type Definition struct {
	Path           string    `json:"path"`
	PathBase64     string    `json:"pathBase64,omitempty"` // the exact name when it is not UTF-8
	Name           string    `json:"name"`
	Container      string    `json:"container"`
	Kind           string    `json:"kind"`
	Signature      string    `json:"signature,omitempty"`
	Doc            string    `json:"doc,omitempty"`
	Lines          Lines     `json:"lines"`
	Range          Range     `json:"range"`
	SelectionRange Range     `json:"selectionRange"`
	Bytes          Bytes     `json:"bytes"`
	SelectionBytes Bytes     `json:"selectionBytes"`
	Captured       *Captured `json:"captured"`           // null: not captured, Note says why
	Live           *Live     `json:"live"`               //
	Text           []string  `json:"text,omitempty"`     // all lines; the first 10 when Complete is false
	Complete       bool      `json:"complete,omitempty"` // Text is the whole body
	TextBase64     string    `json:"textBase64,omitempty"`
	Note           string    `json:"note,omitempty"`
}

// GetParams reads one region. At most one of Lines, Span, Symbol, Bytes is set; the priority of
// the seed applies where several are (SEEDS S1.21).
type GetParams struct {
	Common
	// Ref is repo:PATH, PATH, snapshot:ID, blob:ID, or a whole printed address.
	Ref       string `json:"ref"`
	Lines     string `json:"lines,omitempty"`
	Span      string `json:"span,omitempty"`
	Symbol    string `json:"symbol,omitempty"`
	Bytes     string `json:"bytes,omitempty"` // A:B, from 1, both ends included
	Hashlines bool   `json:"hashlines,omitempty"`
}

// Outcomes of an anchored range.
const (
	Verified  = "verified"
	Relocated = "relocated"
	Lost      = "lost"
	// Unresolved is that of an address that is malformed or cannot be looked at: its Error says why.
	Unresolved = "error"
)

// GetResult is one region of one text.
type GetResult struct {
	Ref        string `json:"ref"` // as printed: repo:m.py, snapshot:…, blob:…
	Path       string `json:"path,omitempty"`
	PathBase64 string `json:"pathBase64,omitempty"`
	Snapshot   string `json:"snapshot,omitempty"` // 12 hex, of the bytes shown
	Blob       string `json:"blob,omitempty"`     // 64 hex, of the bytes shown
	Span       string `json:"span,omitempty"`     // set when a captured span was asked for
	Symbol     string `json:"symbol,omitempty"`   // set when a symbol was asked for
	Outcome    string `json:"outcome,omitempty"`  // verified or relocated, when an anchor was given
	From       *Lines `json:"from,omitempty"`     // where a relocated range was
	Region     *Lines `json:"region,omitempty"`   // the whole span or symbol that was asked for, of which Lines may be a part
	Anchor     string `json:"anchor,omitempty"`   // the anchor that was given
	// Selector is the selector of what is shown, as the seed echoes it: --lines 4:5@07407f1c.
	Selector string `json:"selector,omitempty"`
	Lines    Lines  `json:"lines"` // what is shown
	Bytes    Bytes  `json:"bytes"`
	Total    int    `json:"total"` // lines of the whole text
	// Identity is proven or content; Checked is full or short; Copies counts the regions with
	// equal content, this one included.
	Identity string `json:"identity,omitempty"`
	Checked  string `json:"checked,omitempty"`
	Copies   int    `json:"copies,omitempty"`
	Windows  int    `json:"windows,omitempty"` // windows searched when Checked is short
	// Divergence says that the worktree no longer holds these bytes.
	Divergence string    `json:"divergence,omitempty"`
	Text       []string  `json:"text"`
	TextBase64 string    `json:"textBase64,omitempty"` // the exact bytes, when they are not UTF-8 or a slice
	Tags       []string  `json:"tags,omitempty"`       // with Hashlines: one line tag per line
	Captured   *Captured `json:"captured,omitempty"`
	Live       *Live     `json:"live,omitempty"`
	// Zoom are the two halves of a captured span that is shown in part, as spans of their own.
	Zoom      []Captured `json:"zoom,omitempty"`
	Next      string     `json:"next,omitempty"` // the address of the rest, when the answer was cut
	Truncated *Truncated `json:"truncated,omitempty"`
	Note      string     `json:"note,omitempty"`
}

// Truncated says that a line was cut inside, in estimated tokens (bytes/4).
type Truncated struct {
	Shown int `json:"shown"`
	Of    int `json:"of"`
}

// ResolveParams asks what became of up to 10,000 addresses.
type ResolveParams struct {
	Common
	Addresses []string `json:"addresses"`
}

// ResolveResult has one outcome per address, in order.
type ResolveResult struct {
	Outcomes []Outcome `json:"outcomes"`
}

// Outcome is what became of one address. Error is set when Outcome is lost or the address could
// not be looked at.
type Outcome struct {
	Address string `json:"address"`
	Outcome string `json:"outcome"` // verified, relocated, lost, or error
	Path    string `json:"path,omitempty"`
	// PathBase64 is the exact name when Path cannot carry it.
	PathBase64 string     `json:"pathBase64,omitempty"`
	From       *Lines     `json:"from,omitempty"`
	Lines      *Lines     `json:"lines,omitempty"`
	Identity   string     `json:"identity,omitempty"`
	Checked    string     `json:"checked,omitempty"`
	Copies     int        `json:"copies,omitempty"`
	Windows    int        `json:"windows,omitempty"`
	Live       *Live      `json:"live,omitempty"` // the corrected address, when it was relocated
	Error      *ErrorData `json:"error,omitempty"`
}

// StatusParams asks for the daemon's state.
type StatusParams struct{ Common }

// StatusResult is the daemon's state.
type StatusResult struct {
	PID        int         `json:"pid"`
	Socket     string      `json:"socket"`
	Version    string      `json:"version"`
	State      string      `json:"state"` // the state directory
	Workspaces []Workspace `json:"workspaces"`
	Store      Store       `json:"store"`
	Facts      Facts       `json:"facts"`
	Process    Process     `json:"process"`
}

// Facts is the state of the cache of parsed files, which all workspaces share. Counts are since the
// daemon started.
type Facts struct {
	Bytes  int64 `json:"bytes"`  // on disk
	Hits   int   `json:"hits"`   // files whose facts were known: on disk, or of an equal file
	Built  int   `json:"built"`  // files that were parsed
	Stored int   `json:"stored"` // descriptions written
	// Problem says why facts cannot be written, "" when they can: a restart parses again.
	Problem string `json:"problem,omitempty"`
}

// Process is what the daemon uses of the system.
type Process struct {
	Goroutines  int   `json:"goroutines"`
	Descriptors int   `json:"descriptors"`
	Resident    int64 `json:"resident"` // bytes
}

// Workspace is one worktree that the daemon has open.
type Workspace struct {
	Root        string    `json:"root"`
	Files       int       `json:"files"`
	Parsed      int       `json:"parsed"`
	Pending     int       `json:"pending"`
	Other       int       `json:"other"` // files in no known language
	Definitions int       `json:"definitions"`
	Freshness   string    `json:"freshness"` // as in Coverage
	Watched     int       `json:"watched"`   // directories that tell of their changes by events
	Unwatched   int       `json:"unwatched"` // directories that are read each time
	Unparsed    []Problem `json:"unparsed"`
	Unreadable  []Problem `json:"unreadable"`
	// Quarantined are the files whose content crashed or hung the parser: not parsed any more.
	Quarantined []Problem `json:"quarantined"`
	// Degraded says what works worse than it could, such as trees without events, and what to do.
	Degraded []Degraded `json:"degraded"`
	// Sweeps counts the looks at the whole tree since the workspace was opened: one at first, one after
	// every overflow of the queue of events, change of ignore rules or of the root.
	Sweeps int `json:"sweeps"`
	// LastSweep says why the last of them was made: first, overflow, rules, root, mounts, permissions, links,
	// problems, failure, no events, or blind (most directories are not watched).
	LastSweep string `json:"lastSweep"`
}

// Degraded is something that makes answers slower, never different. Path is "" for the whole.
type Degraded struct {
	Path       string `json:"path,omitempty"`
	PathBase64 string `json:"pathBase64,omitempty"`
	Reason     string `json:"reason"`
	Fix        string `json:"fix"`
}

// Problem names a file and says what is wrong with it.
type Problem struct {
	Path       string `json:"path"`
	PathBase64 string `json:"pathBase64,omitempty"`
	Reason     string `json:"reason"`
}

// Store is the state of the capture store.
type Store struct {
	Blobs   int      `json:"blobs"`
	Bytes   int64    `json:"bytes"`
	Spans   int      `json:"spans"`
	Damaged []string `json:"damaged"`
}

// DoctorParams asks for everything that looks wrong.
type DoctorParams struct{ Common }

// DoctorResult lists the checks that were made.
type DoctorResult struct {
	Checks []Check `json:"checks"`
}

// Check is one thing that was looked at: Level is ok, warning or error; Fix says what to do.
type Check struct {
	Name    string `json:"name"`
	Level   string `json:"level"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// StopParams ends the daemon. IfOlder stops it only when its version is older than this.
type StopParams struct {
	IfOlder string `json:"ifOlder,omitempty"`
}

// StopResult says whether the daemon is stopping, and which process it is.
type StopResult struct {
	Stopping bool `json:"stopping"`
	PID      int  `json:"pid,omitempty"`
}

// GCParams collects captures that nobody used for longer than the retention.
type GCParams struct {
	// RetentionDays overrides the configured retention; nil keeps it.
	RetentionDays *int `json:"retentionDays,omitempty"`
}

// GCResult counts what was collected and what was kept.
type GCResult struct {
	Removed      int   `json:"removed"`
	RemovedBytes int64 `json:"removedBytes"`
	Kept         int   `json:"kept"`
	KeptBytes    int64 `json:"keptBytes"`
	Pinned       int   `json:"pinned"`
	Spans        int   `json:"spans"`
}

// PinParams keeps what ID names for ever: a span, snapshot:ID or blob:ID.
type PinParams struct {
	ID string `json:"id"`
}

// PinResult names what was pinned.
type PinResult struct {
	Blob       string `json:"blob"`
	Path       string `json:"path,omitempty"`
	PathBase64 string `json:"pathBase64,omitempty"`
}
