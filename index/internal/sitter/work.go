package sitter

// #cgo linux LDFLAGS: -Wl,--wrap=clock_gettime
// #include "work.h"
import "C"

import (
	"math"
	"time"
)

// Budget is how much a parse may do.
type Budget struct {
	// Work counts 100 steps of the parser, or 4 KiB of text that its lexer reads, as 1. What a parse takes is a property of
	// the bytes and the grammar alone: in code of every language here 3 to 18 for each KiB. A processor does 10,000 to 40,000
	// a second.
	Work uint64
	// Time is of the processor, for what takes long in few steps; 0: any.
	Time time.Duration
}

// inC is b as C takes it. No work at all is not to be had: the parser takes 0 for no limit.
func (b Budget) inC() C.ctx_budget {
	nanos := uint64(math.MaxUint64)
	if b.Time > 0 {
		nanos = uint64(b.Time)
	}
	return C.ctx_budget{work: C.uint64_t(max(1, b.Work)), nanos: C.uint64_t(nanos)}
}

// counts is an error where the program was linked so that work is not counted: a limit of work would be one of
// microseconds then.
func counts() error {
	if !C.ctx_work_counts() {
		return &LinkError{Symbol: "__wrap_clock_gettime (-Wl,--wrap=clock_gettime)"}
	}
	return nil
}
