package wire

// SubscribeParams says of which addresses this connection wants to be told what becomes of them. What is held ends with
// the connection.
type SubscribeParams struct {
	Common
	// Addresses are held from now on: live anchored ranges, at most 10,000 in one call and 100,000 in all.
	Addresses []string `json:"addresses,omitempty"`
	// Given holds every live address that was given on this connection, and every one that will be.
	Given bool `json:"given,omitempty"`
	// Drop lets addresses go, written as they were when they were subscribed.
	Drop []string `json:"drop,omitempty"`
}

// SubscribeResult is the state from which changes are told. When it arrives, the changes that were made before the
// request have been told, and those of its own addresses come after it.
type SubscribeResult struct {
	// Outcomes are what became of Addresses so far, one each, in order. One that is an error for another reason
	// than its file (malformed, a captured span, which never changes) is not held.
	Outcomes []Outcome `json:"outcomes"`
	Held     int       `json:"held"` // addresses of this workspace that the connection holds
	// Unheard counts the addresses in files that no event tells of, because they are ignored: these files are looked at once
	// a second.
	Unheard int `json:"unheard,omitempty"`
	// Unheld counts the addresses that were given while Given holds, and are not held because 100,000 are.
	Unheld int `json:"unheld,omitempty"`
}

// Restored is the kind of a change: the content was gone, and is there again. The others are Moved (it stands elsewhere, and
// Live says where), Edited (it is gone, and Error.Became says what stands in its place) and Lost.
const Restored = "restored"

// AnchorChanged are the parameters of the notification ctx/anchorChanged.
type AnchorChanged struct {
	Root    string         `json:"root"`
	Changes []AnchorChange `json:"changes"` // at most 1,000
}

// AnchorChange is what became of one address. States that followed each other faster than the peer took what it was
// told are told as one: From is the state told last, and the rest is the state now.
type AnchorChange struct {
	Address    string     `json:"address"` // as it was subscribed or given
	Kind       string     `json:"kind"`    // moved, edited, lost or restored
	Path       string     `json:"path,omitempty"`
	PathBase64 string     `json:"pathBase64,omitempty"`
	From       *Lines     `json:"from,omitempty"`  // where it was; missing when it was gone
	Lines      *Lines     `json:"lines,omitempty"` // where it is; missing when it is gone
	Live       *Live      `json:"live,omitempty"`  // its present address, when it stands elsewhere than Address says
	Error      *ErrorData `json:"error,omitempty"` // of a gone one: the refusal of ctx/get
}

// LedgerParams asks which of the live addresses that were given on this connection have changed.
type LedgerParams struct {
	Common
	// Since is the Clock of a ledger before; "" asks for the changes since each address was given.
	Since string `json:"since,omitempty"`
	// Limit is the most rows to return, at most 10,000, which 0 stands for; After is the Next of the answer before.
	Limit int `json:"limit,omitempty"`
	After int `json:"after,omitempty"`
}

// LedgerResult lists what changed, in the order in which the addresses were given. From is where an address was when it
// was given. One that changed and is what it was again is listed with a Since, as restored or moved.
type LedgerResult struct {
	Changes []AnchorChange `json:"changes"`
	Total   int            `json:"total"`
	Next    int            `json:"next,omitempty"` // pass as After to go on; 0: that was all
	Given   int            `json:"given"`          // addresses that are remembered
	// Cut counts the oldest addresses, which were forgotten because 50,000 are kept.
	Cut int `json:"cut,omitempty"`
	// Clock is passed as Since the next time. It belongs to this connection.
	Clock string `json:"clock"`
	// Fresh says that Since is not a clock of this connection: the changes are those since the addresses were given.
	Fresh bool `json:"fresh,omitempty"`
}
