package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// listed is what go list says of one package.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

// TestImports holds the import rules of the rooms: who may know whom. A rule that is only written
// down is broken within a month.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,CgoFiles", "ctxd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]listed{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, "ctxd/")] = p
	}
	for name, rule := range rooms {
		p, ok := packages[name]
		if !ok {
			t.Errorf("%s: no such package; the rule is out of date", name)
			continue
		}
		for _, dep := range p.Deps {
			if own, ok := strings.CutPrefix(dep, "ctxd/"); ok && !slices.Contains(rule.ours, own) {
				t.Errorf("%s depends on %s, which it must not know", name, own)
			}
			if slices.Contains(rule.neverAtAll, dep) {
				t.Errorf("%s links %s", name, dep)
			}
		}
		for _, imp := range p.Imports {
			if slices.Contains(rule.never, imp) {
				t.Errorf("%s imports %s", name, imp)
			}
			first, _, _ := strings.Cut(imp, "/")
			if rule.std && strings.Contains(first, ".") {
				t.Errorf("%s imports %s: only the standard library is allowed here", name, imp)
			}
		}
	}
	for name := range packages {
		if _, ok := rooms[name]; !ok && !slices.Contains(free, name) {
			t.Errorf("%s has no import rule: add one to this table", name)
		}
	}
	for name, p := range packages {
		if slices.Contains(p.Deps, "github.com/smacker/go-tree-sitter") && !strings.HasPrefix(name, "index") &&
			!strings.HasPrefix(name, "daemon") && name != "lsp" {
			t.Errorf("%s links tree-sitter", name)
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, "github.com/smacker/") && name != "index/internal/sitter" {
				t.Errorf("%s imports %s: only index/internal/sitter knows the parser", name, imp)
			}
		}
	}
}

// room is the rule of one package.
type room struct {
	ours       []string // the packages of this module that it may depend on, directly or not
	never      []string // what it must not import itself
	neverAtAll []string // what must not be linked through it
	std        bool     // the standard library only
}

var (
	io_   = []string{"os", "io/fs", "net", "time", "sync", "context"}
	thin  = []string{"net", "os/user", "runtime/cgo", "github.com/smacker/go-tree-sitter"}
	rooms = map[string]room{
		"anchors":               {never: io_, std: true},
		"index":                 {ours: []string{"anchors", "index/internal/sitter"}, never: []string{"os", "io/fs", "net"}},
		"index/internal/sitter": {never: []string{"os", "io/fs", "net"}},
		"watch":                 {},
		"client/wire":           {never: []string{"os", "net"}, neverAtAll: thin, std: true},
		"client":                {ours: []string{"client/wire"}, neverAtAll: thin, std: true},
		"client/cli":            {ours: []string{"client", "client/wire"}, neverAtAll: thin, std: true},
		"client/ctx":            {ours: []string{"client", "client/cli", "client/wire"}, neverAtAll: thin, std: true},
		"client/ctxbench":       {ours: []string{"anchors", "client", "client/wire"}},
		"daemon/captures":       {},
		"daemon/checkers":       {},
		"daemon/commits":        {std: true},
		"daemon/facts":          {ours: []string{"anchors", "index", "index/internal/sitter", "watch"}},
		"daemon/grep":           {never: io_, std: true},
		"daemon/rpc":            {ours: []string{"client/wire"}},
		"daemon": {
			ours:  []string{"anchors", "index", "index/internal/sitter", "watch", "client/wire", "daemon/captures", "daemon/checkers", "daemon/commits", "daemon/facts", "daemon/grep", "daemon/rpc"},
			never: []string{"flag"},
		},
		"lsp": {
			ours: []string{"anchors", "index", "index/internal/sitter", "watch", "client/wire", "daemon", "daemon/captures", "daemon/checkers",
				"daemon/commits", "daemon/facts", "daemon/grep", "daemon/rpc"},
			// What the daemon is made of is its own matter: lsp asks it.
			never: []string{"os", "io/fs", "flag", "go.lsp.dev/jsonrpc2", "go.lsp.dev/uri", "ctxd/watch", "ctxd/index/internal/sitter",
				"ctxd/daemon/captures", "ctxd/daemon/checkers", "ctxd/daemon/commits", "ctxd/daemon/facts", "ctxd/daemon/grep"},
		},
	}
	// free are commands that wire rooms together, and floors of measurements.
	free = []string{"daemon/ctxd", "client/ctxbench/dialfloor"}
)
