package daemon

import (
	"path/filepath"
	"runtime"
	"testing"

	"ctxd/client/wire"
)

// BenchmarkRefs asks for references in the Go library: many, few, none that are bound.
func BenchmarkRefs(b *testing.B) {
	ws := use(b, newDaemonWith(b, ParseUserConfig("", nil)), filepath.Join(runtime.GOROOT(), "src"))
	settled(b, ws)
	for _, target := range []string{"context.Context", "csv.NewReader", "Close"} {
		b.Run(target, func(b *testing.B) {
			for b.Loop() {
				if _, err := ws.Refs(b.Context(), wire.RefsParams{Target: target, Limit: 2000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
