package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ctxd/client/wire"
	"ctxd/daemon/commits"
	"ctxd/watch"
)

const (
	// maxClocks is how many earlier answers are remembered for --since in each workspace, and maxClockRows how many
	// rows of each: 16 bytes a row.
	maxClocks    = 64
	maxClockRows = 20_000
	// maxSound bounds the paths that are known to have been read without an error.
	maxSound = 100_000
)

// diagState is what a workspace remembers for diagnostics. The zero value is ready. Nothing is read under the lock: the
// goroutine that looks at the tree takes it at each change.
type diagState struct {
	mu       sync.Mutex
	history  *history            // of the last question; never changed, only replaced
	verdicts map[string]*verdict // by path, the last one
	sound    map[string]bool     // paths of which an earlier content was read without an error
	clocks   map[string]*clock
	order    []string // of clocks, the last used last
	closed   bool
	checking checking
}

// clock is the set of rows of one earlier answer.
type clock struct{ keys []rowKey } // sorted

// rowKey says what a row is about, but not where: the rest of the file may move it.
type rowKey [16]byte

var numbers = regexp.MustCompile(`[0-9]+`)

// keyOf is a digest of path, source, severity, code, message without its numbers (which may be lines), and the
// content of the lines.
func rowKeyOf(t *Text, r diagRow) (key rowKey) {
	h := sha256.New()
	fmt.Fprintf(h, "ctx.diag/v1\x00%s\x00%s\x00%s\x00%s\x00%s\x00", r.path, r.source, r.severity, r.code, numbers.ReplaceAllString(r.message, "#"))
	if t.Table.Len() > 0 {
		fmt.Fprintf(h, "%x", t.Table.Known(spanOf(t.Table, r.start, r.end)).Full)
	}
	copy(key[:], h.Sum(nil))
	return key
}

// since names the state of rows and, where an earlier one is given, keeps those that are new.
func (d *diagState) since(res *wire.DiagResult, s extent, rows []diagRow, since string) []diagRow {
	keys := make([]rowKey, 0, len(rows))
	for _, r := range rows {
		keys = append(keys, r.key)
	}
	slices.SortFunc(keys, func(a, b rowKey) int { return slices.Compare(a[:], b[:]) })
	h := sha256.New()
	fmt.Fprintf(h, "ctx.diag.clock/v1\x00%s\x00", s.path)
	for _, k := range keys {
		h.Write(k[:])
	}
	res.Clock = hex.EncodeToString(h.Sum(nil))[:12]
	d.mu.Lock()
	defer d.mu.Unlock()
	earlier := d.clocks[since]
	d.remember(res.Clock, keys)
	switch {
	case since == "":
		return rows
	case earlier == nil:
		res.Fresh = true
		return rows
	}
	d.remember(since, earlier.keys)
	left := map[rowKey]int{}
	for _, k := range earlier.keys {
		left[k]++
	}
	var news []diagRow
	for _, r := range rows {
		if left[r.key] > 0 {
			left[r.key]--
			continue
		}
		news = append(news, r)
	}
	for _, n := range left {
		res.Solved += n
	}
	return news
}

// remember keeps a clock. d.mu is held.
func (d *diagState) remember(name string, keys []rowKey) {
	if len(keys) > maxClockRows {
		return
	}
	if d.clocks == nil {
		d.clocks = map[string]*clock{}
	}
	if i := slices.Index(d.order, name); i >= 0 {
		d.order = slices.Delete(d.order, i, i+1)
	} else if len(d.order) == maxClocks {
		delete(d.clocks, d.order[0])
		d.order = d.order[1:]
	}
	d.order = append(d.order, name)
	d.clocks[name] = &clock{keys}
}

func (d *diagState) known(path string) *verdict {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.verdicts[path]
}

func (d *diagState) keep(path string, v *verdict) {
	kept := *v
	kept.file = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.verdicts == nil {
		d.verdicts = map[string]*verdict{}
	}
	d.verdicts[path] = &kept
}

func (d *diagState) wasSound(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sound[path]
}

// noteSound remembers the changed files whose content before was read without an error.
func (d *diagState) noteSound(changes []change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range changes {
		if c.new == nil {
			delete(d.sound, c.old.Path)
			delete(d.verdicts, c.old.Path)
			continue
		}
		if c.old != nil && c.old.Facts != nil && c.old.problem() == "" && c.old.Facts.Language != "" && !c.old.unparsed() &&
			len(c.old.Facts.Errors) == 0 && len(d.sound) < maxSound {
			if d.sound == nil {
				d.sound = map[string]bool{}
			}
			d.sound[c.old.Path] = true
		}
	}
}

func (d *diagState) close() {
	d.checking.close()
	d.mu.Lock()
	last := d.history
	d.history, d.closed = nil, true
	d.mu.Unlock()
	if last != nil {
		last.repository.Close()
	}
}

// history is the commit that a worktree has checked out; nil where there is none.
type history struct {
	repository  *commits.Repository
	git, common string
	below       string // the root below the top of the worktree, "" when it is the top
	commit      *commits.Commit
}

// readHead is Repository.Head; a test looks at what else can be done meanwhile.
var readHead = (*commits.Repository).Head

// head is the history of root as it is now. Two questions at a time may both read a commit, or open a repository: the
// later one's is kept, and the files of the other are closed when they are collected, as requests may still read them.
func (d *diagState) head(root string) *history {
	top, git, common, found := watch.GitDirs(root)
	below, err := filepath.Rel(top, root)
	if !found || err != nil {
		d.swap(nil)
		return nil
	}
	d.mu.Lock()
	kept := d.history
	d.mu.Unlock()
	now := &history{git: git, common: common, below: strings.TrimPrefix(filepath.ToSlash(below), ".")}
	if kept != nil && kept.git == git && kept.common == common {
		now.repository, now.commit = kept.repository, kept.commit
	} else {
		now.repository = commits.Open(git, common)
	}
	if id, err := readHead(now.repository); err == nil && (now.commit == nil || now.commit.ID() != id) {
		now.commit, _ = now.repository.Commit(id)
	}
	d.swap(now)
	return now
}

// swap keeps h for the next question, but not behind the end.
func (d *diagState) swap(h *history) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.history = h
}

// any says whether anything is committed.
func (h *history) any() bool { return h != nil && h.commit != nil }

// file is the committed version of a path of the workspace; "": there is none.
func (h *history) file(path string) commits.ID {
	if !h.any() {
		return ""
	}
	if h.below != "" {
		path = h.below + "/" + path
	}
	id, err := h.commit.File(path)
	if err != nil {
		return ""
	}
	return id
}

// read gives the committed bytes as they would stand in the worktree; nil when they cannot be had.
func (h *history) read(id commits.ID, src []byte) []byte {
	body, err := h.commit.Read(id)
	if err != nil || len(body) > maxParse {
		return nil
	}
	if strings.HasPrefix(string(body[:min(len(body), 64)]), "version https://git-lfs.github.com/") {
		return nil // a pointer to the bytes
	}
	if body == nil {
		body = []byte{}
	}
	return endings(body, src)
}
