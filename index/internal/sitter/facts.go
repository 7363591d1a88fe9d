package sitter

// #include "facts.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// maxErrors bounds the error ranges of one file; a file with more is broken beyond a list's use.
const maxErrors = 64

// None is the value of Capture.Body when the node has no body.
const None = ^uint32(0)

// Outcome says how far Run got.
type Outcome int

const (
	Done         Outcome = iota
	ParseTooMuch         // no facts at all
	TooMany              // the facts found so far: more matches at once, or in all, than the bounds
)

// Capture is one captured node; offsets are bytes, End excluded. The captures of one match follow
// each other.
type Capture struct {
	Match, Pattern, ID uint32
	Start, End         uint32
	Body               uint32 // start of the node's child in field "body", or None
}

// Mark is one node of a type that Open was asked to mark; offsets are bytes, End excluded. Marks are in the
// order of the walk: by Start, the enclosing before the enclosed.
type Mark struct{ Start, End, Tag uint32 }

// Span is a range of bytes, End excluded.
type Span struct{ Start, End uint32 }

// Facts is what Run found in one file.
type Facts struct {
	Outcome  Outcome
	Captures []Capture
	Marks    []Mark
	Errors   []Span // outermost ERROR and MISSING nodes, at most 64
}

// Run parses src, within budget, and runs the query, which has bounds of its own. src must be shorter than
// 4 GiB. Facts are a function of src and budget.
func (l *Language) Run(src []byte, budget Budget) Facts {
	var kept Facts
	l.With(src, budget, func(f Facts) {
		kept = Facts{f.Outcome, slices.Clone(f.Captures), slices.Clone(f.Marks), slices.Clone(f.Errors)}
	})
	return kept
}

// With is Run for one who looks at the facts at once: they are in the worker's own buffers, and nobody's when use has
// returned. Copied for each file they were a tenth of all garbage.
func (l *Language) With(src []byte, budget Budget, use func(Facts)) {
	w := l.take()
	outcome := w.run(l, src, budget)
	if outcome == ParseTooMuch {
		w.discard() // it would go on with this file: see parse in facts.c
		use(Facts{Outcome: outcome})
		return
	}
	whole := false
	defer func() {
		if whole {
			l.give(w)
		} else {
			w.discard()
		}
	}()
	checkEnd(w.rootEnd(), src)
	use(Facts{
		Outcome:  outcome,
		Captures: unsafe.Slice((*Capture)(unsafe.Pointer(w.c.captures)), int(w.c.capture_count)),
		Marks:    unsafe.Slice((*Mark)(unsafe.Pointer(w.c.marks)), int(w.c.mark_count)),
		Errors:   unsafe.Slice((*Span)(unsafe.Pointer(w.c.errors)), int(w.c.error_count)),
	})
	whole = true
}

func (w *worker) run(l *Language, src []byte, budget Budget) Outcome {
	defer l.enter()()
	return Outcome(C.ctx_facts(w.c, l.query, source(src), C.uint32_t(len(src)), budget.inC()))
}

// Parse parses src and throws the tree away: the floor under Run.
func (l *Language) Parse(src []byte, budget Budget) Outcome {
	defer l.enter()()
	w := l.take()
	outcome := w.parse(src, budget)
	if outcome == ParseTooMuch {
		w.discard()
		return outcome
	}
	end := w.rootEnd()
	l.give(w)
	checkEnd(end, src)
	return outcome
}

func (w *worker) parse(src []byte, budget Budget) Outcome {
	return Outcome(C.ctx_parse(w.c, source(src), C.uint32_t(len(src)), budget.inC()))
}

// spent is the work of the last parse.
func (w *worker) spent() uint64 { return uint64(w.c.spent) }

func (w *worker) rootEnd() uint64 { return uint64(w.c.root_end) }

// checkEnd panics when the tree reaches beyond the source: it is another file's tree then, and
// every fact from it would be false.
func checkEnd(end uint64, src []byte) {
	if end > uint64(len(src)) {
		panic(fmt.Sprintf("tree-sitter: tree ends at byte %d of a source of %d", end, len(src)))
	}
}

// source points at src's bytes for the length of a call. The parser reads them only until it
// returns, so they need not be copied to C memory.
func source(src []byte) *C.char {
	if len(src) == 0 {
		return (*C.char)(unsafe.Pointer(&empty[0]))
	}
	return (*C.char)(unsafe.Pointer(&src[0]))
}

var empty [1]byte
