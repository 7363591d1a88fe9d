package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ignoredDir is a directory that no commit has and that is ignored.
const ignoredDir = "ctxbench_modules"

// allStorms are the storms, in the order that they go over the tree.
var allStorms = []storm{
	{name: "switching branches", times: 20, set: func(ctx context.Context, b *bench, root string, state int) error {
		_, err := git(ctx, root, "checkout", "--quiet", "--detach", []string{b.to, b.from}[state])
		return err
	}},
	{name: "git stash", times: 10,
		prepare: func(ctx context.Context, b *bench, root string) error {
			if _, err := git(ctx, root, "checkout", "--quiet", b.from, "--", "."); err != nil {
				return err
			}
			_, err := git(ctx, root, "stash", "push", "--quiet")
			return err
		},
		set: func(ctx context.Context, _ *bench, root string, state int) error {
			list, err := git(ctx, root, "stash", "list")
			if err != nil || (list == "") == (state == 1) {
				return err // it is so already
			}
			_, err = git(ctx, root, append([]string{"stash"}, [][]string{{"push", "--quiet"}, {"pop", "--quiet"}}[state]...)...)
			return err
		}},
	{name: "a formatter over the whole tree", times: 4, set: format},
	{name: "rm -rf and a new clone", times: 3, set: func(ctx context.Context, b *bench, root string, _ int) error {
		if err := os.RemoveAll(root); err != nil {
			return err
		}
		if err := b.clone(ctx, root); err != nil {
			return err
		}
		_, err := git(ctx, root, "checkout", "--quiet", "--detach", b.to)
		return err
	}},
	{name: "20,000 files into an ignored directory", times: 2, steady: true, prepare: ignore, set: install},
	{name: "50 writes a second into an ignored directory", times: 2, steady: true, prepare: ignore,
		set: func(ctx context.Context, _ *bench, root string, state int) error {
			const writes, rate = 150, 50
			for i := range writes {
				text := fmt.Sprintf("export function written%d() { return %d }\n", i, state)
				if err := os.WriteFile(filepath.Join(root, ignoredDir, fmt.Sprintf("f%d.js", i%10)), []byte(text), 0o644); err != nil {
					return err
				}
				if err := pause(ctx, time.Second/rate); err != nil {
					return err
				}
			}
			return nil
		}},
}

// format rewrites every file that git tracks in place: with one more empty line at its end in state 1.
func format(ctx context.Context, _ *bench, root string, state int) error {
	list, err := git(ctx, root, "ls-files", "-z")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(strings.TrimRight(list, "\x00"), "\x00") {
		path := filepath.Join(root, name)
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, found := bytes.CutSuffix(text, []byte(formatted))
		if state == 1 {
			text = append(text, formatted...)
		} else if !found {
			continue
		}
		if err := os.WriteFile(path, text, info.Mode()); err != nil {
			return err
		}
	}
	return nil
}

// formatted is what the formatter adds: more than any file ends with.
var formatted = strings.Repeat("\n", 7)

// ignore makes the ignored directory, by the rules that are the repository's own.
func ignore(_ context.Context, _ *bench, root string) error {
	rules, err := os.OpenFile(filepath.Join(root, ".git", "info", "exclude"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	fmt.Fprintf(rules, "\n/%s/\n", ignoredDir)
	if err := rules.Close(); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(root, ignoredDir), 0o755)
}

// install makes 20,000 files in 1,000 packages in state 1, and removes them in state 0.
func install(_ context.Context, _ *bench, root string, state int) error {
	const packages, files = 1000, 20
	dir := filepath.Join(root, ignoredDir)
	if state == 0 {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return os.Mkdir(dir, 0o755)
	}
	for p := range packages {
		lib := filepath.Join(dir, fmt.Sprintf("package%d", p), "lib")
		if err := os.MkdirAll(lib, 0o755); err != nil {
			return err
		}
		for f := range files {
			text := fmt.Sprintf("exports.f%d = function f%d() { return %d }\n", f, f, p)
			if err := os.WriteFile(filepath.Join(lib, fmt.Sprintf("f%d.js", f)), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
