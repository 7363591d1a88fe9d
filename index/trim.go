package index

import "ctxd/index/internal/sitter"

// Trim gives the memory of idle parsers back to the system. It is for a caller that has been idle for
// a while: after the 86 MB of GOROOT/src the C library held 180 MB that nothing used. Safe beside
// Build.
func Trim() { sitter.Trim() }
