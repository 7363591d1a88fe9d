package anchors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func table(lines ...string) *Table { return NewTable([]byte(strings.Join(lines, "\n"))) }

// worded makes a table of single words, one a line; "_" is a blank line and "~" stands for four
// blanks of indentation.
func worded(words string) *Table {
	lines := strings.Fields(words)
	for i, w := range lines {
		lines[i] = strings.ReplaceAll(strings.Replace(w, "_", "", 1), "~", "    ")
	}
	return table(lines...)
}

// partners prints the new line of each old line, with a star for moved ones.
func partners(m *LineMap) string {
	var b strings.Builder
	for n := 1; n <= m.oldLen; n++ {
		if n > 1 {
			b.WriteByte(' ')
		}
		if m.Line(n) == 0 {
			b.WriteByte('-')
			continue
		}
		fmt.Fprint(&b, m.Line(n))
		if isMoved(m, n) {
			b.WriteByte('*')
		}
	}
	return b.String()
}

// checkMap checks what is true of each map of these two texts.
func checkMap(t *testing.T, old, new *Table, m *LineMap) {
	t.Helper()
	if m.oldLen != old.Len() || m.newLen != new.Len() {
		t.Fatalf("map of %d to %d lines, want %d to %d", m.oldLen, m.newLen, old.Len(), new.Len())
	}
	last, mapped := 0, 0
	for n := 1; n <= old.Len(); n++ {
		to := m.Line(n)
		if to == 0 {
			if isMoved(m, n) {
				t.Fatalf("line %d is moved nowhere", n)
			}
			continue
		}
		mapped++
		if to > new.Len() || old.LineDigest(n) != new.LineDigest(to) {
			t.Fatalf("line %d %q became line %d %q", n, old.Line(n), to, new.Line(to))
		}
		if m.Back(to) != n {
			t.Fatalf("line %d became %d, which was %d", n, to, m.Back(to))
		}
		if !isMoved(m, n) {
			if to <= last {
				t.Fatalf("line %d is kept as %d, behind one that is kept as %d", n, to, last)
			}
			last = to
		}
	}
	for n := 1; n <= new.Len(); n++ {
		if m.Back(n) != 0 {
			mapped--
		}
	}
	if mapped != 0 {
		t.Fatalf("%d more lines have a partner in the new text than in the old one", mapped)
	}
	for _, n := range []int{-1, 0, old.Len() + 1, 1 << 40} {
		if m.Line(n) != 0 || isMoved(m, n) || m.Survivors(Span{n, n}) != 0 {
			t.Fatalf("old line %d, outside the text, is mapped", n)
		}
	}
	for _, n := range []int{-1, 0, new.Len() + 1, 1 << 40} {
		if m.Back(n) != 0 {
			t.Fatalf("new line %d, outside the text, is mapped", n)
		}
	}
}

// checkSpan checks what is said of s against the lines one by one.
func checkSpan(t *testing.T, m *LineMap, s Span) {
	t.Helper()
	count, whole := 0, s.Len() > 0
	for n := s.First; n <= s.Last && s.Len() > 0; n++ {
		if m.Line(n) != 0 {
			count++
		}
		whole = whole && m.Line(n) != 0 && m.Line(n) == m.Line(s.First)+n-s.First
	}
	if got := m.Survivors(s); got != count {
		t.Fatalf("%d lines of %v survive, want %d", got, s, count)
	}
	want := Span{}
	if whole {
		want = Span{m.Line(s.First), m.Line(s.Last)}
	}
	if got, ok := m.Span(s); got != want || ok != whole {
		t.Fatalf("%v is at %v, %v, want %v", s, got, ok, want)
	}
	next := m.Successor(s)
	if next != (Span{}) && (next.Len() == 0 || next.Last > m.newLen) {
		t.Fatalf("the successor of %v is %v of %d lines", s, next, m.newLen)
	}
	if whole && next != want {
		t.Fatalf("the successor of %v is %v, but it is at %v", s, next, want)
	}
	// What the successor has of the old text is in s or came from elsewhere into the hunks.
	for n := next.First; n <= next.Last && n > 0; n++ {
		if from := m.Back(n); from != 0 && (from < s.First || from > s.Last) && !isMoved(m, from) {
			t.Fatalf("the successor of %v is %v, of which line %d was line %d", s, next, n, from)
		}
	}
}

func TestMapLines(t *testing.T) {
	block := "move_this_function_body_elsewhere and_the_line_that_follows_it"
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"all deleted", "a b", "", "- -"},
		{"all inserted", "", "a b", ""},
		{"equal", "a b c", "a b c", "1 2 3"},
		{"insertion", "a b c", "x a b y c z", "2 3 5"},
		{"deletion", "a b c d", "b d", "- 1 - 2"},
		{"replacement", "a b c", "a x c", "1 - 3"},
		{"rare before frequent", "} } k } }", "} k } } } }", "1 - 2 3 4"},
		{"twins: the first is deleted", "def_a ~return_None _ def_b ~return_None _ def_c ~return_None", "def_a _ def_b ~return_None _ def_c ~return_None", "1 - 2 3 4 5 6 7"},
		{"twins: one is inserted above", "def_a ~return_None _ def_b ~return_None", "def_x ~return_None _ def_a ~return_None _ def_b ~return_None", "4 5 6 7 8"},
		{"twins: the middle one is replaced", "def_a ~return_None _ def_b ~return_None _ def_c ~return_None", "def_a ~return_None _ def_b ~return_x _ def_c ~return_None", "1 2 3 4 - 6 7 8"},
		{"blank lines", "_ _ a _ _ b _ c", "_ a _ _ b _ c", "1 - 2 3 4 5 6 7"},
		{"a whole twin is deleted", "def_a ~x ~return_None _ def_b ~x ~return_None _ def_c", "def_a ~x ~return_None _ def_c", "1 2 3 4 - - - - 5"},
		{"a moved block", block + " a b c d e f", "a b c d e f " + block, "7* 8* 1 2 3 4 5 6"},
		{"a block that was inserted twice", block + " a b c d e f", "a b c " + block + " d e f " + block, "- - 1 2 3 6 7 8"},
		{"a block without a line of its own", "x y long_enough_a long_enough_b x long_enough_b y long_enough_a z q", "z q x y long_enough_a long_enough_b x long_enough_b y long_enough_a", "3* 4* 5* 6* 7* 8* 9* 10* 1 2"},
		{"a copy was kept", "some_line_that_has_letters a b some_line_that_has_letters c d e", "a b some_line_that_has_letters c d x some_line_that_has_letters e", "- 1 2 3 4 5 8"},
		{"all there is was cut and pasted, though a copy was kept", "x_1 a b x_1 c d e", "a b x_1 c d x_1 e", "6* 1 2 3 4 5 7"},
		{"short, but all that was deleted and inserted", "i++ a b c d e", "a x b c d i++ e", "6* 1 3 4 5 7"},
		{"short, and not all that was inserted", "i++ a b c d e", "a b c d x i++ e", "- 1 2 3 4 7"},
		{"too little to have moved", "} _ a b c", "a b c } _", "- - 1 2 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := worded(c.old), worded(c.new)
			m := MapLines(old, new, nil)
			checkMap(t, old, new, m)
			if got := partners(m); got != c.want || !m.Complete() {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMapLinesRandom makes texts of few and of many different lines, edits them, and checks all
// there is to check.
func TestMapLinesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		words := 1 + r.IntN(1+i%60)
		line := func() string { return strings.Repeat(" ", r.IntN(3)) + fmt.Sprint("line of text ", r.IntN(words)) }
		old := make([]string, r.IntN(80))
		for i := range old {
			old[i] = line()
		}
		mid := rework(r, old, line)
		new := rework(r, mid, line)
		a, b, c := table(old...), table(mid...), table(new...)
		ab, bc := MapLines(a, b, nil), MapLines(b, c, nil)
		checkMap(t, a, b, ab)
		checkMap(t, b, c, bc)
		ac := ab.Then(bc)
		checkMap(t, a, c, ac)
		for n := 1; n <= a.Len(); n++ {
			if want := bc.Line(ab.Line(n)); ac.Line(n) != want {
				t.Fatalf("line %d is %d in the composition, want %d", n, ac.Line(n), want)
			}
			if want := ac.Line(n) != 0 && (isMoved(ab, n) || isMoved(bc, ab.Line(n))); isMoved(ac, n) != want {
				t.Fatalf("line %d is moved: %v, want %v", n, !want, want)
			}
			s := Span{n, n + r.IntN(a.Len()-n+1)}
			for _, m := range []*LineMap{ab, ac} {
				checkSpan(t, m, s)
			}
		}
		if same := MapLines(a, table(old...), nil); !same.Complete() || same.Survivors(all(a)) != a.Len() {
			t.Fatalf("a text is not itself: %s", partners(same))
		}
	}
}

// rework changes a few runs of lines: deletes them, puts others in, doubles them, moves them.
func rework(r *rand.Rand, lines []string, line func() string) []string {
	lines = slices.Clone(lines)
	for range r.IntN(4) {
		from := r.IntN(len(lines) + 1)
		to := min(from+r.IntN(6), len(lines))
		piece := slices.Clone(lines[from:to])
		switch r.IntN(4) {
		case 0:
			lines = slices.Delete(lines, from, to)
		case 1:
			for range r.IntN(6) {
				lines = slices.Insert(lines, from, line())
			}
		case 2:
			lines = slices.Insert(lines, r.IntN(len(lines)+1), piece...)
		case 3:
			lines = slices.Delete(lines, from, to)
			lines = slices.Insert(lines, r.IntN(len(lines)+1), piece...)
		}
	}
	return lines
}

func TestMapLinesStop(t *testing.T) {
	lines := make([]string, 200_000)
	for i := range lines {
		lines[i] = fmt.Sprint(i)
	}
	old := table(lines...)
	slices.Reverse(lines)
	new := table(lines...)
	asked := 0
	m := MapLines(old, new, func() bool { asked++; return true })
	if asked != 1 || m.Complete() || m.Survivors(all(old)) != 0 {
		t.Errorf("asked %d times; complete: %v; %d lines mapped", asked, m.Complete(), m.Survivors(all(old)))
	}
	if c := m.Then(MapLines(new, new, nil)); c.Complete() {
		t.Error("the composition with an incomplete map is complete")
	}
}

// TestMapLinesSteps: however texts are made, the work stays within the limits.
func TestMapLinesSteps(t *testing.T) {
	for _, p := range linePairs(6_000) {
		checkMap(t, p.old, p.new, MapLines(p.old, p.new, nil))
		lines := p.old.Len() + p.new.Len()
		limit := histogramSteps(region{0, p.old.Len(), 0, p.new.Len()}) + scriptSteps + slideSteps(lines) + 20*lines
		if got := steps(p) / stepCost; got > limit {
			t.Errorf("%s: %d steps, more than %d", p.name, got, limit)
		}
	}
}

// steps counts the work of a map, as its budget does.
func steps(p pair) int {
	asked := 0
	d := newDiffer(p.old, p.new, func() bool { asked++; return false })
	d.lineMap()
	return asked*pollEvery + d.budget.spent
}

// TestThenOfOthers: maps that do not belong together make a map of nothing that is wrong by itself.
func TestThenOfOthers(t *testing.T) {
	long, short := worded("a b c d e f"), worded("c d")
	m := MapLines(long, long, nil).Then(MapLines(short, worded("x c d"), nil))
	if m.oldLen != 6 || m.newLen != 3 || partners(m) != "2 3 - - - -" {
		t.Errorf("%d to %d lines: %s", m.oldLen, m.newLen, partners(m))
	}
	m = MapLines(short, short, nil).Then(MapLines(long, long, nil))
	if m.oldLen != 2 || m.newLen != 6 || partners(m) != "1 2" || m.Back(6) != 0 {
		t.Errorf("%d to %d lines: %s", m.oldLen, m.newLen, partners(m))
	}
	if got := new(LineMap).Then(new(LineMap)); got.Complete() || got.Line(1) != 0 || got.Successor(Span{1, 1}) != (Span{}) {
		t.Error("the composition of no maps says something")
	}
}

// isMoved says whether old line n was found as part of a moved block, out of order, and not in place.
func isMoved(m *LineMap, n int) bool {
	i := runs2old(m.moved, n)
	return i < len(m.moved) && int(m.moved[i].old) <= n
}
