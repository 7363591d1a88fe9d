package client

import (
	"os/exec"
	"strings"
	"testing"
)

// What ctx links decides how fast it starts: see the package comment.
func TestImports(t *testing.T) {
	for _, pkg := range []string{"ctxd/client/ctx", "ctxd/client"} {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		deps := strings.Fields(string(out))
		if len(deps) < 20 {
			t.Fatalf("%s: %d dependencies are too few to be true", pkg, len(deps))
		}
		for _, dep := range deps {
			switch {
			case dep == "net", dep == "os/user", dep == "runtime/cgo", dep == "C", dep == "regexp",
				strings.HasPrefix(dep, "net/"),
				strings.HasPrefix(dep, "ctxd/") && !strings.HasPrefix(dep, "ctxd/client"),
				!strings.HasPrefix(dep, "ctxd/") && strings.Contains(strings.Split(dep, "/")[0], "."):
				t.Errorf("%s imports %s", pkg, dep)
			}
		}
	}
}
