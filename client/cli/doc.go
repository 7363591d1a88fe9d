// Package cli is the command ctx: it parses one command line, makes one call, and prints the
// answer as text or JSON.
//
// One file per verb; a verb is a struct that holds its flags. What the daemon answers is data,
// and every text is made here from it (text.go holds what the verbs share), so that the text of
// two faces cannot differ. Nothing printed depends on the time, the process or the place of the
// worktree, except in status and doctor.
package cli
