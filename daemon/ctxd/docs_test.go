package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shell is a fenced block of commands in a document; session one of commands, each behind a $, and what they print. A session
// begins in a directory of its own: another block of the kind is what a reader may type, and is not run.
var (
	shell   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	session = regexp.MustCompile("(?s)```console\n(\\$ cd \"\\$\\(mktemp -d\\)\"\n.*?)```")
)

// documents are the texts whose commands are run, by name.
func documents(t *testing.T) (root string, texts map[string][]byte) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string][]byte{}
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimPrefix(name, root+"/")] = text
	}
	return root, texts
}

// bash runs a script with ctx on PATH, and with a daemon of its own; the script's files go to $TMPDIR.
func bash(t *testing.T, dir, script string) (string, error) {
	t.Helper()
	p := newPlace(t)
	cmd := exec.Command("bash", "-uo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(p.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+p.root)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestDocuments runs the commands of the documents, in the project's own tree. The README's test command is the one
// exception: it is what runs this test.
func TestDocuments(t *testing.T) {
	root, texts := documents(t)
	run := 0
	for name, text := range texts {
		for _, block := range shell.FindAllSubmatch(text, -1) {
			script := string(block[1])
			if strings.Contains(script, "go test") {
				continue
			}
			run++
			// The README builds into bin/ of the checkout; a test leaves the tree as it is.
			script = strings.NewReplacer("-o bin/", `-o "$TMPDIR/bin/"`, "$PWD/bin", "$TMPDIR/bin").Replace(script)
			if out, err := bash(t, root, "set -e\n"+script); err != nil {
				t.Errorf("%s: %v\n%s\n%s", name, err, script, out)
			}
		}
	}
	if run < 3 {
		t.Errorf("only %d blocks of commands were found", run)
	}
}

// TestSessions types the commands of each session of the documents into one shell, and compares what is on the terminal then.
// UPDATE_SCRIPTS=1 puts that into the document.
func TestSessions(t *testing.T) {
	root, texts := documents(t)
	run := 0
	for name, text := range texts {
		for _, block := range session.FindAllSubmatch(text, -1) {
			run++
			var script bytes.Buffer
			for line := range strings.Lines(string(block[1])) {
				if command, typed := strings.CutPrefix(line, "$ "); typed {
					// What is typed is shown, and the status of the command before kept.
					script.WriteString("status=$?; cat <<'TYPED'\n" + line + "TYPED\n(exit $status)\n" + command)
				}
			}
			out, err := bash(t, t.TempDir(), script.String())
			if err != nil || out != string(block[1]) {
				t.Errorf("%s: %v, got\n%swant\n%s", name, err, out, block[1])
			}
			if os.Getenv("UPDATE_SCRIPTS") != "" {
				text = bytes.Replace(text, block[1], []byte(out), 1)
				if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if run == 0 {
		t.Error("no session was found")
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
