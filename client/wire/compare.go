package wire

import (
	"strconv"
	"strings"
)

// Older says whether version a precedes b in the order of Semantic Versioning 2.0.0. A version
// that cannot be read is never older: a daemon from a working copy is left alone.
func Older(a, b string) bool {
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
	return olderPre(ap, bp)
}

// splitVersion splits v1.2.3-rc.1+build into its numbers and its pre-release part.
func splitVersion(s string) (n [3]uint64, pre string, ok bool) {
	s = strings.TrimPrefix(s, "v")
	s, _, _ = strings.Cut(s, "+")
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

// olderPre compares pre-release parts: a release follows its pre-releases, numbers come before
// words, and a shorter list comes first when the longer one starts with it.
func olderPre(a, b string) bool {
	if a == b || a == "" {
		return false
	}
	if b == "" {
		return true
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; i < len(as) && i < len(bs); i++ {
		if as[i] == bs[i] {
			continue
		}
		x, errX := strconv.ParseUint(as[i], 10, 64)
		y, errY := strconv.ParseUint(bs[i], 10, 64)
		switch {
		case errX == nil && errY == nil:
			return x < y
		case errX == nil || errY == nil:
			return errX == nil
		}
		return as[i] < bs[i]
	}
	return len(as) < len(bs)
}
