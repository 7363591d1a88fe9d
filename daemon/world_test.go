package daemon

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestWorldReads: offsets of one content are not looked up in another, be it of a file that is parsed or of one that is not
// yet, and no more than a few files are kept.
func TestWorldReads(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.cpp": "int f(int a);\n", "go.mod": "module a\n"})
	settled(t, ws)
	write(t, filepath.Join(ws.Root, "new.cpp"), "int g(int a);\n")
	snap := ws.cur.Load()
	w := ws.world(t.Context(), snap)
	if got := string(w.Read("a.cpp")); got != "int f(int a);\n" {
		t.Errorf("read %q", got)
	}
	w = ws.world(t.Context(), snap)
	write(t, filepath.Join(ws.Root, "a.cpp"), "// more\nint f(int a, int b);\n")
	write(t, filepath.Join(ws.Root, "go.mod"), "module another\n")
	if got := w.Read("a.cpp"); got != nil {
		t.Errorf("of other bytes than the facts: %q", got)
	}
	if got := string(w.Read("go.mod")); got != "module another\n" {
		t.Errorf("what has no facts: %q", got)
	}
	if w.Read("none.cpp") != nil {
		t.Error("what is not there was read")
	}
	w.Read("new.cpp")
	for i := range 2 * maxContents {
		w.Read(fmt.Sprint(i))
	}
	if len(w.bytes) > maxContents {
		t.Errorf("%d files are kept", len(w.bytes))
	}
	write(t, filepath.Join(ws.Root, "new.cpp"), "// more\nint g(int a, int b);\n")
	if got := w.Read("new.cpp"); got != nil {
		t.Errorf("read again, of other bytes: %q", got)
	}
}

// TestOverloadsWithShifts: what a default argument leaves untold is no other function's.
func TestOverloadsWithShifts(t *testing.T) {
	for _, initial := range []string{"1 << 2", "(1 < 2)"} {
		src := "void f(int flags = " + initial + ", int x = 0);\nvoid f(int a, char b, int c = 3);\nvoid f(int flags, int x) {}\nvoid g() { f(1, 2); }\n"
		ws := newWorkspace(t, map[string]string{"a.cpp": src})
		settled(t, ws)
		u, err := ws.UsesAt(t.Context(), "a.cpp", len("void "), "")
		if err != nil {
			t.Fatal(err)
		}
		lines := map[int]bool{}
		for _, x := range u.Sites {
			lines[x.Text.Table.LineAt(x.Start)] = true
		}
		if !lines[3] || !lines[4] {
			t.Errorf("%s: sites on lines %v of 3 and 4", initial, lines)
		}
	}
}
