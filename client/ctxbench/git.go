package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// git runs git in dir, under nobody's configuration, and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "advice.detachedHead=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_AUTHOR_NAME=ctxbench", "GIT_AUTHOR_EMAIL=ctxbench", "GIT_COMMITTER_NAME=ctxbench", "GIT_COMMITTER_EMAIL=ctxbench")
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s in %s: %w: %s", strings.Join(args, " "), dir, err, failed.Stderr)
	}
	return string(out), err
}

// clone makes a copy of --git that may be changed: its objects stay where they are. What --without
// names is never checked out, so that a clone that lacks a few objects will do.
func (b *bench) clone(ctx context.Context, into string) error {
	source, err := filepath.Abs(b.git)
	if err != nil {
		return err
	}
	if _, err := git(ctx, b.tmp, "clone", "--quiet", "--shared", "--no-tags", "--no-checkout", source, into); err != nil {
		return err
	}
	if b.without != "" {
		rules := []string{"sparse-checkout", "set", "--no-cone", "/*"}
		for _, path := range strings.Split(b.without, ",") {
			rules = append(rules, "!/"+path)
		}
		if _, err := git(ctx, into, rules...); err != nil {
			return err
		}
	}
	_, err = git(ctx, into, "checkout", "--quiet", "--detach", "HEAD")
	return err
}

// repository is a clone of --git, or a new repository of a copy of the tree.
func (b *bench) repository(ctx context.Context, into string) error {
	if b.git != "" {
		return b.clone(ctx, into)
	}
	if err := copyTree(into, b.root); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all", "--force"}, {"commit", "--quiet", "--message", "all"}} {
		if _, err := git(ctx, into, args...); err != nil {
			return err
		}
	}
	return nil
}

const aYear = 365 * 24 * time.Hour

// yearApart are two commits: to, and from or else the newest on its first-parent line that is a year
// older.
func yearApart(ctx context.Context, dir, from, to string) (older, newer string, err error) {
	newer, err = git(ctx, dir, "rev-parse", "--verify", to+"^{commit}")
	if err != nil {
		return "", "", err
	}
	if from != "" {
		older, err = git(ctx, dir, "rev-parse", "--verify", from+"^{commit}")
		return strings.TrimSpace(older), strings.TrimSpace(newer), err
	}
	history, err := git(ctx, dir, "log", "--first-parent", "--format=%H %ct", to)
	if err != nil {
		return "", "", err
	}
	older, err = olderBy(history, aYear)
	return older, strings.TrimSpace(newer), err
}

// olderBy finds the first of the lines "HASH SECONDS" that is at least so much older than the first line.
func olderBy(history string, by time.Duration) (string, error) {
	var newest int64
	for line := range strings.Lines(history) {
		hash, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(date, 10, 64)
		if err != nil {
			return "", fmt.Errorf("git log printed %q", line)
		}
		if newest == 0 {
			newest = seconds
		}
		if newest-seconds >= int64(by/time.Second) {
			return hash, nil
		}
	}
	return "", fmt.Errorf("no commit is %d days older: name one with --from", by/(24*time.Hour))
}
