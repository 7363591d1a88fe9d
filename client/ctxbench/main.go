package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ctxd/client"
	"ctxd/client/wire"
)

// bench is one run: a tree to ask about, the binaries, and a daemon of our own.
type bench struct {
	root   string // absolute
	name   string // the symbol that is asked for
	n      int    // repetitions
	lang   string // recall: one ctags language, "" for all that ctx parses
	bin    string // directory that holds ctx and ctxd
	tmp    string
	out    *os.File
	misses int
}

var modes = map[string]func(context.Context, *bench) error{
	"latency": latency, "cold": cold, "memory": memory, "recall": recall,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ctxbench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	const usage = "usage: ctxbench latency|cold|memory|recall [--root DIR] [--name SYMBOL] [-n N]"
	if len(args) == 0 || modes[args[0]] == nil {
		return errors.New(usage)
	}
	b := &bench{out: os.Stdout}
	fs := flag.NewFlagSet("ctxbench", flag.ContinueOnError)
	fs.StringVar(&b.root, "root", "", "tree to measure on (default: GOROOT/src)")
	fs.StringVar(&b.name, "name", "os.ReadFile", "symbol to ask for")
	fs.IntVar(&b.n, "n", 300, "repetitions")
	fs.StringVar(&b.lang, "language", "", "recall: one language, as ctags names it")
	fs.IntVar(&b.misses, "misses", 20, "recall: misses to print for each kind")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if b.root == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("--root is needed where go is not installed: %w", err)
		}
		b.root = filepath.Join(strings.TrimSpace(string(out)), "src")
	}
	root, err := filepath.EvalSymlinks(b.root)
	if err != nil {
		return err
	}
	if b.root, err = filepath.Abs(root); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b.bin = filepath.Dir(self)
	for _, name := range []string{"ctx", "ctxd"} {
		if _, err := os.Stat(filepath.Join(b.bin, name)); err != nil {
			return fmt.Errorf("%s must stand beside ctxbench (go build -o DIR ./client/... ./daemon/ctxd): %w", name, err)
		}
	}
	if b.tmp, err = os.MkdirTemp("", "ctxbench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	// Our own daemon: nothing of the user's is touched.
	os.Setenv("CTX_SOCKET", filepath.Join(b.tmp, "d.sock"))
	os.Setenv("CTX_STATE_HOME", filepath.Join(b.tmp, "state"))
	ctx := context.Background()
	defer b.stop(ctx)
	return modes[args[0]](ctx, b)
}

// start dials our daemon, starting it if need be.
func (b *bench) start(ctx context.Context) (*client.Client, error) {
	return client.DialOrStart(ctx, client.Options{Daemon: filepath.Join(b.bin, "ctxd")})
}

// stop ends our daemon, if it runs.
func (b *bench) stop(ctx context.Context) {
	c, err := client.Dial(ctx, client.Options{})
	if err != nil {
		return
	}
	defer c.Close()
	c.Stop(ctx, wire.StopParams{})
}

// common addresses the tree.
func (b *bench) common() wire.Common { return wire.Common{Root: b.root} }

// indexed waits until the daemon has parsed every file, and returns its status.
func (b *bench) indexed(ctx context.Context, c *client.Client) (*wire.Workspace, *wire.StatusResult, error) {
	for {
		s, err := c.Status(ctx, wire.StatusParams{Common: b.common()})
		if err != nil {
			return nil, nil, err
		}
		for i := range s.Workspaces {
			if w := &s.Workspaces[i]; w.Root == b.root && w.Pending == 0 {
				return w, s, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
}
