package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"ctxd/client"
	"ctxd/client/wire"
)

// row is one definition as an answer shows it.
type row struct {
	path  string
	lines wire.Lines
	text  string
}

// truth is what the daemon answers of one state of the tree while nothing changes: the definitions of
// each name, none of those that are not there.
type truth map[string][]row

const (
	// mostRows and mostText bound the answers that are compared: the text of larger ones is cut to a
	// budget that all rows share, so that a row depends on the others.
	mostRows = 5
	mostText = 1500
	// mostAsked bounds the candidates for names.
	mostAsked = 4000
	// perKind is how many names there are of each kind: only in one state, only in the other, the same
	// in both, different in both.
	perKind = 40
)

// askRows asks for one name. Plain says that all rows are whole, and few.
func askRows(ctx context.Context, c *client.Client, root, name string) (rows []row, plain bool, err error) {
	r, err := c.Def(ctx, wire.DefParams{Common: wire.Common{Root: root}, Target: name})
	if unknown(err) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	plain, size := len(r.Definitions) <= mostRows && r.Next == 0, 0
	for _, d := range r.Definitions {
		rows = append(rows, row{d.Path, d.Lines, strings.Join(d.Text, "\n")})
		plain = plain && d.Complete && d.TextBase64 == ""
		size += len(rows[len(rows)-1].text)
	}
	return rows, plain && size <= mostText, nil
}

// learn asks for every name, and leaves out those whose answers cannot be compared.
func learn(ctx context.Context, c *client.Client, root string, names []string) (truth, error) {
	if _, _, err := indexed(ctx, c, root); err != nil {
		return nil, err
	}
	t := truth{}
	for _, name := range names {
		rows, plain, err := askRows(ctx, c, root, name)
		// Not every word is a name: some are refused.
		if refused, ok := errors.AsType[*wire.Error](err); ok && refused.Data != nil && refused.Data.Error == wire.InvalidRequest {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("def %s: %w", name, err)
		}
		if plain {
			t[name] = rows
		}
	}
	return t, nil
}

var word = regexp.MustCompile(`[A-Za-z_]\w{3,}`)

// candidates are words of the lines that a diff adds or takes away, in an order of chance that is
// always the same.
func candidates(diff string) []string {
	words := map[string]bool{}
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			for _, w := range word.FindAllString(line, -1) {
				words[w] = true
			}
		}
	}
	all := slices.Sorted(maps.Keys(words))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), mostAsked)]
}

// sample picks names of every kind, in the order of candidates.
func sample(candidates []string, a, b truth) (names []string, kinds [4]int) {
	for _, name := range candidates {
		inA, okA := a[name]
		inB, okB := b[name]
		if !okA || !okB || len(inA) == 0 && len(inB) == 0 {
			continue
		}
		kind := 0
		switch {
		case len(inB) == 0: // only in a
		case len(inA) == 0:
			kind = 1
		case slices.Equal(inA, inB):
			kind = 2
		default:
			kind = 3
		}
		if kinds[kind] < perKind {
			kinds[kind]++
			names = append(names, name)
		}
	}
	return names, kinds
}

// fault says what is wrong with an answer, "" if nothing is: given of a tree at rest it is that state's,
// row for row; given while the tree changed, each of its rows is one of the states'.
func fault(name string, got []row, states []truth, exact bool) string {
	if exact {
		if want := states[0][name]; !slices.Equal(got, want) {
			return fmt.Sprintf("def %s: %d rows, want %d: %s", name, len(got), len(want), firstDifference(got, want))
		}
		return ""
	}
	for _, r := range got {
		if !slices.ContainsFunc(states, func(t truth) bool { return slices.Contains(t[name], r) }) {
			return fmt.Sprintf("def %s: a row of no state: %s:%d:%d %q", name, r.path, r.lines[0], r.lines[1], r.text)
		}
	}
	return ""
}

func firstDifference(got, want []row) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("missing %s:%d:%d", want[i].path, want[i].lines[0], want[i].lines[1])
		case i >= len(want):
			return fmt.Sprintf("too many %s:%d:%d", got[i].path, got[i].lines[0], got[i].lines[1])
		case got[i] != want[i]:
			return fmt.Sprintf("%s:%d:%d %q, want %s:%d:%d %q", got[i].path, got[i].lines[0], got[i].lines[1], got[i].text,
				want[i].path, want[i].lines[0], want[i].lines[1], want[i].text)
		}
	}
	return "equal"
}
