// Package grep finds the lines of a text that match patterns: literals, or regular expressions in the
// syntax of package regexp. It is pure: bytes in, lines out.
//
// Lines are those of package anchors: they end at \n, \r\n or \r, and a pattern is compared with the
// content alone, so that ^ and $ are a line's ends whatever terminates it. Offsets are bytes from 0,
// lines count from 1. Bytes that are not UTF-8 are matched by a literal as they are, and by an expression
// as regexp does it, as U+FFFD.
//
// # How
//
// What is fast finds candidates in the whole text, and each of them is looked at for itself:
//
//   - literals one of which stands on every line that matches (required.go), by bytes.Index;
//   - where an expression has none, a deterministic automaton that is built while it runs (dfa.go), at
//     one look-up in a table for each byte: package regexp alone took 4 to 27 times as long.
//
// Both only propose. The automaton accepts too much where letters beyond ASCII are involved, and never too
// little: FuzzLines holds the whole against regexp, line by line.
package grep
