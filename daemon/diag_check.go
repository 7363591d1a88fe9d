package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/checkers"
	"ctxd/watch"
)

const (
	// checkWait is how long an answer waits for checkers that are at work.
	checkWait = 10 * time.Second
	// checkGather is how long changes gather before checkers start in the background.
	checkGather = 300 * time.Millisecond
	// checkAfter is how long after the last question checkers go on to follow changes.
	checkAfter = 10 * time.Minute
	// checkSlots is how many checkers run at once, in the whole daemon.
	checkSlots = 2
)

// checking is the runs of a workspace's checkers.
type checking struct {
	mu     sync.Mutex
	last   map[checkUnit]*checkRun // the last run of each
	extent extent                  // what was asked about last
	asked  time.Time               // when
	closed bool
	wake   chan struct{} // holds a token when something changed; nil until the workspace is open
	life   context.Context
	jobs   sync.WaitGroup
}

// checkUnit is what one verdict is about: a file, or with no path the workspace.
type checkUnit struct {
	checker string
	path    string
}

// checkRun is one run: of the command as it is configured, on content as it is.
type checkRun struct {
	command [32]byte // digest of the checker
	state   [32]byte // of the file's bytes, or of the whole tree
	job     *checkJob
	done    chan struct{}
	// Once done is closed:
	found []checkers.Problem
	err   error // no verdict
}

// checkJob is the process that one or more runs wait for.
type checkJob struct {
	cancel context.CancelFunc
	wanted int // runs that are still the last of their unit; guarded by checking.mu
}

func (r *checkRun) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// errStirred says that a file changed while it was being checked.
var errStirred = errors.New("files changed while it ran; ask again")

// check asks the configured checkers about the files of x, waits a while for them, and adds what they found.
func (ws *Workspace) check(ctx context.Context, x *examiner, snap *Snapshot, s extent) {
	config := ws.config.Load() // what runs is what was trusted
	trusted, others := ws.trust.trusted(ws.Root, commandsOf(config))
	limit, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	type asked struct {
		c        checkers.Checker
		verdicts []*verdict
		runs     []*checkRun
	}
	var all []asked
	for _, c := range ws.checkers(config) {
		mine := x.of(ctx, &c)
		switch missing := c.Missing(ws.Root); {
		case len(mine) == 0:
		case others:
			x.sources = append(x.sources, wire.DiagSource{Name: c.Name, Note: "not run: the checkers of ctx.toml are others than those that were trusted (`ctx trust --show` lists them, `ctx trust` lets them)"})
		case !trusted:
			x.sources = append(x.sources, wire.DiagSource{Name: c.Name, Note: "not run: the workspace is not trusted (`ctx trust` lets it)"})
		case missing != "":
			x.sources = append(x.sources, wire.DiagSource{Name: c.Name, Note: missing})
		default:
			all = append(all, asked{c, mine, nil})
		}
	}
	if len(all) == 0 {
		return
	}
	if ws.overlay != nil {
		snap = ws.cur.Load() // checkers see the disk
	}
	state := stateOf(snap)
	for i := range all {
		all[i].runs = ws.start(&all[i].c, all[i].verdicts, state)
	}
	ws.diags.checking.note(s)
	for _, a := range all {
		source := wire.DiagSource{Name: a.c.Name}
		late := 0
		for i, run := range a.runs {
			select {
			case <-run.done:
			case <-limit.Done():
			}
			switch {
			case !run.ended():
				late++
			case run.err != nil:
				source.Note = run.err.Error()
			case a.c.Whole():
				source.Note = strangers(snap, run)
				ws.addAll(ctx, x, &a.c, a.verdicts, run)
			default:
				ws.addAll(ctx, x, &a.c, a.verdicts[i:i+1], run)
			}
		}
		if late > 0 {
			source.Note = "still at work on the present bytes: what it finds is missing here; ask again"
		}
		x.sources = append(x.sources, source)
	}
}

// strangers says how many of the problems that were found are in no file of the workspace: a command that runs in
// another directory names its files from there.
func strangers(snap *Snapshot, run *checkRun) string {
	n := 0
	for _, p := range run.found {
		if snap.file(p.Path) == nil {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of its problems are in no file of the workspace, and not listed", n)
}

// of are the verdicts of the files that a checker takes. What is in no language that we parse is read now.
func (x *examiner) of(ctx context.Context, c *checkers.Checker) []*verdict {
	var mine []*verdict
	for _, v := range x.verdicts {
		language := ""
		if v.file.Facts != nil {
			language = v.file.Facts.Language
		}
		if v.doubt == doubtUnread || !c.Takes(v.file.Path, language) {
			continue
		}
		if v.file.Stat == (watch.Stat{}) { // a buffer that is not saved: what a checker finds in the file is not about it
			continue
		}
		if v.blob == (captures.BlobID{}) {
			t, err := x.ws.text(ctx, v.file.Path)
			if err != nil {
				continue
			}
			v.blob = t.Blob
		}
		mine = append(mine, v)
	}
	return mine
}

// addAll adds what one run found to the verdicts that it is about.
func (ws *Workspace) addAll(ctx context.Context, x *examiner, c *checkers.Checker, about []*verdict, run *checkRun) {
	byPath := map[string][]checkers.Problem{}
	for _, p := range run.found {
		byPath[p.Path] = append(byPath[p.Path], p)
	}
	for _, v := range about {
		v.checks = append(slices.Clip(v.checks), c.Name)
		rows := slices.Clone(v.rows)
		if c.Syntax { // it knows better than a grammar
			rows = slices.DeleteFunc(rows, func(r diagRow) bool { return r.source == v.source })
		}
		if problems := byPath[v.file.Path]; len(problems) > 0 {
			t, err := ws.text(ctx, v.file.Path)
			if err != nil || t.Blob != v.blob {
				x.moved = true
				continue
			}
			for _, p := range problems {
				rows = append(rows, problemRow(t, c.Name, p))
			}
		}
		v.rows = rows
	}
}

// problemRow makes the row of what a checker found. A line behind the end is the last.
func problemRow(t *Text, source string, p checkers.Problem) diagRow {
	at := func(line, column int) int {
		line = min(max(line, 1), max(t.Table.Len(), 1))
		if t.Table.Len() == 0 {
			return 0
		}
		start, end := t.Table.Content(anchors.Span{First: line, Last: line})
		return min(start+max(column-1, 0), end)
	}
	r := diagRow{path: t.Path, blob: t.Blob, start: at(p.Line, p.Column), severity: p.Severity, source: source, code: p.Code, message: p.Message}
	switch {
	case p.EndLine >= p.Line && p.EndColumn > 0:
		r.end = max(r.start, at(p.EndLine, p.EndColumn))
	default:
		r.end = at(p.Line, 1<<30)
		if p.Column > 0 {
			r.end = min(r.end, r.start+1)
		}
	}
	r.key = rowKeyOf(t, r)
	return r
}

// stateOf is a digest of which files there are and of their stats: what a checker may look at besides the file that it
// is asked about.
func stateOf(snap *Snapshot) [32]byte {
	h := sha256.New()
	var b []byte
	for _, f := range snap.files {
		b = append(b[:0], f.Path...)
		b = append(b, 0)
		for _, n := range []int64{int64(f.Stat.Ino), f.Stat.Size, f.Stat.Mtime, f.Stat.Ctime} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		h.Write(b)
	}
	return [32]byte(h.Sum(nil))
}

// start gives the runs of a checker on these files, one each, or one for a checker of the whole workspace; what has
// not run on this content is started.
func (ws *Workspace) start(c *checkers.Checker, about []*verdict, state [32]byte) []*checkRun {
	command := sha256.Sum256(fmt.Appendf(nil, "%+v", *c))
	k := &ws.diags.checking
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil {
		k.last = map[checkUnit]*checkRun{}
	}
	unit := func(path string, state [32]byte) (*checkRun, bool) {
		u := checkUnit{c.Name, path}
		if run := k.last[u]; run != nil && run.command == command && run.state == state && !(run.ended() && run.err == errStirred) {
			return run, false
		}
		k.drop(u)
		run := &checkRun{command: command, state: state, done: make(chan struct{})}
		k.last[u] = run
		return run, true
	}
	if c.Whole() {
		run, fresh := unit("", state)
		if fresh {
			ws.launch(*c, []*checkRun{run}, nil)
		}
		return []*checkRun{run}
	}
	runs := make([]*checkRun, len(about))
	var batch []*checkRun
	var files []*verdict
	flush := func() {
		if len(batch) > 0 {
			ws.launch(*c, batch, files)
			batch, files = nil, nil
		}
	}
	for i, v := range about {
		of := state
		if c.Alone {
			of = v.blob
		}
		run, fresh := unit(v.file.Path, of)
		if runs[i] = run; !fresh {
			continue
		}
		batch, files = append(batch, run), append(files, v)
		if len(batch) == c.Batch() {
			flush()
		}
	}
	flush()
	return runs
}

// drop forgets the last run of a unit, and ends it if nobody else needs its process. k.mu is held.
func (k *checking) drop(u checkUnit) {
	run := k.last[u]
	if run == nil {
		return
	}
	delete(k.last, u)
	if run.job != nil {
		if run.job.wanted--; run.job.wanted == 0 {
			run.job.cancel()
		}
	}
}

// launch starts one process. The lock of checking is held.
func (ws *Workspace) launch(c checkers.Checker, runs []*checkRun, about []*verdict) {
	k := &ws.diags.checking
	ctx, cancel := context.WithCancel(k.life)
	job := &checkJob{cancel: cancel, wanted: len(runs)}
	for _, r := range runs {
		r.job = job
	}
	if k.closed {
		cancel()
		for _, r := range runs {
			r.err = errClosed
			close(r.done)
		}
		return
	}
	k.jobs.Go(func() {
		defer cancel()
		found, err := ws.runChecker(ctx, c, runs, about)
		for i, r := range runs {
			r.err = err
			for _, p := range found {
				if about == nil || p.Path == about[i].file.Path {
					r.found = append(r.found, p)
				}
			}
			close(r.done)
		}
	})
}

// runChecker runs a checker on content that is the same before and after.
func (ws *Workspace) runChecker(ctx context.Context, c checkers.Checker, runs []*checkRun, about []*verdict) ([]checkers.Problem, error) {
	cache := filepath.Join(ws.checkDir(), fmt.Sprintf("%x", sha256.Sum256([]byte(c.Name)))[:16])
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	var files []string
	var stats []watch.Stat
	for i, v := range about {
		t, err := ws.text(ctx, v.file.Path)
		if err != nil || c.Alone && t.Blob != captures.BlobID(runs[i].state) {
			return nil, errStirred
		}
		files, stats = append(files, v.file.Path), append(stats, t.Stat)
	}
	found, err := c.Run(ctx, ws.slots, ws.Root, cache, files)
	if err != nil {
		var failed *checkers.FailedError
		if !errors.As(err, &failed) {
			return nil, err
		}
		return nil, errors.New(failed.Problem)
	}
	for i, f := range files {
		if st, err := ws.disk.Load().stat(f); err != nil || st != stats[i] {
			return nil, errStirred
		}
	}
	if !c.Alone {
		if err := ws.sync(ctx); err != nil {
			return nil, err
		}
		if stateOf(ws.cur.Load()) != runs[0].state {
			return nil, errStirred
		}
	}
	return found, nil
}

// checkDir is where the checkers of this workspace write.
func (ws *Workspace) checkDir() string { return filepath.Join(ws.checkerState, ws.id) }

// note remembers what was asked about.
func (k *checking) note(s extent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.extent, k.asked = s, time.Now()
}

// poke says that files changed.
func (k *checking) poke() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// forget drops all verdicts and ends what runs.
func (k *checking) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for u := range k.last {
		k.drop(u)
	}
	k.asked = time.Time{}
}

// close ends what runs, and waits for it. The life of the workspace has ended.
func (k *checking) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.jobs.Wait()
}

// checkUp runs the checkers on what changes while nobody asks, so that the next question need not wait.
func (ws *Workspace) checkUp(ctx context.Context) {
	k := &ws.diags.checking
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		if !pause(ctx, checkGather) {
			return
		}
		k.mu.Lock()
		s, recent := k.extent, time.Since(k.asked) < checkAfter
		k.mu.Unlock()
		config := ws.config.Load()
		if trusted, _ := ws.trust.trusted(ws.Root, commandsOf(config)); !recent || !trusted {
			continue
		}
		snap, err := ws.settleAll(ctx, s)
		if err != nil {
			return
		}
		x := &examiner{ws: ws}
		for _, f := range s.of(snap.files) {
			if f.problem() == "" {
				x.verdicts = append(x.verdicts, &verdict{file: f, blob: f.blob()})
			}
		}
		state := stateOf(snap)
		for _, c := range ws.checkers(config) {
			if mine := x.of(ctx, &c); len(mine) > 0 && c.Missing(ws.Root) == "" {
				ws.start(&c, mine, state)
			}
		}
	}
}
