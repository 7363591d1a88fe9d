package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"ctxd/client/wire"
	"ctxd/daemon/checkers"
)

// trusts says which workspaces may run commands. They are kept in one file of the state directory, by the path of the
// root, with the identity of its directory and a digest of the commands that were trusted: what stands there after rm -rf
// and a new clone is somebody else's until it is trusted again, and so are other commands, which a pull may bring. Several
// daemons may share the file.
type trusts struct {
	path string
	mu   sync.Mutex // one writer in this process; flock holds off others
}

func newTrusts(state string) *trusts { return &trusts{path: filepath.Join(state, "trust.json")} }

// trusted says whether the directory at root, as it is now, may run the commands with that digest; others: that it may
// run others.
func (t *trusts) trusted(root, commands string) (trusted, others bool) {
	all, err := t.load()
	if err != nil {
		return false, false
	}
	id, err := identity(root)
	if err != nil {
		return false, false
	}
	before, digest, _ := strings.Cut(all[root], " commands:")
	return before == id && digest == commands, before == id && digest != commands
}

// commandsOf is a digest of the checkers that the workspace's own configuration names, as they are written there: those of
// the user's file, and the ready ones, are no part of the worktree.
func commandsOf(c *config) string {
	text, _ := json.Marshal(c.Diag.Checker) // strings, numbers and lists of them
	return fmt.Sprintf("%x", sha256.Sum256(append([]byte("ctx.trust/v1\x00"), text...)))[:32]
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

// set trusts root with those commands, or trusts it no more.
func (t *trusts) set(root, commands string, trusted bool) error {
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
		id, err := identity(root)
		if err != nil {
			return err
		}
		all[root] = id + " commands:" + commands
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
	c := ws.config.Load() // what is trusted is what is shown
	res := &wire.TrustResult{Checkers: []wire.TrustChecker{}}
	res.Trusted, res.Others = ws.trust.trusted(ws.Root, commandsOf(c))
	if want := !p.Revoke; !p.Show && (want != res.Trusted || res.Others) {
		if err := ws.trust.set(ws.Root, commandsOf(c), want); err != nil {
			return nil, refuse(wire.Internal, nil, "trust cannot be noted: %v", err)
		}
		res.Trusted, res.Others, res.Changed = want, false, true
		if !want {
			ws.diags.checking.forget()
			if err := os.RemoveAll(ws.checkDir()); err != nil {
				ws.log.Warn("removing what checkers wrote", "error", err)
			}
		}
	}
	for _, c := range ws.checkers(c) {
		row := wire.TrustChecker{Name: c.Name, Languages: append(append([]string{}, c.Languages...), c.Files...), Command: c.Command}
		row.Problem = c.Missing(ws.Root)
		res.Checkers = append(res.Checkers, row)
	}
	return res, nil
}

// checkers are the configured ones: those of ctx.toml, then those of the user's file that it does not replace.
func (ws *Workspace) checkers(c *config) []checkers.Checker {
	all := append([]checkers.Checker{}, c.checkers...)
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
