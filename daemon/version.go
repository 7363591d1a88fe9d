package daemon

import (
	"strconv"
	"strings"
)

// olderVersion says whether release a came before b: three numbers, and a pre-release before its
// release. A version that cannot be read is never older: a daemon from a working copy is left
// alone.
func olderVersion(a, b string) bool {
	an, ap, ok := splitVersion(a)
	if !ok {
		return false
	}
	bn, bp, ok := splitVersion(b)
	if !ok {
		return false
	}
	for i := range an {
		if an[i] != bn[i] {
			return an[i] < bn[i]
		}
	}
	return ap != bp && ap != "" && (bp == "" || ap < bp)
}

// splitVersion reads v1.2.3-pre+build; the build is dropped.
func splitVersion(s string) (n [3]uint64, pre string, ok bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "+")
	s, pre, _ = strings.Cut(s, "-")
	parts := strings.Split(s, ".")
	if len(parts) != len(n) {
		return n, "", false
	}
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return n, "", false
		}
		n[i] = v
	}
	return n, pre, true
}
