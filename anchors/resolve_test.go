package anchors

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func mint(t *Table, s Span) (Selector, Known) {
	k := t.Known(s)
	return Selector{s, k.Full.Anchor(), true}, k
}

// partial returns known as minters of different diligence remember it.
func partial(k Known) map[string]*Known {
	return map[string]*Known{
		"short":     nil,
		"full only": {Full: k.Full},
		"full head": {Full: k.Full, Head: k.Head},
		"full roll": {Full: k.Full, Roll: k.Roll},
		"all":       &k,
	}
}

// CASES A6, A12.
func TestResolve(t *testing.T) {
	before := text("def alpha():", "    return 1", "", "def beta():", "    return 2", "", "def gamma():", "    return 3")
	sel, known := mint(NewTable(before), Span{4, 5})
	if sel.String() != "4:5@07407f1c" {
		t.Fatalf("minted %v", sel)
	}
	for _, c := range []struct {
		name, src string
		outcome   Outcome
		span      Span
		copies    int
	}{
		{"untouched", string(before), Verified, Span{4, 5}, 1},
		{"crlf", strings.ReplaceAll(string(before), "\n", "\r\n"), Verified, Span{4, 5}, 1},
		{"no final newline", "\n\n\ndef beta():\n    return 2", Verified, Span{4, 5}, 1},
		{"two imports above", "import os\nimport sys\n" + string(before), Relocated, Span{6, 7}, 1},
		{"file shrank", "def beta():\n    return 2\n", Relocated, Span{1, 2}, 1},
		{"at the start of what is left", "def beta():\n    return 2\nx\n", Relocated, Span{1, 2}, 1},
		{"at the end of what is left", "x\ndef beta():\n    return 2\n", Relocated, Span{2, 3}, 1},
		{"body edited", strings.Replace(string(before), "return 2", "return 22", 1), Lost, Span{}, 0},
		{"dedented", strings.Replace(string(before), "    return 2", "return 2", 1), Lost, Span{}, 0},
		{"tabs", strings.Replace(string(before), "    return 2", "\treturn 2", 1), Lost, Span{}, 0},
		{"trailing blanks", strings.Replace(string(before), "return 2", "return 2  ", 1), Lost, Span{}, 0},
		{"a line in between", strings.Replace(string(before), "beta():\n", "beta():\n\n", 1), Lost, Span{}, 0},
		{"ends apart", "def beta():\nx\n    return 2\n", Lost, Span{}, 0},
		{"order swapped", "    return 2\ndef beta():\n", Lost, Span{}, 0},
		{"last line copied below", string(before) + "    return 2\n", Verified, Span{4, 5}, 1},
		{"copy below", string(before) + "def beta():\n    return 2\n", Verified, Span{4, 5}, 2},
		{"shorter than the span", "def beta():\n", Lost, Span{}, 0},
		{"empty", "", Lost, Span{}, 0},
	} {
		for name, k := range partial(known) {
			r := NewTable([]byte(c.src)).Resolve(sel, k, nil)
			if r.Outcome != c.outcome || r.Span != c.span || r.Copies != c.copies || !r.Complete ||
				(r.Checked == Full) != (k != nil) || k != nil && r.Windows != 0 {
				t.Errorf("%s, %s: %+v, want %v at %v, %d copies", c.name, name, r, c.outcome, c.span, c.copies)
			}
		}
	}
}

// TestResolveMeaningless asks for what no address can mean.
func TestResolveMeaningless(t *testing.T) {
	const most = int(^uint(0) >> 1)
	tab := NewTable(text("a", "b"))
	sel, known := mint(tab, Span{1, 1})
	other := tab.Known(Span{2, 2})
	for _, c := range []struct {
		sel   Selector
		known *Known
	}{
		{Selector{}, nil},
		{Selector{}, &Known{}},
		{Selector{Span: Span{1, 1}}, nil},    // no anchor
		{Selector{Span: Span{1, 1}}, &known}, // no anchor
		{Selector{sel.Span, sel.Anchor, false}, &known},
		{sel, &other}, // another address's memory
		{Selector{Span{0, 1}, sel.Anchor, true}, &known},
		{Selector{Span{2, 1}, sel.Anchor, true}, nil},
		{Selector{Span{-most - 1, most}, sel.Anchor, true}, nil},
		{Selector{Span{1, most}, sel.Anchor, true}, &known},
	} {
		if r := tab.Resolve(c.sel, c.known, nil); r.Outcome != Lost || r.Span != (Span{}) || r.Copies != 0 || !r.Complete {
			t.Errorf("%v: %+v", c.sel, r)
		}
	}
	far := Selector{Span{most, most}, sel.Anchor, true}
	if r := tab.Resolve(far, &known, nil); r.Outcome != Relocated || r.Span != (Span{1, 1}) {
		t.Errorf("%v: %+v", far, r)
	}
	if got := fmt.Sprint(Lost, Verified, Relocated, Short, Full, Outcome(7), Check(7)); got != "lost verified relocated short full verified full" {
		t.Error(got)
	}
}

// TestResolveFar has no limit on the distance.
func TestResolveFar(t *testing.T) {
	var src bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintln(&src, "line", i)
	}
	tab := NewTable(src.Bytes())
	for _, at := range []int{1, 25_000, 49_998} {
		for _, near := range []int{1, 25_000, 49_998, 90_000} {
			sel, known := mint(tab, Span{at, at + 2})
			sel.Span = Span{near, near + 2}
			for name, k := range partial(known) {
				r := tab.Resolve(sel, k, nil)
				if r.Outcome == Lost || r.Span != (Span{at, at + 2}) || r.Copies != 1 {
					t.Errorf("%s: %d from %d: %+v", name, at, near, r)
				}
				if k == nil && (r.Windows < 1 || r.Windows > tab.Len()) {
					t.Errorf("%d from %d: %d windows", at, near, r.Windows)
				}
			}
		}
	}
}

// TestResolveModel compares Resolve with naiveResolve on small texts of few different lines, where
// copies, overlaps, ties and ends of the file are common.
func TestResolveModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	draw := func(n, kinds int) []byte {
		var b []byte
		for range n {
			b = append(b, byte('a'+rnd.IntN(kinds)))
			b = append(b, []string{"\n", "\n", "\r\n", "\r"}[rnd.IntN(4)]...)
		}
		return b
	}
	seen := map[Outcome]int{}
	for range 6_000 {
		kinds := 1 + rnd.IntN(3)
		src := draw(rnd.IntN(14), kinds)
		minted := NewTable(draw(1+rnd.IntN(5), kinds))
		sel, known := mint(minted, all(minted))
		sel.First += rnd.IntN(16)
		sel.Last = sel.First + minted.Len() - 1
		tab := NewTable(src)
		for name, k := range partial(known) {
			want := naiveResolve(naiveLines(src), sel, k)
			got := tab.Resolve(sel, k, nil)
			got.Windows = 0
			if got != want {
				t.Fatalf("%s: %v (%q) in %q:\n%+v, want\n%+v", name, sel, minted.Source(), src, got, want)
			}
			seen[got.Outcome]++
		}
	}
	for _, o := range []Outcome{Lost, Verified, Relocated} {
		if seen[o] < 1000 {
			t.Errorf("only %d of the cases are %v", seen[o], o)
		}
	}
}

// TestCopiesModel counts in texts with long periods, for borders longer than the array on the stack.
func TestCopiesModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		period := text(strings.Split(strings.Repeat("a", rnd.IntN(4))+strings.Repeat("b", 1+rnd.IntN(3)), "")...)
		src := bytes.Repeat(period, 1+400/len(period))
		if i := rnd.IntN(len(src) / 2); rnd.IntN(2) == 0 {
			src[2*i] = 'c'
		}
		tab := NewTable(src)
		m := 1 + rnd.IntN(tab.Len())
		at := rnd.IntN(tab.Len() - m + 1)
		want := 0
		for i := 0; i+m <= tab.Len(); i++ {
			if bytes.Equal(tab.window(i, m), tab.window(at, m)) {
				want++
			}
		}
		if got := tab.copies(at, m, nil); got != want {
			t.Fatalf("%d lines at %d of %q: %d copies, want %d", m, at, src, got, want)
		}
	}
}

// edit changes a text as people do: lines are inserted, deleted, replaced, moved and copied, and
// line endings rewritten.
func edit(rnd *rand.Rand, lines []string) []string {
	lines = slices.Clone(lines)
	for range 1 + rnd.IntN(4) {
		i := rnd.IntN(len(lines) + 1)
		j := i + rnd.IntN(min(4, len(lines)-i+1))
		block := slices.Clone(lines[i:j])
		switch rnd.IntN(5) {
		case 0:
			lines = slices.Insert(lines, i, fmt.Sprint("new ", rnd.IntN(3)))
		case 1:
			lines = slices.Delete(lines, i, j)
		case 2:
			for k := range block {
				lines[i+k] += " "
			}
		case 3:
			lines = slices.Delete(lines, i, j)
			lines = slices.Insert(lines, rnd.IntN(len(lines)+1), block...)
		case 4:
			lines = slices.Insert(lines, rnd.IntN(len(lines)+1), block...)
		}
	}
	return lines
}

// TestResolveAfterEdits is the promise of the package: whatever the edit, exactly the addressed
// lines or a refusal, and a refusal only when they are gone.
// CASES A12.
func TestResolveAfterEdits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	seen := map[Outcome]int{}
	for range 5000 {
		var lines []string
		for range 1 + rnd.IntN(30) {
			lines = append(lines, strings.Repeat("\t", rnd.IntN(2))+fmt.Sprint("l", rnd.IntN(20)))
		}
		before := NewTable(text(lines...))
		first := 1 + rnd.IntN(len(lines))
		span := Span{first, first + rnd.IntN(min(5, len(lines)-first+1))}
		sel, known := mint(before, span)
		want := text(lines[span.First-1 : span.Last]...)

		nl := []string{"\n", "\r\n"}[rnd.IntN(2)]
		after := NewTable([]byte(strings.Join(edit(rnd, lines), nl) + nl))
		for name, k := range partial(known) {
			r := after.Resolve(sel, k, nil)
			seen[r.Outcome]++
			if r.Outcome == Lost {
				if bytes.Contains(normal(after, all(after)), append([]byte("\n"), want...)) {
					t.Fatalf("%s: %v (%q) is refused in %q", name, sel, want, after.Source())
				}
				continue
			}
			if got := normal(after, r.Span); !bytes.Equal(got[1:], want) {
				t.Fatalf("%s: %v is %q, want %q in %q", name, sel, got, want, after.Source())
			}
			if (r.Outcome == Verified) != (r.Span == span) {
				t.Fatalf("%s: %v is %v at %v", name, sel, r.Outcome, r.Span)
			}
		}
	}
	for _, o := range []Outcome{Lost, Verified, Relocated} {
		if seen[o] < 1000 {
			t.Errorf("only %d of the cases are %v", seen[o], o)
		}
	}
}

// normal returns lines as text that ends in \n, with one \n in front.
func normal(t *Table, s Span) []byte {
	b := []byte("\n")
	for n := s.First; n <= s.Last; n++ {
		b = append(append(b, t.Line(n)...), '\n')
	}
	return b
}

// TestFailed never takes a fingerprint of 0 for a note: empty places in the cache are 0.
func TestFailed(t *testing.T) {
	s := search{t: NewTable(numbered(100))}
	if s.fail(0); s.failed != nil {
		t.Error("0 was noted")
	}
	for print := uint64(1); print < 300; print++ {
		s.fail(print)
		if !s.hasFailed(print) || s.hasFailed(print+1) || s.hasFailed(0) {
			t.Fatalf("%d: %v, %d: %v, 0: %v", print, s.hasFailed(print), print+1, s.hasFailed(print+1), s.hasFailed(0))
		}
	}
}
