package commits

import (
	"errors"
	"hash/maphash"
	"path"
	"slices"
	"strings"
)

const (
	// maxRenames bounds the files that one commit took away among which an earlier name is looked for.
	maxRenames = 400
	// alike is how much of the larger of two files must stand in the other for one to be the other's earlier
	// name: half, as git has it.
	alike = 0.5
)

// earlier finds under which name a file that a commit brought in stood in its parent: the same bytes under a name
// that is gone, else the most similar file that is gone. "" when there is none.
func (w *Walk) earlier(parent revision, at visit) (string, ID, error) {
	var gone []named
	if err := w.taken(parent.tree, at.tree, "", &gone); err != nil {
		return "", "", err
	}
	// Same base name first, so that among equals the move to another folder wins.
	slices.SortStableFunc(gone, func(a, b named) int {
		return sameBase(b.path, at.path) - sameBase(a.path, at.path)
	})
	for _, g := range gone {
		if g.id == at.blob {
			return g.path, g.id, nil
		}
	}
	_, now, err := w.object(at.blob)
	if err != nil || len(now) > maxCompared {
		return "", "", ignoreMissing(err)
	}
	seed := maphash.MakeSeed()
	mine := weigh(seed, now)
	best, found := 0.0, named{}
	for _, g := range gone {
		if path.Ext(g.path) != path.Ext(at.path) {
			continue
		}
		_, then, err := w.object(g.id)
		if err != nil || len(then) > maxCompared {
			continue
		}
		if s := mine.similar(weigh(seed, then)); s >= alike && s > best {
			best, found = s, g
		}
	}
	return found.path, found.id, nil
}

// maxCompared is the largest file, in bytes, whose similarity to another is measured.
const maxCompared = 4 << 20

// named is a file of a tree.
type named struct {
	path string
	id   ID
}

func sameBase(a, b string) int {
	if path.Base(a) == path.Base(b) {
		return 1
	}
	return 0
}

// taken lists the files of a tree that are not in another one, looking only where the two differ.
func (w *Walk) taken(from, to ID, below string, gone *[]named) error {
	if from == to || len(*gone) >= maxRenames {
		return nil
	}
	old, err := w.entries(from)
	if err != nil {
		return ignoreMissing(err)
	}
	now := map[string]entry{}
	if to != "" {
		if now, err = w.entries(to); err != nil {
			return ignoreMissing(err)
		}
	}
	names := make([]string, 0, len(old))
	for n := range old {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		e, other := old[n], now[n]
		switch {
		case e.mode == treeMode:
			if other.mode != treeMode {
				other.id = ""
			}
			if err := w.taken(e.id, other.id, below+n+"/", gone); err != nil {
				return err
			}
		case strings.HasPrefix(e.mode, "100") && !strings.HasPrefix(other.mode, "100") && len(*gone) < maxRenames:
			*gone = append(*gone, named{below + n, e.id})
		}
	}
	return nil
}

func (w *Walk) entries(tree ID) (map[string]entry, error) {
	body, err := w.tree(tree)
	if err != nil {
		return nil, err
	}
	return parseTree(body, len(tree)/2)
}

func ignoreMissing(err error) error {
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

// weights are the bytes that stand in equal lines of a text, by the hash of the line.
type weights struct {
	lines map[uint64]int
	total int
}

func weigh(seed maphash.Seed, text []byte) weights {
	w := weights{lines: map[uint64]int{}, total: len(text)}
	for line := range strings.Lines(string(text)) {
		w.lines[maphash.String(seed, line)] += len(line)
	}
	return w
}

// similar is the part of the larger text, in bytes, whose lines stand in the other too: 0 to 1.
func (w weights) similar(o weights) float64 {
	same := 0
	for h, n := range w.lines {
		same += min(n, o.lines[h])
	}
	return float64(same) / float64(max(w.total, o.total, 1))
}
