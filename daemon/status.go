package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"weak"

	"ctxd/client/wire"
	"ctxd/watch"
)

// Status describes the daemon and its open workspaces; with a root, that one is opened and shown
// first hand.
func (d *Daemon) Status(ctx context.Context, p wire.StatusParams) (*wire.StatusResult, error) {
	if p.Root != "" {
		ws, release, err := d.Workspace(p.Root)
		if err != nil {
			return nil, err
		}
		defer release()
		if !p.NoSync {
			if err := ws.sync(ctx); err != nil {
				return nil, err
			}
		}
	}
	s := d.store.Stats()
	res := &wire.StatusResult{
		PID: os.Getpid(), Socket: d.opts.Socket, Version: wire.Version, State: d.opts.StateDir,
		Workspaces: []wire.Workspace{},
		Store:      wire.Store{Blobs: s.Blobs, Bytes: s.Bytes, Spans: s.Spans, Damaged: s.Damaged},
		Facts:      d.catalog.stats(),
		Process:    process(),
	}
	if res.Store.Damaged == nil {
		res.Store.Damaged = []string{}
	}
	for _, ws := range d.opened() {
		res.Workspaces = append(res.Workspaces, ws.status())
	}
	return res, nil
}

// swept says why the tree was last looked at as a whole.
func (ws *Workspace) swept() string {
	cause, _ := ws.cause.Load().(watch.Cause)
	return string(cause)
}

// process is what this process uses; zero where /proc does not tell.
func process() wire.Process {
	p := wire.Process{Goroutines: runtime.NumGoroutine()}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.Descriptors = len(fds) - 1 // one reads the directory
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident int64
		if _, err := fmt.Sscan(string(text), &size, &resident); err == nil {
			p.Resident = resident * int64(os.Getpagesize())
		}
	}
	return p
}

func (ws *Workspace) status() wire.Workspace {
	s := ws.cur.Load()
	landed := min(int(ws.uncommitted.Load()), s.pending) // parsed, in all likelihood
	w := wire.Workspace{
		Root: ws.Root, Files: len(s.files), Parsed: s.parsed + landed, Pending: s.pending - landed,
		Other: len(s.files) - s.parsed - s.pending - s.unparsed, Definitions: s.defs,
		Freshness: told{watched: s.told.watched, unwatched: s.told.unwatched}.freshness(), Watched: s.told.watched, Unwatched: s.told.unwatched,
		Sweeps: int(ws.sweeps.Load()), LastSweep: ws.swept(), Unparsed: []wire.Problem{}, Unreadable: []wire.Problem{}, Quarantined: []wire.Problem{},
		Degraded: s.told.degraded(),
	}
	for _, f := range ws.troubled(s) {
		switch {
		case strings.HasPrefix(f.Facts.Problem, quarantined):
			w.Quarantined = append(w.Quarantined, wire.Problem{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Reason: strings.TrimPrefix(f.Facts.Problem, quarantined)})
		case f.Facts.Problem != "":
			w.Unreadable = append(w.Unreadable, wire.Problem{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Reason: f.Facts.Problem})
		default:
			w.Unparsed = append(w.Unparsed, wire.Problem{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Reason: f.Facts.Status.String()})
		}
	}
	for _, p := range s.problems {
		w.Unreadable = append(w.Unreadable, wire.Problem{Path: displayPath(p.Path), PathBase64: exactPath(p.Path), Reason: p.Reason})
	}
	return w
}

// troubles are the files of a snapshot whose definitions are not known though they should be.
type troubles struct {
	of    weak.Pointer[Snapshot]
	files []*File
}

// troubled lists them. Whoever waits for an index asks for the status again and again: to look through the 100,000 files
// of a tree every 5 ms made its index a third slower.
func (ws *Workspace) troubled(s *Snapshot) []*File {
	if known := ws.troubles.Load(); known != nil && known.of.Value() == s {
		return known.files
	}
	now := &troubles{of: weak.Make(s)}
	for _, f := range s.files {
		if f.unparsed() {
			now.files = append(now.files, f)
		}
	}
	ws.troubles.Store(now)
	return now.files
}

// Doctor looks for what a user would want to repair.
func (d *Daemon) Doctor(ctx context.Context, p wire.DoctorParams) (*wire.DoctorResult, error) {
	res := &wire.DoctorResult{Checks: []wire.Check{}}
	add := func(name string, problems []string, ok, fix string) {
		if len(problems) == 0 {
			res.Checks = append(res.Checks, wire.Check{Name: name, Level: "ok", Message: ok})
		}
		for _, m := range problems {
			res.Checks = append(res.Checks, wire.Check{Name: name, Level: "warning", Message: m, Fix: fix})
		}
	}
	add("version", nil, "ctxd "+wire.Version, "")
	add("user config", d.opts.User.Problems, "no faults when the daemon started; later changes need `ctx stop`", "correct the file, then `ctx stop`: the next call starts a daemon that reads it")
	add("state directory", writable(d.opts.StateDir), d.opts.StateDir+" is writable", "free space or correct the permissions")
	add("capture store", d.store.Stats().Damaged, "no damaged entries", "nothing to do: damaged entries are set aside and never returned")
	if p.Root != "" {
		ws, release, err := d.Workspace(p.Root)
		if err != nil {
			return nil, err
		}
		defer release()
		if err := ws.sync(ctx); err != nil {
			return nil, err
		}
		told := ws.cur.Load().told
		watched := fmt.Sprintf("%d directories tell of their changes", told.watched)
		for _, row := range told.degraded() {
			res.Checks = append(res.Checks, wire.Check{Name: "watches", Level: "warning", Message: strings.TrimPrefix(row.Path+": "+row.Reason, ": "), Fix: row.Fix})
		}
		if len(told.degraded()) == 0 {
			add("watches", nil, watched, "")
		}
		if problem := d.catalog.stats().Problem; problem != "" {
			add("fact cache", []string{problem}, "", "free space or correct the permissions: until then a restart parses again")
		}
		add("workspace config", ws.config.Load().problems, "no faults", "correct "+configName+" at the root of the workspace")
		w := ws.status()
		var unread []string
		for _, u := range slices.Concat(w.Unreadable, w.Unparsed, w.Quarantined) {
			unread = append(unread, u.Path+": "+u.Reason)
		}
		const most = 20
		if len(unread) > most {
			unread = append(unread[:most:most], fmt.Sprintf("and %d more (`ctx status` lists them)", len(unread)-most))
		}
		add("files", unread, fmt.Sprintf("%d files, %d parsed", w.Files, w.Parsed), "these files have no definitions in the index; text and anchors work on them where they can be read")
	}
	return res, nil
}

// degraded says where answers cost more than they could, and what to do about it.
func (t told) degraded() []wire.Degraded {
	rows := []wire.Degraded{}
	for _, b := range t.blind {
		if b.Kind == watch.Shared {
			continue // links are nobody's fault
		}
		path := b.Path
		if path == "." {
			path = ""
		}
		reason := b.Reason
		if b.Dirs > 1 {
			reason = fmt.Sprintf("%s (%d directories, read for each answer)", reason, b.Dirs)
		}
		rows = append(rows, wire.Degraded{Path: displayPath(path), PathBase64: exactPath(path), Reason: reason, Fix: fixes[b.Kind]})
	}
	if t.more > 0 {
		rows = append(rows, wire.Degraded{Reason: fmt.Sprintf("%d more places are read for each answer", t.more), Fix: "as for the others"})
	}
	return rows
}

// fixes say what to do about a directory without events.
var fixes = map[watch.BlindKind]string{
	watch.KernelLimit:     "raise it (sysctl fs.inotify.max_user_watches), or have ignore rules leave out trees that nobody asks about",
	watch.ConfiguredLimit: "raise watch.max_watches in the user's config.toml, or have ignore rules leave out trees that nobody asks about",
	watch.NoInstance:      "raise it (sysctl fs.inotify.max_user_instances), or end other programs that watch files",
	watch.Remote:          "put the worktree on a local file system: answers are as right here, only slower",
	watch.Refused:         "check the directory's mode and owner; until then it is looked at for each answer",
}

// writable tries to write into dir. A full disk takes an empty file all the same.
func writable(dir string) []string {
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return []string{err.Error()}
	}
	_, err = f.Write(make([]byte, 64<<10))
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return []string{err.Error()}
	}
	return nil
}
