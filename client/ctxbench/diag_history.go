package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// diagHistory replays changes that people have committed: each is asked about as it was before its commit, in a worktree
// that has it while HEAD is the parent. What a compiler does not refuse for its syntax may not be blamed.
func (b *bench) diagHistory(ctx context.Context) error {
	if b.git == "" || b.lang == "" {
		return fmt.Errorf("diag --changes needs --git REPO and --language NAME")
	}
	root := filepath.Join(b.tmp, "history")
	if err := b.clone(ctx, root); err != nil {
		return err
	}
	b.root = root
	j, err := b.compiler(ctx, b.lang)
	if err != nil {
		return err
	}
	defer j.close()
	list, err := git(ctx, root, "rev-list", "--no-merges", "--min-parents=1", fmt.Sprintf("--max-count=%d", b.changes), "HEAD")
	if err != nil {
		return err
	}
	c, _, err := b.warm(ctx, root)
	if err != nil {
		return err
	}
	defer c.Close()
	var files, blamed, refused int
	for commit := range strings.FieldsSeq(list) {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed, err := b.asBefore(ctx, commit, j.o.extensions)
		if err != nil {
			return err
		}
		for _, path := range changed {
			res, err := c.Diag(ctx, wire.DiagParams{Common: b.common(), Path: wire.RepoRef(path)})
			if err != nil {
				return fmt.Errorf("%s in %s: %w", path, commit, err)
			}
			if files++; res.Total == 0 {
				continue
			}
			f, err := j.fault(ctx, filepath.Join(root, path))
			if err != nil {
				return err
			}
			if f.Line > 0 {
				refused++
				continue
			}
			if blamed++; blamed > b.misses {
				continue
			}
			fmt.Fprintf(b.out, "    BLAMED %s %s\n", commit, path)
			for _, row := range res.Diagnostics[:min(len(res.Diagnostics), 3)] {
				fmt.Fprintf(b.out, "      ctx: L%d: %s\n", row.Lines[0], row.Message)
			}
		}
	}
	fmt.Fprintf(b.out, "  %s: %d changed files; blamed and refused by the compiler too: %d\n", b.lang, files, refused)
	b.judge(none("changed files that are blamed and that the compiler takes", blamed, files))
	return nil
}

// asBefore makes the worktree what a commit made of it, with HEAD at its parent, and lists the files that it changed.
func (b *bench) asBefore(ctx context.Context, commit string, extensions []string) ([]string, error) {
	for _, args := range [][]string{{"checkout", "--quiet", "--force", "--detach", commit}, {"reset", "--quiet", "--soft", commit + "^"}} {
		if _, err := git(ctx, b.root, args...); err != nil {
			return nil, err
		}
	}
	out, err := git(ctx, b.root, "diff", "--name-only", "--no-renames", "--diff-filter=M", "-z", commit+"^", commit)
	if err != nil {
		return nil, err
	}
	paths := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	return slices.DeleteFunc(paths, func(p string) bool {
		fi, err := os.Lstat(filepath.Join(b.root, p))
		return !slices.Contains(extensions, filepath.Ext(p)) || err != nil || !fi.Mode().IsRegular()
	}), nil
}
