package sitter

import (
	"strings"
	"testing"
)

func TestNodes(t *testing.T) {
	l := open(t, "go", goQuery)
	src := []byte("package p\n\nfunc f() {\n\tg(1\n}\n")
	nodes := l.Nodes(src, plenty)
	var leaves []string
	missing, depth := 0, 0
	for i, n := range nodes {
		if n.Start > n.End || int(n.End) > len(src) || i > 0 && n.Depth > nodes[i-1].Depth+1 {
			t.Fatalf("node %d: %+v", i, n)
		}
		depth = max(depth, int(n.Depth))
		if n.Missing() {
			missing++
		}
		if n.Leaf() && n.End > n.Start && n.Start < 25 {
			leaves = append(leaves, strings.TrimSpace(string(src[n.Start:n.End])))
		}
	}
	if got := strings.Join(leaves, " "); got != "package p  func f ( ) { g (" || missing != 1 || depth < 4 {
		t.Errorf("%q, %d missing, %d deep", got, missing, depth)
	}
	if name, named := l.Symbol(nodes[0].Symbol); name != "source_file" || !named {
		t.Errorf("the root is %s", name)
	}
	if nodes := l.Nodes(nil, plenty); len(nodes) != 1 {
		t.Errorf("of nothing: %v", nodes)
	}
	if l.Nodes([]byte(strings.Repeat("package p\n", 200_000)), Budget{Work: 1}) != nil {
		t.Error("no budget, and a tree")
	}
}

func TestFirstError(t *testing.T) {
	l := open(t, "go", goQuery)
	for src, want := range map[string]int{
		"package p\n":                         -1,
		"":                                    -1,
		"package p\n\nfunc f() {\n\tg(1\n}\n": 26, // behind the 1: the newline
		"package p\n\nfunc f( {\n}\n":         18, // behind the (
		"package p\nvar x = 1 2\n":            19,
		")":                                   0,
	} {
		at, found := l.FirstError([]byte(src), plenty)
		if !found {
			at = -1
		}
		if at != want {
			t.Errorf("%q: %d, want %d", src, at, want)
		}
	}
}
