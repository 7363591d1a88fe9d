package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"ctxd/client/wire"
	"ctxd/daemon/rpc"
)

// RunOptions are the command line of ctxd.
type RunOptions struct {
	Socket   string // its path
	StateDir string // "": CTX_STATE_HOME, else ctx in XDG_STATE_HOME, else ~/.local/state/ctx
	Inherit  bool   // descriptors 3 and 4 are the listening socket and its lock (see Inherit)
	// Idle overrides the user's idle_minutes: how long to wait for a connection; 0: for ever.
	Idle  *time.Duration
	Log   io.Writer // nil: ctxd.log in the state directory
	Probe []string  // see Options
	// Sessions makes what ServerOptions has under that name.
	Sessions func(*Daemon) map[string]rpc.Session
}

// closeLimit is how long the end of the daemon waits for its workspaces.
const closeLimit = 3 * time.Second

// Run is the life of the daemon: it takes the socket, serves it until it is idle, stopped or ctx
// ends, closes the workspaces, and only then lets go of the lock, so that no second daemon writes
// before this one has finished. An error says why it could not start or had to end.
func Run(ctx context.Context, o RunOptions) (err error) {
	if o.Socket == "" {
		return errors.New("no socket: ctxd is started by ctx; by hand, name one with --socket PATH")
	}
	if o.Socket, err = filepath.Abs(o.Socket); err != nil {
		return err
	}
	listener, lock, err := o.listen()
	if err != nil {
		return err
	}
	defer lock.Close()
	defer listener.Close()
	socket := statSocket(o.Socket)
	defer socket.remove() // for a start that fails; after Serve it is gone

	if err := o.findState(); err != nil {
		return err
	}
	log := o.Log
	if log == nil {
		file, err := openLog(filepath.Join(o.StateDir, "ctxd.log"), logLimit)
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		defer file.Close()
		log = file
	}
	logger := slog.New(slog.NewTextHandler(log, nil)).With("pid", os.Getpid())
	logger.Info("starting", "version", wire.Version, "socket", o.Socket, "state", o.StateDir)

	user := readUserConfig()
	d, err := New(Options{StateDir: o.StateDir, Socket: o.Socket, User: user, Probe: o.Probe, Logger: logger})
	if err != nil {
		logger.Error("cannot start", "error", err)
		return err
	}
	idle := user.Idle()
	if o.Idle != nil {
		idle = *o.Idle
	}
	var sessions map[string]rpc.Session
	if o.Sessions != nil {
		sessions = o.Sessions(d)
	}
	err = NewServer(ServerOptions{
		Listener: listener, Path: o.Socket, Lock: lock,
		Handler: d.Handle, Sessions: sessions, IdleTimeout: idle, Logger: logger,
	}).Serve(ctx)
	// A grammar's C code cannot be interrupted: what still runs after a while ends with the process.
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	select {
	case e := <-closed:
		err = errors.Join(err, e)
	case <-time.After(closeLimit):
		logger.Warn("ended without waiting for a parse")
	}
	logger.Info("ended", "error", err)
	return err
}

func (o *RunOptions) listen() (*net.UnixListener, *os.File, error) {
	if o.Inherit {
		return Inherit(o.Socket)
	}
	return Listen(o.Socket)
}

// findState settles the state directory and makes it.
func (o *RunOptions) findState() (err error) {
	switch {
	case o.StateDir != "":
	case os.Getenv("CTX_STATE_HOME") != "":
		o.StateDir = os.Getenv("CTX_STATE_HOME")
	case filepath.IsAbs(os.Getenv("XDG_STATE_HOME")):
		o.StateDir = filepath.Join(os.Getenv("XDG_STATE_HOME"), "ctx")
	default:
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("no state directory: %w: set CTX_STATE_HOME", err)
		}
		o.StateDir = filepath.Join(home, ".local", "state", "ctx")
	}
	if o.StateDir, err = filepath.Abs(o.StateDir); err != nil {
		return err
	}
	if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w: set CTX_STATE_HOME to one that you can write to", err)
	}
	return nil
}

// readUserConfig reads ctx/config.toml in the user's configuration directory; that it is not
// there is no problem.
func readUserConfig() UserConfig {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ParseUserConfig("", nil)
	}
	path := filepath.Join(dir, "ctx", "config.toml")
	src, err := os.ReadFile(path)
	c := ParseUserConfig(path, src)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.Problems = append(c.Problems, err.Error())
	}
	return c
}
