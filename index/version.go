package index

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"ctxd/index/internal/sitter"
)

// engine is the version of the rules in this package; raise it with every change that alters what
// Build returns for some file.
const engine = 17

// Version names everything but the file that a description depends on: the engine, the grammars, the
// registry and the queries. Descriptions of different versions must not be mixed; 16 hex digits.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	h := sha256.New()
	fmt.Fprintf(h, "ctx.index/%d\x00%s\x00", engine, sitter.Module)
	for _, l := range languages {
		tags, locals, err := l.source()
		fmt.Fprintf(h, "%q %q %q %q %q %q %v\x00", l.name, l.extensions, l.filenames, l.programs, tags, locals, err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
})
