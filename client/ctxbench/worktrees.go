package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxd/client"
)

const (
	linked   = 9 // worktrees beside the first
	differAt = 5 // files that differ in each of them
)

// worktrees indexes a repository, and then nine linked worktrees of it that differ in a few files.
func worktrees(ctx context.Context, b *bench) error {
	roots := []string{filepath.Join(b.tmp, "worktree0")}
	if err := b.repository(ctx, roots[0]); err != nil {
		return err
	}
	for i := range linked {
		root := filepath.Join(b.tmp, fmt.Sprintf("worktree%d", i+1))
		if _, err := git(ctx, roots[0], "worktree", "add", "--quiet", "--detach", root, "HEAD"); err != nil {
			return err
		}
		if err := differ(root, i); err != nil {
			return err
		}
		roots = append(roots, root)
	}
	c, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	one, held, err := b.indexRoots(ctx, c, roots[:1])
	if err != nil {
		return err
	}
	nine, all, err := b.indexRoots(ctx, c, roots[1:])
	if err != nil {
		return err
	}
	b.row("whole index of one worktree", one, nil)
	b.row("  of each of nine more", nine, one)
	fmt.Fprintf(b.out, "  resident when idle: one worktree %d MB, ten %d MB\n", held>>20, all>>20)
	total := one[0]
	for _, d := range nine {
		total += d
	}
	b.judge(atMostTimes("time to index ten linked worktrees, beside one", total, one[0], 1.2))
	b.judge(atMostBytes("resident memory of ten linked worktrees, beside one", all, held, 1.2))
	return nil
}

// indexRoots waits for the index of each root, one after the other, and then for the memory to settle.
func (b *bench) indexRoots(ctx context.Context, c *client.Client, roots []string) (took samples, held int64, err error) {
	pid := 0
	for _, root := range roots {
		d, err := timed(func() error {
			_, s, err := indexed(ctx, c, root)
			if err == nil {
				pid = s.PID
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		took = append(took, d)
	}
	if err := pause(ctx, b.idle); err != nil {
		return nil, 0, err
	}
	return took, process{pid}.resident(), nil
}

// differ changes a few files of a worktree, otherwise than in every other one.
func differ(root string, serial int) error {
	files, err := sources(root, differAt)
	if err != nil {
		return err
	}
	for _, path := range files {
		f, err := os.OpenFile(filepath.Join(root, path), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(f, "\n// worktree %d\n", serial)
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
