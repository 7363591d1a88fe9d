package wire

// Word is the stable name of an error, shared by all faces.
type Word string

// The error words.
const (
	AnchorStale      Word = "anchor_stale"
	AnchorInvalid    Word = "anchor_invalid"
	AnchorNotFound   Word = "anchor_not_found"
	AnchorAmbiguous  Word = "anchor_ambiguous"
	BatchAborted     Word = "batch_aborted"
	EditConflict     Word = "edit_conflict"
	SpanUnknown      Word = "span_unknown"
	NotFound         Word = "not_found"
	PathDenied       Word = "path_denied"
	FileTooLarge     Word = "file_too_large"
	BinaryContent    Word = "binary_content"
	Unsupported      Word = "unsupported"
	MaliciousContent Word = "malicious_content"
	InvalidRequest   Word = "invalid_request" // the invocation itself is malformed
	Stopping         Word = "stopping"        // the daemon is going away: dial again
	Internal         Word = "internal"        // ctx itself failed
)

// codes maps each word to its JSON-RPC code.
var codes = map[Word]int{
	AnchorStale: -32010, AnchorInvalid: -32011, AnchorNotFound: -32012, AnchorAmbiguous: -32013,
	BatchAborted: -32014, EditConflict: -32015, SpanUnknown: -32016, NotFound: -32017,
	PathDenied: -32018, FileTooLarge: -32019, BinaryContent: -32020, Unsupported: -32021,
	MaliciousContent: -32022, Stopping: -32024,
	InvalidRequest: -32602, Internal: -32603,
}

// JSON-RPC and LSP codes that carry no word.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeCancelled      = -32800
)

// Code is the JSON-RPC code of a word; unknown words are internal errors.
func (w Word) Code() int {
	if c, ok := codes[w]; ok {
		return c
	}
	return codes[Internal]
}

// ErrorData is the data of a JSON-RPC error: the facts of a refusal.
type ErrorData struct {
	Error       Word      `json:"error"`
	Message     string    `json:"message"`
	Outcome     string    `json:"outcome,omitempty"`
	Path        string    `json:"path,omitempty"`
	PathBase64  string    `json:"pathBase64,omitempty"`
	Lines       *Lines    `json:"lines,omitempty"`
	Anchor      string    `json:"anchor,omitempty"`
	Captured    *Captured `json:"captured,omitempty"`
	Became      *Became   `json:"became,omitempty"`   // of a lost anchor: what is known of what became of it
	Coverage    *Coverage `json:"coverage,omitempty"` // what was looked through in vain
	Suggestions []string  `json:"suggestions"`        // calls that can be made: ctx get repo:m.py --lines 4:5
}

// Error is a refusal as it crosses the socket.
type Error struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *ErrorData `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf-style construction of refusals is the daemon's; this one makes the envelope.
func NewError(data ErrorData) *Error {
	if data.Suggestions == nil {
		data.Suggestions = []string{}
	}
	return &Error{Code: data.Error.Code(), Message: data.Message, Data: &data}
}
