package watch

// GitDirs finds the repository whose worktree dir lies in, as the ignore rules do: the top of the worktree, its git
// directory and the one that all worktrees share. All are absolute; false when there is none.
func GitDirs(dir string) (top, git, common string, found bool) {
	r, ok := new(outside).findRepository(dir)
	return r.top, r.git, r.common, ok
}
