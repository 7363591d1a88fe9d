package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// TestDeepened: addresses made elsewhere, of a file that was deleted and of lines that were changed, are known as soon as the commits
// that had them are there. Of what is below a shallow clone's last commit nothing is said.
func TestDeepened(t *testing.T) {
	from := newWorkspace(t, map[string]string{"m.py": longFile, "n.py": longFile})
	committedTree(t, from)
	if err := os.Remove(filepath.Join(from.Root, "m.py")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(from.Root, "n.py"), "x = 1\n")
	commitAll(t, from)
	ws := newWorkspace(t, nil)
	runGit(t, ws, "clone", "-q", "--depth", "1", "file://"+from.Root, ".")
	settled(t, ws)
	lines := strings.Join(strings.SplitAfter(longFile, "\n")[2:7], "")
	all := []string{"repo:m.py --lines 3:7@" + anchorOf(lines), "repo:n.py --lines 3:7@" + anchorOf(lines)}
	for _, deep := range []bool{false, true} {
		if deep {
			runGit(t, ws, "fetch", "-q", "--unshallow")
		}
		for range 2 {
			res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: all})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range res.Outcomes {
				if b := o.Error.Became; o.Outcome != wire.Lost || deep && (b == nil || b.Kind != wire.Deleted && b.Kind != wire.Edited) || !deep && b != nil {
					t.Errorf("deep: %v, %s: %+v", deep, o.Address, b)
				}
			}
		}
	}
}
