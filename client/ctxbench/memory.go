package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ctxd/client/wire"
)

// memory measures what the daemon holds when it is idle after indexing.
func memory(ctx context.Context, b *bench) error {
	c, s, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	peak := resident(s.PID, "VmHWM:")
	source, err := b.parse(b.root)
	if err != nil {
		return err
	}
	if _, err := c.Def(ctx, wire.DefParams{Common: b.common(), Target: b.name}); err != nil {
		return err
	}
	if err := pause(ctx, b.idle); err != nil {
		return err
	}
	idle := resident(s.PID, "VmRSS:")
	held := float64(idle) / float64(max(source.bytes, 1))
	fmt.Fprintf(b.out, "  resident when idle %d MB, peak %d MB; source %d files, %d MB; ratio %.2f\n",
		idle>>20, peak>>20, source.files, source.bytes>>20, held)
	b.judge(atMostRatio("resident memory when idle, beside the bytes of source", held, 2))
	return nil
}

// resident reads one figure of /proc/PID/status, in bytes; 0 when there is none.
func resident(pid int, field string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return statusField(string(status), field)
}

func statusField(status, field string) int64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			var kb int64
			fmt.Sscan(rest, &kb)
			return kb << 10
		}
	}
	return 0
}
