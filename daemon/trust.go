package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"ctxd/client/wire"
	"ctxd/daemon/checkers"
)

// trusts says which workspaces may run commands. They are kept in one file of the state directory, by the path of the
// root and the identity of its directory: what stands there after rm -rf and a new clone is somebody else's
// until it is trusted again. Several daemons may share the file.
type trusts struct {
	path string
	mu   sync.Mutex // one writer in this process; flock holds off others
}

func newTrusts(state string) *trusts { return &trusts{path: filepath.Join(state, "trust.json")} }

// trusted says whether the directory at root is trusted as it is now.
func (t *trusts) trusted(root string) bool {
	all, err := t.load()
	if err != nil {
		return false
	}
	id, err := identity(root)
	return err == nil && all[root] == id
}

func (t *trusts) load() (map[string]string, error) {
	text, err := os.ReadFile(t.path)
	all := map[string]string{}
	if errors.Is(err, os.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s is damaged, so nothing is trusted: %w; remove it and run `ctx trust` again", filepath.Base(t.path), err)
	}
	return all, nil
}

// set trusts root, or trusts it no more.
func (t *trusts) set(root string, trusted bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	lock, err := os.OpenFile(t.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	all, err := t.load()
	if err != nil {
		return err
	}
	delete(all, root)
	if trusted {
		if all[root], err = identity(root); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(t.path, append(text, '\n'), 0o600)
}

// Trust lets the configured checkers run in a workspace, or no more, and lists them.
func (d *Daemon) Trust(ctx context.Context, p wire.TrustParams) (*wire.TrustResult, error) {
	ws, release, err := d.Workspace(p.Root)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := ws.look(); err != nil {
		return nil, err
	}
	res := &wire.TrustResult{Trusted: ws.trust.trusted(ws.Root), Checkers: []wire.TrustChecker{}}
	if want := !p.Revoke; !p.Show && want != res.Trusted {
		if err := ws.trust.set(ws.Root, want); err != nil {
			return nil, refuse(wire.Internal, nil, "trust cannot be noted: %v", err)
		}
		res.Trusted, res.Changed = want, true
		if !want {
			ws.diags.checking.forget()
			if err := os.RemoveAll(ws.checkDir()); err != nil {
				ws.log.Warn("removing what checkers wrote", "error", err)
			}
		}
	}
	for _, c := range ws.checkers() {
		row := wire.TrustChecker{Name: c.Name, Languages: append(append([]string{}, c.Languages...), c.Files...), Command: c.Command}
		row.Problem = c.Missing(ws.Root)
		res.Checkers = append(res.Checkers, row)
	}
	return res, nil
}

// checkers are the configured ones: those of ctx.toml, then those of the user's file that it does not replace.
func (ws *Workspace) checkers() []checkers.Checker {
	all := append([]checkers.Checker{}, ws.config.Load().checkers...)
	own := map[string]bool{}
	for _, c := range all {
		own[c.Name] = true
	}
	for _, c := range ws.userCheckers {
		if !own[c.Name] {
			all = append(all, c)
		}
	}
	return all
}

// completed are the checkers that can be used, and what is wrong with the others.
func completed(name string, configured []checkers.Checker) (good []checkers.Checker, problems []string) {
	seen := map[string]bool{}
	for _, c := range configured {
		c, problem := c.Complete()
		if problem == "" && seen[c.Name] {
			problem = c.Name + " is configured twice; the first counts"
		}
		if problem != "" {
			problems = append(problems, fmt.Sprintf("%s: diag.checker: %s", name, problem))
			continue
		}
		seen[c.Name] = true
		good = append(good, c)
	}
	return good, problems
}
