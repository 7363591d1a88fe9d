package daemon

import (
	"bufio"
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
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

	mu  sync.Mutex
	bad map[captures.BlobID]string // content → why it is not parsed
}

// hangs is how long a parse may take before its thread is given up. index.Build has budgets of
// its own, far below this; only C code that never checks them gets here.
const hangs = 60 * time.Second

const slotSize = 8 << 10

// largeFile: files above it are parsed one at a time. A syntax tree takes up to 700 times the bytes of
// the file while it is built: 4 MiB of "x=1" lines took 2.9 GB.
const largeFile = 1 << 20

// newParser opens the state under dir and deals with what dead daemons left. probe is the command
// that parses standard input as the file named by its last argument, in a process of its own.
func newParser(dir string, probe []string, log *slog.Logger) (*parser, error) {
	p := &parser{dir: dir, log: log, large: make(chan struct{}, 1), slots: make(chan int64, 4*runtime.GOMAXPROCS(0)), bad: map[captures.BlobID]string{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	p.recover(probe)
	name := filepath.Join(dir, fmt.Sprintf("parsing-%d.slots", os.Getpid()))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	p.file = f
	for i := range cap(p.slots) {
		p.slots <- int64(i) * slotSize
	}
	return p, nil
}

func (p *parser) close() {
	os.Remove(p.file.Name())
	p.file.Close()
}

// build is index.Build behind the quarantine. problem says why there are no facts.
func (p *parser) build(root, path string, src []byte, blob captures.BlobID) (facts *index.File, problem string) {
	p.mu.Lock()
	reason, bad := p.bad[blob]
	p.mu.Unlock()
	if bad {
		return &index.File{Language: index.Language(path, src), Status: index.NoLanguage}, "quarantined: " + reason
	}
	if len(src) > largeFile {
		p.large <- struct{}{}
		defer func() { <-p.large }()
	}
	slot := <-p.slots
	p.built.Add(1)
	p.note(slot, root, path, blob)
	done := make(chan *index.File, 1)
	go func() { done <- index.Build(path, src) }() // ends with the parse
	timer := time.NewTimer(hangs)
	defer timer.Stop()
	select {
	case facts = <-done:
		p.file.WriteAt([]byte{0}, slot)
		p.slots <- slot
		return facts, ""
	case <-timer.C:
		// The thread is lost to C code; so is the slot, which keeps naming the content.
		p.quarantine(blob, path, fmt.Sprintf("its parse did not end within %v", hangs))
		return &index.File{Language: index.Language(path, src), Status: index.NoLanguage}, "quarantined: the parser hangs on it"
	}
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
func (p *parser) recover(probe []string) {
	names, _ := filepath.Glob(filepath.Join(p.dir, "parsing-*.slots"))
	for _, name := range names {
		p.recoverFrom(name, probe)
	}
}

func (p *parser) recoverFrom(name string, probe []string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if flock(f) != nil {
		return // its process lives
	}
	data, err := io.ReadAll(f)
	if err != nil {
		p.log.Warn("cannot read what a dead daemon parsed", "error", err)
	}
	for len(data) > 0 {
		n := min(len(data), slotSize)
		p.suspect(data[:n], probe)
		data = data[n:]
	}
	os.Remove(name)
}

// suspect probes the file of one slot, if the slot is in use and the file still has the content.
func (p *parser) suspect(slot []byte, probe []string) {
	var blob captures.BlobID
	if len(slot) < 35 || slot[0] != 1 || len(probe) == 0 {
		return
	}
	copy(blob[:], slot[1:])
	n := int(binary.LittleEndian.Uint16(slot[33:]))
	if n == 0 || 35+n > len(slot) {
		return
	}
	path := string(slot[35 : 35+n])
	src, err := os.ReadFile(path)
	if err != nil || blobOf(src) != blob {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, probe[0], append(probe[1:len(probe):len(probe)], path)...)
	cmd.Stdin = bytes.NewReader(src)
	if err := cmd.Run(); err != nil {
		p.quarantine(blob, path, "it ends the parser's process: "+err.Error())
	}
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
	f, err := os.Open(p.quarantineFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		id, rest, _ := strings.Cut(lines.Text(), " ")
		version, quoted, _ := strings.Cut(rest, " ")
		var blob captures.BlobID
		if n, err := hex.Decode(blob[:], []byte(id)); err != nil || n != len(blob) || version != index.Version() {
			continue
		}
		var reason string
		if _, err := fmt.Sscanf(quoted, "%q", &reason); err != nil {
			reason = "unknown"
		}
		p.bad[blob] = reason
	}
	return lines.Err()
}
