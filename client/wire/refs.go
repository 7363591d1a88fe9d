package wire

// Tiers of a reference, best first: how its binding to the definition is known.
const (
	TierLocal  = "local"  // bound by the scopes of the definition's own file
	TierImport = "import" // bound through an import, or the package that both files belong to
	TierName   = "name"   // the same name, binding not shown: a candidate
)

// RefsParams asks where a symbol is used.
type RefsParams struct {
	Common
	// Target is as for ctx/def. A position on a use means what that use is bound to; on a local variable, that
	// variable.
	Target string `json:"target"`
	Symbol string `json:"symbol,omitempty"` // the name when Target is a bare repo:PATH
	// Path keeps the references in this file or below this directory.
	Path string `json:"path,omitempty"`
	// Tier keeps the references of this tier and better ones; "" all.
	Tier string `json:"tier,omitempty"`
	// Limit is the most references to return (0: the workspace's max_matches); After is the Next of the
	// answer before.
	Limit int `json:"limit,omitempty"`
	After int `json:"after,omitempty"`
}

// RefsResult lists the references to every definition that the target names: first those that are bound, by
// (definition, tier, path, position), then the candidates of tier "name", by (path, position).
type RefsResult struct {
	Target      string       `json:"target"`
	Engine      string       `json:"engine"`
	Path        string       `json:"path,omitempty"` // the part of the tree that was asked for, as repo:PATH
	Coverage    Coverage     `json:"coverage"`
	Definitions []Definition `json:"definitions"` // without text; kinds that ctx/def does not know: local, module (an import's name), field (of a type without a name)
	References  []Reference  `json:"references"`
	Total       int          `json:"total"`
	Tiers       Tiers        `json:"tiers"`
	// Elsewhere counts what has the same name and is bound to something else; it is left out.
	Elsewhere int `json:"elsewhere"`
	// Aliases are other names under which references were looked for: import … as, re-exports.
	Aliases []string `json:"aliases,omitempty"`
	Next    int      `json:"next,omitempty"` // pass as After to go on; 0: that was all
}

// Tiers counts references by tier.
type Tiers struct {
	Local  int `json:"local"`
	Import int `json:"import"`
	Name   int `json:"name"`
}

// Reference is one place. Range and Bytes are those of the name; Captured and Live address the line.
type Reference struct {
	Path       string    `json:"path"`
	PathBase64 string    `json:"pathBase64,omitempty"`
	Name       string    `json:"name"`
	Definition int       `json:"definition"` // index into Definitions; -1: tier "name", or one of several overloads
	Tier       string    `json:"tier"`
	Role       string    `json:"role"`      // read, write, call, type, import, declaration
	Enclosing  string    `json:"enclosing"` // qualified name of the definition around it, "" at top level
	Lines      Lines     `json:"lines"`
	Range      Range     `json:"range"`
	Bytes      Bytes     `json:"bytes"`
	Captured   *Captured `json:"captured"`
	Live       *Live     `json:"live"`
	Text       string    `json:"text"` // the line, at most 512 bytes of it
	Note       string    `json:"note,omitempty"`
}
