package index

import (
	"bytes"

	"ctxd/index/internal/sitter"
)

// tree is the syntax tree of one text as flat arrays, for what is asked of few files. A node is its index; a
// parent stands before its children.
type tree struct {
	src    []byte // the original: offsets are the parser's, the text is not
	q      *query
	nodes  []sitter.Node
	parent []int32 // -1 for the root
	next   []int32 // the first node after the subtree
	names  map[uint16]symbolName
}

type symbolName struct {
	name  string
	named bool
}

// parseTree is the tree of src, or nil when it cannot be had within the budget.
func (l *language) parseTree(src []byte) *tree {
	q, err := l.load()
	if err != nil {
		return nil
	}
	nodes := q.language.Nodes(l.sanitized(src), budget(len(src)))
	if nodes == nil {
		return nil
	}
	t := &tree{src: src, q: q, nodes: nodes, names: map[uint16]symbolName{}}
	t.parent = make([]int32, len(nodes))
	t.next = make([]int32, len(nodes))
	var open []int32
	for i, n := range nodes {
		for len(open) > int(n.Depth) {
			t.next[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
		t.parent[i] = -1
		if len(open) > 0 {
			t.parent[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	for _, i := range open {
		t.next[i] = int32(len(nodes))
	}
	return t
}

// kind is the name of a node's symbol; "" of no node.
func (t *tree) kind(i int) string {
	if i < 0 {
		return ""
	}
	return t.symbol(i).name
}

// named says that a node is more than a literal token.
func (t *tree) named(i int) bool { return t.symbol(i).named }

func (t *tree) symbol(i int) symbolName {
	s := t.nodes[i].Symbol
	known, ok := t.names[s]
	if !ok {
		known.name, known.named = t.q.language.Symbol(s)
		t.names[s] = known
	}
	return known
}

// children lists the children of a node, comments and joints of lines left out.
func (t *tree) children(i int) []int {
	var all []int
	for k := i + 1; k < int(t.next[i]); k = int(t.next[k]) {
		if kind := t.kind(k); !isComment(kind) && kind != "line_continuation" {
			all = append(all, k)
		}
	}
	return all
}

func (t *tree) text(i int) string { return string(t.src[t.nodes[i].Start:t.nodes[i].End]) }

// literal is a token of the grammar's own, as the parser saw it: a sanitizer may have shown it another, and the
// text of some begins with white space. "" of names, numbers and the like.
func (t *tree) literal(i int) string {
	if t.named(i) {
		return ""
	}
	return t.kind(i)
}

// leaves lists the tokens with bytes, comments left out, in the order of the text.
func (t *tree) leaves() []int {
	var all []int
	for i, n := range t.nodes {
		if n.Leaf() && n.End > n.Start && !isComment(t.kind(i)) {
			all = append(all, i)
		}
	}
	return all
}

// errors lists the outermost nodes that could not be read, and those that are missing.
func (t *tree) errors() []int {
	var all []int
	for i := 0; i < len(t.nodes); {
		if t.nodes[i].Error() || t.nodes[i].Missing() {
			all = append(all, i)
			i = int(t.next[i])
			continue
		}
		i++
	}
	return all
}

// unbalanced is a bracket without its partner, -1 when all have theirs. A tree without errors may have one
// where the grammar does not look into the tokens, as into those of a macro.
func (t *tree) unbalanced() int {
	var open []int
	for i, n := range t.nodes {
		if !n.Leaf() || n.End == n.Start {
			continue
		}
		if kind := t.literal(i); closerOf(kind) != "" {
			open = append(open, i)
		} else if opener := openerOf(kind); opener != "" {
			if len(open) == 0 || openerOf(closerOf(t.literal(open[len(open)-1]))) != opener {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}

// newlines says whether a line ends between two offsets.
func (t *tree) newlines(start, end uint32) bool {
	return end > start && bytes.IndexAny(t.src[start:end], "\r\n") >= 0
}

func isComment(kind string) bool {
	switch kind {
	case "comment", "line_comment", "block_comment", "multiline_comment":
		return true
	}
	return false
}
