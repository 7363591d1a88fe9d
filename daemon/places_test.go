package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ctxd/client/wire"
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
		"calls": func() error { _, err := ws.callsFrom(t.Context(), snap, was, 0, len(src)); return err },
	} {
		if err := ask(); !errors.Is(err, errMoved) {
			t.Errorf("%s: %v, want that the file has moved on", what, err)
		}
	}
}

// TestNumbersOfAnotherText: the definitions of a file are known by their numbers. Those of the bytes that it has now are not looked up
// among those that a snapshot has of it, or a name would be said to be what another one is.
func TestNumbersOfAnotherText(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.py": "class T: pass\nclass U: pass\nx = T()\n", "b.py": "from a import T, U\nT()\n",
		"c.ts": "interface T {}\ninterface U {}\nlet x: T\n",
	})
	settled(t, ws)
	old := ws.snapshot(t.Context())
	write(t, filepath.Join(ws.Root, "a.py"), "class U: pass\nclass T: pass\nx = T()\n# more\n")
	write(t, filepath.Join(ws.Root, "c.ts"), "interface U {}\ninterface T {}\nlet x: T\n// more\n")
	for _, at := range []string{"a.py:3:5", "c.ts:2:11", "c.ts:3:8"} {
		if res, err := ws.def(t.Context(), old, wire.DefParams{Target: at}); !errors.Is(err, errMoved) {
			if err != nil || len(res.Definitions) != 1 || res.Definitions[0].Name != "T" {
				t.Errorf("def %s: %+v, %v", at, res, err)
			}
		}
		if res, err := ws.Def(t.Context(), wire.DefParams{Common: wire.Common{NoSync: true}, Target: at}); err != nil || len(res.Definitions) != 1 || res.Definitions[0].Name != "T" {
			t.Errorf("def %s, without a look: %+v, %v", at, res, err)
		}
	}
	for _, target := range []string{"a.py:1:7", "a.py:2:7", "repo:a.py:T", "repo:a.py:U", "c.ts:1:11", "c.ts:2:11"} {
		res, _, err := ws.refs(t.Context(), old, wire.RefsParams{Target: target})
		if !errors.Is(err, errMoved) {
			t.Errorf("refs %s: %+v, %v; want that the file has moved on", target, res, err)
		}
	}
	text, err := ws.text(t.Context(), "c.ts")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := ws.means(t.Context(), old, text, strings.Index(string(text.Src()), "T")); !errors.Is(err, errMoved) {
		t.Errorf("means: %+v, %v; want that the file has moved on", m, err)
	}
}

// TestUntoldWrite: a file that was written through a memory map, of which no event tells, is read again as soon as an answer rests on it.
// It is not refused for good. CASES F22.
func TestUntoldWrite(t *testing.T) {
	const before, after = "class T: pass\nclass U: pass\nx = T()\nT()\n", "class U: pass\nclass T: pass\nx = U()\nT()\n"
	ask := map[string]func(ws *Workspace) error{
		"def": func(ws *Workspace) error {
			res, err := ws.Def(t.Context(), wire.DefParams{Target: "a.py:3:5"})
			if err == nil && (len(res.Definitions) != 1 || res.Definitions[0].Name != "U") {
				t.Errorf("%+v", res)
			}
			return err
		},
		"refs": func(ws *Workspace) error {
			res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "T"})
			if err == nil && (res.Tiers.Local != 2 || res.Tiers.Import != 2) {
				t.Errorf("%+v", res)
			}
			return err
		},
		"refs of a place": func(ws *Workspace) error {
			res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "a.py:1:7"})
			if err == nil && (res.Tiers.Local != 2 || res.Tiers.Import != 0) {
				t.Errorf("%+v", res)
			}
			return err
		},
		"means": func(ws *Workspace) error {
			_, err := ws.Means(t.Context(), "a.py", strings.Index(after, "U()"))
			return err
		},
		"uses":  func(ws *Workspace) error { _, err := ws.UsesAt(t.Context(), "a.py", len("class "), ""); return err },
		"calls": func(ws *Workspace) error { _, err := ws.CallsFrom(t.Context(), "a.py", 0, len(after)); return err },
		"map":   func(ws *Workspace) error { _, err := ws.Map(t.Context(), wire.MapParams{}); return err },
	}
	for what, ask := range ask {
		ws := newWorkspace(t, map[string]string{"a.py": before, "b.py": "from a import T\nT()\n"})
		f, err := os.OpenFile(filepath.Join(ws.Root, "a.py"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		mapped, err := unix.Mmap(int(f.Fd()), 0, len(before), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		settled(t, ws)
		copy(mapped, after)
		for _, err := range []error{unix.Msync(mapped, unix.MS_SYNC), unix.Munmap(mapped)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := ask(ws); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		f.Close() // of which an event tells
	}
}
