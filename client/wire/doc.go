// Package wire is the JSON of the socket: method names, parameters, results, error words and the
// version, as plain data. It imports nothing of ours, so that a client stays small.
//
// Units, everywhere: Lines count from 1 with both ends included; Range is LSP's (lines and
// characters from 0, end excluded, characters in UTF-16 code units); Bytes are offsets from 0,
// end excluded.
package wire
