package sitter

// #include <stdlib.h>
// #include "nodes.h"
import "C"

import (
	"bytes"
	"unsafe"
)

// Node is one node of a tree; offsets are bytes, End excluded.
type Node struct {
	Start, End uint32
	Depth      uint32 // of the root: 0
	Symbol     uint16 // see Symbol
	flags      uint16
}

// Missing says that the parser assumed a token where none stands; the node is empty.
func (n Node) Missing() bool { return n.flags&C.CTX_MISSING != 0 }

// Error says that the parser could not read what the node holds.
func (n Node) Error() bool { return n.flags&C.CTX_ERROR != 0 }

// Leaf says that the node has no children: it is a token.
func (n Node) Leaf() bool { return n.flags&C.CTX_LEAF != 0 }

// Nodes lists every node of the tree of src, a parent before its children; nil when the budget did not
// suffice. It is as much as some 16 bytes for each byte of source: ask it of one file at a time.
func (l *Language) Nodes(src []byte, budget Budget) []Node {
	w := l.take()
	var list C.ctx_nodes
	if Outcome(C.ctx_list_nodes(w.c, source(src), C.uint32_t(len(src)), budget.inC(), &list)) == ParseTooMuch {
		w.discard()
		return nil
	}
	end := w.rootEnd()
	l.give(w)
	nodes := append([]Node(nil), unsafe.Slice((*Node)(unsafe.Pointer(list.nodes)), int(list.count))...)
	C.free(unsafe.Pointer(list.nodes))
	checkEnd(end, src)
	return nodes
}

// FirstError is the offset of the token with which no reading of src can go on; white space before it is not
// skipped. False when there is no such token, or the budget did not suffice.
func (l *Language) FirstError(src []byte, budget Budget) (offset int, found bool) {
	w := l.take()
	var stop C.ctx_stop
	done := Outcome(C.ctx_first_error(w.c, source(src), C.uint32_t(len(src)), budget.inC(), &stop)) == Done
	w.discard() // it was stopped in the middle
	if !done || stop.found == 0 {
		return 0, false
	}
	for row := stop.row; row > 0; row-- {
		next := bytes.IndexByte(src[offset:], '\n')
		if next < 0 {
			return len(src), true
		}
		offset += next + 1
	}
	return min(offset+int(stop.column), len(src)), true
}

// Symbol is the name of a symbol of the grammar, as queries spell it without quotes: "if_statement", "{".
// Named says that it is not a literal token.
func (l *Language) Symbol(symbol uint16) (name string, named bool) {
	if symbol == ^uint16(0) {
		return "ERROR", true
	}
	s := C.ts_language_symbol_name(l.grammar, C.uint16_t(symbol))
	if s == nil {
		return "", false
	}
	return C.GoString(s), C.ts_language_symbol_type(l.grammar, C.uint16_t(symbol)) == 0
}
