package sitter

import (
	"slices"
	"strings"
	"testing"
)

func TestPatternRoots(t *testing.T) {
	for query, want := range map[string]string{
		"":                                   "",
		"; only (this)":                      "",
		"(a)":                                "a",
		"(a) @x\n(b (c) @y)+ @z\n; (d)\n(a)": "a b",
		`((a (b)) @x (#eq? @x "(c)"))`:       "a",
		`((a) @x . (b) (#eq? @x "]\""))`:     "a",
		"[(a) @x (b) ((c) (d))] @y\n(e)":     "a b c e",
		"(a !f name: [(b) (c)]* @x) @y":      "a",
		"(ERROR (a))":                        "ERROR",
		"_":                                  "problem",
		"(_ (a))":                            "problem",
		`"func" @x`:                          "problem",
		`[(a) "b"]`:                          "problem",
		"(MISSING a)":                        "problem",
	} {
		all, problem := patterns(query)
		var names []string
		for _, p := range all {
			for _, root := range p.roots {
				names = append(names, root.name)
			}
		}
		slices.Sort(names)
		got := strings.Join(slices.Compact(names), " ")
		if problem >= 0 {
			got = "problem"
		}
		if got != want {
			t.Errorf("roots of %q: %q, want %q", query, got, want)
		}
	}
}
