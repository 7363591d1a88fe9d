package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bench is one run: a tree to ask about, the binaries, and a daemon of our own.
type bench struct {
	root     string // absolute
	name     string // the symbol that is asked for
	n        int    // repetitions; 0: what the mode says
	lang     string // recall: one ctags language, "" for all that ctx parses
	misses   int    // recall: misses to print for each kind
	min      float64
	bin      string // directory that holds ctx and ctxd
	tmp      string
	out      io.Writer
	verdicts []verdict
}

var modes = map[string]func(context.Context, *bench) error{
	"latency": latency, "fresh": fresh, "cold": cold, "memory": memory, "big": big, "recall": recall, "all": all,
}

// all takes every measurement that has a bar.
func all(ctx context.Context, b *bench) error {
	for _, mode := range []func(context.Context, *bench) error{latency, fresh, big, cold, memory} {
		if err := mode(ctx, b); err != nil {
			return err
		}
		if err := b.reset(ctx); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ctxbench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	const usage = "usage: ctxbench latency|fresh|cold|memory|big|all|recall [--root DIR] [--name SYMBOL] [-n N]"
	if len(args) == 0 || modes[args[0]] == nil {
		return errors.New(usage)
	}
	b := &bench{out: os.Stdout}
	fs := flag.NewFlagSet("ctxbench", flag.ContinueOnError)
	fs.StringVar(&b.root, "root", "", "tree to measure on (default: GOROOT/src)")
	fs.StringVar(&b.name, "name", "os.ReadFile", "symbol to ask for")
	fs.IntVar(&b.n, "n", 0, "repetitions (default: latency 300, fresh 10,000 writes, cold 3, big 10)")
	fs.StringVar(&b.lang, "language", "", "recall: one language, as ctags names it")
	fs.IntVar(&b.misses, "misses", 20, "recall: misses to print for each kind")
	fs.Float64Var(&b.min, "min", 0, "recall: fail when a language is under this `percentage`")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	ctx := context.Background()
	defer b.stop(ctx)
	fmt.Fprintf(b.out, "%s %s, %s\n", args[0], b.root, load())
	if err := modes[args[0]](ctx, b); err != nil {
		return err
	}
	b.summary()
	return nil
}

// prepare finds the tree and the binaries, and gives the daemon a place of its own.
func (b *bench) prepare() error {
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
	// Nothing of the user's is touched.
	os.Setenv("CTX_SOCKET", filepath.Join(b.tmp, "d.sock"))
	os.Setenv("CTX_STATE_HOME", filepath.Join(b.tmp, "state"))
	os.Setenv("CTXD", filepath.Join(b.bin, "ctxd"))
	return nil
}

// times is the number of repetitions: what the caller asked for, else usual.
func (b *bench) times(usual int) int {
	if b.n > 0 {
		return b.n
	}
	return usual
}

// load says how busy the machine is: figures from a busy one are ratios at best.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return "load " + one
}
