package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// bench is one run: a tree to ask about, the binaries, and a daemon of our own.
type bench struct {
	root       string // absolute
	name       string // the symbol that is asked for
	n          int    // repetitions; 0: what the mode says
	lang       string // recall: one ctags language, "" for all that ctx parses; truth: the server's
	misses     int    // recall, truth: misses to print for each kind
	server     string // truth: the command that runs a language server
	saveFile   string // truth: where its answers go
	loadFile   string // truth: where they come from
	seed       uint64 // truth, diag: of the sample
	min        float64
	gate       string         // fresh: what makes it harder
	method     string         // fresh: what is asked after a write
	every      int            // fresh: one of so many writes comes with an overflow
	git        string         // a repository to copy
	without    string         // paths of it that are left out
	from, to   string         // storm: two of its commits
	files      int            // make a tree of so many files of the tree first; 0: measure the tree itself
	idle       time.Duration  // how long the daemon is left alone before its memory is read
	usual      bool           // no tree was named
	cases      string         // diag: the damaged places, kept from run to run
	changes    int            // diag: how many commits are replayed; 0: damages are made
	flags      string         // diag: for the C compiler
	typescript string         // diag: directory of the typescript package
	shown      map[string]int // diag: how many damages of each sort were printed
	drift      driftOptions   // drift: what is asked
	bin        string         // directory that holds ctx and ctxd
	tmp        string
	out        io.Writer
	verdicts   []verdict
}

var modes = map[string]func(context.Context, *bench) error{
	"latency": latency, "fresh": fresh, "cold": cold, "memory": memory, "big": big, "recall": recall, "refs": refs, "search": find, "map": outline, "all": all,
	"storm": branches, "storms": storms, "soak": soak, "worktrees": worktrees, "truth": precision, "diag": diag, "lsp": editors, "drift": drift, "subscribe": subscribe,
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
	const usage = "usage: ctxbench latency|fresh|cold|memory|big|all|diag|lsp|map|refs|recall|search|storm|storms|soak|worktrees|truth|drift|subscribe [--root DIR] [--name SYMBOL] [-n N] [--files N] [--gate NAME] [--git REPO]; ctxbench MODE --help"
	if len(args) == 1 && args[0] == writerMode {
		return serveWrites(os.Stdin, os.Stdout)
	}
	if len(args) == 0 || modes[args[0]] == nil {
		return errors.New(usage)
	}
	b := &bench{out: os.Stdout, shown: map[string]int{}}
	fs := flag.NewFlagSet("ctxbench", flag.ContinueOnError)
	fs.StringVar(&b.root, "root", "", "tree to measure on (default: GOROOT/src)")
	fs.StringVar(&b.name, "name", "os.ReadFile", "symbol to ask for")
	fs.IntVar(&b.n, "n", 0, "repetitions (default: latency 300, fresh 10,000 writes, cold 3, big 10, map 50, refs 100, lsp 100 keystrokes, search 5 of each pattern, storm 20 checkouts, soak 200,000 operations, subscribe 10,000 edits, truth 300 symbols, diag 250 syntax errors)")
	fs.StringVar(&b.gate, "gate", "", "fresh: what makes it harder: overflow, held, refused or mtime")
	fs.StringVar(&b.method, "ask", "def", "fresh: what is asked after each write: "+strings.Join(questionNames(), ", "))
	fs.IntVar(&b.every, "every", 1, "fresh --gate overflow: one of so many writes comes with one")
	fs.StringVar(&b.git, "git", "", "storm, storms, worktrees: a `repository` to work in a copy of")
	fs.StringVar(&b.without, "without", "", "leave these `paths` of the repository out, with commas between them: a clone may lack their objects")
	fs.StringVar(&b.from, "from", "", "storm: one commit (default: the newest a year older than the other)")
	fs.StringVar(&b.to, "to", "HEAD", "storm: the other commit")
	fs.IntVar(&b.files, "files", 0, "make a tree of so many `files` first, of changed copies of the tree's")
	fs.StringVar(&b.lang, "language", "", "recall: one language, as ctags names it; truth: the server's, as LSP names it; diag: the language to damage, as ctx names it")
	fs.StringVar(&b.server, "server", "", "truth, lsp: the `command` that runs a language server on its standard streams; truth with --load: it is asked again about rows that it lacks")
	fs.StringVar(&b.saveFile, "save", "", "truth: ask the server only, and keep its answers in `file`")
	fs.StringVar(&b.loadFile, "load", "", "truth: compare with the answers in `file`")
	fs.Uint64Var(&b.seed, "seed", 1, "truth, diag: of the sample: another has other symbols, other damages")
	fs.IntVar(&b.misses, "misses", 20, "recall, truth, diag: misses to print for each kind")
	fs.Float64Var(&b.min, "min", 0, "recall: fail when a language is under this `percentage`")
	fs.StringVar(&b.cases, "cases", "", "diag: keep the damaged places in this `file`, or take them from it")
	fs.IntVar(&b.changes, "changes", 0, "diag --git: replay the last so many `commits` instead of damaging files")
	fs.StringVar(&b.flags, "flags", "", "diag: more flags for the C or C++ compiler")
	fs.StringVar(&b.typescript, "typescript", "", "diag: the `directory` of the typescript package")
	b.drift.flags(fs)
	fs.DurationVar(&b.idle, "idle", usualIdle, "leave the daemon alone for so long before its memory is read")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	// First, so that an interrupt during the cleaning up does not cut it short.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := b.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	defer b.stop(context.WithoutCancel(ctx))
	if b.files > 0 {
		if err := b.grow(ctx); err != nil {
			return err
		}
	}
	on := b.root
	if b.git != "" {
		on = b.git
	}
	fmt.Fprintf(b.out, "%s %s, %s\n", strings.TrimSpace(args[0]+" "+b.gate), on, load())
	if err := modes[args[0]](ctx, b); err != nil {
		return err
	}
	b.summary()
	return nil
}

// prepare finds the tree and the binaries, and gives the daemon a place of its own.
func (b *bench) prepare() error {
	if b.usual = b.root == ""; b.usual {
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
	tmp, err := os.MkdirTemp("", "ctxbench")
	if err != nil {
		return err
	}
	if b.tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return err
	}
	// Nothing of the user's is touched.
	os.Setenv("CTX_SOCKET", filepath.Join(b.tmp, "d.sock"))
	os.Setenv("CTX_STATE_HOME", filepath.Join(b.tmp, "state"))
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(b.tmp, "config"))
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
