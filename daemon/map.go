package daemon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ctxd/client/wire"
)

// Map outlines a file, or lists the definitions of a folder or the worktree by how much they matter, in a budget.
func (ws *Workspace) Map(ctx context.Context, p wire.MapParams) (*wire.MapResult, error) {
	if p.Budget != 0 && (p.Budget < wire.MinMapBudget || p.Budget > wire.MaxMapBudget) {
		return nil, refuse(wire.InvalidRequest, nil, "budget must be %d to %d tokens, not %d; next: goes on where a map ends", wire.MinMapBudget, wire.MaxMapBudget, p.Budget)
	}
	var m *mapping // the last one; a list of a tree rests on all files that are in it
	listed := sought{held: func(f *File) bool { return !m.outline && within(f.Path, m.path) }}
	res, err := upToDate(ctx, ws, asking{p.NoSync, listed}, func(snap *Snapshot) (_ *wire.MapResult, err error) {
		if m, err = ws.newMap(ctx, snap, p); err != nil {
			return nil, err
		}
		if m.outline {
			return m.file()
		}
		res, err := m.tree()
		if err == nil && res.Total.Symbols == 0 {
			err = errNone
		}
		return res, err
	})
	if errors.Is(err, errNone) {
		err = nil
	}
	return res, err
}

// mapping is one map under way.
type mapping struct {
	ws      *Workspace
	ctx     context.Context
	snap    *Snapshot
	params  wire.MapParams
	budget  int
	path    string // "" is the root
	outline bool   // path is a file
	after   int    // rows of the list that were shown
	digest  string // of that list; "" when none was
}

func (ws *Workspace) newMap(ctx context.Context, snap *Snapshot, p wire.MapParams) (*mapping, error) {
	m := &mapping{ws: ws, ctx: ctx, snap: snap, params: p, budget: p.Budget}
	if err := m.goOn(); err != nil {
		return nil, err
	}
	if m.budget == 0 {
		m.budget = min(max(ws.config.Load().Budgets.ResultTokens, wire.MinMapBudget), wire.MaxMapBudget)
	}
	var err error
	if m.path, err = ws.below(p.Path, p.Dir); err != nil || m.path == "" {
		return m, err
	}
	if !ws.exists(m.path) { // m.py:4 is m.py
		at, err := ws.locate(p.Path, p.Dir, false)
		if err != nil {
			return nil, err
		}
		m.path = at.path
	}
	m.outline, err = ws.mappable(m.path)
	return m, err
}

// goOn reads where the map goes on: how many rows were shown, and the digest of their list.
func (m *mapping) goOn() error {
	if m.params.After == "" {
		return nil
	}
	count, digest, ok := strings.Cut(m.params.After, "@")
	n, valid := number(count)
	if !ok || !valid || len(digest) != 8 || strings.Trim(digest, "0123456789abcdef") != "" {
		return refuse(wire.InvalidRequest, nil, "after takes what next: says, such as 40@07407f1c, not %s", quote(clipped(m.params.After)))
	}
	m.after, m.digest = n, digest
	return nil
}

// mapNext is what goOn reads.
func mapNext(rows int, digest uint32) string {
	return strconv.Itoa(rows) + "@" + fmt.Sprintf("%08x", digest)
}

// mappable says whether a path is a file; a directory is not. What cannot be mapped is refused for its own reason.
func (ws *Workspace) mappable(name string) (file bool, err error) {
	ref, real := wire.RepoRef(name), ws.real(name)
	if err := ws.allowed(name, real); err != nil {
		return false, err
	}
	if file, err := ws.place(name); err != nil || file {
		return file, err
	}
	if real != name {
		return false, refusePath(wire.Unsupported, name, []string{"ctx map " + wire.RepoRef(real)},
			"%s goes through a symbolic link; its target is mapped: %s", ref, wire.RepoRef(real))
	}
	if rule, ignored := ws.disk.Load().tree.Ignored(name + "/"); ignored {
		return false, refusePath(wire.NotFound, name, nil, "%s is ignored (%s), so its definitions are not indexed", ref, rule)
	}
	return false, nil
}

const (
	// fewPending are parsed by the request itself.
	fewPending = 64
	// wholeCheck is how often a request looks whether the background is done with the others.
	wholeCheck = 5 * time.Millisecond
)

// whole is the snapshot with nothing pending: how much a definition matters is known when all files are parsed that
// may refer to it, so that a cold map waits for the index and is the same as a warm one. The background parses, not the
// request: what it has done stays done when the caller gives up, and is seen in ctx/status meanwhile.
func (ws *Workspace) whole(ctx context.Context) (*Snapshot, error) {
	for {
		snap := ws.cur.Load()
		if snap.pending == 0 {
			return ws.over(ctx, snap), nil
		}
		if snap.pending <= fewPending {
			all := &coldLook{ws: ws, may: func(*coldLook, *File, []byte) bool { return true }}
			snap, err := ws.lookThrough(ctx, all)
			if err != nil || snap.pending == 0 {
				return snap, err
			}
		}
		if !pause(ctx, wholeCheck) {
			return nil, ctx.Err()
		}
		select {
		case <-ws.stopped:
			return nil, errClosed
		default:
		}
	}
}
