package main

import (
	"slices"
	"testing"

	"ctxd/client/wire"
)

// A row that the server lacks is right where its own definition of the name is the symbol, and decides nothing where that is
// another; what it has no definition of is no evidence by itself.
func TestRuling(t *testing.T) {
	root := planted(t, map[string]string{"a.go": "package a\n\nfunc House() {}\n\nfunc use() { House(); Other() }\n\nfunc Other() {}\n"})
	s, _, tree := serveFake(t, root, nil)
	of := &symbol{Site: site{"a.go", 3, 6}, Name: "House", Kind: aFunction, References: []site{{"a.go", 3, 6}}}
	c := &comparer{tree, languages["go"], &answers{Rulings: map[string]string{}}}
	for at, want := range map[site]string{{"a.go", 5, 14}: agrees, {"a.go", 5, 23}: "", {"a.go", 2, 1}: ""} {
		got, err := s.ruling(t.Context(), c, difference{of: of, at: at}, nil)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", at, got, err, want)
		}
	}
	if err := s.close(t.Context()); err != nil {
		t.Error(err)
	}
	rows := []claim{{site{"a.go", 5, 14}, wire.TierLocal, "call"}, {site{"a.go", 5, 23}, wire.TierImport, "call"}}
	for ruling, want := range map[string][2]int{"": {2, 0}, agrees: {2, 1}, ownStubs: {1, 0}, dropped: {1, 0}} {
		c.a.Rulings[rulingKey(of.Site, rows[0].at)] = ruling
		got, _ := c.compare(of, rows, nil)
		if got.sure != want[0] || got.right != want[1] || got.beyond != 2-want[0] || got.agreed+got.stubbed+got.dropped != min(len(ruling), 1) {
			t.Errorf("%q: %+v", ruling, got)
		}
	}
}

// Where the tokens of clang's list are written.
func TestSpelled(t *testing.T) {
	for line, want := range map[string][]string{
		"identifier 'x'\t [LeadingSpace]\tLoc=<a.c:12:3>":             {"a.c:12:3"},
		"numeric_constant '1'\t\tLoc=<a.c:5:2 <Spelling=./b.h:7:11>>": {"./b.h:7:11"},
	} {
		var got []string
		for _, m := range spelled.FindAllStringSubmatch(line, -1) {
			got = append(got, m[1]+":"+m[2]+":"+m[3])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
