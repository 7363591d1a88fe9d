// Package sitter is the only place that touches tree-sitter. It parses one file, runs the language's
// one combined query over the tree to its end, and hands back flat arrays of byte offsets: one cgo
// call per file, and no tree, node or cursor that Go could hold on to.
//
// It uses the C library and the grammars that github.com/smacker/go-tree-sitter carries, not that
// module's Go interface, which makes a cgo call and a map entry per node, ties trees to finalizers,
// prints deep trees by a recursion that overflows the C stack, and passes a wrong end point to
// incremental parses. There is no incremental parsing here at all: in a trial of 400 random edits one
// incremental tree differed from a fresh one, and facts must be a function of the bytes alone.
package sitter
