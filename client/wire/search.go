package wire

// SearchParams asks for the lines that match patterns, in the text of every file of the worktree that is
// neither ignored, binary nor a secret.
type SearchParams struct {
	Common
	// Patterns are literals, or with Regex regular expressions (RE2, as in Go's package regexp: \w, \d and
	// \b know ASCII). At most 64 of 4 KiB; none is empty. Lines are compared without their ends.
	Patterns []string `json:"patterns"`
	// PatternsBase64, as long as Patterns, has the exact bytes of those that JSON cannot carry, "" for others.
	PatternsBase64 []string `json:"patternsBase64,omitempty"`
	Regex          bool     `json:"regex,omitempty"`
	// All asks for lines that match every pattern; else one is enough.
	All        bool `json:"all,omitempty"`
	IgnoreCase bool `json:"ignoreCase,omitempty"`
	// Path is a directory or file to search in, repo:PATH or PATH; "" is the whole worktree.
	Path string `json:"path,omitempty"`
	// Files and NotFiles are globs of paths: one of the former must match, none of the latter may. A glob is
	// compared with the path and its tails after each slash: *.go, net/*.go, src/**/testdata/. Without any
	// of *?[ it is a text that the path contains.
	Files    []string `json:"files,omitempty"`
	NotFiles []string `json:"notFiles,omitempty"`
	// Languages are names of languages, as in ctx/status: go, python. A file must be in one of them.
	Languages []string `json:"languages,omitempty"`
	// Limit is the most rows to return, at most 10,000; 0: as many as max_matches and result_tokens allow.
	Limit int `json:"limit,omitempty"`
	// After is the Next of the answer before: the address of the last row that was shown.
	After string `json:"after,omitempty"`
}

// SearchResult lists matching lines in the order (path, line), a line once however often it matches.
type SearchResult struct {
	Path     string   `json:"path"` // what was searched, as it is printed: repo:. or repo:DIR
	Coverage Coverage `json:"coverage"`
	Scanned  Scanned  `json:"scanned"`
	Matches  []Match  `json:"matches"`
	Total    int      `json:"total"` // matching lines in all that was scanned, those before After included
	// Next, passed as After, goes on behind the last row; "": that was all. It is followed like any address when
	// its file changes in between, so that rows which stay are shown once. See Note.
	Next string `json:"next,omitempty"`
	// Note says where the answer goes on when the row of After is no longer there.
	Note string `json:"note,omitempty"`
}

// Scanned says what a search read, and what it left out of the files in its scope.
type Scanned struct {
	Files   int `json:"files"`
	Lines   int `json:"lines"`
	Binary  int `json:"binary"`  // files with a NUL in their first 8 KiB: UTF-16 among them
	Secrets int `json:"secrets"` // files that the policy keeps back
	// Unreadable counts files and directories that could not be read; Problems names the first 20.
	Unreadable int       `json:"unreadable"`
	Problems   []Problem `json:"problems,omitempty"`
}

// Match is one matching line with its two addresses. Text and all positions belong to the bytes that
// Captured names.
type Match struct {
	Path       string `json:"path"`
	PathBase64 string `json:"pathBase64,omitempty"`
	Lines      Lines  `json:"lines"` // the line, twice
	// Range and Bytes are the leftmost match on the line, by the pattern of that index.
	Range   Range `json:"range"`
	Bytes   Bytes `json:"bytes"`
	Pattern int   `json:"pattern"`
	// Text is the line; of one with more than 200 characters the part around the match, TextBytes of the file.
	Text       string    `json:"text"`
	TextBytes  Bytes     `json:"textBytes"`
	TextBase64 string    `json:"textBase64,omitempty"` // the exact bytes, when they are not UTF-8
	Complete   bool      `json:"complete"`             // Text is the whole line
	LineBytes  Bytes     `json:"lineBytes"`            // the whole line in the file
	Captured   *Captured `json:"captured"`             // null: not captured, Note says why
	Live       *Live     `json:"live"`
	Note       string    `json:"note,omitempty"`
}
