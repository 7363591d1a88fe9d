package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"

	"ctxd/anchors"
)

// change is one file that a commit changed, against the commit's first parent, with git's own map
// between the two versions.
type change struct {
	commit   string
	parent   string
	path     string
	from, to string // blobs
	hunks    []hunk // ascending
}

// hunk is what git says was deleted and inserted: lines [old.First, old.Last] became [new.First,
// new.Last]; either is empty, with Last before First, where only the other has lines.
type hunk struct{ old, new anchors.Span }

// command is git in dir under nobody's configuration, as git() runs it.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	return cmd
}

// history calls yield with each change of a file's content in the newest commits of dir on the
// first-parent line, the oldest first. Renames, files that are new or gone and binary files are
// left out. algorithm is one of git's: histogram, patience, minimal, default.
//
// One line of context is asked for: with none, git leaves equal ends of the files out of the
// comparison in blocks of 1,024 bytes, and hunks do not slide over what is left out.
func history(ctx context.Context, dir, algorithm string, commits int, yield func(change) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := gitCommand(ctx, dir, "-c", "core.quotePath=false", "log", "--first-parent", "--reverse", "-n", strconv.Itoa(commits), "--format=commit %H %P", "-p", "--unified=1",
		"--inter-hunk-context=0", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--diff-filter=M", "--src-prefix=a/",
		"--dst-prefix=b/", "--ignore-submodules", "--indent-heuristic", "--diff-algorithm="+algorithm, "HEAD")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = parseLog(bufio.NewReaderSize(out, 1<<20), yield)
	if err != nil {
		cancel()
		cmd.Wait()
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git log in %s: %w: %s", dir, err, stderr.Bytes())
	}
	return nil
}

// parseLog reads what git log -p prints.
func parseLog(r *bufio.Reader, yield func(change) error) error {
	var c change
	done := func() error {
		if c.path == "" || len(c.hunks) == 0 {
			return nil
		}
		err := yield(c)
		c.path, c.hunks = "", nil
		return err
	}
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return done()
		}
		if err != nil {
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "commit":
			if err := done(); err != nil {
				return err
			}
			var parents string
			c.commit, parents, _ = strings.Cut(rest, " ")
			c.parent, _, _ = strings.Cut(parents, " ")
		case "diff":
			if err := done(); err != nil {
				return err
			}
			c.path, c.hunks = "", nil
		case "index":
			blobs, _, _ := strings.Cut(rest, " ")
			c.from, c.to, _ = strings.Cut(blobs, "..")
		case "+++":
			// A name with blanks ends with a tab; one in quotes has bytes that are not worth the trouble.
			c.path = strings.TrimSuffix(strings.TrimPrefix(rest, "b/"), "\t")
			if strings.HasPrefix(rest, `"`) {
				c.path = ""
			}
		case "@@":
			hunks, err := parseHunk(r, line)
			if err != nil {
				return err
			}
			c.hunks = append(c.hunks, hunks...)
		}
	}
}

// parseHunk reads the lines of a hunk, whose context may part it into several.
func parseHunk(r *bufio.Reader, header string) ([]hunk, error) {
	fields := strings.Fields(header)
	if len(fields) < 4 {
		return nil, fmt.Errorf("git printed %q", header)
	}
	old, err1 := parseRange(fields[1])
	new, err2 := parseRange(fields[2])
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("git printed %q: %w", header, err)
	}
	var hunks []hunk
	a, b := old.First, new.First
	open := false
	for a <= old.Last || b <= new.Last {
		kind, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		if err := skipLine(r); err != nil {
			return nil, err
		}
		switch kind {
		case ' ':
			a, b, open = a+1, b+1, false
			continue
		case '\\': // no newline at the end of a file
			continue
		}
		if !open {
			hunks = append(hunks, hunk{anchors.Span{First: a, Last: a - 1}, anchors.Span{First: b, Last: b - 1}})
			open = true
		}
		h := &hunks[len(hunks)-1]
		switch kind {
		case '-':
			h.old.Last, a = a, a+1
		case '+':
			h.new.Last, b = b, b+1
		default:
			return nil, fmt.Errorf("a line of a hunk begins with %q", kind)
		}
	}
	return hunks, nil
}

// skipLine reads up to the end of a line.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// parseRange reads -A,N or +A,N of a hunk's header. An empty range names the line before it.
func parseRange(s string) (anchors.Span, error) {
	first, count, some := strings.Cut(s[1:], ",")
	a, err := strconv.Atoi(first)
	n := 1
	if some && err == nil {
		n, err = strconv.Atoi(count)
	}
	if n == 0 {
		a++
	}
	return anchors.Span{First: a, Last: a + n - 1}, err
}

// blobs reads blobs of a repository.
type blobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openBlobs(ctx context.Context, dir string) (*blobs, error) {
	b := &blobs{cmd: gitCommand(ctx, dir, "cat-file", "--batch")}
	var err error
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.out = bufio.NewReaderSize(out, 1<<20)
	return b, b.cmd.Start()
}

func (b *blobs) close() error {
	b.in.Close()
	return b.cmd.Wait()
}

// read returns the bytes of a blob.
func (b *blobs) read(id string) ([]byte, error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return nil, err
	}
	header, err := b.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, fmt.Errorf("git cat-file %s: %s", id, strings.TrimSpace(header))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	text := make([]byte, size+1) // and a newline
	if _, err := io.ReadFull(b.out, text); err != nil {
		return nil, err
	}
	return text[:size], nil
}

// gitMap is git's map of a change as a table.
type gitMap struct {
	line  []int // by old line from 1: the new one; 0: none
	back  []int // by new line
	hunks []hunk
}

// newGitMap makes the table of hunks between texts of so many lines; an error if they do not fit.
func newGitMap(hunks []hunk, oldLen, newLen int) (*gitMap, error) {
	m := &gitMap{make([]int, oldLen+1), make([]int, newLen+1), hunks}
	a, b := 1, 1
	for _, h := range append(hunks[:len(hunks):len(hunks)], hunk{anchors.Span{First: oldLen + 1, Last: oldLen}, anchors.Span{First: newLen + 1, Last: newLen}}) {
		if h.old.First-a != h.new.First-b || h.old.First < a || h.old.Last > oldLen || h.new.Last > newLen {
			return nil, fmt.Errorf("hunk %v of %d and %d lines does not fit", h, oldLen, newLen)
		}
		for ; a < h.old.First; a, b = a+1, b+1 {
			m.line[a], m.back[b] = b, a
		}
		a, b = h.old.Last+1, h.new.Last+1
	}
	return m, nil
}

// span returns where s is when all its lines became consecutive lines.
func (m *gitMap) span(s anchors.Span) (anchors.Span, bool) {
	first := m.line[s.First]
	for n := s.First; n <= s.Last; n++ {
		if m.line[n] == 0 || m.line[n] != first+n-s.First {
			return anchors.Span{}, false
		}
	}
	return anchors.Span{First: first, Last: first + s.Len() - 1}, true
}

// moves reports whether s can have moved to to, out of order: git says that s was deleted and to inserted.
func (m *gitMap) moves(s, to anchors.Span) bool {
	for i := range s.Len() {
		if m.line[s.First+i] != 0 || m.back[to.First+i] != 0 {
			return false
		}
	}
	return s.Len() > 0
}

// replaced reports whether new line n is one that a line of s became, or that was put where lines of s
// were or between two of them; with edges also what was inserted directly before or behind s, for a
// definition grows at its ends.
func (m *gitMap) replaced(n int, s anchors.Span, edges bool) bool {
	if from := m.back[n]; from != 0 {
		return from >= s.First && from <= s.Last
	}
	i := sort.Search(len(m.hunks), func(i int) bool { return m.hunks[i].new.Last >= n })
	if i == len(m.hunks) || m.hunks[i].new.First > n {
		return false
	}
	old := m.hunks[i].old
	if old.Len() > 0 {
		return old.First <= s.Last && old.Last >= s.First
	}
	if edges {
		return old.First >= s.First && old.First <= s.Last+1
	}
	return old.First > s.First && old.First <= s.Last
}
