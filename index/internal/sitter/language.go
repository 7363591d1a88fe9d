package sitter

// #include <stdlib.h>
// #include "nodes.h"
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Versions of the grammars' binary interface that the linked library accepts.
const (
	minABI = 13
	maxABI = 14
)

// LinkError says that the program was linked without a symbol that this package calls.
type LinkError struct{ Symbol string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("tree-sitter: symbol %s is not linked into this program; rebuild it with cgo and an unchanged module cache", e.Symbol)
}

// QueryError says where a query is wrong. Line counts from 1.
type QueryError struct {
	Language string
	Line     int
	Problem  string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("%s query, line %d: %s", e.Language, e.Line, e.Problem)
}

// Check proves, once per process, that every C function and grammar used here is linked in. Calling
// an absent one would be a jump to address 0.
func Check() error { return linked() }

var linked = sync.OnceValue(func() error {
	if err := missing(false); err != nil {
		return err
	}
	if err := counts(); err != nil {
		return err
	}
	return layout("// A comment.\npackage p\n\nfunc (r *T) f(a, b int) (s string) {\n\treturn g(a, `x`)\n}\n")
})

// LayoutError says that the C library is not the one that this package was written for.
type LayoutError struct{}

func (*LayoutError) Error() string {
	return "tree-sitter: the library that is linked in lays its trees out in another way than version 0.22; build with the version of go-tree-sitter that go.mod names, or adapt layout.h"
}

// layout compares layout.h with the library, by the tree of a text in Go.
func layout(text string) error {
	name, src := C.CString("go"), C.CString(text)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(src))
	grammar := C.ctx_grammar(name)
	w := &worker{c: C.ctx_worker_new(grammar, maxErrors)}
	defer w.discard()
	if !C.ctx_layout_holds(w.c, grammar, src) {
		return &LayoutError{}
	}
	return nil
}

func missing(withAbsentSymbol bool) error {
	if name := C.ctx_missing(C.bool(withAbsentSymbol)); name != nil {
		return &LinkError{Symbol: C.GoString(name)}
	}
	return nil
}

// Language is a grammar with its compiled query and the idle workers that run it. It lives as long
// as the process and is safe for concurrent use.
type Language struct {
	name     string
	grammar  *C.TSLanguage
	query    *C.ctx_query
	captures []string
	patterns []Pattern

	mu   sync.Mutex
	idle []*worker // guarded by mu; at most one per processor
}

// Pattern is one pattern of a query.
type Pattern struct {
	Line       int // of its start in the query, from 1
	Predicates []Predicate
}

// Predicate is a condition such as (#eq? @name "x"), uninterpreted.
type Predicate struct {
	Op   string // "eq?"
	Args []Arg
}

// Arg is a capture, by id, or, when Capture is negative, a string.
type Arg struct {
	Capture int
	Text    string
}

// Tag has every node of type Node marked with Tag, which is not 0; of two for one type the last holds.
type Tag struct {
	Node string
	Tag  uint8
}

// Open compiles query for the grammar of that name. The nodes of captures for which wantsBody says
// true are asked for their child in field "body", nodes of the types in tags are marked. Errors are *LinkError
// and *QueryError.
func Open(grammar string, query []byte, tags []Tag, wantsBody func(capture string) bool) (*Language, error) {
	if err := Check(); err != nil {
		return nil, err
	}
	name := C.CString(grammar)
	defer C.free(unsafe.Pointer(name))
	l := &Language{name: grammar, grammar: C.ctx_grammar(name)}
	if l.grammar == nil {
		return nil, &QueryError{Language: grammar, Line: 1, Problem: "there is no grammar of this name; add it to grammars.go and tree_sitter.h"}
	}
	if abi := C.ts_language_version(l.grammar); abi < minABI || abi > maxABI {
		return nil, &QueryError{Language: grammar, Line: 1, Problem: fmt.Sprintf("grammar has interface version %d, the library takes %d to %d", abi, minABI, maxABI)}
	}
	if err := l.compile(query); err != nil {
		return nil, err
	}
	for _, t := range tags {
		node := C.CString(t.Node)
		defer C.free(unsafe.Pointer(node))
		if !C.ctx_query_add_mark(l.query, l.grammar, node, C.uint8_t(t.Tag)) {
			return nil, &QueryError{Language: grammar, Line: 1, Problem: "unknown node type " + t.Node}
		}
	}
	for id, capture := range l.captures {
		if wantsBody(capture) {
			unsafe.Slice(l.query.wants_body, len(l.captures))[id] = 1
		}
	}
	opened.Lock()
	opened.all = append(opened.all, l)
	opened.Unlock()
	return l, nil
}

func (l *Language) compile(query []byte) error {
	text := C.CBytes(query)
	defer C.free(text)
	var offset C.uint32_t
	var kind C.int
	q := C.ts_query_new(l.grammar, (*C.char)(text), C.uint32_t(len(query)), &offset, &kind)
	if q == nil {
		problems := []string{"", "syntax error", "unknown node type", "unknown field", "unknown capture", "impossible pattern", "wrong language"}
		problem := "not accepted"
		if int(kind) < len(problems) {
			problem = problems[kind]
		}
		near := query[min(int(offset), len(query)):]
		near = near[:min(40, len(near))]
		return &QueryError{Language: l.name, Line: lineAt(query, int(offset)), Problem: fmt.Sprintf("%s near %q", problem, near)}
	}
	l.query = C.ctx_query_new(l.grammar, q)
	var n C.uint32_t
	for id := range C.ts_query_capture_count(q) {
		s := C.ts_query_capture_name_for_id(q, id, &n)
		l.captures = append(l.captures, C.GoStringN(s, C.int(n)))
	}
	for p := range C.ts_query_pattern_count(q) {
		start := int(C.ts_query_start_byte_for_pattern(q, p))
		l.patterns = append(l.patterns, Pattern{Line: lineAt(query, start), Predicates: predicates(q, p)})
	}
	all, problem := patterns(string(query))
	if problem >= 0 {
		return &QueryError{Language: l.name, Line: lineAt(query, problem), Problem: "a pattern must start at a named node"}
	}
	if len(all) != len(l.patterns) {
		return &QueryError{Language: l.name, Line: 1, Problem: fmt.Sprintf("read as %d patterns, the library has %d", len(all), len(l.patterns))}
	}
	return l.load(all)
}

func predicates(q *C.TSQuery, pattern C.uint32_t) []Predicate {
	var count, n C.uint32_t
	first := C.ts_query_predicates_for_pattern(q, pattern, &count)
	var all []Predicate
	var args []Arg
	for _, step := range unsafe.Slice(first, int(count)) {
		switch step._type {
		case 1:
			args = append(args, Arg{Capture: int(step.value_id)})
		case 2:
			s := C.ts_query_string_value_for_id(q, step.value_id, &n)
			args = append(args, Arg{Capture: -1, Text: C.GoStringN(s, C.int(n))})
		default:
			if len(args) > 0 {
				all = append(all, Predicate{Op: args[0].Text, Args: args[1:]})
			}
			args = nil
		}
	}
	return all
}

// Captures are the names of the query's captures, without @, by id.
func (l *Language) Captures() []string { return l.captures }

// Patterns are the query's patterns, by index.
func (l *Language) Patterns() []Pattern { return l.patterns }

func lineAt(text []byte, offset int) int {
	return 1 + strings.Count(string(text[:min(offset, len(text))]), "\n")
}

// worker is a parser with its cursor and buffers. It has one user at a time and no finalizer: take
// and give (or discard) are its whole life.
type worker struct{ c *C.ctx_worker }

func (l *Language) take() *worker {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		w := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return w
	}
	return &worker{c: C.ctx_worker_new(l.grammar, maxErrors)}
}

func (l *Language) give(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle) >= runtime.GOMAXPROCS(0) {
		w.discard()
		return
	}
	l.idle = append(l.idle, w)
}

func (w *worker) discard() { C.ctx_worker_delete(w.c) }
