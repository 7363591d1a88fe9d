package captures

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// Span lists the records of a span id: 6 to 64 hex digits, of which 10 are shown in answers. The
// records may differ in workspace and path, as the id is a function of bytes and lines. Several
// contents or ranges under one whole id (10 digits collide among a million spans) are all
// returned, collected ones too, and the caller refuses; use Read to get the bytes. Errors:
// *PrefixError; *AmbiguousError when several ids begin with id; *UnknownError when there is none
// or its bytes were collected.
func (s *Store) Span(id string) ([]Record, error) {
	p, err := parsePrefix(kindSpan, id)
	if err != nil {
		return nil, err
	}
	v, err := s.current()
	if v == nil {
		return nil, err
	}
	value, mask := p.bits(spanDigits)
	v.mu.RLock()
	var at []location
	if len(p) >= spanDigits {
		at = v.index.bySpan(value)
	} else if spans := v.index.spansWith(value, mask); len(spans) == 1 {
		for span := range spans {
			at = v.index.bySpan(span)
		}
	} else if len(spans) > 1 {
		v.mu.RUnlock()
		return nil, ambiguousSpans(id, spans)
	}
	v.mu.RUnlock()
	type region struct {
		blob        BlobID
		first, last int
	}
	var found []Record
	seen := map[Record]bool{}
	regions := map[region]bool{}
	for _, at := range at {
		p2, ok := v.read(at)
		if !ok {
			continue
		}
		r := p2.record()
		sum := spanSum(r.Blob, r.First, r.Last)
		key := r
		key.Time = 0
		if p.begins(&sum) && !seen[key] {
			seen[key] = true
			regions[region{r.Blob, r.First, r.Last}] = true
			found = append(found, r)
		}
	}
	if len(regions) == 0 && err != nil {
		return nil, err
	}
	if len(regions) == 0 || len(regions) == 1 && !s.Has(found[0].Blob) {
		return nil, &UnknownError{Kind: kindSpan, ID: id, Retention: s.retention}
	}
	return found, nil
}

func ambiguousSpans(id string, spans map[uint64]bool) error {
	e := &AmbiguousError{Kind: kindSpan, ID: id, N: len(spans)}
	for _, span := range slices.Sorted(maps.Keys(spans)) {
		if len(e.Candidates) == maxListed {
			break
		}
		e.Candidates = append(e.Candidates, fmt.Sprintf("%0*x", spanDigits, span))
	}
	return e
}

// Snapshot finds the path and content of a snapshot id: 6 to 64 hex digits, of which 12 are shown
// in answers. A snapshot is known when a span of it was minted. Errors as those of Span, for the
// snapshots whose bytes are still there.
func (s *Store) Snapshot(id string) (path string, blob BlobID, err error) {
	p, err := parsePrefix(kindSnapshot, id)
	if err != nil {
		return "", BlobID{}, err
	}
	v, err := s.current()
	if v == nil {
		return "", BlobID{}, err
	}
	v.mu.RLock()
	at := v.index.snapshotsWith(p.bits(16))
	v.mu.RUnlock()
	found := map[[32]byte]Record{}
	for _, at := range at {
		p2, ok := v.read(at)
		if !ok || p2.isSighting() {
			continue
		}
		r := p2.record()
		sum := snapshotSum(r.Path, r.Blob)
		if _, known := found[sum]; !known && p.begins(&sum) && s.Has(r.Blob) {
			found[sum] = r
		}
	}
	switch {
	case len(found) == 0 && err != nil:
		return "", BlobID{}, err
	case len(found) == 0:
		return "", BlobID{}, &UnknownError{Kind: kindSnapshot, ID: id, Retention: s.retention}
	case len(found) > 1:
		return "", BlobID{}, ambiguous(kindSnapshot, id, maps.Keys(found))
	}
	for _, r := range found {
		path, blob = r.Path, r.Blob
	}
	return path, blob, nil
}

// Blob finds the whole id of a stored blob: 6 to 64 hex digits. Errors as those of Span.
func (s *Store) Blob(id string) (BlobID, error) {
	p, err := parsePrefix(kindBlob, id)
	if err != nil {
		return BlobID{}, err
	}
	if s.closed.Load() {
		return BlobID{}, ErrClosed
	}
	names, err := os.ReadDir(s.path(blobsDir, string(p[:2])))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return BlobID{}, err
	}
	found := map[[32]byte]bool{}
	for _, e := range names {
		blob, ok := parseBlobName(e.Name(), blobExt)
		if !ok {
			blob, ok = parseBlobName(e.Name(), blobExt+removingExt)
		}
		if sum := [32]byte(blob); ok && p.begins(&sum) {
			found[sum] = true
		}
	}
	switch len(found) {
	case 0:
		return BlobID{}, &UnknownError{Kind: kindBlob, ID: id, Retention: s.retention}
	case 1:
		for sum := range found {
			return sum, nil
		}
	}
	return BlobID{}, ambiguous(kindBlob, id, maps.Keys(found))
}

// ambiguous lists the first candidates whole: any shorter form might be ambiguous again.
func ambiguous(kind, id string, sums func(yield func([32]byte) bool)) error {
	var all []string
	for sum := range sums {
		all = append(all, hex.EncodeToString(sum[:]))
	}
	slices.Sort(all)
	return &AmbiguousError{Kind: kind, ID: id, N: len(all), Candidates: all[:min(len(all), maxListed)]}
}
