package daemon

import (
	"context"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"sort"
)

// order is the list of the definitions in one scope by weight, then of the files that have none.
type order struct {
	path   string  // of the scope
	rules  *config // by which secrets were left out
	files  []int   // in scope, places among the snapshot's
	defs   []uint32
	empty  []int // files without definitions
	digest uint32
}

func (o *order) len() int { return len(o.defs) + len(o.empty) }

// perFile is how many definitions of a file count in full; the next as many count half, and so on: a list
// is not one file's.
const perFile = 5

// order is the list of what is in a scope, kept until another is asked for.
func (ws *Workspace) order(ctx context.Context, snap *Snapshot, scope string) (*order, *weights, error) {
	w, err := ws.weigh(ctx, snap)
	if err != nil {
		return nil, nil, err
	}
	rules := ws.config.Load()
	if o := snap.ranked.order.Load(); o != nil && o.path == scope && o.rules == rules {
		return o, w, nil
	}
	o := &order{path: scope, rules: rules, files: ws.mapped(snap, scope)}
	// A weight and the number of a definition make one number: sorting 384,000 pairs by a function that compares them
	// takes two to three times as long.
	all := make([]uint64, 0, len(w.defs))
	for _, i := range o.files {
		own := all[len(all):]
		for n := w.starts[i]; n < w.starts[i+1]; n++ {
			own = append(own, uint64(^w.defs[n])<<32|uint64(n))
		}
		if len(own) == 0 {
			o.empty = append(o.empty, i)
		}
		slices.Sort(own)
		for k, x := range own {
			own[k] = uint64(^(^uint32(x>>32)>>min(k/perFile, 31)))<<32 | x&0xffffffff
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	o.defs = make([]uint32, len(all))
	for i, x := range all {
		o.defs[i] = uint32(x)
	}
	o.digest = o.sum(snap)
	snap.ranked.order.Store(o)
	return o, w, nil
}

// sum tells lists apart: two with one sum have the same rows in the same places.
func (o *order) sum(snap *Snapshot) uint32 {
	h := fnv.New64a()
	for _, i := range o.files {
		io.WriteString(h, snap.files[i].Path)
		h.Write([]byte{0})
	}
	x := h.Sum64()
	for _, n := range o.defs {
		x = (x ^ uint64(n)) * 1099511628211
	}
	return uint32(x ^ x>>32)
}

// mapped lists the files of a scope that a map shows: no links, whose targets are listed themselves, and no secrets.
func (ws *Workspace) mapped(snap *Snapshot, scope string) []int {
	files, first := snap.files, 0
	if scope != "" {
		files = below(files, scope)
		first = sort.Search(len(snap.files), func(i int) bool { return snap.files[i].Path >= scope })
		for len(files) > 0 && snap.files[first] != files[0] {
			first++
		}
	}
	in := make([]int, 0, len(files))
	dir, kept := "", false // the last directory, and whether it is a secret
	for i, f := range files {
		if f.Link {
			continue
		}
		d, base := path.Split(f.Path)
		if d != dir {
			dir, kept = d, d != "" && ws.allowed(path.Clean(d), "") != nil
		}
		if !kept && !ws.secret(base) {
			in = append(in, first+i)
		}
	}
	return in
}

// fileOf is the place of the file that has a definition.
func (w *weights) fileOf(def uint32) int {
	i, _ := slices.BinarySearch(w.starts, def+1)
	return i - 1
}
