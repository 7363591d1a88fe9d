package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxd/client/wire"
)

// settleFor is how long the daemon is left alone before its memory is read: the runtime gives
// memory back in the background.
const settleFor = 40 * time.Second

// memory measures what the daemon holds when it is idle after indexing.
func memory(ctx context.Context, b *bench) error {
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	w, s, err := b.indexed(ctx, c)
	if err != nil {
		return err
	}
	peak := resident(s.PID, "VmHWM:")
	if _, err := c.Def(ctx, wire.DefParams{Common: b.common(), Target: b.name}); err != nil {
		return err
	}
	time.Sleep(settleFor)
	idle := resident(s.PID, "VmRSS:")
	source := parsedBytes(b.root)
	ratio := float64(idle) / float64(max(source, 1))
	verdict := "met"
	if ratio > 2 {
		verdict = "MISSED"
	}
	fmt.Fprintf(b.out, "%s: %d files, %d parsed, %d definitions\n", b.root, w.Files, w.Parsed, w.Definitions)
	fmt.Fprintf(b.out, "resident when idle %d MB, peak %d MB; source %d MB; ratio %.2f  bar 2.00 %s\n",
		idle>>20, peak>>20, source>>20, ratio, verdict)
	return nil
}

// resident reads one figure of /proc/PID/status, in bytes.
func resident(pid int, field string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			var kb int64
			fmt.Sscan(rest, &kb)
			return kb << 10
		}
	}
	return 0
}

// sourceExts are the files of the precise languages, and Markdown.
const sourceExts = " .go .py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .java .rs .c .h .cc .cpp .cxx .hpp .hh .hxx .md "

// parsedBytes adds up the source files below root.
func parsedBytes(root string) (total int64) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext != "" && strings.Contains(sourceExts, " "+ext+" ") {
			if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
				total += fi.Size()
			}
		}
		return nil
	})
	return total
}
