package anchors

import (
	"crypto/sha256"
	"slices"
)

// Known is what the minter of an anchor remembers of the span behind it, best all of it. A field
// other than Full may be zero, which means not remembered. Without Head and Roll a search is slower
// (without Roll, over 100 times for a span of 1,000 lines that begins as every 10th line of a file
// of 1,000,000 does); without Text that check is left out.
type Known struct {
	Full Digest     // digest of the span
	Head LineDigest // digest of its first line
	Roll uint64     // fingerprint of its line digests
	// Text is SHA-256 over "ctx.text/v1", a NUL and each line of the span followed by \n. Two lines
	// with one 8-byte line digest, and so with one Full, are found in 2^32 steps, which is minutes.
	Text [32]byte
}

// Known returns what to remember of the lines of s that exist.
func (t *Table) Known(s Span) Known {
	s = t.Clamp(s)
	k := Known{Full: t.Digest(s)}
	if m := s.Len(); m > 0 {
		k.Head = t.LineDigest(s.First)
		k.Roll = newRoller(t, s.First-1, m, nil).print
	}
	k.Text, _ = t.textDigest(s, nil)
	return k
}

func (t *Table) textDigest(s Span, b *budget) (sum [32]byte, ok bool) {
	h := sha256.New()
	h.Write([]byte(textScheme))
	for n := s.First; n <= s.Last && n > 0; n++ {
		line := t.Line(n)
		h.Write(line)
		h.Write([]byte{'\n'})
		if !b.spend(len(line) + 1) {
			return sum, false
		}
	}
	h.Sum(sum[:0])
	return sum, true
}

// Outcome is what became of an anchored range.
type Outcome uint8

// The zero Outcome is the refusal, so that a result nobody filled in shows nothing.
const (
	Lost      Outcome = iota // the content stands nowhere in the text
	Verified                 // it stands where the selector says
	Relocated                // it stands elsewhere
)

// String returns "lost", "verified" or "relocated".
func (o Outcome) String() string { return [...]string{"lost", "verified", "relocated"}[o%3] }

// Check is how much of a digest was compared.
type Check uint8

const (
	Short Check = iota // the 8 hex digits of the anchor
	Full               // all that the minter remembered
)

// String returns "short" or "full".
func (c Check) String() string { return [...]string{"short", "full"}[c%2] }

// Resolution is the answer to where anchored content is now.
type Resolution struct {
	Outcome Outcome
	Span    Span  // where the content is; zero when it is lost
	Checked Check // Full when a Known was given
	// Copies counts the regions of the text with equal line digests, this one and overlapping ones
	// included; 0 when the content is lost.
	Copies int
	// Windows counts the different windows whose 8 digits were compared, 0 when Checked is Full. An
	// unrelated window passes for the content with probability Windows/2^32.
	Windows int
	// Complete is false when stop said to give up: then Lost means "not found so far" and Copies is
	// a lower bound. Verified and Relocated are true all the same.
	Complete bool
}

// Resolve says where the content of an anchored selector is in the text.
//
// The stated lines are tried first. Else the search goes outward from the stated first line,
// clamped into the text, and the nearest region wins, the earlier one at equal distance. It goes to
// both ends of the text; there is no limit on the distance. A region is found whole, with its
// length, or not at all: a span that reaches beyond the end is relocated, one longer than the text
// is lost.
//
// With known, a region must have the remembered digests, and a selector whose anchor is not that
// of known is lost. Without, it must have the 8 digits of the anchor. A selector without an anchor
// claims nothing that could be verified, and is lost.
//
// With known the time is linear in the lines of the text. Without, each different window is hashed:
// lines × length of the span in the worst case. stop, when it is not nil, is asked about every MiB
// of work, and ends the search by returning true.
func (t *Table) Resolve(sel Selector, known *Known, stop func() bool) Resolution {
	r := Resolution{Complete: true}
	if known != nil {
		r.Checked = Full
	}
	m := sel.Len()
	if !sel.Anchored || m < 1 || m > t.Len() || known != nil && known.Full.Anchor() != sel.Anchor {
		return r
	}
	s := search{
		t: t, m: m, anchor: sel.Anchor, known: known,
		hash: newHasher(anchorScheme), budget: budget{stop: stop},
	}
	at, stated := s.find(sel.First - 1)
	r.Windows = s.windows
	if at >= 0 {
		r.Span = Span{at + 1, at + m}
		r.Outcome = Relocated
		if stated {
			r.Outcome = Verified
		}
		r.Copies = max(1, t.copies(at, m, &s.budget))
	}
	r.Complete = !s.budget.stopped
	return r
}

// A search looks for one window of m lines. Lines count from 0 here.
type search struct {
	t       *Table
	m       int
	anchor  Anchor
	known   *Known
	hash    hasher
	budget  budget
	windows int
	failed  [][4]uint64 // fingerprints of windows that were hashed in vain; nil before the first
}

// stepCost is what moving a window by one line costs, in bytes hashed.
const stepCost = 4

// find returns where the window is, and whether that is the stated line; -1 when it is nowhere.
func (s *search) find(stated int) (at int, verified bool) {
	last := s.t.Len() - s.m
	if stated <= last && s.check(stated, 0) {
		return stated, true
	}
	low := newRoller(s.t, min(stated, last), s.m, &s.budget)
	high := low
	if stated > last && s.match(&low) {
		return low.at, false
	}
	for (low.at > 0 || high.at < last) && s.budget.spend(stepCost) {
		if low.at > 0 {
			if low.up(); s.match(&low) {
				return low.at, false
			}
		}
		if high.at < last {
			if high.down(); s.match(&high) {
				return high.at, false
			}
		}
	}
	return -1, false
}

// match reports whether the window r has the content, hashing it only when nothing cheaper rules
// it out.
func (s *search) match(r *roller) bool {
	if k := s.known; k != nil {
		if k.Roll != 0 && k.Roll != r.print {
			return false
		}
		if k.Head != (LineDigest{}) && k.Head != LineDigest(s.t.window(r.at, 1)) {
			return false
		}
	}
	return !s.hasFailed(r.print) && s.check(r.at, r.print)
}

// check hashes the window at line at and compares. print is the window's fingerprint, 0 when it
// has not been computed.
func (s *search) check(at int, print uint64) bool {
	if s.known == nil {
		s.windows++
	}
	sum, ok := s.hash.sum(s.t.window(at, s.m), &s.budget)
	switch {
	case !ok:
		return false
	case Digest(sum).Anchor() != s.anchor, s.known != nil && sum != s.known.Full:
		s.fail(print)
		return false
	case s.known == nil || s.known.Text == [32]byte{}:
		return true
	}
	// A difference here is not noted as failed: the true content may have these line digests too.
	text, ok := s.t.textDigest(Span{at + 1, at + s.m}, &s.budget)
	return ok && text == s.known.Text
}

// fail notes that windows with this fingerprint are not the content. The notes are a cache of at
// most 512 KiB, in buckets of 4, the latest first. It makes repetitive files cheap (without it,
// 1,000,000 equal lines and a span of 1,000 mean hashing 8 GB) and forgets old notes in others. With
// buckets of 1 two windows of one period that fall together evict each other every time: 70 MiB
// hashed, not 9, in a block of 1,000 lines repeated 1,000 times.
func (s *search) fail(print uint64) {
	if print == 0 {
		return
	}
	if s.failed == nil {
		size := 1
		for size < 1<<14 && size < s.t.Len() {
			size *= 2
		}
		s.failed = make([][4]uint64, size)
	}
	b := s.bucket(print)
	copy(b[1:], b[:])
	b[0] = print
}

func (s *search) hasFailed(print uint64) bool {
	return s.failed != nil && print != 0 && slices.Contains(s.bucket(print)[:], print)
}

func (s *search) bucket(print uint64) *[4]uint64 {
	return &s.failed[print*base>>32&uint64(len(s.failed)-1)]
}
