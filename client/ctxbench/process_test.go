package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestCPUTime(t *testing.T) {
	const stat = "12 (a) b (c) S 1 12 12 0 -1 4194304 100 0 0 0 150 50 7 3 20 0 9 0 1234 1 2 3"
	if got, err := cpuTime(stat); err != nil || got != 2100*time.Millisecond {
		t.Errorf("%v, %v", got, err)
	}
	for _, broken := range []string{"", "12 (a) S 1 2", "12 (a) S 1 12 12 0 -1 4194304 100 0 0 0 x 50 7 3 20"} {
		if got, err := cpuTime(broken); err == nil {
			t.Errorf("%q is %v", broken, got)
		}
	}
}

// A held process stands still, every thread of it, until it is let go.
func TestHold(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := process{cmd.Process.Pid}
	if running, err := p.running(); err != nil || !running {
		t.Errorf("running %v, %v", running, err)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	if running, err := p.running(); err != nil || running {
		t.Errorf("running %v, %v, though held", running, err)
	}
	if err := p.resume(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := (process{cmd.Process.Pid}).running(); err == nil {
		t.Error("a process that has ended is said to stand still")
	}
	if us := (process{os.Getpid()}); us.resident() == 0 || us.peak() == 0 || us.descriptors() < 3 {
		t.Errorf("%d bytes, %d at most; %d descriptors", us.resident(), us.peak(), us.descriptors())
	}
}
