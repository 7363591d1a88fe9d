package wire

// DiagParams asks what is wrong in a file, a directory or the whole workspace.
type DiagParams struct {
	Common
	// Path is repo:PATH or PATH, a file or a directory; "" is the whole workspace.
	Path string `json:"path,omitempty"`
	// Since is the Clock of an earlier answer for the same path: only what is new since then is listed.
	Since string `json:"since,omitempty"`
	// Limit is the most rows to return (0: the workspace's max_matches); After is the Next of the
	// answer before.
	Limit int `json:"limit,omitempty"`
	After int `json:"after,omitempty"`
}

// Severities of a diagnostic, worst first.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityInfo    = "info"
)

// GoParser is the source of the syntax errors of Go files: the parser of Go's own library.
const GoParser = "go/parser"

// DiagResult lists what is wrong, in the order (path, position, severity, message, source).
type DiagResult struct {
	Path        string       `json:"path"` // as printed: repo:m.py, repo:dir, or repo: for all
	Engine      string       `json:"engine"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	Total       int          `json:"total"`    // rows, before Limit and After
	Errors      int          `json:"errors"`   // of these
	Warnings    int          `json:"warnings"` // of these
	Next        int          `json:"next,omitempty"`
	// Clock names the state that this answer is about: pass it as Since. It depends on what is
	// wrong alone, not on when or by whom that was asked.
	Clock string `json:"clock"`
	Since string `json:"since,omitempty"` // the clock that was given
	// Fresh says that Since is not known (any more), so that everything is listed.
	Fresh bool `json:"fresh,omitempty"`
	// Solved is how many rows of the earlier answer are gone.
	Solved   int          `json:"solved,omitempty"`
	Coverage DiagCoverage `json:"coverage"`
}

// Diagnostic is one thing that is wrong, with the two addresses of its lines. All positions belong to the
// bytes that Captured names.
type Diagnostic struct {
	Path       string    `json:"path"`
	PathBase64 string    `json:"pathBase64,omitempty"`
	Lines      Lines     `json:"lines"`
	Range      Range     `json:"range"`
	Bytes      Bytes     `json:"bytes"`
	Severity   string    `json:"severity"`
	Source     string    `json:"source"` // tree-sitter, go/parser, or the name of a checker
	Code       string    `json:"code,omitempty"`
	Message    string    `json:"message"`
	Captured   *Captured `json:"captured"` // null: not captured, Note says why
	Live       *Live     `json:"live"`
	Note       string    `json:"note,omitempty"`
}

// DiagCoverage says who looked at what. "None" is an answer about the files that were looked at.
type DiagCoverage struct {
	Coverage
	// Scope is how many files Path names, Checked how many of them any source could judge, and Unchecked
	// how many none did; Checked + Unchecked = Scope.
	Scope     int          `json:"scope"`
	Checked   int          `json:"checked"`
	Unchecked int          `json:"unchecked"`
	Bytes     int64        `json:"bytes"` // of the checked files
	Sources   []DiagSource `json:"sources"`
	// Reasons says why files were not judged, by reason.
	Reasons []DiagReason `json:"reasons"`
}

// DiagSource is one source of diagnostics, and how many files of the scope it judged.
type DiagSource struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	// Note says what kept it from judging more: not installed, not trusted, out of time.
	Note string `json:"note,omitempty"`
}

// DiagReason counts the files that no source judged for one reason, and names the first of them.
type DiagReason struct {
	Reason string   `json:"reason"`
	Files  int      `json:"files"`
	Paths  []string `json:"paths"` // addresses, repo:PATH; at most 5
}

// TrustParams asks to trust a workspace, or to trust it no more.
type TrustParams struct {
	Common
	Revoke bool `json:"revoke,omitempty"`
	// Show changes nothing.
	Show bool `json:"show,omitempty"`
}

// TrustResult says what is trusted now.
type TrustResult struct {
	Trusted bool `json:"trusted"`
	// Changed says that it was otherwise before.
	Changed bool `json:"changed"`
	// Others says that the workspace is trusted, but with other checkers than its ctx.toml names now.
	Others bool `json:"others,omitempty"`
	// Checkers are the commands that may run in a trusted workspace.
	Checkers []TrustChecker `json:"checkers"`
}

// TrustChecker is one configured command.
type TrustChecker struct {
	Name      string   `json:"name"`
	Languages []string `json:"languages"`
	Command   []string `json:"command"`
	Problem   string   `json:"problem,omitempty"` // why it cannot run: not installed
}
