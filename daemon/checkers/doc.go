// Package checkers runs the commands that judge source files, and reads what they print.
//
// A run is bounded: in time, in output, in how many go on at once (Slots), and in what it leaves behind, for its whole
// process group is killed when it has ended or is given up. It gets no input, and a directory of its own
// outside of the worktree for what it must write: {cache} in a command. That a command does not write into the worktree
// is the command's promise: the ready ones were chosen and are tested for it.
//
// Who may run what is not decided here: see trust.go of package daemon.
package checkers
