package captures

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// snapshotVersion names the rule that SnapshotID follows.
const snapshotVersion = "ctx.snapshot/v1"

// Ids may be shortened to minPrefix hex digits; a span id is shown with spanDigits.
const (
	minPrefix  = 6
	maxDigits  = 64
	spanDigits = 10
)

// BlobID is the SHA-256 of a file's exact bytes.
type BlobID [32]byte

// String is the id in 64 lowercase hex digits.
func (id BlobID) String() string { return hex.EncodeToString(id[:]) }

// SumBlob is the id of src.
func SumBlob(src []byte) BlobID { return sha256.Sum256(src) }

// SnapshotID names one path with one content: 64 hex digits, the SHA-256 over "ctx.snapshot/v1",
// NUL, path, NUL, the blob's 64 hex digits. It is the same on every machine; 12 digits are shown.
func SnapshotID(path string, blob BlobID) string {
	sum := snapshotSum(path, blob)
	return hex.EncodeToString(sum[:])
}

// SpanID names the lines first to last of one content: the first 10 hex digits of the SHA-256 over
// "<64 hex of the blob>|region|first|last".
func SpanID(blob BlobID, first, last int) string {
	sum := spanSum(blob, first, last)
	return hex.EncodeToString(sum[:spanDigits/2])
}

func snapshotSum(path string, blob BlobID) [32]byte {
	b := make([]byte, 0, 256)
	b = append(b, snapshotVersion...)
	b = append(b, 0)
	b = append(b, path...)
	b = append(b, 0)
	b = hex.AppendEncode(b, blob[:])
	return sha256.Sum256(b)
}

func spanSum(blob BlobID, first, last int) [32]byte {
	b := make([]byte, 0, 128)
	b = hex.AppendEncode(b, blob[:])
	b = append(b, "|region|"...)
	b = strconv.AppendInt(b, int64(first), 10)
	b = append(b, '|')
	b = strconv.AppendInt(b, int64(last), 10)
	return sha256.Sum256(b)
}

// prefix is a checked id or the beginning of one: 6 to 64 lowercase hex digits.
type prefix string

// parsePrefix accepts 6 to 64 hex digits in either case; anything else is a *PrefixError.
func parsePrefix(kind, s string) (prefix, error) {
	b := []byte(s)
	for i, c := range b {
		switch {
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'f':
		case 'A' <= c && c <= 'F':
			b[i] = c + 'a' - 'A'
		default:
			return "", &PrefixError{Kind: kind, ID: s}
		}
	}
	if len(b) < minPrefix || len(b) > maxDigits {
		return "", &PrefixError{Kind: kind, ID: s}
	}
	return prefix(b), nil
}

// bits is the numeric value of the first n digits (at most 16) and a mask of the digits that p
// has: an id x of n digits begins with p when x&mask == value.
func (p prefix) bits(n int) (value, mask uint64) {
	for i := range n {
		value, mask = value<<4, mask<<4
		if i < len(p) {
			value |= uint64(digit(p[i]))
			mask |= 0xf
		}
	}
	return value, mask
}

// begins reports whether the 64 hex digits of sum begin with p.
func (p prefix) begins(sum *[32]byte) bool {
	for i := range len(p) {
		nibble := sum[i/2] >> 4
		if i%2 == 1 {
			nibble = sum[i/2] & 0xf
		}
		if nibble != digit(p[i]) {
			return false
		}
	}
	return true
}

func digit(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
