package daemon

import (
	"path/filepath"
	"runtime"
	"testing"

	"ctxd/client/wire"
)

// BenchmarkMap maps the Go library: as it is asked again, after a rest, and after a change of some file.
func BenchmarkMap(b *testing.B) {
	ws := use(b, newDaemonWith(b, ParseUserConfig("", nil)), filepath.Join(runtime.GOROOT(), "src"))
	settled(b, ws)
	snap := ws.cur.Load()
	ask := func(b *testing.B, p wire.MapParams) {
		if _, err := ws.Map(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		before func()
	}{
		{"again", func() {}},
		{"rested", func() { snap.ranked.rest() }},
		{"changed", func() { snap.ranked.order.Store(nil); snap.ranked.weights.Store(nil) }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				tt.before()
				ask(b, wire.MapParams{Budget: 1000})
			}
		})
	}
}
