// Command ctxbench measures the daemon as a client like any other. Everything is a ratio to a floor
// that is measured in the same run, on the same machine, turn by turn:
//
//	ctxbench latency  whole ctx processes beside an empty program that dials the socket; calls on
//	                  an open connection beside an echo call
//	ctxbench cold     the first answer with no daemon and no state beside rg -l; the whole index
//	                  beside the bare parse of the same files
//	ctxbench memory   resident memory of the idle daemon beside the bytes of source
//	ctxbench recall   definitions beside universal-ctags, tag by tag
//
// It starts a daemon of its own, with its own socket and state, and ends it.
package main
