package anchors

import (
	"strings"
	"testing"
)

// threeTwins has the line "    return None" at 3, 7 and 11.
const threeTwins = "import os\ndef a():\n    return None\n\n# b\ndef b():\n    return None\n\n# c\ndef c():\n    return None\n"

// TestTwins: which of several equal lines is the addressed one is told by what stands around them
// (CASES A1). The zero span means that it is gone.
func TestTwins(t *testing.T) {
	const none = "    return None\n"
	lines := strings.SplitAfter(threeTwins, "\n")
	without := func(n int) string { return strings.Join(lines[:n-1], "") + strings.Join(lines[n:], "") }
	before := func(n int, put string) string {
		return strings.Join(lines[:n-1], "") + put + strings.Join(lines[n-1:], "")
	}
	for _, c := range []struct {
		name, old, new string
		s, want        Span
	}{
		{"the first twin is deleted", threeTwins, without(3), Span{7, 7}, Span{6, 6}},
		{"the first twin is deleted, and asked for", threeTwins, without(3), Span{3, 3}, Span{}},
		{"the last twin is deleted, and asked for", threeTwins, without(11), Span{11, 11}, Span{}},
		{"a twin is inserted above, with its function", threeTwins, before(2, "def z():\n"+none+"\n"), Span{7, 7}, Span{10, 10}},
		{"a twin is inserted above, alone", threeTwins, before(2, none), Span{7, 7}, Span{8, 8}},
		{"the addressed twin is replaced", threeTwins, strings.Replace(threeTwins, "def b():\n"+none, "def b():\n    return 1\n", 1), Span{7, 7}, Span{}},
		{"the addressed twin is replaced, the others stay", threeTwins, strings.Replace(threeTwins, "def b():\n"+none, "def b():\n    return 1\n", 1), Span{11, 11}, Span{11, 11}},
		{"the functions change places", threeTwins, "import os\n# c\ndef c():\n" + none + "\n# b\ndef b():\n" + none + "def a():\n" + none + "\n", Span{5, 7}, Span{6, 8}},
		{"blank lines, one more above", threeTwins, before(2, "\n"), Span{8, 8}, Span{9, 9}},
		{"blank lines, the first is deleted", threeTwins, without(4), Span{8, 8}, Span{7, 7}},
		{"blank lines, the addressed is deleted", threeTwins, without(8), Span{8, 8}, Span{}},
		{"two blank lines, two more elsewhere", "a\n\n\nb\n\n\nc\n", "a\n\n\nx\n\n\nb\n\n\nc\n", Span{5, 6}, Span{8, 9}},
	} {
		old, new := NewTable([]byte(c.old)), NewTable([]byte(c.new))
		m := MapLines(old, new, nil)
		checkMap(t, old, new, m)
		if got, ok := m.Span(c.s); got != c.want || ok != (c.want != Span{}) {
			t.Errorf("%s: %v is at %v, want %v; lines became %s", c.name, c.s, got, c.want, partners(m))
		}
	}
}

// TestSuccessor: the lines that stand for a span, from the lines that are left of it and what replaced the others.
func TestSuccessor(t *testing.T) {
	moved := "a_line_that_is_long_enough_to_have_moved and_another_line_that_goes_with_it"
	for _, c := range []struct {
		name, old, new string
		s, want        Span
	}{
		{"unchanged", "a b c d", "x a b c d", Span{2, 3}, Span{3, 4}},
		{"a line inside is replaced", "a b c d", "a b x y d", Span{2, 4}, Span{2, 5}},
		{"lines were put inside", "a b c d", "a b x y c d", Span{2, 3}, Span{2, 5}},
		{"lines were put before and behind", "a b c d", "a x b c y d", Span{2, 3}, Span{3, 4}},
		{"the first line is replaced", "a b c d", "a x y c d", Span{2, 3}, Span{2, 4}},
		{"the last line is replaced", "a b c d", "a b x y d", Span{2, 3}, Span{2, 4}},
		{"all is replaced", "a b c d", "a x y z d", Span{2, 3}, Span{2, 4}},
		{"all is replaced, line by line", "a b c d e", "a x y z e", Span{3, 4}, Span{3, 4}},
		{"a part of what was replaced", "a b c d e", "a x y e", Span{3, 4}, Span{2, 3}},
		{"a hunk that begins before", "a b c d e", "a x y z d e", Span{3, 4}, Span{4, 5}},
		{"a hunk that ends behind", "a b c d e", "a b x y z e", Span{2, 3}, Span{2, 3}},
		{"deleted", "a b c d", "a d", Span{2, 3}, Span{}},
		{"half deleted", "a b c d", "a b d", Span{2, 3}, Span{2, 2}},
		{"everything is deleted", "a b", "", Span{1, 2}, Span{}},
		{"everything is replaced", "a b", "x y z", Span{1, 1}, Span{1, 3}},
		{"moved", moved + " a b c d", "a b c d " + moved, Span{1, 2}, Span{5, 6}},
		{"moved in part", moved + " x a b c d", "a b c d " + moved + " y", Span{1, 3}, Span{5, 6}},
		{"deleted where another block came", "a b c d " + moved, "a " + moved + " d", Span{2, 3}, Span{}},
		{"deleted where another block came, with more", "a b c d " + moved, "a x " + moved + " d", Span{2, 3}, Span{2, 2}},
		{"a span that reaches beyond the end", "a b c d", "a b x", Span{3, 9}, Span{3, 3}},
		{"no span", "a b", "a b", Span{3, 2}, Span{}},
		{"a span outside", "a b", "a b", Span{3, 4}, Span{}},
	} {
		old, new := worded(c.old), worded(c.new)
		m := MapLines(old, new, nil)
		checkMap(t, old, new, m)
		if got := m.Successor(c.s); got != c.want {
			t.Errorf("%s: of %v it is %v, want %v; lines became %s", c.name, c.s, got, c.want, partners(m))
		}
	}
}

// TestSlide: where a hunk could stand in several places, it stands where a block begins.
func TestSlide(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"a function before another", "func a() {\n\treturn\n}\n\nfunc b() {\n\treturn\n}\n",
			"func a() {\n\treturn\n}\n\nfunc x() {\n\treturn\n}\n\nfunc b() {\n\treturn\n}\n", "1 2 3 4 9 10 11"},
		{"a function at the end", "func a() {\n\treturn\n}\n", "func a() {\n\treturn\n}\n\nfunc b() {\n\treturn\n}\n", "1 2 3"},
		{"a method in a class", "class A:\n    def a(self):\n        pass\n\n    def b(self):\n        pass\n",
			"class A:\n    def a(self):\n        pass\n\n    def x(self):\n        pass\n\n    def b(self):\n        pass\n", "1 2 3 4 8 9"},
		{"a case of a switch", "\tcase 1:\n\t\tf()\n\t\tbreak\n\tcase 2:\n\t\tf()\n\t\tbreak\n", "\tcase 1:\n\t\tf()\n\t\tbreak\n\tcase 3:\n\t\tf()\n\t\tbreak\n\tcase 2:\n\t\tf()\n\t\tbreak\n", "1 2 3 7 8 9"},
		{"one of two blank lines is deleted", "a\n\n\nb\n", "a\n\nb\n", "1 2 - 3"},
		{"equal lines", "x\nx\nx\n", "x\nx\n", "1 2 -"},
	} {
		old, new := NewTable([]byte(c.old)), NewTable([]byte(c.new))
		m := MapLines(old, new, nil)
		checkMap(t, old, new, m)
		if got := partners(m); got != c.want {
			t.Errorf("%s: lines became %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMapLinesEnds: a line of the common beginning or end of two texts that stands once in each is kept.
func TestMapLinesEnds(t *testing.T) {
	for _, p := range linePairs(2_000) {
		counts := map[string][2]int{}
		for i, table := range []*Table{p.old, p.new} {
			for n := 1; n <= table.Len(); n++ {
				c := counts[string(table.Line(n))]
				c[i]++
				counts[string(table.Line(n))] = c
			}
		}
		m := MapLines(p.old, p.new, nil)
		by := p.new.Len() - p.old.Len()
		for n := 1; n <= p.old.Len() && p.old.LineDigest(n) == p.new.LineDigest(n); n++ {
			if counts[string(p.old.Line(n))] == [2]int{1, 1} && m.Line(n) != n {
				t.Fatalf("%s: line %d of the beginning became %d", p.name, n, m.Line(n))
			}
		}
		for n := p.old.Len(); n >= 1 && p.old.LineDigest(n) == p.new.LineDigest(n+by); n-- {
			if counts[string(p.old.Line(n))] == [2]int{1, 1} && m.Line(n) != n+by {
				t.Fatalf("%s: line %d of the end became %d, want %d", p.name, n, m.Line(n), n+by)
			}
		}
	}
}
