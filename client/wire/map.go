package wire

// MapParams asks for an outline of a file, or for the definitions of a folder or the whole worktree that matter most.
type MapParams struct {
	Common
	// Path is a file or directory, repo:PATH or PATH; "" is the whole worktree.
	Path string `json:"path,omitempty"`
	// Budget is the most tokens of the text that ctx prints, a token being 4 bytes: MinMapBudget to MaxMapBudget;
	// 0: the workspace's result_tokens. One row is shown whatever the budget.
	Budget int `json:"budget,omitempty"`
	// Anchors says that the text shows the anchor of each row: the budget counts it.
	Anchors bool `json:"anchors,omitempty"`
	// After is the Next of the answer before.
	After string `json:"after,omitempty"`
}

// The least and the most tokens of one map.
const (
	MinMapBudget = 64
	MaxMapBudget = 1_000_000
)

// MapResult is a part of one list: the definitions in Path by how much they matter, then the files that have none.
// The rows of the part are shown by file, in the order of the text. Total and Omitted count Path alone.
type MapResult struct {
	Path       string `json:"path"` // as it is printed: repo:. or repo:PATH
	PathBase64 string `json:"pathBase64,omitempty"`
	// Outline: Path is a file, and its definitions are nested.
	Outline bool `json:"outline"`
	// Terse: the text has no signatures, for the budget.
	Terse    bool       `json:"terse,omitempty"`
	Engine   string     `json:"engine"`
	Budget   int        `json:"budget"`
	Coverage Coverage   `json:"coverage"`
	Files    []MapFile  `json:"files"`
	Entries  []MapEntry `json:"entries"`
	Total    MapCount   `json:"total"`
	// Omitted counts what comes behind the last row: definitions, and files of which nothing has been shown so far.
	Omitted MapCount `json:"omitted"`
	// Kinds counts the omitted definitions of an outline by kind, the most frequent first.
	Kinds []MapKind `json:"kinds,omitempty"`
	// Next, passed as After, goes on behind the last row; "": that was all. It carries a digest of the list.
	Next string `json:"next,omitempty"`
	// Note says that the list is no longer the one that After belongs to.
	Note string `json:"note,omitempty"`
}

// MapCount counts files and definitions.
type MapCount struct {
	Files   int `json:"files"`
	Symbols int `json:"symbols"`
}

// MapKind counts definitions of one kind.
type MapKind struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// MapFile is a file that has entries in the answer, or that has no definitions.
type MapFile struct {
	Path        string `json:"path"`
	PathBase64  string `json:"pathBase64,omitempty"`
	Language    string `json:"language,omitempty"`
	Size        int    `json:"size"`        // in bytes
	Definitions int    `json:"definitions"` // in the whole file
	Imports     int    `json:"imports"`
	// ImportedBy counts the files of the worktree with an import that names it; left out in an outline that shows all.
	ImportedBy int `json:"importedBy,omitempty"`
	// Problem says why there are no definitions: it could not be parsed.
	Problem string `json:"problem,omitempty"`
}

// MapEntry is one definition, without its text. What it says may be asked of ctx/def: Target and Symbol are its
// parameters, and its answer has the definition among others of the name.
type MapEntry struct {
	Definition
	// Target is repo:PATH, with Symbol; repo:PATH:LINE:COL without, where the name cannot be written.
	Target string `json:"target"`
	Symbol string `json:"symbol,omitempty"`
	// Weight orders the list: an estimate of how much of the worktree refers to the definition, by names and
	// imports, and of what it is. ctx/refs tells exactly. 0 in an outline that shows all.
	Weight int `json:"weight,omitempty"`
	// Depth is how many definitions are around it, of those in an outline.
	Depth int `json:"depth,omitempty"`
}
