// Command ctxd is the daemon of ctx, which starts it. By hand:
//
//	ctxd --socket /run/user/1000/ctx/ctxd.sock --foreground
//	ctxd parse DIR  # the bare parse of every source file: what the index is measured against
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ctxd/client/wire"
	"ctxd/daemon"
	"ctxd/lsp"
)

func main() { os.Exit(run()) }

func run() int {
	o := daemon.RunOptions{Sessions: lsp.Sessions}
	flag.StringVar(&o.Socket, "socket", os.Getenv("CTX_SOCKET"), "`path` of the socket to serve")
	flag.StringVar(&o.StateDir, "state", "", "`directory` of captures and logs (default CTX_STATE_HOME, else ctx in XDG_STATE_HOME)")
	flag.BoolVar(&o.Inherit, "inherit", false, "descriptors 3 and 4 are the listening socket and its lock: how ctx starts ctxd")
	idle := flag.Duration("idle", 0, "`time` without a connection after which to end; 0: never (default idle_minutes of the user's config.toml, 30m)")
	foreground := flag.Bool("foreground", false, "log to stderr")
	version := flag.Bool("version", false, "print the version")
	probe := flag.String("probe", "", "parse standard input as the file `path` and end: how ctxd tries what a parser may have died of")
	flag.Parse()
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "idle" {
			o.Idle = idle
		}
	})
	switch {
	case *version || flag.NArg() == 1 && flag.Arg(0) == "version":
		fmt.Println("ctxd", wire.Version)
		return 0
	case flag.NArg() == 2 && flag.Arg(0) == "parse":
		return failed(parse(context.Background(), flag.Arg(1), os.Stdout), 1)
	case flag.NArg() > 0:
		return failed(fmt.Errorf("unknown argument %q: see ctxd -h", flag.Arg(0)), 2)
	case *probe != "":
		return failed(daemon.Probe(*probe, os.Stdin), 1)
	}
	if self, err := os.Executable(); err == nil {
		o.Probe = []string{self, "--probe"}
	}
	if *foreground {
		o.Log = os.Stderr
	} else {
		signal.Ignore(syscall.SIGHUP) // the terminal that it was started from may go
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends it the hard way
	return failed(daemon.Run(ctx, o), 1)
}

// failed reports an error and is the exit status: status, or 0 without an error.
func failed(err error, status int) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "ctxd:", err)
	return status
}
