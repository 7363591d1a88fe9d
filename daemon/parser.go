package daemon

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"ctxd/daemon/captures"
	"ctxd/index"
)

// parser parses bytes and remembers what must not be parsed again. A grammar is C code: it can
// crash the process or never come back. So every parse is written down before it starts
// (parsing-*.slots in the state directory, two 4 µs writes a parse). What a dead daemon left
// written down is suspect: the next one parses it once in a child process and, when the child
// dies too, puts the content into quarantine by its SHA-256. A kill -9 alone quarantines nothing.
type parser struct {
	dir   string
	log   *slog.Logger
	file  *os.File      // the slots; locked while this process lives
	slots chan int64    // free slots
	large chan struct{} // holds a token while a large file is parsed
	built atomic.Int64  // files parsed by this process

	probing sync.WaitGroup
	cancel  context.CancelFunc // ends probing

	mu    sync.Mutex
	bad   map[captures.BlobID]string        // content → why it is not parsed
	tried map[captures.BlobID]chan struct{} // content that is being tried in a child process; closed when known
	next  int64                             // where the next new slot begins
}

// hangs is how long a parse may take before its thread is given up. index.Build bounds the work that it does, far below
// this; only C code that does not count its work gets here.
const hangs = 60 * time.Second

// quarantined begins the Problem of a file whose content must not be parsed.
const quarantined = "quarantined: "

const slotSize = 8 << 10

// largeFile: files above it are parsed one at a time. A syntax tree takes up to 700 times the bytes of
// the file while it is built: 4 MiB of "x=1" lines took 2.9 GB.
const largeFile = 1 << 20

// newParser opens the state under dir and deals with what dead daemons left. probe is the command
// that parses standard input as the file named by its last argument, in a process of its own.
func newParser(dir string, probe []string, log *slog.Logger) (*parser, error) {
	p := &parser{dir: dir, log: log, large: make(chan struct{}, 1), slots: make(chan int64, 4*runtime.GOMAXPROCS(0)), bad: map[captures.BlobID]string{}, tried: map[captures.BlobID]chan struct{}{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.recover(ctx, probe)
	// Not named for the process: two pid namespaces may share the directory.
	f, err := os.CreateTemp(dir, "parsing-*.slots")
	if err == nil {
		err = flock(f)
	}
	if err != nil {
		cancel()
		p.probing.Wait()
		return nil, err
	}
	p.file = f
	for range cap(p.slots) {
		p.slots <- p.newSlot()
	}
	return p, nil
}

func (p *parser) newSlot() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next += slotSize
	return p.next - slotSize
}

func (p *parser) close() {
	p.cancel()
	p.probing.Wait()
	os.Remove(p.file.Name())
	p.file.Close()
}

// build is index.Build behind the quarantine. problem says why there are no facts.
func (p *parser) build(root, path string, src []byte, blob captures.BlobID) (facts *index.File, problem string) {
	p.mu.Lock()
	tried := p.tried[blob]
	p.mu.Unlock()
	if tried != nil {
		<-tried // what a daemon died over is slower to answer, not different
	}
	p.mu.Lock()
	reason, bad := p.bad[blob]
	p.mu.Unlock()
	if bad {
		return nothing(path, src), quarantined + reason
	}
	if len(src) > largeFile {
		p.large <- struct{}{}
		defer func() { <-p.large }()
	}
	slot := <-p.slots
	p.built.Add(1)
	p.note(slot, root, path, blob)
	done := make(chan *index.File, 1)
	threads := make(chan thread, 1)
	go func() { // ends with the parse
		runtime.LockOSThread() // its processor time is the thread's
		defer runtime.UnlockOSThread()
		threads <- thread{unix.Gettid(), ownTime()}
		facts := index.Build(path, src)
		p.mu.Lock()
		delete(p.bad, blob) // it came back after all
		p.mu.Unlock()
		done <- facts
	}()
	runs := <-threads
	timer := time.NewTicker(hangs)
	defer timer.Stop()
	for {
		select {
		case facts = <-done:
			p.file.WriteAt([]byte{0}, slot)
			p.slots <- slot
			return facts, ""
		case <-timer.C:
			if threadTime(runs.id)-runs.began < hangs/2 {
				continue // the machine was stopped, or had no time for us: not the content's fault
			}
			// The thread is lost to C code, and its slot keeps naming the content: should it never
			// come back, the next daemon tries it in a child process before anything else.
			p.slots <- p.newSlot()
			reason := fmt.Sprintf("its parse did not end within %v", hangs)
			p.log.Error("a parse hangs", "path", path, "blob", blob.String())
			p.mu.Lock()
			p.bad[blob] = reason
			p.mu.Unlock()
			return nothing(path, src), quarantined + reason
		}
	}
}

// thread is an operating system's thread, and its processor time when a parse began on it.
type thread struct {
	id    int
	began time.Duration
}

// ownTime is the processor time of the thread that the caller is locked to.
func ownTime() time.Duration {
	var use unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// threadTime is the processor time that a thread of this process has used; 0 when it is not known.
func threadTime(tid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", tid))
	if err != nil {
		return 0
	}
	// The fields after the name, which is in parentheses and may hold anything: utime and stime are
	// the 12th and 13th, in ticks of 10 ms.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// nothing are the facts of a file that is not parsed.
func nothing(path string, src []byte) *index.File {
	return &index.File{Language: index.Language(path, src), Status: index.Failed}
}

// note writes into slot: 1, the content's digest, and the path with its length.
func (p *parser) note(slot int64, root, path string, blob captures.BlobID) {
	b := append([]byte{1}, blob[:]...)
	name := filepath.Join(root, path)
	if len(name) > slotSize-64 {
		name = ""
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
	b = append(b, name...)
	if _, err := p.file.WriteAt(b, slot); err != nil {
		p.log.Warn("cannot note a parse", "error", err)
	}
}

// recover looks at the slots that dead processes left. Their locks are free.
func (p *parser) recover(ctx context.Context, probe []string) {
	names, _ := filepath.Glob(filepath.Join(p.dir, "parsing-*.slots"))
	for _, name := range names {
		p.recoverFrom(ctx, name, probe)
	}
}

// recoverFrom has the suspects of one slots file tried in the background. The file stays, locked,
// until all are known: should this daemon die meanwhile, the next one tries them again.
func (p *parser) recoverFrom(ctx context.Context, name string, probe []string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	if flock(f) != nil {
		f.Close()
		return // its process lives
	}
	data, err := io.ReadAll(f)
	if err != nil {
		p.log.Warn("cannot read what a dead daemon parsed", "error", err)
	}
	var all []suspect
	for len(data) > 0 && len(probe) > 0 {
		n := min(len(data), slotSize)
		if s, ok := readSlot(data[:n]); ok && p.suspected(s.blob) {
			all = append(all, s)
		}
		data = data[n:]
	}
	p.probing.Go(func() {
		defer f.Close()
		for _, s := range all {
			p.try(ctx, s, probe)
		}
		if ctx.Err() == nil {
			os.Remove(name)
		}
	})
}

// suspected notes that blob is about to be tried; false when it is already.
func (p *parser) suspected(blob captures.BlobID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tried[blob] != nil {
		return false
	}
	p.tried[blob] = make(chan struct{})
	return true
}

// suspect is a file that a dead daemon was parsing, and its content.
type suspect struct {
	path string
	blob captures.BlobID
	src  []byte
}

// readSlot reads one slot; false when it is not in use, or the file no longer has that content.
func readSlot(slot []byte) (s suspect, ok bool) {
	if len(slot) < 35 || slot[0] != 1 {
		return s, false
	}
	copy(s.blob[:], slot[1:])
	n := int(binary.LittleEndian.Uint16(slot[33:]))
	if n == 0 || 35+n > len(slot) {
		return s, false
	}
	s.path = string(slot[35 : 35+n])
	if fi, err := os.Stat(s.path); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxParse {
		return s, false
	}
	var err error
	s.src, err = os.ReadFile(s.path)
	return s, err == nil && blobOf(s.src) == s.blob
}

// try parses a suspect in a child process, and puts it into quarantine when the child dies of it.
func (p *parser) try(ctx context.Context, s suspect, probe []string) {
	limit, cancel := context.WithTimeout(ctx, hangs)
	defer cancel()
	cmd := exec.CommandContext(limit, probe[0], append(probe[1:len(probe):len(probe)], s.path)...)
	cmd.Stdin = bytes.NewReader(s.src)
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		p.quarantine(s.blob, s.path, "it ends the parser's process: "+err.Error())
	}
	p.mu.Lock()
	close(p.tried[s.blob])
	delete(p.tried, s.blob)
	p.mu.Unlock()
}

// Probe parses what src holds as the file named path: it is run in a child process, on content
// that a daemon died over.
func Probe(path string, src io.Reader) error {
	b, err := io.ReadAll(src)
	if err != nil {
		return err
	}
	index.Build(path, b)
	return nil
}

func (p *parser) quarantineFile() string { return filepath.Join(p.dir, "quarantine") }

// quarantine remembers, for this process and all later ones, that blob must not be parsed.
func (p *parser) quarantine(blob captures.BlobID, path, reason string) {
	p.mu.Lock()
	p.bad[blob] = reason
	p.mu.Unlock()
	p.log.Error("quarantined", "path", path, "blob", blob.String(), "reason", reason)
	f, err := os.OpenFile(p.quarantineFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %s %q\n", blob, index.Version(), reason)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		p.log.Error("cannot write the quarantine list", "error", err)
	}
}

// load reads the quarantine list. Entries of another grammar set are void: its parser may be cured.
func (p *parser) load() error {
	src, err := os.ReadFile(p.quarantineFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for line := range strings.Lines(string(src)) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		version, quoted, _ := strings.Cut(rest, " ")
		var blob captures.BlobID
		if len(id) != hex.EncodedLen(len(blob)) || version != index.Version() {
			continue
		}
		if _, err := hex.Decode(blob[:], []byte(id)); err != nil {
			continue
		}
		reason, err := strconv.Unquote(quoted)
		if err != nil {
			reason = "unknown"
		}
		p.bad[blob] = reason
	}
	return nil
}
