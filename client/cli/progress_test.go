package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"ctxd/client/wire"
)

// pty is a pseudo terminal: what is written to slave is read from master.
type pty struct{ master, slave *os.File }

// openPty makes a terminal that is so many columns wide; 0 does not know its width.
func openPty(t *testing.T, columns uint16) pty {
	t.Helper()
	ioctl := func(file *os.File, request uintptr, arg unsafe.Pointer) {
		t.Helper()
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatal(errno)
		}
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	var unlock, number int32
	ioctl(master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	window := [4]uint16{24, columns, 0, 0}
	ioctl(slave, syscall.TIOCSWINSZ, unsafe.Pointer(&window))
	return pty{master, slave}
}

// run runs one command line with stderr on the terminal, and returns stdout and what the terminal got.
func (p pty) run(args ...string) (stdout, terminal string, code int) {
	got := make(chan string)
	go func() {
		text, _ := io.ReadAll(p.master) // ends with EIO when the slave is closed
		got <- string(text)
	}()
	var out bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, p.slave)
	p.slave.Close()
	return out.String(), <-got, code
}

// screen is the last line of a terminal that got text without line breaks, and the most columns that
// were ever in use on it.
func screen(text string) (line string, widest int) {
	var cells []byte
	at := 0
	for i := range len(text) {
		if text[i] == '\r' {
			at = 0
			continue
		}
		if at == len(cells) {
			cells = append(cells, ' ')
		}
		cells[at] = text[i]
		at++
		widest = max(widest, at)
	}
	return strings.TrimRight(string(cells), " "), widest
}

// indexing answers ctx/status as a daemon that parses: so many files are pending at each look, and
// none after the last.
func indexing(root string, pending ...int) func() any {
	var looks atomic.Int32
	return func() any {
		w := wire.Workspace{Root: root, Files: 1010, Other: 10, Freshness: "events"}
		if i := int(looks.Add(1)) - 1; i < len(pending) {
			w.Pending = pending[i]
		}
		w.Parsed = w.Files - w.Other - w.Pending
		return wire.StatusResult{Version: "0.1.0", Workspaces: []wire.Workspace{{Root: "/other", Files: 9, Pending: 9}, w}}
	}
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// On a terminal --watch draws one line, within its width, and takes it away at the end.
func TestWatchOnTerminal(t *testing.T) {
	for _, columns := range []uint16{0, 80, 30} {
		root := realDir(t)
		f := daemon(t, map[string]any{wire.MethodStatus: indexing(root, 1000, 400, 0, 7)})
		out, shown, code := openPty(t, columns).run("status", "--watch", "--root", root)
		if code != 0 || !strings.Contains(out, "parsed: 1,000 · pending: 0") || strings.Contains(out, "indexing") {
			t.Errorf("exit %d: %s", code, out)
		}
		line, widest := screen(shown)
		if line != "" || widest == 0 || columns > 0 && widest >= int(columns) || strings.ContainsAny(shown, "\n\x1b") {
			t.Errorf("%d columns: %q leaves %q, %d wide", columns, shown, line, widest)
		}
		if !strings.Contains(shown, "indexing   0%") || !strings.Contains(shown, "indexing  60%") {
			t.Errorf("%q", shown)
		}
		if columns != 30 && !strings.Contains(shown, "600 of 1,000 files  [#") {
			t.Errorf("%q", shown)
		}
		// The first look and the one after nothing was pending compare the tree, the others do not.
		var compared []bool
		for len(f.params) > 0 {
			compared = append(compared, !asked[wire.StatusParams](t, f).NoSync)
		}
		if got := fmt.Sprint(compared); got != "[true false false true false true]" {
			t.Errorf("the looks compared the tree: %s", got)
		}
	}
}

// Without a terminal nothing is printed but the status.
func TestWatchOnPipe(t *testing.T) {
	root := realDir(t)
	daemon(t, map[string]any{wire.MethodStatus: indexing(root, 1000)})
	out, errs, code := ctx("status", "--watch", "--root", root)
	if code != 0 || errs != "" || !strings.HasPrefix(out, "ctxd 0.1.0") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	daemon(t, map[string]any{wire.MethodStatus: indexing(root, 1000)})
	var stdout bytes.Buffer
	code = Main([]string{"status", "--watch", "--json", "--root", root}, strings.NewReader(""), &stdout, w)
	w.Close()
	text, err := io.ReadAll(r)
	var result wire.StatusResult
	if err != nil || len(text) > 0 || code != 0 || json.Unmarshal(stdout.Bytes(), &result) != nil || result.Workspaces[1].Parsed != 1000 {
		t.Errorf("exit %d, %q on stderr, %v: %s", code, text, err, &stdout)
	}
}

// A watch that runs out of time takes its line away, and says how far the index was.
func TestWatchTimesOut(t *testing.T) {
	root := realDir(t)
	pending := make([]int, 10_000)
	for i := range pending {
		pending[i] = 300
	}
	daemon(t, map[string]any{wire.MethodStatus: indexing(root, pending...)})
	out, shown, code := openPty(t, 80).run("status", "--watch", "--timeout", "100ms", "--root", root)
	const want = "ctx status: timed out after 100ms: 700 of 1,000 files are indexed"
	bar, said, found := strings.Cut(shown, "ctx status:")
	if line, widest := screen(bar); code != exitTimeout || out != "" || line != "" || widest == 0 || !found || !strings.HasPrefix("ctx status:"+said, want) {
		t.Errorf("exit %d, stdout %q, terminal %q", code, out, shown)
	}
}

// A call that takes long shows how far the index is, on a terminal only; one that is answered soon
// asks for nothing else.
func TestLongCall(t *testing.T) {
	root := realDir(t)
	drawn := make(chan struct{})
	var looks atomic.Int32
	status := indexing(root, 600, 500, 400, 300)
	answers := map[string]any{
		wire.MethodStatus: func() any {
			if looks.Add(1) == 3 { // two were drawn
				close(drawn)
			}
			return status()
		},
		wire.MethodDef: func() any { <-drawn; return wire.DefResult{Target: "f", Engine: "tree-sitter"} },
	}
	f := daemon(t, answers)
	out, shown, code := openPty(t, 80).run("def", "f", "--root", root)
	if line, _ := screen(shown); code != 0 || line != "" || !strings.Contains(shown, "indexing  40%  400 of 1,000 files") || out != "[ctx def f · engine tree-sitter]\n" {
		t.Errorf("exit %d, stdout %q, terminal %q", code, out, shown)
	}
	if p := asked[wire.StatusParams](t, f); p.Root != root || !p.NoSync {
		t.Errorf("asked for the status of %+v", p)
	}

	long := time.Now().Add(longCall + 100*time.Millisecond)
	answers = map[string]any{wire.MethodDef: func() any { time.Sleep(time.Until(long)); return wire.DefResult{Target: "f"} }}
	f = daemon(t, answers)
	if _, errs, code := ctx("def", "f", "--root", root); code != 0 || errs != "" || len(f.params) != 1 {
		t.Errorf("without a terminal: exit %d, %q, %d requests", code, errs, len(f.params))
	}
	f = daemon(t, map[string]any{wire.MethodDef: wire.DefResult{Target: "f"}, wire.MethodStatus: indexing(root, 10)})
	if _, shown, code := openPty(t, 80).run("def", "f", "--root", root); code != 0 || shown != "" || len(f.params) != 1 {
		t.Errorf("a short call: exit %d, terminal %q, %d requests", code, shown, len(f.params))
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		done, all, columns int
		want               string
	}{
		{0, 0, 60, "indexing 100%  0 of 0 files  [#############################]"},
		{1, 3, 50, "indexing  33%  1 of 3 files  [######-------------]"},
		{7905, 7906, 79, "indexing  99%  7,905 of 7,906 files  [#######################################-]"},
		{1, 2, 36, "indexing  50%  1 of 2 files  [##---]"},
		{1, 2, 35, "indexing  50%  1 of 2 files"},
		{1, 2, 12, "indexing  50"},
		{1, 2, 0, ""},
		{1, 2, -1, ""},
	} {
		if got := progress(tt.done, tt.all, tt.columns); got != tt.want || len(got) > max(tt.columns, 0) {
			t.Errorf("%d of %d in %d columns:\n%q, want\n%q", tt.done, tt.all, tt.columns, got, tt.want)
		}
	}
}
