package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"

	"ctxd/client/wire"
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
	}
	if res.Store.Damaged == nil {
		res.Store.Damaged = []string{}
	}
	for _, ws := range d.opened() {
		res.Workspaces = append(res.Workspaces, ws.status())
	}
	return res, nil
}

func (ws *Workspace) status() wire.Workspace {
	s := ws.cur.Load()
	w := wire.Workspace{
		Root: ws.Root, Files: len(s.files), Parsed: s.parsed, Pending: s.pending,
		Other: len(s.files) - s.parsed - s.pending - s.unparsed, Definitions: s.defs,
		Freshness: s.told.freshness(), Watched: s.told.watched, Unwatched: s.told.unwatched, Unparsed: []wire.Problem{}, Unreadable: []wire.Problem{},
	}
	for _, f := range s.files {
		switch {
		case f.Facts == nil:
		case f.Problem != "":
			w.Unreadable = append(w.Unreadable, wire.Problem{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Reason: f.Problem})
		case f.unparsed():
			w.Unparsed = append(w.Unparsed, wire.Problem{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Reason: f.Facts.Status.String()})
		}
	}
	for _, p := range s.problems {
		w.Unreadable = append(w.Unreadable, wire.Problem{Path: displayPath(p.Path), PathBase64: exactPath(p.Path), Reason: p.Reason})
	}
	return w
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
	add("user config", d.opts.User.Problems, "no faults", "correct the file, then `ctx stop`: the next call starts a daemon that reads it")
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
		add("watches", watches(ws.cur.Load().told), fmt.Sprintf("%d directories tell of their changes", ws.cur.Load().told.watched),
			"raise fs.inotify.max_user_watches or max_user_instances (sysctl), or have ignore rules leave trees out that nobody asks about")
		add("workspace config", ws.config.Load().problems, "no faults", "correct "+configName+" at the root of the workspace")
		w := ws.status()
		var unread []string
		for _, u := range append(w.Unreadable, w.Unparsed...) {
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

// watches says what is not told by events.
func watches(t told) []string {
	switch {
	case t.watched == 0:
		return []string{"no events: the whole tree is compared for each answer, which is slower but as right"}
	case t.unwatched > 0:
		return []string{fmt.Sprintf("%d of %d directories are read for each answer: their watch was refused, or they hold links, or files with several names",
			t.unwatched, t.watched+t.unwatched)}
	}
	return nil
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
