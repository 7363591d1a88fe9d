package index

import (
	"path"
	"strings"
)

// respellC writes an include in quotes of a file that is found beside the one that includes it.
func respellC(_ World, from, now, old, fresh, spelled string) []string {
	if strings.HasPrefix(spelled, "<") || path.Join(dirOf(from), spelled) != old {
		return nil
	}
	return []string{strings.TrimPrefix(relative(dirOf(now), fresh), "./")}
}
