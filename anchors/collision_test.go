package anchors

import (
	"bytes"
	"fmt"
	"testing"
)

// forge finds two different texts of two lines with one anchor and one first line. It is a search
// for a birthday: 2^16 texts make a pair more likely than not.
func forge(t *testing.T) (a, b []byte) {
	t.Helper()
	seen := map[Anchor][]byte{}
	for i := range 1 << 20 {
		src := fmt.Appendf(nil, "if x {\n\treturn %d\n", i)
		tab := NewTable(src)
		anchor := tab.Digest(all(tab)).Anchor()
		if other := seen[anchor]; other != nil {
			return other, src
		}
		seen[anchor] = src
	}
	t.Fatal("no two of 2^20 texts have one anchor")
	return nil, nil
}

// TestForgedAnchor replaces what was minted by other content with the same 8 digits, in place and
// elsewhere.
func TestForgedAnchor(t *testing.T) {
	a, b := forge(t)
	if bytes.Equal(a, b) {
		t.Fatal("not a forgery")
	}
	sel, known := mint(NewTable(a), Span{1, 2})
	for _, c := range []struct {
		src   []byte
		short Outcome // what 8 digits alone cannot tell
		full  Outcome
		at    int
	}{
		{a, Verified, Verified, 1},
		{b, Verified, Lost, 1},
		{append([]byte("x\n"), b...), Relocated, Lost, 2},
		{concat(b, a), Verified, Relocated, 3},
		{concat([]byte("x\n"), b, a), Relocated, Relocated, 4},
	} {
		tab := NewTable(c.src)
		for name, k := range partial(known) {
			want := c.full
			if k == nil {
				want = c.short
			}
			r := tab.Resolve(sel, k, nil)
			if r.Outcome != want {
				t.Errorf("%q, %s: %+v, want %v", c.src, name, r, want)
			}
			if k != nil && r.Outcome != Lost && (r.Span.First != c.at || r.Copies != 1) {
				t.Errorf("%q, %s: %+v, want line %d", c.src, name, r, c.at)
			}
		}
	}
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestForgedLine does the same with two lines that have one 8-byte digest, and so one full digest.
// The pair took 3.1e9 hashes, 5 minutes of one core, by the method of distinguished points. Only
// the digest of the text tells them apart.
func TestForgedLine(t *testing.T) {
	a, b := []byte("token = \"e1d62b89dbe4e3ea\"\n"), []byte("token = \"ac2f7d554c346ad3\"\n")
	sel, known := mint(NewTable(a), Span{1, 1})
	if _, other := mint(NewTable(b), Span{1, 1}); other.Full != known.Full || other.Text == known.Text {
		t.Fatalf("%v and %v are no forgery", known, other)
	}
	for _, c := range []struct {
		src     []byte
		outcome Outcome
		at      int
	}{
		{a, Verified, 1},
		{b, Lost, 0},
		{concat([]byte("x\n"), b), Lost, 0},
		{concat(b, b, a), Relocated, 3},
	} {
		if r := NewTable(c.src).Resolve(sel, &known, nil); r.Outcome != c.outcome || r.Span.First != c.at {
			t.Errorf("%q: %+v, want %v at %d", c.src, r, c.outcome, c.at)
		}
	}
	without := known
	without.Text = [32]byte{}
	if r := NewTable(b).Resolve(sel, &without, nil); r.Outcome != Verified {
		t.Errorf("without its text: %+v", r)
	}
}
