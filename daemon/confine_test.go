package daemon

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ctxd/client/wire"
)

// TestSwappedLink: a link that changes its target while it is read never gives what lies outside
// (CASES S1), and a path with a NUL or with dots in it is refused (CASES S2).
func TestSwappedLink(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"in/m.py": "inside = 1\n", "m.py": "inside = 1\n"})
	out := t.TempDir()
	write(t, filepath.Join(out, "m.py"), "outside = 1\n")
	dir, link := filepath.Join(ws.Root, "d"), filepath.Join(ws.Root, "next")
	done := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			target := []string{"in", out}[i%2]
			os.Remove(link)
			if err := os.Symlink(target, link); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(link, dir); err != nil {
				t.Error(err)
				return
			}
		}
	})
	seen := map[wire.Word]int{}
	for i := 0; i < 3000 || i < 300_000 && (seen[""] == 0 || seen[wire.PathDenied] == 0); i++ {
		res, err := ws.Get(t.Context(), wire.GetParams{Ref: "repo:d/m.py"})
		seen[word(err)]++
		if err == nil && res.Text[0] != "inside = 1" {
			t.Fatalf("%q", res.Text)
		}
	}
	close(done)
	swapper.Wait()
	t.Log(seen)
	if seen[""] == 0 || seen[wire.PathDenied] == 0 {
		t.Errorf("both targets were not met: %v", seen)
	}
	for _, ref := range []string{"repo:m.py%00x", "repo:%00", "repo:in/../../m.py", "repo:%2e%2e/m.py", "repo:in/..", "repo:..", "repo:" + ws.Root + "-evil/x.py"} {
		if res, err := ws.Get(t.Context(), wire.GetParams{Ref: ref}); word(err) != wire.PathDenied {
			t.Errorf("%s: %+v %v", ref, res, err)
		}
	}
}
