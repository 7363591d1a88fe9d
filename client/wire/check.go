package wire

// CheckParams asks for the live anchored addresses that stand in the texts of the worktree, and what became of them.
type CheckParams struct {
	Common
	// Paths are files or directories to look in, repo:PATH or PATH; none is the whole worktree.
	Paths []string `json:"paths,omitempty"`
	// Fix rewrites relocated addresses where they stand.
	Fix bool `json:"fix,omitempty"`
	// Limit is the most rows to return, at most 10,000 (0: the workspace's max_matches); After is the Next of the
	// answer before.
	Limit int `json:"limit,omitempty"`
	After int `json:"after,omitempty"`
}

// CheckResult lists the addresses that were found: first those that are lost, then those that cannot be looked at, then
// relocated and verified ones, each by (path, position).
type CheckResult struct {
	Coverage  Coverage         `json:"coverage"`
	Scanned   Scanned          `json:"scanned"`
	Excluded  int              `json:"excluded,omitempty"` // files that [check] exclude leaves out
	Addresses []CheckedAddress `json:"addresses"`
	Total     int              `json:"total"`
	Counts    CheckCounts      `json:"counts"`
	Next      int              `json:"next,omitempty"` // pass as After to go on; 0: that was all
}

// CheckCounts counts addresses by outcome, all of them and not only those that are shown. A fixed one is counted as
// what it was.
type CheckCounts struct {
	Verified  int `json:"verified"`
	Relocated int `json:"relocated"`
	Lost      int `json:"lost"`
	Error     int `json:"error"`
	Ignored   int `json:"ignored"` // marked ctx:ignore: not looked at, and no rows
	Fixed     int `json:"fixed"`
	Unfixed   int `json:"unfixed"` // addresses that Fix had to leave alone; their rows say why
}

// CheckedAddress is one address and where it stands. The positions are those of the address, before Fix.
type CheckedAddress struct {
	Path       string `json:"path"`
	PathBase64 string `json:"pathBase64,omitempty"`
	Lines      Lines  `json:"lines"` // of the address: usually one line, twice
	Range      Range  `json:"range"`
	Bytes      Bytes  `json:"bytes"`
	// Outcome is that of ctx/resolve.
	Outcome Outcome `json:"outcome"`
	// Fixed is the address that was written in its place.
	Fixed string `json:"fixed,omitempty"`
	// Note says why it was not fixed, or what is wrong with where it stands.
	Note string `json:"note,omitempty"`
}
