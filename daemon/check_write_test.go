package daemon

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ctxd/client/wire"
)

// TestCheckFixNames: a file with several names is left alone under all of them, for a rewrite would part them.
func TestCheckFixNames(t *testing.T) {
	text := "repo:m.py --lines 4:5@07407f1c\n"
	ws := newWorkspace(t, map[string]string{"m.py": "# new\n" + seedFile, "d.md": text})
	outside := filepath.Join(t.TempDir(), "outside")
	for _, name := range []string{outside, filepath.Join(ws.Root, "e.md")} {
		if err := os.Link(filepath.Join(ws.Root, "d.md"), name); err != nil {
			t.Fatal(err)
		}
	}
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Fixed != 0 || res.Counts.Unfixed != 2 || !strings.Contains(res.Addresses[0].Note, "3 names") {
		t.Errorf("%+v", res)
	}
	for _, name := range []string{outside, filepath.Join(ws.Root, "d.md"), filepath.Join(ws.Root, "e.md")} {
		if src, err := os.ReadFile(name); string(src) != text {
			t.Errorf("%s: %q, %v", name, src, err)
		}
	}
}

// TestCheckFixAttributes: what a file system keeps of a file besides its bytes stays.
func TestCheckFixAttributes(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return
	}
	ws := newWorkspace(t, map[string]string{"m.py": "# new\n" + seedFile, "d.md": "repo:m.py --lines 4:5@07407f1c\n"})
	doc := filepath.Join(ws.Root, "d.md")
	if err := unix.Setxattr(doc, "user.ctx.test", []byte("kept"), 0); err == unix.ENOTSUP {
		t.Log("this file system keeps no attributes")
	} else if err != nil {
		t.Fatal(err)
	}
	had := make([]byte, 16)
	n, _ := unix.Getxattr(doc, "user.ctx.test", had)
	if res := checked(t, ws, wire.CheckParams{Fix: true}); res.Counts.Fixed != 1 {
		t.Errorf("%+v", res)
	}
	has := make([]byte, 16)
	if m, err := unix.Getxattr(doc, "user.ctx.test", has); m != n || string(has) != string(had) {
		t.Errorf("%q, %v", has, err)
	}
}
