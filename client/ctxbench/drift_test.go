package main

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

func span(first, last int) anchors.Span { return anchors.Span{First: first, Last: last} }

func textOf(words string) *anchors.Table {
	return anchors.NewTable([]byte(strings.Join(strings.Fields(words), "\n") + "\n"))
}

// TestParseLog: hunks are parted where lines of context stand between, a line of a hunk that looks like a header
// is none, and what has no hunks is left out.
func TestParseLog(t *testing.T) {
	const log = `commit aaaa pppp qqqq

diff --git a/dir/a b.go b/dir/a b.go
index 1111..2222 100644
--- a/dir/a b.go	
+++ b/dir/a b.go	
@@ -1,5 +1,6 @@ func x() {
 keep
-old
+++ new
+commit
 keep
--- deleted
+inserted
 keep
@@ -9 +10,0 @@
-last
\ No newline at end of file
diff --git a/binary b/binary
index 3333..4444 100644
Binary files a/binary and b/binary differ
diff --git "a/quoted\n" "b/quoted\n"
index 5555..6666 100644
--- "a/quoted\n"
+++ "b/quoted\n"
@@ -1 +1 @@
-x
+y
commit bbbb

diff --git a/c b/c
index 7777..8888 100644
--- a/c
+++ b/c
@@ -0,0 +1,2 @@
+one
+two
`
	var got []change
	if err := parseLog(bufio.NewReader(strings.NewReader(log)), func(c change) error { got = append(got, c); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []change{
		{"aaaa", "pppp", "dir/a b.go", "1111", "2222", []hunk{{span(2, 2), span(2, 3)}, {span(4, 4), span(5, 5)}, {span(9, 9), span(11, 10)}}},
		{"bbbb", "", "c", "7777", "8888", []hunk{{span(1, 0), span(1, 2)}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if err := parseLog(bufio.NewReader(strings.NewReader("+++ b/x\n@@ -1,2 +1,2 @@\n a\n")), nil); err == nil {
		t.Error("a log that ends in a hunk is read without an error")
	}
}

func TestGitMap(t *testing.T) {
	// Lines 2:3 became 2, two lines were inserted before 5, and 7 was deleted.
	m, err := newGitMap([]hunk{{span(2, 3), span(2, 2)}, {span(5, 4), span(4, 5)}, {span(7, 7), span(8, 7)}}, 8, 8)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 0, 0, 3, 6, 7, 0, 8}; !reflect.DeepEqual(m.line, want) {
		t.Errorf("lines became %v, want %v", m.line, want)
	}
	if to, ok := m.span(span(5, 6)); !ok || to != span(6, 7) {
		t.Errorf("5:6 is at %v, %v", to, ok)
	}
	for _, s := range []anchors.Span{span(4, 5), span(1, 2), span(6, 8)} {
		if to, ok := m.span(s); ok {
			t.Errorf("%v is at %v, but it has a hunk inside", s, to)
		}
	}
	for _, c := range []struct {
		n     int
		s     anchors.Span
		edges bool
		want  bool
	}{
		{2, span(3, 3), false, true}, {2, span(4, 4), false, false}, {3, span(4, 4), false, true},
		{4, span(4, 5), false, true}, {4, span(5, 6), false, false}, {4, span(5, 6), true, true}, {4, span(2, 4), true, true}, {4, span(1, 3), true, false},
	} {
		if got := m.replaced(c.n, c.s, c.edges); got != c.want {
			t.Errorf("new line %d stands for %v: %v", c.n, c.s, got)
		}
	}
	for _, bad := range [][]hunk{{{span(2, 3), span(3, 3)}}, {{span(2, 9), span(2, 2)}}, {{span(5, 5), span(5, 5)}, {span(4, 4), span(4, 4)}}} {
		if _, err := newGitMap(bad, 8, 8); err == nil {
			t.Errorf("%v fits", bad)
		}
	}
}

// TestJudge: one answer of each sort.
func TestJudge(t *testing.T) {
	old, new := textOf("a b c d a b e f g h"), textOf("x a b c d a b e y z g")
	m, err := newGitMap([]hunk{{span(1, 0), span(1, 1)}, {span(8, 8), span(9, 10)}, {span(10, 10), span(12, 11)}}, old.Len(), new.Len())
	if err != nil {
		t.Fatal(err)
	}
	is := fate{old, new, m}
	at := func(first, last int) *wire.Lines { return &wire.Lines{first, last} }
	lost := func(kind string, lines *wire.Lines) outcome {
		return outcome{Outcome: wire.Lost, Error: &lostError{Became: &became{kind, lines}}}
	}
	for _, c := range []struct {
		s    anchors.Span
		o    outcome
		want driftTally
	}{
		{span(5, 6), outcome{Outcome: wire.Relocated, Lines: at(6, 7)}, driftTally{relocated: 1}},
		{span(5, 6), outcome{Outcome: wire.Relocated, Lines: at(2, 3), Identity: "proven", Copies: 2}, driftTally{relocated: 1, identity: 1}},
		{span(5, 6), outcome{Outcome: wire.Relocated, Lines: at(2, 3), Identity: "content", Copies: 2}, driftTally{relocated: 1, identity: 1, doubted: 1}},
		{span(5, 6), outcome{Outcome: wire.Verified, Lines: at(5, 6)}, driftTally{verified: 1, content: 1}},
		{span(5, 6), outcome{Outcome: wire.Verified, Lines: at(50, 51)}, driftTally{verified: 1, content: 1}},
		{span(5, 6), lost("edited", at(6, 7)), driftTally{refused: 1, alive: 1}},
		{span(8, 8), lost("edited", at(9, 10)), driftTally{refused: 1, edited: 1, right: 1, advice: map[string]int{"edited": 1}}},
		{span(8, 8), lost("edited", at(9, 11)), driftTally{refused: 1, edited: 1, advice: map[string]int{"edited": 1}}},
		{span(10, 10), lost("deleted", nil), driftTally{refused: 1, advice: map[string]int{"deleted": 1}}},
		{span(10, 10), outcome{Outcome: wire.Lost}, driftTally{refused: 1, advice: map[string]int{"none": 1}}},
		{span(10, 10), outcome{Outcome: "error"}, driftTally{failed: 1}},
	} {
		var got driftTally
		wrong := got.judge(followed{span: c.s}, c.o, is)
		c.want.asked = 1
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, %v: %+v, want %+v", c.s, c.o, got, c.want)
		}
		if bad := c.want.content + c.want.identity + c.want.alive + c.want.failed + c.want.edited - c.want.right; (wrong != "") != (bad > 0) {
			t.Errorf("%v, %v: %q", c.s, c.o, wrong)
		}
	}
}

// TestSlides: of two equal lines nobody can say which is the new one, and which was deleted.
func TestSlides(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
		hunk     hunk
		s, to    anchors.Span
		want     bool
	}{
		{"an insertion, up", "k } a b", "k } n } a b", hunk{span(3, 2), span(3, 4)}, span(2, 4), span(4, 6), true},
		{"an insertion, down", "k } a b", "k } n } a b", hunk{span(2, 1), span(2, 3)}, span(1, 2), span(1, 2), true},
		{"an insertion of others", "k } a b", "k } n m a b", hunk{span(3, 2), span(3, 4)}, span(2, 4), span(4, 6), false},
		{"a deletion, up", "k } } a", "k } a", hunk{span(3, 3), span(3, 2)}, span(3, 4), span(2, 3), true},
		{"a deletion, down", "k } } a", "k } a", hunk{span(2, 2), span(2, 1)}, span(1, 2), span(1, 2), true},
		{"elsewhere", "k } a b", "k } n } a b", hunk{span(3, 2), span(3, 4)}, span(2, 4), span(2, 4), false},
	} {
		old, new := textOf(c.old), textOf(c.new)
		m, err := newGitMap([]hunk{c.hunk}, old.Len(), new.Len())
		if err != nil {
			t.Fatal(err)
		}
		if got := (fate{old, new, m}).slides(c.s, c.to); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestShapes: every edit says truly which line is which, and does what its name says.
func TestShapes(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	old := textOf("a b } c d } e } f g h i j } k l m } n o")
	for _, shape := range shapes {
		made := 0
		for range 300 {
			first := 1 + chance.IntN(old.Len())
			s := span(first, min(old.Len(), first+chance.IntN(5)))
			e := newEdited(old, new(int))
			if shape.edit(e, s, chance); e.void {
				continue
			}
			made++
			is := e.fate()
			for n := 1; n <= old.Len(); n++ {
				if to := is.line[n]; to != 0 && (is.back[to] != n || old.LineDigest(n) != is.new.LineDigest(to)) {
					t.Fatalf("%s of %v: line %d became %d, which was %d", shape.name, s, n, to, is.back[to])
				}
			}
			_, alive := is.span(s)
			if alive == (shape.name == "rewrite the span") {
				t.Fatalf("%s of %v: it is there: %v", shape.name, s, alive)
			}
			if !alive && (len(is.hunks) != 1 || is.hunks[0] != hunk{s, s}) {
				t.Fatalf("%s of %v: hunks %v", shape.name, s, is.hunks)
			}
		}
		if made == 0 {
			t.Errorf("%s: every edit is void", shape.name)
		}
	}
}

func TestDriftChart(t *testing.T) {
	bad, good := newDriftReport("a<b>", nearestCopy), newDriftReport("a<b>", withCaptures)
	bad.rows[0] = driftTally{asked: 100, identity: 5}
	good.rows[0] = driftTally{asked: 100}
	chart, err := driftChart([]*driftReport{good, bad})
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(chart))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, chart)
		}
	}
	for _, want := range []string{"a&lt;b&gt;", ">50.00<", ">0.00<", nearestCopy, withCaptures} {
		if !bytes.Contains(chart, []byte(want)) {
			t.Errorf("no %q in\n%s", want, chart)
		}
	}
	if bytes.Contains(chart, []byte(historyAlone)) {
		t.Error("the legend has what is not drawn")
	}
}
