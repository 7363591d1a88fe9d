package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// params is JSON of a call's parameters.
func params(t *testing.T, p any) string {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestBigMessages: a read of megabytes is cut, with the address of the rest; a request of a megabyte is
// refused in words; a line without an end is cut off, and costs the other connections nothing. CASES Q5.
func TestBigMessages(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": strings.Repeat("a line of some bytes\n", 250_000)})
	d := newDaemon(t)
	r := serveAt(t, ServerOptions{Handler: d.Handle}, nil)
	c := r.dial()
	common := wire.Common{Root: ws.Root}
	var res wire.GetResult
	if err := c.call(wire.MethodGet, params(t, wire.GetParams{Common: common, Ref: "repo:m.txt"}), &res); err != nil {
		t.Fatal(err)
	}
	if res.Total != 250_000 || res.Next == "" || len(res.Text) == 0 || len(res.Text) == res.Total {
		t.Errorf("%d of %d lines, next %q", len(res.Text), res.Total, res.Next)
	}
	before := heap()
	for _, target := range []string{strings.Repeat("x", 1<<20), strings.Repeat("a/", 1<<19) + "b.py:f"} {
		if err := c.call(wire.MethodDef, params(t, wire.DefParams{Common: common, Target: target}), nil); err == nil || err.Data == nil || len(err.Message) > 4096 {
			t.Errorf("a target of 1 MB: %.200v", err)
		}
	}
	endless := r.dial()
	if _, err := fmt.Fprintf(endless.nc, "Content-Length: %s", strings.Repeat("9", 1<<20)); err == nil {
		endless.mustEnd()
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("%d bytes are held for messages that ended", grown)
	}
	c.mustEcho()
}

// TestNotificationsAreNotNeeded: a client that tells of no change is answered from the disk; one that tells
// twice, in whatever words, harms nothing and causes no work. CASES F23.
func TestNotificationsAreNotNeeded(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "m.py")
	write(t, path, "def one():\n    pass\n")
	d := newDaemon(t)
	r := serveAt(t, ServerOptions{Handler: d.Handle}, nil)
	c := r.dial()
	ask := func(name string) *wire.Error {
		return c.call(wire.MethodDef, params(t, wire.DefParams{Common: wire.Common{Root: root}, Target: name}), nil)
	}
	if err := ask("one"); err != nil {
		t.Fatal(err)
	}
	write(t, path, "def two():\n    pass\n")
	if err := ask("two"); err != nil {
		t.Errorf("after an edit that nobody told of: %v", err)
	}
	built := d.parser.built.Load()
	told := `{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file://` + path + `","type":2}]}}`
	for range 2 {
		if _, err := c.nc.Write(wire.AppendFrame(nil, []byte(told))); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask("two"); err != nil {
		t.Error(err)
	}
	if n := d.parser.built.Load() - built; n != 0 {
		t.Errorf("%d parses for notifications of nothing new", n)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := ask("two"); err == nil {
		t.Error("a removed file is still answered")
	}
}
