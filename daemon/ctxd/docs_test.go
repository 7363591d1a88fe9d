package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shell is a fenced block of commands in a document.
var shell = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestDocuments runs the commands of the documents, in the project's own tree, with ctx on PATH. The
// README's test command is the one exception: it is what runs this test.
func TestDocuments(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	run := 0
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shell.FindAllSubmatch(text, -1) {
			script := string(block[1])
			if strings.Contains(script, "go test") {
				continue
			}
			run++
			p := newPlace(t)
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.ReplaceAll(script, "-o bin/", "-o \"$TMPDIR/bin/\"")+"\n")
			cmd.Dir = root
			cmd.Env = append(p.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+p.root)
			if strings.Contains(script, "bin/ctx") {
				// The README builds into bin/ of the checkout; a test leaves the tree as it is.
				cmd.Args[len(cmd.Args)-1] = strings.ReplaceAll(cmd.Args[len(cmd.Args)-1], "&& bin/", "&& \"$TMPDIR\"/bin/")
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", filepath.Base(name), err, script, out)
			}
		}
	}
	if run < 3 {
		t.Errorf("only %d blocks of commands were found", run)
	}
}

// address is a live anchored address as a document of this project writes it.
var address = regexp.MustCompile("`repo:[^` ]+ --lines [0-9]+:[0-9]+@[0-9a-f]{8}`")

// TestAddresses: what the documents of this project say of its code, by address, is still there, and none of their examples is
// taken for such an address. One that moved is true; `ctx check --fix` brings it up to date.
func TestAddresses(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	cmd := exec.Command(filepath.Join(bin, "ctx"), "check", "--limit", "1000")
	cmd.Dir, cmd.Env = root, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	written := len(address.FindAll(text, -1))
	if written == 0 {
		t.Error("no address is written in ARCHITECTURE.md: this test looks for another form than it has")
	}
	if n := strings.Count(string(out), "repo:ARCHITECTURE.md:L"); n != written {
		t.Errorf("%d addresses are written in ARCHITECTURE.md, and %d found:\n%s", written, n, out)
	}
}
