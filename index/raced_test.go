//go:build race

package index

// raced: the race detector is on. It does not see the grammars, which are C, and has the rest take five times as long.
const raced = true
