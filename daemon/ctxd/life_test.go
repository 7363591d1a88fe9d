package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// place is a worktree, with a daemon of its own that ends with the test.
type place struct {
	root string
	env  []string
	opts client.Options
	log  string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	run, err := os.MkdirTemp("", "ctxl")
	if err != nil {
		t.Fatal(err)
	}
	p := &place{root: t.TempDir(), opts: client.Options{Socket: filepath.Join(run, "d.sock"), Daemon: filepath.Join(bin, "ctxd")}}
	p.log = filepath.Join(run, "state", "ctxd.log")
	p.env = append(os.Environ(), "CTX_SOCKET="+p.opts.Socket, "CTX_STATE_HOME="+filepath.Join(run, "state"), "XDG_CONFIG_HOME="+run)
	t.Cleanup(func() {
		stop(p.opts)
		os.RemoveAll(run)
	})
	return p
}

// stop ends the daemon, if there is one.
func stop(o client.Options) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if c, err := client.Dial(ctx, o); err == nil {
		c.Stop(ctx, wire.StopParams{})
		c.Close()
	}
}

// ctx runs ctx in the worktree.
func (p *place) ctx(args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, "ctx"), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.root, p.env, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestColdClients: 50 processes that start at once with no daemon end with one daemon and 50 right
// answers (CASES D7).
func TestColdClients(t *testing.T) {
	p := newPlace(t)
	p.write(t, "m.py", "def f():\n    return 1\n")
	var clients sync.WaitGroup
	for range 50 {
		clients.Go(func() {
			out, errs, err := p.ctx("def", "f")
			if err != nil || !strings.Contains(out, "definition: repo:m.py L1:2@7f44d890 (function)") {
				t.Errorf("%v: %s%s", err, out, errs)
			}
		})
	}
	clients.Wait()
	log, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(log, []byte("msg=starting")); n != 1 {
		t.Errorf("%d daemons were started:\n%s", n, log)
	}
}

// witness is what two clients were told while their daemon was killed again and again.
type witness struct {
	mu    sync.Mutex
	spans []returned
	got   [2]int // answers of each client
}

// returned is a captured span of an answer, and its lines.
type returned struct {
	address string
	text    []string
}

// ask writes and asks for what it wrote, as client k, until done.
func (w *witness) ask(t *testing.T, p *place, k int, done chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		name := fmt.Sprintf("w%d.py", k)
		text := fmt.Sprintf("\ndef f%d():\n    return %d\n", k, i)
		if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
			t.Error(err)
			return
		}
		out, errs, err := p.ctx("def", "--json", fmt.Sprintf("f%d", k))
		var res wire.DefResult
		if err == nil {
			err = json.Unmarshal([]byte(out), &res)
		}
		if err != nil || len(res.Definitions) != 1 || res.Definitions[0].Captured == nil {
			t.Errorf("%d: %v: %s%s", i, err, out, errs)
			return
		}
		d := res.Definitions[0]
		if want := []string{fmt.Sprintf("def f%d():", k), fmt.Sprintf("    return %d", i)}; !slices.Equal(d.Text, want) {
			t.Errorf("stale: %q, want %q", d.Text, want)
		}
		w.mu.Lock()
		w.spans = append(w.spans, returned{d.Captured.Address, d.Text})
		w.got[k]++
		w.mu.Unlock()
	}
}

// counts are the answers so far, of all and of each client.
func (w *witness) counts() (all int, each [2]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.spans), w.got
}

// TestKilled: the daemon is killed again and again while clients ask. No client hangs, every answer
// is right, and every span that was ever returned still gives its bytes. CTX_KILLS sets how often.
func TestKilled(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("CTX_KILLS")); err == nil {
		kills = n
	}
	p := newPlace(t)
	p.write(t, "m.py", "def f():\n    return 0\n")
	var w witness
	done := make(chan struct{})
	var askers sync.WaitGroup
	for k := range w.got {
		askers.Go(func() { w.ask(t, p, k, done) })
	}
	until := func(enough func(all int, each [2]int) bool) {
		for !t.Failed() && !enough(w.counts()) {
			p.hello()
		}
	}
	for i := range kills {
		p.kill(t)
		// Let the clients get somewhere: the next kill comes after a random number of answers. One call
		// survives three deaths of its daemon, so after three each client gets an answer first.
		before, _ := w.counts()
		next := before + rand.IntN(4)
		until(func(all int, _ [2]int) bool { return all >= next })
		if i%3 == 2 { // an answer from now on: one that came earlier was to an earlier call
			_, each := w.counts()
			until(func(_ int, now [2]int) bool { return now[0] > each[0] && now[1] > each[1] })
		}
	}
	close(done)
	askers.Wait()
	if t.Failed() {
		return
	}
	c, err := client.DialOrStart(t.Context(), p.opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range w.spans {
		res, err := c.Get(t.Context(), wire.GetParams{Common: wire.Common{Root: p.root}, Ref: s.address})
		if err != nil || !slices.Equal(res.Text, s.text) {
			t.Errorf("%s: %v %+v, want %q", s.address, err, res, s.text)
		}
	}
	t.Logf("%d kills, %d spans, all resolve", kills, len(w.spans))
}

// TestReplacesOlder: a daemon of an older release is asked to go and replaced, once, while clients of
// the new release ask; what it captured is still there.
func TestReplacesOlder(t *testing.T) {
	old := t.TempDir()
	build := exec.Command("go", "build", "-o", old, "-ldflags", "-X ctxd/client/wire.Version=0.0.1", "ctxd/daemon/ctxd", "ctxd/client/ctx")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := newPlace(t)
	p.write(t, "m.py", "def f():\n    return 1\n")
	first := exec.Command(filepath.Join(old, "ctx"), "def", "f")
	first.Dir, first.Env = p.root, p.env
	if out, err := first.CombinedOutput(); err != nil || !strings.Contains(string(out), "span: b16fbd1c68") {
		t.Fatalf("%v: %s", err, out)
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			out, errs, err := p.ctx("get", "repo:m.py", "--span", "b16fbd1c68")
			if err != nil || !strings.Contains(out, "return 1") {
				t.Errorf("%v: %s%s", err, out, errs)
			}
		})
	}
	clients.Wait()
	log, err := os.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(log, []byte("msg=starting")), bytes.Count(log, []byte("version=0.0.1")); a != 2 || b != 1 {
		t.Errorf("%d daemons were started, %d of them old; want 2 and 1:\n%s", a, b, log)
	}
	// The other way round nothing is replaced: what the old client asks is answered.
	again := exec.Command(filepath.Join(old, "ctx"), "def", "f")
	again.Dir, again.Env = p.root, p.env
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// hello calls the daemon, if there is one.
func (p *place) hello() {
	if c, err := client.Dial(context.Background(), p.opts); err == nil {
		c.Hello(context.Background(), wire.HelloParams{Version: wire.Version})
		c.Close()
	}
}

// kill ends the daemon as kill -9 does, if there is one that answers.
func (p *place) kill(t *testing.T) {
	c, err := client.Dial(context.Background(), p.opts)
	if err != nil {
		return
	}
	defer c.Close()
	h, err := c.Hello(context.Background(), wire.HelloParams{Version: wire.Version})
	if err != nil {
		return
	}
	if err := syscall.Kill(h.PID, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}
