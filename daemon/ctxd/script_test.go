package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ctxd/client"
	"ctxd/client/wire"
)

// bin holds the real ctx and ctxd that the scripts run.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ctxbin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	args := []string{"build", "-o", dir}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "ctxd/daemon/ctxd", "ctxd/client/ctx")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", cmd.Args, err, out)
		return 1
	}
	return m.Run()
}

// TestScript runs testdata/script/*.txtar: shell sessions against the real ctx and ctxd, over a real
// socket. Each script has a daemon of its own. Besides the verbs of testscript it knows
//
//	daemon kill        ends this script's daemon as kill -9 does
//	edit FILE OLD NEW  replaces OLD, once, in FILE (\n is a line end)
//	bytes FILE TEXT    writes TEXT with Go escapes (\xff, \r) to FILE, whose name may hold them too
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"daemon": daemonCmd, "edit": editCmd, "bytes": bytesCmd,
		},
	})
}

func setup(env *testscript.Env) error {
	// Socket names are short: the scripts' own directories can be too long for one.
	run, err := os.MkdirTemp("", "ctxs")
	if err != nil {
		return err
	}
	socket := filepath.Join(run, "d.sock")
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("CTX_SOCKET", socket)
	env.Setenv("CTX_STATE_HOME", filepath.Join(run, "state"))
	env.Setenv("HOME", filepath.Join(run, "home"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(run, "config"))
	env.Setenv("RUN", run)
	env.Defer(func() {
		stop(client.Options{Socket: socket})
		os.RemoveAll(run)
	})
	return nil
}

// daemonCmd: daemon kill.
func daemonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "kill" {
		ts.Fatalf("usage: daemon kill")
	}
	c, err := client.Dial(context.Background(), client.Options{Socket: ts.Getenv("CTX_SOCKET")})
	ts.Check(err)
	defer c.Close()
	s, err := c.Status(context.Background(), wire.StatusParams{})
	ts.Check(err)
	p, err := os.FindProcess(s.PID)
	ts.Check(err)
	ts.Check(p.Kill())
	// The socket refuses once the process is gone.
	for {
		c, err := client.Dial(context.Background(), client.Options{Socket: ts.Getenv("CTX_SOCKET")})
		if err != nil {
			return
		}
		c.Close()
	}
}

// editCmd: edit FILE OLD NEW.
func editCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	file := ts.MkAbs(args[0])
	src, err := os.ReadFile(file)
	ts.Check(err)
	from, to := strings.ReplaceAll(args[1], `\n`, "\n"), strings.ReplaceAll(args[2], `\n`, "\n")
	if strings.Count(string(src), from) != 1 {
		ts.Fatalf("%s does not hold %q exactly once", file, from)
	}
	ts.Check(os.WriteFile(file, []byte(strings.Replace(string(src), from, to, 1)), 0o644))
}

// bytesCmd: bytes FILE TEXT, both with Go's escapes.
func bytesCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE TEXT")
	}
	ts.Check(os.WriteFile(ts.MkAbs(unescape(ts, args[0])), []byte(unescape(ts, args[1])), 0o644))
}

// unescape reads Go's escapes for single bytes and line ends.
func unescape(ts *testscript.TestScript, s string) string {
	var out []byte
	for len(s) > 0 {
		c := s[0]
		if c != '\\' || len(s) < 2 {
			out, s = append(out, c), s[1:]
			continue
		}
		switch s[1] {
		case 'n':
			out, s = append(out, '\n'), s[2:]
		case 'r':
			out, s = append(out, '\r'), s[2:]
		case 't':
			out, s = append(out, '\t'), s[2:]
		case 'x':
			var b byte
			if len(s) < 4 {
				ts.Fatalf("short escape in %q", s)
			}
			if _, err := fmt.Sscanf(s[2:4], "%02x", &b); err != nil {
				ts.Fatalf("bad escape in %q", s)
			}
			out, s = append(out, b), s[4:]
		default:
			ts.Fatalf("unknown escape in %q", s)
		}
	}
	return string(out)
}
