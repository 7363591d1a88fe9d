package sitter

// #include <stdlib.h>
// #ifdef __GLIBC__
// #include <malloc.h>
// static void ctx_trim(void) { malloc_trim(0); }
// #else
// static void ctx_trim(void) {}
// #endif
import "C"

import "sync"

// opened are all languages of the process, whose idle workers Trim ends.
var opened struct {
	sync.Mutex
	all []*Language
}

// Trim ends the idle workers of every language and has the C library give back what it does not use.
func Trim() {
	opened.Lock()
	all := opened.all
	opened.Unlock()
	for _, l := range all {
		l.mu.Lock()
		idle := l.idle
		l.idle = nil
		l.mu.Unlock()
		for _, w := range idle {
			w.discard()
		}
	}
	C.ctx_trim()
}
