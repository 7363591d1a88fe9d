// Package commits reads files as they were committed, from the object store of a git repository.
//
// It reads the store itself and does not run git: the configuration of a repository that somebody else made can
// name programs that git would start (a partial clone fetches what it lacks), and a process for each question costs
// some 3 ms. It never writes, follows no reference that git would not, and answers with an error whatever it finds
// damaged: callers go on without a committed version then. Formats: gitrepository-layout(5), gitformat-pack(5).
//
// Not supported, and answered as if nothing were committed: the reftable format of references, replaced objects
// and grafts.
package commits
