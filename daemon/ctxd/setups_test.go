package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// setup puts blocks of docs/editors.md into the file that a session finds in $SETUP.
func (e *editing) setup(name string, blocks ...string) {
	e.t.Helper()
	file := filepath.Join(e.t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.Join(blocks, "\n")), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.env = append(e.env, "SETUP="+file)
}

// address is the live address of a target, from a shell.
func (e *editing) address(target string) string {
	e.t.Helper()
	for line := range strings.Lines(e.run("ctx", "def", target, "--no-body")) {
		if rest, ok := strings.CutPrefix(line, "live: ctx get "); ok {
			return strings.TrimSpace(rest)
		}
	}
	e.t.Fatalf("%s has no address", target)
	return ""
}

// The set-up for Neovim as docs/editors.md has it, for the versions that start servers themselves, with both mappings.
func TestNeovimSetup(t *testing.T) {
	needs(t, "neovim", "nvim", "--version")
	e := newEditing(t)
	older := slices.IndexFunc(snippets(t, "Neovim", "lua"), func(s string) bool { return strings.Contains(s, "start_client") })
	if older < 0 {
		t.Fatal("the set-up for older versions is gone")
	}
	e.setup("setup.lua", snippets(t, "Neovim", "lua")[older:]...)
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "editors", "setup.lua"))
	if err != nil {
		t.Fatal(err)
	}
	e.session([]string{"open: ctx", "copy: " + e.address("repo:extra/extra.go:Total"),
		"copy lines: repo:extra/extra.go --lines 18:19@d16967a4", "mode: n", "show: func Show(v []byte) (string, int) {"},
		"nvim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", "set noswapfile", "-c", "luafile "+script)
}

// The set-up for Emacs as docs/editors.md has it.
func TestEmacsSetup(t *testing.T) {
	needs(t, "emacs with eglot", "emacs", "--batch", "--eval", "(progn (require 'package) (package-initialize) (require 'eglot))")
	e := newEditing(t)
	e.setup("setup.el", snippets(t, "Emacs (eglot)", "elisp")...)
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "editors", "setup.el"))
	if err != nil {
		t.Fatal(err)
	}
	var region wire.GetResult
	if err := json.Unmarshal([]byte(e.run("ctx", "get", "repo:extra/extra.go", "--lines", "1:2", "--json")), &region); err != nil {
		t.Fatal(err)
	}
	e.session([]string{"open: attached", "copy: " + e.address("repo:extra/extra.go:Total"), "region: " + region.Live.Address},
		"emacs", "--batch", "-l", script)
}
