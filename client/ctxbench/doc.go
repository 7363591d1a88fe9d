// Command ctxbench measures the daemon as a client like any other. A figure is a ratio to a floor that
// is measured in the same run, on the same machine, turn by turn; where the contract gives a time,
// it is that time. Every bar gets a verdict, and the last lines list them:
//
//	ctxbench latency  whole ctx processes beside an empty program that dials the socket; calls on
//	                  an open connection beside an echo call; 1,000 addresses in one call
//	ctxbench fresh    writes in several styles into a copy of the tree, each followed by a def that
//	                  must show it
//	ctxbench cold     the first answer with no daemon and no state beside rg -l; the whole index
//	                  beside the bare parse of the same files; the restart
//	ctxbench memory   resident memory of the idle daemon beside the bytes of source
//	ctxbench big      lost anchors in a file of 1,000,000 lines
//	ctxbench all      all of these, one after the other
//	ctxbench recall   definitions beside universal-ctags, tag by tag
//
// It starts a daemon of its own, with its own socket and state, and ends it.
package main
