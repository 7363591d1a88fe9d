package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxd/client/wire"
)

// gate is a way of making fresh harder.
type gate struct {
	name   string
	small  bool   // the tree is a part of GOROOT/src: every question costs a look at all of it
	holds  bool   // the daemon is held from before the write until the request has been sent
	floods bool   // meanwhile more happens than its queue of events has room for
	touch  bool   // every write gives the file its modification time back
	config string // the user's configuration
}

// refusedAfter is how many directories may be watched behind the gate "refused".
const refusedAfter = 50

var gates = []gate{
	{name: ""},
	{name: "overflow", small: true, holds: true, floods: true},
	{name: "held", holds: true},
	{name: "refused", config: fmt.Sprintf("[watch]\nmax_watches = %d\n", refusedAfter)},
	{name: "mtime", touch: true},
}

func gateNamed(name string) (gate, error) {
	at := slices.IndexFunc(gates, func(g gate) bool { return g.name == name })
	if at < 0 {
		var names []string
		for _, g := range gates[1:] {
			names = append(names, g.name)
		}
		return gate{}, fmt.Errorf("--gate %s: there are %s", name, strings.Join(names, ", "))
	}
	return gates[at], nil
}

// configure writes the user's configuration of our daemon.
func (b *bench) configure(text string) error {
	dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "ctx")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o644)
}

// verdicts say whether the gate was there at all: w is the workspace as it was after so many writes,
// of which flooded came with an overflow.
func (g gate) verdicts(before, after *wire.Workspace, flooded int) []verdict {
	switch {
	case g.floods:
		return []verdict{atLeast("looks at the whole tree, beside overflows", after.Sweeps-before.Sweeps, max(flooded, 1))}
	case g.config != "":
		return []verdict{
			atLeast("directories whose watch was refused", after.Unwatched, 1),
			atMostCount("directories that are watched", after.Watched, refusedAfter),
		}
	}
	return nil
}

// flood is what makes a queue of inotify events overflow: two watched files whose times are changed in
// turns. The kernel drops an event that equals the last one in the queue, so that one file would
// make one event.
type flood struct {
	files [2]string
	most  int // events that a queue has room for
}

func newFlood(dir string) (*flood, error) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		return nil, err
	}
	f := &flood{}
	if _, err := fmt.Sscan(string(text), &f.most); err != nil {
		return nil, fmt.Errorf("fs.inotify.max_queued_events is %q: %w", text, err)
	}
	for i := range f.files {
		f.files[i] = filepath.Join(dir, fmt.Sprintf("ctxbench-flood%d.txt", i))
		if err := os.WriteFile(f.files[i], nil, 0o644); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// run makes more events than the queue has room for.
func (f *flood) run() error {
	for i := range f.most + len(f.files) {
		now := time.Now()
		if err := os.Chtimes(f.files[i%len(f.files)], now, now); err != nil {
			return err
		}
	}
	return nil
}
