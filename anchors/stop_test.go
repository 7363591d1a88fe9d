package anchors

import (
	"bytes"
	"fmt"
	"testing"
)

// numbered is a text of n different lines.
func numbered(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintln(&b, "line", i)
	}
	return b.Bytes()
}

// after returns a stop that says to give up at the n-th question, and the number of questions.
func after(n int) (stop func() bool, asked *int) {
	asked = new(int)
	return func() bool { *asked++; return *asked >= n }, asked
}

// TestStop gives up at each question in turn, until there are no more.
func TestStop(t *testing.T) {
	const n = 300_000
	tab := NewTable(numbered(n))
	huge := Span{n/4 + 1, 3 * n / 4}
	_, known := mint(tab, huge)
	gone := known
	gone.Full[31] ^= 1 // the same anchor and fingerprint on nothing
	for _, c := range []struct {
		name  string
		sel   Selector
		known *Known
		least int // questions
	}{
		{"huge, verified", Selector{huge, known.Full.Anchor(), true}, &known, 2},
		{"huge, relocated by one", Selector{Span{huge.First + 1, huge.Last + 1}, known.Full.Anchor(), true}, &known, 3},
		{"huge, lost", Selector{huge, gone.Full.Anchor(), true}, &gone, 2},
		{"short, lost", Selector{Span{7, 9}, Anchor{1, 2, 3, 4}, true}, nil, 10},
	} {
		want := tab.Resolve(c.sel, c.known, nil)
		if !want.Complete {
			t.Fatalf("%s: not complete without a stop: %+v", c.name, want)
		}
		for limit := 1; ; limit++ {
			stop, asked := after(limit)
			r := tab.Resolve(c.sel, c.known, stop)
			if *asked > limit {
				t.Fatalf("%s: asked %d times after it was told to stop at %d", c.name, *asked, limit)
			}
			if r.Complete {
				if *asked < c.least || r != want {
					t.Errorf("%s: %+v after %d questions, want %+v and %d", c.name, r, *asked, want, c.least)
				}
				break
			}
			if r.Outcome != Lost && (r.Outcome != want.Outcome || r.Span != want.Span || r.Copies != 1) {
				t.Errorf("%s, stopped at %d: %+v, want lost or %+v", c.name, limit, r, want)
			}
		}
	}
}

// TestStopHuge must not begin the 500,001 windows of 4 MB each that a span of half the file has.
func TestStopHuge(t *testing.T) {
	const n = 1_000_000
	tab := NewTable(numbered(n))
	sel := Selector{Span{1, n / 2}, Anchor{1, 2, 3, 4}, true}
	stop, asked := after(1)
	if r := tab.Resolve(sel, nil, stop); r.Outcome != Lost || r.Complete || r.Windows > 1 || *asked != 1 {
		t.Errorf("%+v, asked %d times", r, *asked)
	}
	stop, asked = after(100)
	if r := tab.Resolve(sel, nil, stop); r.Outcome != Lost || r.Complete || r.Windows > 60 || *asked != 100 {
		t.Errorf("%+v, asked %d times", r, *asked)
	}
}

// TestRepetitive bounds the work in files where nearly every window looks alike, by counting the
// questions to stop: one for each MiB of work.
func TestRepetitive(t *testing.T) {
	const n = 300_000
	equal := NewTable(bytes.Repeat([]byte("x\n"), n))
	odd := NewTable(append(bytes.Repeat([]byte("x\n"), 999), "y\n"...))
	period := NewTable(bytes.Repeat(numbered(1000), n/1000))
	for _, c := range []struct {
		name string
		in   *Table
		of   *Table // the span of 1,000 lines is minted here
		want Outcome
		n    int // copies
	}{
		{"equal lines, found", equal, NewTable(bytes.Repeat([]byte("x\n"), 1000)), Verified, n - 999},
		{"equal lines, lost", equal, odd, Lost, 0},
		{"period of 1,000, found", period, NewTable(numbered(1000)), Relocated, n / 1000},
		{"period of 1,000, lost", period, odd, Lost, 0},
	} {
		sel, known := mint(c.of, Span{1, 1000})
		sel.Span = Span{150_500, 151_499}
		for name, k := range partial(known) {
			stop, asked := after(1 << 30)
			r := c.in.Resolve(sel, k, stop)
			if r.Outcome != c.want || r.Copies != c.n {
				t.Errorf("%s, %s: %+v, want %v, %d copies", c.name, name, r, c.want, c.n)
			}
			// Each window hashed anew would be 2,400 MiB.
			if *asked > 15 {
				t.Errorf("%s, %s: %d MiB of work", c.name, name, *asked)
			}
		}
	}
}
