package daemon

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestOffsetsOfAnotherText: an offset of a text that the file has no longer is not looked up in what it has now.
func TestOffsetsOfAnotherText(t *testing.T) {
	const src = "class T: pass\nclass U: pass\nx = T()\nx\n"
	ws := newWorkspace(t, map[string]string{"a.py": src})
	settled(t, ws)
	was, err := ws.text(t.Context(), "a.py")
	if err != nil {
		t.Fatal(err)
	}
	old := ws.snapshot(t.Context())
	write(t, filepath.Join(ws.Root, "a.py"), "class U: pass\nclass T: pass\nx = U()\nx\n# more\n")
	settled(t, ws)
	snap, use := ws.snapshot(t.Context()), strings.LastIndex(src, "T")
	for what, ask := range map[string]func() error{
		"means": func() error { _, err := ws.means(t.Context(), snap, was, use); return err },
		"uses":  func() error { _, _, err := ws.usesAt(t.Context(), old, was, strings.Index(src, "T"), ""); return err },
		"type": func() error {
			return (&typeSearch{ws: ws, ctx: t.Context(), snap: snap}).written(was, len(src)-2, maxTypeHops)
		},
		"heirs": func() error { return (&heirs{ws: ws, ctx: t.Context(), snap: snap}).at(was, strings.Index(src, "T")) },
	} {
		if err := ask(); !errors.Is(err, errMoved) {
			t.Errorf("%s: %v, want that the file has moved on", what, err)
		}
	}
}
