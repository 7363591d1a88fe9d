package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxd/client/wire"
)

// process is our daemon as the system sees it.
type process struct{ pid int }

// clockTick is the unit of the times in /proc/PID/stat, on every Linux that Go runs on.
const clockTick = time.Second / 100

// cpu is the processor time that the daemon has used so far, with the children that it waited for.
func (p process) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0, err
	}
	return cpuTime(string(stat))
}

// cpuTime reads the fields utime, stime, cutime and cstime, the 14th to the 17th. The second is a
// name in parentheses that may hold anything.
func cpuTime(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return 0, fmt.Errorf("/proc/PID/stat is %q", stat)
	}
	var ticks int64
	for _, field := range fields[11:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// resident is the memory of the daemon now, in bytes; peak is the most since forgetPeak.
func (p process) resident() int64 { return resident(p.pid, "VmRSS:") }
func (p process) peak() int64     { return resident(p.pid, "VmHWM:") }

func (p process) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0)
}

// stop holds the daemon, every thread of it, and comes back when all stand still.
func (p process) stop() error {
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		running, err := p.running()
		if err != nil || !running {
			return err
		}
	}
}

// running says whether any thread of the daemon is not held.
func (p process) running() (bool, error) {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", p.pid, thread.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // it has ended meanwhile
		}
		if err != nil {
			return false, err
		}
		if _, state, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " "); !strings.HasPrefix(state, "T") {
			return true, nil
		}
	}
	return false, nil
}

func (p process) resume() error { return syscall.Kill(p.pid, syscall.SIGCONT) }
func (p process) kill() error   { return syscall.Kill(p.pid, syscall.SIGKILL) }

// descriptors counts the open ones.
func (p process) descriptors() int {
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
	if err != nil {
		return 0
	}
	return len(names)
}

// workspaceOf finds one workspace in a status.
func workspaceOf(s *wire.StatusResult, root string) (*wire.Workspace, error) {
	for i := range s.Workspaces {
		if s.Workspaces[i].Root == root {
			return &s.Workspaces[i], nil
		}
	}
	return nil, fmt.Errorf("the daemon does not list %s among its workspaces", root)
}
