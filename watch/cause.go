package watch

// A Cause says why a listing is a full one.
type Cause string

const (
	CauseFirst       Cause = "first"       // nothing was known of the tree
	CauseNoEvents    Cause = "no events"   // every listing is full: see Blind
	CauseBlind       Cause = "blind"       // more directories are looked at each time than are watched: see Blind
	CauseOverflow    Cause = "overflow"    // the kernel dropped events, because too many were queued
	CauseRules       Cause = "rules"       // git's core.ignoreCase, or which repository the root belongs to
	CauseRoot        Cause = "root"        // the root is another directory, or its state changed
	CauseMounts      Cause = "mounts"      // something was mounted or unmounted below the root
	CausePermissions Cause = "permissions" // a directory's mode or owner changed
	CauseLinks       Cause = "links"       // a file got a second name, and no event tells where the first one is
	CauseProblems    Cause = "problems"    // something could not be looked at, or can be again
	CauseFailure     Cause = "failure"     // the listing before did not come to its end
)
