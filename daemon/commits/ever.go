package commits

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// maxEver bounds the commits, trees and names that are kept of what ever was committed: 18,400 commits of prometheus and the
// directories that were asked about take 60,000. Where they are more, any path may have been there. A variable for tests.
var maxEver = 400_000

// ever is which names stood in which directories of the commits that were met. Directories are read as they are asked for.
// 4,600 commits of tokio take 0.3 s of processor time, once. A walk for each of 150 paths that were never there took 116 s
// on a busy machine, where this took 5, and 0.1 the second time.
type ever struct {
	commits map[ID]bool // that were met, and all that is there of their ancestry
	missing map[ID]bool // parents of these that are not there: a shallow clone may be deepened
	shallow shallow     // when that was found
	top     *folder
	size    int  // commits, trees and names
	full    bool // they are too many, and none is kept
}

// folder is one path that was a directory.
type folder struct {
	trees map[ID]bool // that it was
	fresh []ID        // of these, those that were not read yet
	names map[string]*folder
}

func newEver() *ever {
	return &ever{commits: map[ID]bool{}, top: newFolder()}
}

func newFolder() *folder { return &folder{trees: map[ID]bool{}, names: map[string]*folder{}} }

// MayHave says whether some commit in the ancestry of head may have a file of that path, relative to the top of the worktree.
// False is certain of the commits that git has fetched: a walk would find none either, and below a shallow clone's last commit both
// look again when that has been deepened. True may mean a commit that other walks came by, or that something could not be read. Only ctx
// ends it with an error.
func (k *Known) MayHave(ctx context.Context, r *Repository, head ID, path string) (bool, error) {
	w := &Walk{r: r, known: k, bases: newBases()}
	if k.ever.full {
		return true, nil
	}
	if ok, err := w.meetCommits(ctx, head); !ok || err != nil {
		return true, err
	}
	at := k.ever.top
	for {
		if ok, err := w.readFolder(ctx, at); !ok || err != nil {
			return true, err
		}
		part, rest, more := strings.Cut(path, "/")
		below, had := at.names[part]
		if !had || more && below == nil {
			return false, nil
		}
		if !more {
			return true, nil
		}
		at, path = below, rest
	}
}

// Shallow says whether there are parents of commits that MayHave met and that are not there.
func (k *Known) Shallow() bool { return len(k.ever.missing) > 0 }

// giveUp is for a repository that has too much: to count again, for each path, would take a walk each.
func (e *ever) giveUp() { *e = ever{full: true} }

// meetCommits notes the top directories of all commits from head on that were not met before; false when they are too many, or
// when one cannot be read. What is missing, as below a shallow clone, ends its branch, as in a walk, and is looked for again.
func (w *Walk) meetCommits(ctx context.Context, head ID) (bool, error) {
	e := w.known.ever
	var met []ID
	missing, shallow := map[ID]bool{}, w.r.shallow()
	todo := []ID{head}
	if shallow == e.shallow {
		maps.Copy(missing, e.missing)
	} else {
		todo = append(slices.Collect(maps.Keys(e.missing)), head)
	}
	for len(todo) > 0 {
		if ctx.Err() != nil {
			break
		}
		if len(met)+e.size > maxEver || len(met) > maxCommits {
			e.giveUp()
			return false, nil
		}
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.commits[id] {
			continue
		}
		c, err := w.commit(id)
		if errors.Is(err, errMissing) && id != head {
			missing[id] = true
			continue
		} else if err != nil {
			todo = append(todo, id)
			break
		}
		e.commits[id] = true
		met = append(met, id)
		e.top.add(e, c.tree)
		for _, parent := range slices.Backward(c.parents) {
			todo = append(todo, parent)
		}
	}
	if len(todo) == 0 {
		e.size += len(met)
		e.missing, e.shallow = missing, shallow
		return true, nil
	}
	for _, id := range met { // their ancestors were not met
		delete(e.commits, id)
	}
	return false, context.Cause(ctx)
}

func (f *folder) add(e *ever, tree ID) {
	if !f.trees[tree] {
		f.trees[tree] = true
		f.fresh = append(f.fresh, tree)
		e.size++
	}
}

// readFolder reads the trees of a folder that were not read yet; false when one cannot be read.
func (w *Walk) readFolder(ctx context.Context, f *folder) (bool, error) {
	e := w.known.ever
	// In the order of the walk: a tree is most often a delta of the one after it.
	for len(f.fresh) > 0 {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		id := f.fresh[0]
		entries, err := w.entries(id)
		if err != nil {
			return false, nil
		}
		for name, entry := range entries {
			below, had := f.names[name]
			if !had {
				e.size++
			}
			if entry.mode == treeMode {
				if below == nil {
					below = newFolder()
				}
				below.add(e, entry.id)
			}
			f.names[name] = below
		}
		f.fresh = f.fresh[1:]
		if e.size > maxEver {
			e.giveUp()
			return false, nil
		}
	}
	return true, nil
}
