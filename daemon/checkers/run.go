package checkers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// maxOutput is how much of what a command prints is read; it is stopped when it prints more.
	maxOutput = 4 << 20
	// endLimit is how long a killed command's pipes are waited for.
	endLimit = 2 * time.Second
)

// Slots bound how many commands run at once.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// FailedError says that a checker did not come to a verdict.
type FailedError struct {
	Name, Problem string
}

func (e *FailedError) Error() string { return e.Name + ": " + e.Problem }

// Run has the checker judge files (none: the workspace), in root, and gives what it found. cache is an existing
// directory outside of the worktree. The error is a *FailedError where there is no verdict, or the context's. When Run
// returns, every process that it started and that stayed in its group is killed.
func (c *Checker) Run(ctx context.Context, slots Slots, root, cache string, files []string) ([]Problem, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	program, err := c.program(root)
	if err != nil {
		return nil, &FailedError{c.Name, "not installed: " + c.Command[0]}
	}
	limit, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	fill := strings.NewReplacer("{file}", first(files), "{cache}", cache, "{root}", root).Replace
	var args []string
	for _, word := range c.Command[1:] {
		if word == "{files}" {
			args = append(args, guarded(files)...)
			continue
		}
		args = append(args, fill(word))
	}
	output := &bounded{stop: cancel}
	cmd := exec.CommandContext(limit, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, output, output
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "NO_COLOR=1")
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, fill(v))
	}
	err = runGroup(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case output.full:
		return nil, &FailedError{c.Name, fmt.Sprintf("it printed more than %d MiB and was stopped", maxOutput>>20)}
	case limit.Err() != nil:
		return nil, &FailedError{c.Name, fmt.Sprintf("it did not end within %v and was stopped", c.timeout())}
	}
	found, formatErr := c.parse(root, output.text.Bytes())
	if formatErr != nil {
		return nil, &FailedError{c.Name, formatErr.Error()}
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || len(found) == 0 || exit.ExitCode() < 0) {
		return nil, &FailedError{c.Name, strings.TrimSpace(err.Error() + ": " + lastWords(output.text.Bytes()))}
	}
	return found, nil
}

func first(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return guarded(files)[0]
}

// guarded are names that no command takes for flags.
func guarded(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		if out[i] = f; strings.HasPrefix(f, "-") {
			out[i] = "./" + f
		}
	}
	return out
}

// lastWords is the first line that a command printed, which is where most say what is wrong.
func lastWords(output []byte) string {
	for line := range bytes.Lines(output) {
		if text := message(string(line)); text != "" {
			return text[:min(len(text), 200)]
		}
	}
	return "it printed nothing"
}

// runGroup runs a command as the leader of a process group, which it kills in the end, and with the context. On Linux
// the command dies with this process, too.
func runGroup(cmd *exec.Cmd) error {
	// The signal of Pdeathsig is sent when the thread ends that started the command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = groupAttr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = endLimit
	if err := cmd.Start(); err != nil {
		return err
	}
	awaitExit(cmd.Process.Pid)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // a child held the pipe
	}
	return err
}

// bounded keeps what is written to it, and stops the writer when that is too much.
type bounded struct {
	text bytes.Buffer
	stop func()
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxOutput {
		b.full = true
		b.stop()
		return len(p), nil
	}
	return b.text.Write(p)
}
