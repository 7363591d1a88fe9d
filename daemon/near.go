package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// nearMost is how many similar names a refusal suggests.
const nearMost = 5

// noDefinition is the refusal of a name that nothing defines. Similar names are suggestions, never
// answers.
func (ws *Workspace) noDefinition(ctx context.Context, snap *Snapshot, q query, noSync bool) error {
	if q.at != nil {
		return refusePath(wire.NotFound, q.at.path, []string{fmt.Sprintf("ctx get %s --lines %d:%d", wire.RepoRef(q.at.path), q.at.line, q.at.line)},
			"no definition at %s", q.printed())
	}
	if q.path != "" {
		var try []string
		if _, hits, err := ws.defsNamed(ctx, snap, q.symbol); err == nil && len(hits) > 0 {
			try = []string{"ctx def " + wire.ShellWord(q.symbol)}
		}
		return refusePath(wire.NotFound, q.path, try, "no definition of %s in %s", quote(q.symbol), wire.RepoRef(q.path))
	}
	near := snap.near(q.symbol)
	if snap.pending > 0 {
		later, err := ws.settleNear(ctx, q.symbol)
		if err != nil {
			return err
		}
		if len(later.lookup(spellings(q.symbol))) > 0 { // it has come meanwhile, and would be suggested instead of itself
			return errMoved
		}
		near = later.near(q.symbol)
	}
	var try []string
	if path, err := ws.path(q.symbol, q.dir); err == nil && ws.exists(path) {
		try = append(try, "ctx map "+wire.RepoRef(path))
	}
	for _, n := range near {
		try = append(try, "ctx def "+wire.ShellWord(n))
	}
	if word := q.symbol[strings.LastIndexAny(q.symbol, ".:")+1:]; len(try) == 0 && word != "" {
		try = []string{"ctx search " + wire.ShellWord(word)} // it may be no definition: a word of a text, a macro
	}
	err := refuse(wire.NotFound, try, "no definition of %s in the workspace", quote(q.symbol))
	made := coverage(snap, noSync)
	err.Data.Coverage = &made
	return err
}

// near lists up to nearMost names that are known to the snapshot that resemble query: qualified ones that end in it
// but for case, then names equal to its last part but for case, then those that begin with that or
// that it begins with.
func (s *Snapshot) near(query string) []string {
	var qualified, same, others []string
	for _, like := range resemblances(query) {
		s.catalog.near(like.last, like.of, func(name string, facts *Facts, def int32) {
			switch {
			case len(s.holding(facts)) == 0:
			case !like.same(name):
				others = append(others, name)
			default:
				same = append(same, name)
				if full := facts.Defs[def].Qualified(); like.last != like.folded && strings.HasSuffix("."+strings.ToLower(full), "."+like.folded) {
					qualified = append(qualified, full)
				}
			}
		})
	}
	slices.Sort(qualified)
	slices.Sort(same)
	slices.SortFunc(others, begins)
	all := append(append(slices.Compact(qualified), slices.Compact(same)...), slices.Compact(others)...)
	return all[:min(len(all), nearMost)]
}
