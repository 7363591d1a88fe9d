// Package index turns one file's bytes into one immutable description of what the file defines.
//
// Build is a pure function of the path and the bytes: it reads nothing, keeps nothing, and gives the
// same answer in every process of the same Version, so that descriptions can be cached by content and
// shared by worktrees. Definitions come from declarative queries, one folder per language (see
// languages/README.md); the rules that turn captures into definitions are the same for all of them:
//
//	query      language.go, query.go, predicate.go   which query runs, and what its captures mean
//	matches    collect.go                            captures become definitions, scopes, comments
//	shape      preamble.go, signature.go, heading.go decorators, doc comments, signature, sections
//	nesting    nest.go, names.go                     containers, locals, qualified names
//
// Positions are byte offsets into the source, ends excluded. Lines and UTF-16 are the caller's business.
package index
