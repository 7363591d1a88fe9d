package wire

// The methods of the socket.
const (
	MethodHello   = "ctx/hello"
	MethodDef     = "ctx/def"
	MethodRefs    = "ctx/refs"
	MethodGet     = "ctx/get"
	MethodResolve = "ctx/resolve"
	MethodSearch  = "ctx/search"
	MethodMap     = "ctx/map"
	MethodDiag    = "ctx/diag"
	MethodTrust   = "ctx/trust"
	MethodCheck   = "ctx/check"
	MethodStatus  = "ctx/status"
	MethodDoctor  = "ctx/doctor"
	MethodStop    = "ctx/stop"
	MethodGC      = "ctx/gc"
	MethodPin     = "ctx/pin"
	// MethodSubscribe and MethodLedger are about the addresses that one connection holds, or was given.
	MethodSubscribe = "ctx/subscribe"
	MethodLedger    = "ctx/ledger"
	// MethodAnchorChanged is the notification that tells a connection of changes.
	MethodAnchorChanged = "ctx/anchorChanged"
	// MethodEcho answers with its parameters: the floor that ctxbench measures against.
	MethodEcho = "ctx/echo"
	// MethodLSP is the notification that makes a connection one of the Language Server Protocol, before its initialize.
	MethodLSP = "ctx/lsp"
	// MethodCancel is the notification that cancels a request, by its id.
	MethodCancel = "$/cancelRequest"
)
