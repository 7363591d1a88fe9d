package sitter

// #include <stdlib.h>
// #include "facts.h"
import "C"

import (
	"math"
	"unsafe"
)

// program is what match.c works with: the steps of all patterns that are plain, and where they start.
type program struct {
	grammar  *C.TSLanguage
	captures map[string]C.uint16_t // by name: the id that the library gave it
	steps    []C.ctx_step
	starts   map[C.uint16_t][]C.ctx_start // by symbol
	asks     map[C.uint16_t]bool          // symbols at which the library is asked, for not all patterns are plain
}

// load gives the query its program. Of a node type at which one pattern is not plain all are left to the library, whose
// order counts. The memory is the process's for good, as the query is.
func (l *Language) load(all []pattern) error {
	p := &program{grammar: l.grammar, captures: map[string]C.uint16_t{}, starts: map[C.uint16_t][]C.ctx_start{}, asks: map[C.uint16_t]bool{}}
	for id, name := range l.captures {
		p.captures[name] = C.uint16_t(id)
	}
	for i, pattern := range all {
		for _, root := range pattern.roots {
			symbol := p.symbol(root)
			if symbol == 0 || C.ctx_is_supertype(l.grammar, symbol) {
				return &QueryError{Language: l.name, Line: 1, Problem: "no pattern can start at " + root.name + ", which never stands in a tree; name its concrete nodes"}
			}
			if !pattern.plain || !p.fits(root) || held([][]*step{{root}}) > maxHeld {
				p.asks[symbol] = true
				continue
			}
			p.starts[symbol] = append(p.starts[symbol], C.ctx_start{pattern: C.uint32_t(i), step: p.add([]*step{root}, -1)})
		}
	}
	p.give(l.query)
	return nil
}

// maxHeld is how many captures a match may have: see ctx_matches.
const maxHeld = 64

// held is the most captures that a match of the items has.
func held(items [][]*step) int {
	sum := 0
	for _, item := range items {
		most := 0
		for _, s := range item {
			most = max(most, len(s.captures)+held(s.items))
		}
		sum += most
	}
	return sum
}

func (p *program) symbol(s *step) C.uint16_t {
	name := C.CString(s.name)
	defer C.free(unsafe.Pointer(name))
	return C.ts_language_symbol_for_name(p.grammar, name, C.uint32_t(len(s.name)), C.bool(!s.literal))
}

// fits says whether a step, and those in it, have room in a ctx_step.
func (p *program) fits(s *step) bool {
	if len(s.captures) > C.CTX_STEP_CAPTURES || len(s.not) > C.CTX_STEP_NOTS || s.name != "_" && bool(C.ctx_is_supertype(p.grammar, p.symbol(s))) {
		return false
	}
	for _, item := range s.items {
		for _, child := range item {
			if !p.fits(child) {
				return false
			}
		}
	}
	return true
}

func (p *program) field(name string) C.uint16_t {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.ts_language_field_id_for_name(p.grammar, text, C.uint32_t(len(name)))
}

// add adds alternatives behind which then comes, and gives the index of the first.
func (p *program) add(item []*step, then C.int32_t) C.int32_t {
	alternative := C.int32_t(-1)
	for i := len(item) - 1; i >= 0; i-- {
		s := item[i]
		at := C.ctx_step{alternative: alternative, child: -1, then: then}
		switch {
		case s.name != "_":
			at.symbol = p.symbol(s)
		case s.literal:
			at.kind = C.CTX_KIND_ANY
		default:
			at.kind = C.CTX_KIND_NAMED
		}
		if s.field != "" {
			at.field = p.field(s.field)
		}
		at.immediate, at.last = flag(s.immediate), flag(s.last)
		at.capturing = flag(held([][]*step{{s}}) > 0)
		for _, name := range s.captures {
			at.captures[at.capture_count] = p.captures[name]
			at.capture_count++
		}
		for _, name := range s.not {
			at.nots[at.not_count] = p.field(name)
			at.not_count++
		}
		for k := len(s.items) - 1; k >= 0; k-- {
			at.child = p.add(s.items[k], at.child)
		}
		p.steps = append(p.steps, at)
		alternative = C.int32_t(len(p.steps) - 1)
	}
	return alternative
}

func flag(b bool) C.uint8_t {
	if b {
		return 1
	}
	return 0
}

// give puts the program into the query.
func (p *program) give(q *C.ctx_query) {
	first := unsafe.Slice(q.first, math.MaxUint16+1)
	var starts []C.ctx_start
	for symbol, list := range p.starts {
		if p.asks[symbol] {
			continue
		}
		first[symbol] = C.uint32_t(len(starts) + 1)
		starts = append(append(starts, list...), C.ctx_start{pattern: C.CTX_NO_PATTERN})
	}
	for symbol := range p.asks {
		unsafe.Slice(q.asks, math.MaxUint16+1)[symbol] = 1
	}
	q.steps = (*C.ctx_step)(C.CBytes(bytesOf(p.steps)))
	q.starts = (*C.ctx_start)(C.CBytes(bytesOf(starts)))
}

func bytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// askLibrary leaves all patterns to the library.
func (l *Language) askLibrary() {
	first, asks := unsafe.Slice(l.query.first, math.MaxUint16+1), unsafe.Slice(l.query.asks, math.MaxUint16+1)
	for symbol := range first {
		if first[symbol] != 0 {
			first[symbol], asks[symbol] = 0, 1
		}
	}
}
