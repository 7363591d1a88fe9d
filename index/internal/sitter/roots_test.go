package sitter

import (
	"strings"
	"testing"
)

func TestRoots(t *testing.T) {
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
		names, problem := roots(query)
		got := strings.Join(names, " ")
		if problem >= 0 {
			got = "problem"
		}
		if got != want {
			t.Errorf("roots(%q) = %q, want %q", query, got, want)
		}
	}
}
