package captures

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// Pinned is what a pin keeps: the whole content that an id belongs to.
type Pinned struct {
	ID   string // span:b34a0fcd32, or snapshot: or blob: with all 64 digits
	Blob BlobID
	Path string // "" for a blob

	First, Last int // lines of a span, from 1; 0 for a snapshot or a blob
}

// Pin keeps a span (its bare id, or span:ID), a snapshot:ID or a blob:ID from ever being
// collected. Pinning again changes nothing. Errors are those of Span, Snapshot and Blob, a
// *WriteError, a *PinsError, or a *LockedError while another process collects.
func (s *Store) Pin(id string) (Pinned, error) {
	pin, err := s.resolve(id)
	if err != nil {
		return Pinned{}, err
	}
	unlock, err := s.lockGC()
	if err != nil {
		return Pinned{}, err
	}
	defer unlock()
	if !s.Has(pin.Blob) { // collected while we waited
		return Pinned{}, &UnknownError{Kind: kindBlob, ID: pin.Blob.String(), Retention: s.retention}
	}
	lines, err := s.readPins()
	if err != nil {
		return Pinned{}, err
	}
	line := pinLine(pin.Blob, pin.ID)
	for _, known := range lines {
		if known.line == line {
			return pin, nil
		}
	}
	var b strings.Builder
	for _, known := range lines {
		b.WriteString(known.line + "\n")
	}
	b.WriteString(line + "\n")
	// Synced, unlike the rest: a pin is made rarely, and for good.
	err = renameio.WriteFile(s.path(pinsName), []byte(b.String()), 0o600, renameio.WithTempDir(s.dir))
	if err != nil {
		return Pinned{}, &WriteError{Path: s.path(pinsName), Err: err}
	}
	return pin, nil
}

// resolve finds what a pin's id names.
func (s *Store) resolve(id string) (Pinned, error) {
	kind, digits, ok := strings.Cut(id, ":")
	if !ok {
		kind, digits = kindSpan, id
	}
	switch kind {
	case kindSnapshot:
		path, blob, err := s.Snapshot(digits)
		return Pinned{ID: "snapshot:" + SnapshotID(path, blob), Blob: blob, Path: path}, err
	case kindBlob:
		blob, err := s.Blob(digits)
		return Pinned{ID: "blob:" + blob.String(), Blob: blob}, err
	case kindSpan:
	default:
		return Pinned{}, &PrefixError{Kind: kindSpan, ID: id}
	}
	recs, err := s.Span(digits)
	if err != nil {
		return Pinned{}, err
	}
	r := recs[0]
	regions := map[string]bool{}
	for _, other := range recs {
		regions[fmt.Sprintf("blob:%s --lines %d:%d", other.Blob, other.First, other.Last)] = true
	}
	if len(regions) > 1 {
		names := slices.Sorted(maps.Keys(regions))
		return Pinned{}, &AmbiguousError{Kind: kindSpan, ID: digits, N: len(names), Candidates: names[:min(len(names), maxListed)]}
	}
	return Pinned{ID: "span:" + r.Span(), Blob: r.Blob, Path: r.Path, First: r.First, Last: r.Last}, nil
}

// pin is one line of the pins file.
type pin struct {
	blob BlobID
	line string
}

// pinLine is one line of the pins file: the blob, what was asked for, and the CRC-32C of the two.
func pinLine(blob BlobID, id string) string {
	text := blob.String() + " " + id
	return fmt.Sprintf("%s %08x", text, crc32.Checksum([]byte(text), castagnoli))
}

// readPins reads the pins file; a line that fails its check is a *PinsError.
func (s *Store) readPins() ([]pin, error) {
	data, err := os.ReadFile(s.path(pinsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pins []pin
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		line := strings.TrimSuffix(text, "\n")
		if line == "" {
			continue
		}
		fields := strings.Split(line, " ")
		blob, ok := parseBlobName(fields[0], "")
		if !ok || len(fields) != 3 || pinLine(blob, fields[1]) != line {
			return nil, &PinsError{Path: s.path(pinsName), Line: number, Text: line}
		}
		pins = append(pins, pin{blob, line})
	}
	return pins, nil
}
