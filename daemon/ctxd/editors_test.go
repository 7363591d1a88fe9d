package main_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

const extra = `// Package extra is what the editors edit.
package extra

import "encoding/hex"

// Total adds values up.
func Total(values []int) int {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum
}

// Show is v as text, and their sum.
func Show(v []byte) (string, int) {
	text := hex.EncodeToString(v)
	return text, Total([]int{len(text)})
}
`

// editing is a real tree under git, with a daemon of its own: the encodings of Go's library, and a package that uses
// them. Branch other has another extra.go.
type editing struct {
	t    *testing.T
	root string
	env  []string
}

func newEditing(t *testing.T) *editing {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.MkdirTemp("", "ctxe")
	if err != nil {
		t.Fatal(err)
	}
	e := &editing{t: t, root: filepath.Join(root, "w"), env: append(os.Environ(),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "CTX_SOCKET="+filepath.Join(run, "s"), "CTX_STATE_HOME="+filepath.Join(run, "state"),
		"HOME="+filepath.Join(run, "home"), "XDG_CONFIG_HOME="+filepath.Join(run, "config"), "XDG_DATA_HOME="+filepath.Join(run, "data"),
		"XDG_STATE_HOME="+filepath.Join(run, "vim"), "XDG_CACHE_HOME="+filepath.Join(run, "cache"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"OUT="+filepath.Join(run, "out"), "ROOT="+filepath.Join(root, "w"))}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if c, err := client.Dial(ctx, client.Options{Socket: filepath.Join(run, "s")}); err == nil {
			if stopped, err := c.Stop(ctx, wire.StopParams{}); err == nil {
				client.Gone(ctx, client.Options{Socket: filepath.Join(run, "s")}, stopped.PID)
			}
			c.Close()
		}
		os.RemoveAll(run)
	})
	if err := os.CopyFS(e.root, os.DirFS(filepath.Join(runtime.GOROOT(), "src", "encoding"))); err != nil {
		t.Fatal(err)
	}
	e.write("go.mod", "module encoding\n")
	e.write("extra/extra.go", extra)
	e.run("git", "init", "-q", "-b", "main")
	e.run("git", "add", ".")
	e.run("git", "commit", "-qm", "one")
	e.run("git", "checkout", "-q", "-b", "other")
	e.write("extra/extra.go", "package extra\n\nfunc Branch() {}\n")
	e.run("git", "commit", "-qam", "two")
	e.run("git", "checkout", "-q", "main")
	address := ""
	for line := range strings.Lines(e.run("ctx", "def", "repo:extra/extra.go:Show", "--no-body")) {
		if rest, ok := strings.CutPrefix(line, "live: ctx get "); ok {
			address = strings.TrimSpace(rest)
		}
	}
	e.write("notes.md", "# Notes\n\nIt shows: "+address+"\nGone: repo:extra/extra.go --lines 1:2@00000000\n")
	return e
}

func (e *editing) write(name, text string) {
	e.t.Helper()
	p := filepath.Join(e.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editing) variable(name string) string {
	for _, v := range e.env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			return rest
		}
	}
	return ""
}

func (e *editing) run(name string, args ...string) string {
	e.t.Helper()
	path := name
	if name == "ctx" {
		path = filepath.Join(bin, name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = e.root, e.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// session runs an editor to its end, and compares what it saw, step by step.
func (e *editing) session(want []string, name string, args ...string) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = e.root, e.env
	cmd.WaitDelay = time.Second
	printed, err := cmd.CombinedOutput()
	file, _ := os.ReadFile(e.variable("OUT"))
	got := strings.Split(strings.TrimSpace(string(file)), "\n")
	for i := range max(len(want), len(got)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			e.t.Errorf("got  %s\nwant %s", g, w)
		}
	}
	if err != nil || e.t.Failed() {
		e.t.Errorf("%s: %v\n%s", name, err, printed)
	}
}

// needs skips a test for want of an editor, but for CI, where all are there.
func needs(t *testing.T, what, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not there: %v\n%s", what, err, out)
		}
		t.Skipf("%s is not there, so nothing is shown of it: %v", what, err)
	}
}

// sessionOf is what each client is to see.
func sessionOf(changed map[string]string) []string {
	steps := []string{
		"open: attached",
		"jump: func EncodeToString",
		"references: extra/extra.go:7 extra/extra.go:18",
		"rename: func Total(values []int) int {|\tacc := 0|\tfor _, v := range values {|\t\tacc += v|\t}|\treturn acc",
		"edit: 1 extra/extra.go:22",
		"shell: ctx def: no definition of 'extra.TypedByHand' in the workspace|note: open and modified in an editor: this is the file on disk|",
		"diagnostics: go/parser",
		"symbols: Total Show TypedByHand",
		"hover: func Total(values []int) int repo:extra/extra.go --lines",
		"links: 1 extra/extra.go#L17",
		"lost: anchor_stale",
		"external: hex/external.go:3",
		"checkout: 1 extra/extra.go:3",
		"gone: 0",
		"shutdown: 0",
	}
	for i, s := range steps {
		name, _, _ := strings.Cut(s, ":")
		if other, ok := changed[name]; ok {
			steps[i] = name + ": " + other
		}
	}
	return steps
}

// Neovim's own client, headless.
func TestNeovim(t *testing.T) {
	needs(t, "neovim", "nvim", "--version")
	e := newEditing(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "editors", "neovim.lua"))
	if err != nil {
		t.Fatal(err)
	}
	e.session(sessionOf(nil), "nvim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", "set noswapfile", "-c", "luafile "+script)
}

// Emacs's eglot, in batch mode.
func TestEglot(t *testing.T) {
	needs(t, "emacs with eglot", "emacs", "--batch", "--eval", "(progn (require 'package) (package-initialize) (require 'eglot))")
	e := newEditing(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "editors", "eglot.el"))
	if err != nil {
		t.Fatal(err)
	}
	e.session(sessionOf(nil), "emacs", "--batch", "-l", script)
}

// A Node client on vscode-languageserver-protocol, then the extension for VS Code: built, and run without VS Code.
func TestNode(t *testing.T) {
	needs(t, "npm", "npm", "--version")
	e := newEditing(t)
	folder := filepath.Join(t.TempDir(), "vscode")
	if err := os.CopyFS(folder, withoutModules{os.DirFS(filepath.Join("..", "..", "client", "vscode"))}); err != nil {
		t.Fatal(err)
	}
	npm := func(args ...string) {
		t.Helper()
		cmd := exec.Command("npm", append(args, "--no-audit", "--no-fund")...)
		cmd.Dir, cmd.Env = folder, e.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
	npm("ci")
	e.session(sessionOf(nil), "node", filepath.Join(folder, "test", "session.js"))
	npm("test")
}

// withoutModules is a folder without what npm put there.
type withoutModules struct{ fs.FS }

func (w withoutModules) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "node_modules" || e.Name() == "out" }), err
}
