package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// lookEvery is the pause between two looks at the index.
	lookEvery = 200 * time.Millisecond
	// longCall is how long a call may take before its wait is shown.
	longCall = time.Second
	// usualColumns is the width of a terminal that does not know its own.
	usualColumns = 80
	// widestBar keeps the bar a thing that is seen at once.
	widestBar = 40
)

// watchIndex asks for the status, on one connection, until nothing is left to parse, and returns the
// last answer as it came. While files are pending it asks for the state as it is; that nothing is
// left counts only when it is said of the tree as it is then.
func (c *command) watchIndex(ctx context.Context, params wire.StatusParams) (json.RawMessage, error) {
	daemon, err := client.DialOrStart(ctx, c.options())
	if err != nil {
		return nil, err
	}
	defer daemon.Close()
	bar := newBar(c.stderr)
	defer bar.erase()
	for looked := params; ; {
		var raw json.RawMessage
		if err := daemon.Call(ctx, wire.MethodStatus, looked, &raw); err != nil {
			return nil, err
		}
		result, err := decode[wire.StatusResult](wire.MethodStatus, raw)
		if err != nil {
			return nil, err
		}
		done, all := indexed(result, params.Root)
		if done == all && looked == params {
			return raw, nil
		}
		if looked = params; done < all {
			looked.NoSync = true
			bar.draw(done, all)
			if err := sleep(ctx, lookEvery); err != nil {
				return nil, fmt.Errorf("%s of %s files are indexed: %w", thousands(done), thousands(all), err)
			}
		}
	}
}

// showWait shows on a terminal how far the index is when a call takes longer than longCall; the
// function that it returns ends that, and must be called. A call that is answered within client.Prompt costs
// not even a timer; whether stderr is a terminal is only asked when that fires, and the state on a connection
// of its own, so that the answer does not wait behind it.
func (c *command) showWait(params any) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var timer *time.Timer
	c.onWait = func() {
		c.onWait = nil
		timer = time.AfterFunc(longCall-client.Prompt, func() { // ends when stop is called
			defer close(ended)
			if bar := newBar(c.stderr); bar != nil {
				c.drawWait(ctx, bar, rootOf(params))
				bar.erase()
			}
		})
	}
	return func() {
		c.onWait = nil
		cancel()
		if timer != nil && !timer.Stop() {
			<-ended
		}
	}
}

// drawWait draws until ctx ends, or the daemon has nothing to tell.
func (c *command) drawWait(ctx context.Context, line *bar, root string) {
	if root == "" {
		return
	}
	daemon, err := client.Dial(ctx, c.options())
	if err != nil {
		return
	}
	defer daemon.Close()
	params := wire.StatusParams{Common: wire.Common{Root: root, NoSync: true}}
	for {
		result, err := daemon.Status(ctx, params)
		if err != nil {
			return
		}
		if done, all := indexed(result, root); done < all {
			line.draw(done, all)
		}
		if sleep(ctx, lookEvery) != nil {
			return
		}
	}
}

// rootOf is the workspace that a request waits for, "" for one that is about none.
func rootOf(params any) string {
	if p, about := params.(interface{ Workspace() string }); about {
		return p.Workspace()
	}
	return ""
}

// indexed counts the files of a workspace that are to be parsed, and those of them that have been.
func indexed(r *wire.StatusResult, root string) (done, all int) {
	for i := range r.Workspaces {
		if w := &r.Workspaces[i]; w.Root == root {
			all = w.Files - w.Other
			return all - w.Pending, all
		}
	}
	return 0, 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bar is a progress bar on the last line of a terminal, drawn with nothing but carriage returns and
// spaces: every terminal obeys these. A nil bar draws nothing.
type bar struct {
	out     io.Writer
	columns int
	drawn   string
}

// newBar is nil when stderr is no terminal.
func newBar(stderr io.Writer) *bar {
	file, ok := stderr.(*os.File)
	if !ok {
		return nil
	}
	columns, ok := terminal(file)
	if !ok {
		return nil
	}
	return &bar{out: file, columns: columns}
}

// terminal says whether file is one, and how wide it is: one ioctl that nothing else answers.
func terminal(file *os.File) (columns int, ok bool) {
	var window struct{ rows, columns, x, y uint16 }
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, false
	}
	if err := raw.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&window)))
		ok = errno == 0
	}); err != nil {
		return 0, false
	}
	if columns = int(window.columns); columns == 0 {
		columns = usualColumns
	}
	return columns, ok
}

func (b *bar) draw(done, all int) {
	if b == nil {
		return
	}
	// The last column stays free: some terminals break the line after it.
	b.put(progress(done, all, b.columns-1))
}

// erase leaves the line as it was found.
func (b *bar) erase() {
	if b != nil && b.drawn != "" {
		b.put("")
		io.WriteString(b.out, "\r")
	}
}

// put replaces the line by text, of ASCII, unless that is what it shows.
func (b *bar) put(text string) {
	if text != b.drawn {
		io.WriteString(b.out, "\r"+text+strings.Repeat(" ", max(len(b.drawn)-len(text), 0)))
		b.drawn = text
	}
}

// progress is the line of a bar, at most columns long: what does not fit is left out, the bar first.
// 100 % is what nothing is left of.
func progress(done, all, columns int) string {
	percent := 100
	if all > 0 {
		percent = done * 100 / all
	}
	text := fmt.Sprintf("indexing %3d%%  %s of %s files", percent, thousands(done), thousands(all))
	if width := min(columns-len(text)-len("  []"), widestBar); width >= 5 {
		full := width * percent / 100
		text += "  [" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]"
	}
	return text[:min(len(text), max(columns, 0))]
}
