package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxd/client/wire"
)

// nearMost is how many similar names a refusal suggests.
const nearMost = 5

// noDefinition is the refusal of a name that nothing defines. Similar names are suggestions, never
// answers.
func (ws *Workspace) noDefinition(ctx context.Context, snap *Snapshot, q query) error {
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
	var try []string
	for _, n := range near {
		try = append(try, "ctx def "+wire.ShellWord(n))
	}
	message := fmt.Sprintf("no definition of %s in the workspace", quote(q.symbol))
	if snap.unparsed > 0 {
		message += fmt.Sprintf("; files that could not be parsed: %d (`ctx status` names them)", snap.unparsed)
	}
	return refuse(wire.NotFound, try, "%s", message)
}

// near lists up to nearMost names that are known to the snapshot that resemble query: qualified ones that end in it
// but for case, then names equal to its last part but for case, then those that begin with that or
// that it begins with.
func (s *Snapshot) near(query string) []string {
	var qualified, same, begins []string
	for _, form := range spellings(query) {
		folded := strings.ToLower(form)
		last := folded[strings.LastIndexByte(folded, '.')+1:]
		resembles := func(name string) bool {
			return last != "" && (strings.EqualFold(name, last) ||
				utf8.RuneCountInString(last) >= 3 && len(name) > len(last) && strings.EqualFold(name[:len(last)], last) ||
				utf8.RuneCountInString(name) >= 3 && len(name)+2 >= len(last) && len(name) < len(last) && strings.EqualFold(last[:len(name)], name))
		}
		s.catalog.near(last, resembles, func(name string, facts *Facts, def int32) {
			switch {
			case len(s.holding(facts)) == 0:
			case !strings.EqualFold(name, last):
				begins = append(begins, name)
			default:
				same = append(same, name)
				if full := facts.Defs[def].Qualified(); last != folded && strings.HasSuffix("."+strings.ToLower(full), "."+folded) {
					qualified = append(qualified, full)
				}
			}
		})
	}
	slices.Sort(qualified)
	slices.Sort(same)
	slices.SortFunc(begins, func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	all := append(append(slices.Compact(qualified), slices.Compact(same)...), slices.Compact(begins)...)
	return all[:min(len(all), nearMost)]
}
