// Package anchors addresses lines by their content. It digests the lines of a text, reads and
// prints selectors such as 4:5@07407f1c, and finds the content of a selector again after the text
// was edited, or says that it is gone.
//
// # The scheme
//
// A line ends at \n, \r\n or \r (the rule of the Language Server Protocol) and its content excludes
// the terminator. Its digest is the first 8 bytes of SHA-256 over "ctx.linetag/v1", a NUL and the
// content; its tag is the first 2 hex digits of that. The digest of a span is SHA-256 over
// "ctx.anchor/v1", a NUL and the line digests in order; its anchor is the first 8 hex digits. An
// anchor therefore knows nothing of positions, files or neighbours, and it is the same on every
// machine. testdata/vectors.json has values to check another implementation against.
//
// A selector is A:B or A:B@anchor. Its lines say where to look first, its anchor what must be there.
// [Table.Resolve] answers verified, relocated or lost, and for any text, any span and any edit what
// it names has exactly the addressed lines: it refuses rather than name others.
//
// # Units
//
// Lines count from 1 and a [Span] includes both ends. Offsets are bytes from 0, and a range of them
// excludes its end. Nothing here counts characters: text is bytes, valid UTF-8 or not.
//
// # Decisions
//
// Indentation and trailing blanks are content. A line that was dedented out of its block, or whose
// tabs became spaces, is another line, and its anchor is lost. So is one that lost the two blanks
// that break a line in Markdown. Unicode is not normalised either.
//
// Terminators are not content. Checking a file out with other line endings keeps every anchor, and
// "c" has the digest of "c\n". Who is about to write compares the bytes as well.
//
// A span is one block: it is found whole, with its length. Its ends are never looked for apart, so
// a copy of its last line further down cannot stretch it.
//
// The nearest copy wins, the earlier one at equal distance, and [Resolution] tells the number of
// copies. That the nearest is the one that was meant is not known here; it takes the history of the
// file to show that.
//
// Eight digits are enough against accidents only. Who mints an address remembers its [Known] and
// resolves with it, so that content crafted to have the same digits is lost, not verified.
//
// # Differences from the systems this one follows
//
// The ctx command that this address format comes from splits lines as Python does, at form feeds,
// U+0085, U+2028 and others too, and replaces invalid UTF-8 before hashing. Here neither
// happens: in a file with such characters line numbers are those of every other tool, and bytes
// that differ never share an anchor for being undecodable. All other addresses are interchangeable. It
// also stops looking after 20,000 windows and compares 8 digits only; here the whole file is
// searched, and what was minted here is compared in full.
//
// The paragraph anchors that docxengine gives to Word documents normalise white space and never
// relocate. Source text cannot afford the first, and reading code after an edit above it needs the
// second. They are another package's business.
//
// The package is pure and total: no input and output, no clock, no goroutines, and no argument
// makes it panic or run without end.
package anchors
