package anchors

import (
	"crypto/sha256"
	"encoding/hex"
)

// The scheme names open every hash, so that a new scheme can never be mistaken for an old one:
// change a name and each address minted under it is lost, not reinterpreted.
const (
	lineScheme   = "ctx.linetag/v1\x00"
	anchorScheme = "ctx.anchor/v1\x00"
	textScheme   = "ctx.text/v1\x00"
)

// LineDigest is the first 8 bytes of SHA-256 over "ctx.linetag/v1", a NUL and the bytes of one
// line without its terminator. The bytes are hashed as they are, never decoded.
type LineDigest [8]byte

// DigestLine digests one line, given without its terminator.
func DigestLine(line []byte) LineDigest {
	h := newHasher(lineScheme)
	return lineDigest(&h, line)
}

func lineDigest(h *hasher, line []byte) LineDigest {
	sum, _ := h.sum(line, nil)
	return LineDigest(sum[:8])
}

// Tag is the first byte of the digest as 2 lowercase hex digits. Within 240 lines about 2 lines in
// 5 share their tag with a different line: a tag checks a line number, it never identifies a line.
func (d LineDigest) Tag() string { return hex.EncodeToString(d[:1]) }

// Digest is SHA-256 over "ctx.anchor/v1", a NUL and the line digests of a span, in order.
type Digest [32]byte

// Anchor is the part of the digest that an address shows: its first 4 bytes.
func (d Digest) Anchor() Anchor { return Anchor(d[:4]) }

// Anchor names the content of a span by the first 4 bytes of its digest, wherever the span stands.
// Four bytes are a guard against accidents, not against forgery: two lines with one anchor are
// found in a second. Who minted an anchor should resolve it with its [Known].
type Anchor [4]byte

// String returns the anchor as 8 lowercase hex digits.
func (a Anchor) String() string { return hex.EncodeToString(a[:]) }

// ParseAnchor reads exactly 8 lowercase hex digits. The error is a [*SyntaxError].
func ParseAnchor(s string) (Anchor, error) {
	var a Anchor
	if len(s) == 2*len(a) {
		if _, err := hex.Decode(a[:], []byte(s)); err == nil && a.String() == s { // not upper case
			return a, nil
		}
	}
	return Anchor{}, &SyntaxError{Noun: "anchor", Text: s, Need: "; expected 8 lowercase hex digits"}
}

// A hasher computes SHA-256 over its scheme and some data. Short data is hashed from the buffer
// in one call, which saves the two allocations of a streaming hash for nearly every line.
type hasher struct {
	scheme string
	buf    [1024]byte // begins with the scheme
}

func newHasher(scheme string) hasher {
	h := hasher{scheme: scheme}
	copy(h.buf[:], scheme)
	return h
}

// sum hashes data in pieces, asking b between them. It returns false when b is spent.
func (h *hasher) sum(data []byte, b *budget) (sum [32]byte, ok bool) {
	n := len(h.scheme)
	if len(data) <= len(h.buf)-n {
		n += copy(h.buf[n:], data)
		return sha256.Sum256(h.buf[:n]), b.spend(n)
	}
	// The scheme is written from the string: writing it from buf would move every hasher to the heap.
	s := sha256.New()
	s.Write([]byte(h.scheme))
	for len(data) > 0 {
		piece := data[:min(len(data), pollEvery)]
		data = data[len(piece):]
		s.Write(piece)
		if !b.spend(len(piece)) {
			return sum, false
		}
	}
	s.Sum(sum[:0])
	return sum, true
}
