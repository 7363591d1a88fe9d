package daemon

import (
	"bytes"
	"encoding/binary"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/client/wire"
)

// probeEnv makes this test binary the child that tries suspect content.
const probeEnv = "CTX_TEST_PROBE"

// deadly is content that ends the process of the child, as a fault in C code would.
const deadly = "def boom():\n    pass  # this ends the parser\n"

func TestMain(m *testing.M) {
	if os.Getenv(probeEnv) == "" {
		os.Exit(m.Run())
	}
	src, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	if string(src) == deadly {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	if err := Probe(os.Args[len(os.Args)-1], bytes.NewReader(src)); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// TestQuarantine: what a daemon died over is tried in a child process. What kills the child too is
// never parsed again, by this daemon or a later one; what does not (the daemon was merely killed) is.
// CASES P6.
func TestQuarantine(t *testing.T) {
	t.Setenv(probeEnv, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, state := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "boom.py"), deadly)
	write(t, filepath.Join(root, "fine.py"), "def fine():\n    pass\n")
	write(t, filepath.Join(root, "changed.py"), "def changed():\n    pass\n")

	// A daemon dies while it parses all three.
	dead := &parser{dir: filepath.Join(state, "parser"), log: slog.New(slog.DiscardHandler)}
	if err := os.MkdirAll(dead.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if dead.file, err = os.Create(filepath.Join(dead.dir, "parsing-1.slots")); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"boom.py", "fine.py", "changed.py"} {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		dead.note(int64(i)*slotSize, root, name, blobOf(src))
	}
	dead.file.Close()
	write(t, filepath.Join(root, "changed.py"), deadly+"\n")

	for _, life := range []string{"next", "the one after"} {
		var log bytes.Buffer
		d, err := New(Options{StateDir: state, Probe: []string{self}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ws := use(t, d, root)
		if got := def(t, ws, "boom"); len(got) != 1 || !strings.HasPrefix(got[0], "changed.py") {
			t.Errorf("%s: boom: %q", life, got)
		}
		if got := def(t, ws, "fine"); len(got) != 1 {
			t.Errorf("%s: fine: %q", life, got)
		}
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: "repo:boom.py:boom"}); word(err) != wire.Unsupported || !strings.Contains(err.Error(), "quarantined") {
			t.Errorf("%s: %v", life, err)
		}
		if w := ws.status(); len(w.Quarantined) != 1 || w.Quarantined[0].Path != "boom.py" {
			t.Errorf("%s: status does not name it: %+v", life, w)
		}
		if res := get(t, ws, wire.GetParams{Ref: "boom.py"}); len(res.Text) != 2 {
			t.Errorf("%s: text and anchors still work: %+v", life, res)
		}
		if life == "next" != strings.Contains(log.String(), "quarantined") {
			t.Errorf("%s: log: %s", life, log.String())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dead.dir, "*.slots"))
	if len(left) != 0 {
		t.Errorf("slots are left behind: %v", left)
	}
}

// TestDamagedSlots: nothing in a slots file can harm the next daemon.
func TestDamagedSlots(t *testing.T) {
	state := t.TempDir()
	dir := filepath.Join(state, "parser")
	long := append([]byte{1}, make([]byte, 32)...)
	long = binary.LittleEndian.AppendUint16(long, 0xFFFF)
	for i, content := range []string{"", "\x01", strings.Repeat("\xff", slotSize+7), string(long), strings.Repeat("\x01", 3*slotSize)} {
		write(t, filepath.Join(dir, "parsing-"+string(rune('a'+i))+".slots"), content)
	}
	write(t, filepath.Join(dir, "quarantine"), "zz\n\n00 x y\n"+strings.Repeat("00", 32)+" v\n")
	d, err := New(Options{StateDir: state, Probe: []string{"/bin/false"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestThreadTime: the clock by which a hang is judged runs with the thread's work and stands while it
// waits, and can be read from another thread.
func TestThreadTime(t *testing.T) {
	threads, wait, done := make(chan thread), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		begin := ownTime()
		for n := 0; ownTime()-begin < 50*time.Millisecond; n++ {
			_ = blobOf([]byte(strconv.Itoa(n)))
		}
		threads <- thread{unix.Gettid(), begin}
		<-wait
	}()
	worked := <-threads
	if used := threadTime(worked.id) - worked.began; used < 30*time.Millisecond {
		t.Errorf("a thread that worked for 50 ms used %v", used)
	}
	before := threadTime(worked.id)
	if after := threadTime(worked.id); after-before > 20*time.Millisecond {
		t.Errorf("a thread that waits used %v", after-before)
	}
	close(wait)
	<-done
}
