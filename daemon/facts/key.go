package facts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"ctxd/index"
)

// Key names facts by all that they depend on, apart from the version of the index.
type Key [sha256.Size]byte

// KeyOf is the key of the facts about a file with those bytes, given by their SHA-256, at that path
// relative to its root: SHA-256 over "ctx.facts/v1", a NUL, the digest, and index.Variant of the path.
func KeyOf(blob [sha256.Size]byte, path string) Key {
	var room [128]byte
	b := append(room[:0], "ctx.facts/v1\x00"...)
	b = append(b, blob[:]...)
	return sha256.Sum256(append(b, index.Variant(path)...))
}

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// prefix is what the index in memory knows of a key.
func (k Key) prefix() uint64 { return binary.LittleEndian.Uint64(k[:]) }
