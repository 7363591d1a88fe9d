package grep

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func never() bool { return false }

// split is the lines of src: their bounds, found as one would who does not care for time.
func split(src []byte) (lines [][2]int) {
	start := 0
	for i := 0; i < len(src); i++ {
		if src[i] != '\n' && src[i] != '\r' {
			continue
		}
		lines = append(lines, [2]int{start, i})
		if src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			i++
		}
		start = i + 1
	}
	if start < len(src) {
		lines = append(lines, [2]int{start, len(src)})
	}
	return lines
}

// oracle compares line by line with package regexp alone.
func oracle(src []byte, patterns []string, o Options) (found []Line) {
	for n, at := range split(src) {
		line, held := src[at[0]:at[1]], 0
		l := Line{Number: n + 1, Start: at[0], End: at[1], From: -1}
		for i, p := range patterns {
			from, to := -1, 0
			if !o.Regexp && !o.Fold {
				from = bytes.Index(line, []byte(p))
				to = from + len(p)
			} else {
				if !o.Regexp {
					p = regexp.QuoteMeta(strings.ToValidUTF8(p, "�"))
				}
				if o.Fold {
					p = "(?i:" + p + ")"
				}
				if place := regexp.MustCompile(p).FindIndex(line); place != nil {
					from, to = place[0], place[1]
				}
			}
			if from < 0 {
				continue
			}
			held++
			if from += at[0]; l.From < 0 || from < l.From {
				l.From, l.To, l.Pattern = from, to+at[0], i
			}
		}
		if held == len(patterns) || held > 0 && !o.All {
			found = append(found, l)
		}
	}
	return found
}

// check compares a set with the oracle; patterns that are refused are no matter.
func check(t *testing.T, src []byte, patterns []string, o Options) {
	t.Helper()
	s, err := Compile(patterns, o)
	if err != nil {
		if !errors.As(err, new(*PatternError)) {
			t.Fatalf("%q: %v", patterns, err)
		}
		return
	}
	want := oracle(src, patterns, o)
	m := s.Matcher(never)
	for range 2 { // what the automaton learnt changes nothing
		var got []Line
		m.Lines(src, func(l Line) bool {
			got = append(got, l)
			return true
		})
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q %+v in %q:\ngot  %v\nwant %v", patterns, o, src, got, want)
		}
		if n, lines := m.Count(src); n != len(want) || lines != len(split(src)) {
			t.Fatalf("%q %+v in %q: counted %d of %d lines, want %d of %d", patterns, o, src, n, lines, len(want), len(split(src)))
		}
	}
}

var texts = []string{
	"", "\n", "\r", "\r\n", "a", "a\n", "one\ntwo\nthree\n", "one\r\ntwo\r\nthree", "one\rtwo\rthree\r", "\r\r\n\n\r", "a\r\n\r\nb\n\rc",
	"foo bar\nfoobar\nbarfoo foo\n\n  \nFOO\nfo\u212a Kk ſs S\n", "caf\xe9 cafe\nüber ÜBER\n\xff\xfe\n\ufffd\n日本語 text\n",
	"if err != nil {\n\treturn err\n}\n// a comment; x = 10\nend$\n^start\n", strings.Repeat("x", 3000) + "needle" + strings.Repeat("y", 3000) + "\nneedle\n",
}

var patterns = []string{
	"foo", "bar", "a", "e", "needle", "two", "caf\xe9", "日本", "\ufffd", "\xff", "ſ", "k", "S", " ", "a*", "^", "$", "^$", "^foo", "foo$", "^\\s*$", "$^",
	"fo+", "(?i)foo", "f(o|x)o?b", "foo|bar|nil", "[a-z]+[0-9]", "\\bfoo\\b", "\\Boo", "o\\b", ".", "..", "^.{3}$", "[^a-z ]", "x{3}", "(x|y)+n",
	"é", "[é-ü]", "\\pL+", "\\x{fffd}", "^[^\\x00-\\x7f]+$", "e.*l", "\\d", "n.l|t.o", "(?m)^two$", "\\Aone\\z", "(a|b)*c", "(?s).", "(?:)", "[^\\n]", "\\.", "a\\nb", "\\r", "[[:upper:]]{2}",
}

// TestLines: whatever finds the candidates, the lines are those that package regexp finds one by one.
func TestLines(t *testing.T) {
	for _, text := range texts {
		for _, p := range patterns {
			for _, o := range []Options{{}, {Regexp: true}, {Fold: true}, {Regexp: true, Fold: true}} {
				check(t, []byte(text), []string{p}, o)
				o.All = true
				check(t, []byte(text), []string{p, "o"}, o)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var some []string
		for range 1 + rnd.IntN(4) {
			some = append(some, patterns[rnd.IntN(len(patterns))])
		}
		text := texts[rnd.IntN(len(texts))] + texts[rnd.IntN(len(texts))]
		check(t, []byte(text), some, Options{Regexp: rnd.IntN(2) == 0, Fold: rnd.IntN(2) == 0, All: rnd.IntN(2) == 0})
	}
}

// TestRealText: the same on a package of the Go library, with expressions of the kinds that people ask for.
func TestRealText(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "net", "http", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal("no Go library", err)
	}
	for _, name := range names[:min(len(names), 12)] {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"ReadFile", `func \(\w+ \*?\w+\) \w+\(`, `^\s*//`, `[A-Z]{4,}`, `\bErr\w+ =`, `[0-9a-f]{8}`, `"[^"]*"$`, `(?i)deprecated|obsolete`, `\berr\b`} {
			check(t, src, []string{p}, Options{Regexp: true})
		}
	}
}

// FuzzLines: see TestLines.
func FuzzLines(f *testing.F) {
	for i, text := range texts {
		f.Add([]byte(text), patterns[i%len(patterns)], patterns[(7*i+3)%len(patterns)], uint8(i))
	}
	for i, p := range patterns {
		f.Add([]byte(texts[i%len(texts)]), p, "", uint8(1+i))
	}
	f.Fuzz(func(t *testing.T, src []byte, a, b string, how uint8) {
		if len(src) > 4096 || len(a) > 40 || len(b) > 40 {
			return
		}
		some := []string{a}
		if b != "" {
			some = append(some, b)
		}
		check(t, src, some, Options{Regexp: how&1 != 0, Fold: how&2 != 0, All: how&4 != 0})
	})
}

// TestManyStates: an expression whose automaton outgrows its table, and one that does so without end, are
// answered all the same.
func TestManyStates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, 60_000)
	for i := range text {
		text[i] = "ab"[rnd.IntN(2)]
		if rnd.IntN(60) == 0 {
			text[i] = '\n'
		}
	}
	for p, least := range map[string]int{"a[ab]{11}b[ab]b": 1, "a[ab]{40}b[ab]{3}a": maxFlushes + 1} {
		check(t, text, []string{p}, Options{Regexp: true})
		s, err := Compile([]string{p}, Options{Regexp: true})
		if err != nil {
			t.Fatal(err)
		}
		m := s.Matcher(never)
		for range 20 {
			m.Count(text)
		}
		if m.lead.flushes < least {
			t.Errorf("%s: the automaton began anew %d times: the test is too weak", p, m.lead.flushes)
		}
	}
}

// TestRefused: what is no pattern is refused, and says why.
func TestRefused(t *testing.T) {
	for p, want := range map[string]string{
		"": "empty", "a\nb": "end of a line", "a\rb": "end of a line", strings.Repeat("x", 5000): "5000 bytes",
	} {
		if _, err := Compile([]string{p}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", p, err)
		}
	}
	for p, want := range map[string]string{
		"(": "missing closing", "a)(b": "unexpected", "[z-a]": "range", "(x{1000}){3}": "repeat", "(?:a{1000}b{1000}c{1000})": "steps", "\xff": "UTF-8", `\C`: "escape",
	} {
		if _, err := Compile([]string{p}, Options{Regexp: true}); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "invalid pattern: ") {
			t.Errorf("%q: %v; want %s", p, err, want)
		}
	}
	if _, err := Compile(nil, Options{}); err == nil {
		t.Error("no pattern is refused")
	}
	if _, err := Compile(make([]string, 65), Options{}); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Error(err)
	}
}

// TestStop: a text that is all one line, and slow, is given up when it is no longer wanted.
func TestStop(t *testing.T) {
	for _, p := range []string{`\b(x+x+)+y\b`, "x+y", "nowhere"} {
		s, err := Compile([]string{p}, Options{Regexp: true})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		m := s.Matcher(func() bool {
			asked++
			return true
		})
		m.Lines(bytes.Repeat([]byte("xxxé "), 1<<20), func(Line) bool { return true })
		if asked > 3 {
			t.Errorf("%s: asked %d times", p, asked)
		}
	}
}

// TestNeedles: what is looked for first stands on every line that can match.
func TestNeedles(t *testing.T) {
	for p, want := range map[string]string{
		"abc": "abc", "a+bcd": "bcd", "x(foo|bar)y": "foo bar", "foo|bar": "foo bar", "foo|b*": "", "[a-c]d": "", "(?i)ABc": "abc", "(?i)abs_12": "_12", "(?i)kids": "id", "(?i)é": "",
		"ab\\x{fffd}cdef": "cdef", "err != nil": "err != nil", "foobar|foobaz": "fooba", "(foo)?": "", "e[0-9]": "",
	} {
		s, err := Compile([]string{p}, Options{Regexp: true})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, n := range s.needles {
			texts = append(texts, string(n.text))
		}
		if got := strings.Join(texts, " "); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	s, err := Compile([]string{"e", "rare_Word", "func"}, Options{All: true})
	if err != nil || !slices.EqualFunc(s.needles, []string{"rare_Word"}, func(a needle, b string) bool { return string(a.text) == b }) {
		t.Errorf("of several that must all match the rarest is looked for: %v %v", s.needles, err)
	}
}

func BenchmarkCount(b *testing.B) {
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "net", "http", "*.go"))
	if err != nil || len(names) == 0 {
		b.Fatal("no Go library", err)
	}
	var src []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		src = append(src, text...)
	}
	for _, p := range []string{"ReadFile", "func", "e", "zqzq", `[A-Z]{4,}`, `\berr\b`, `a(b|c)d[0-9]+`, `(?i)readfile`, `^\s*//`, `\w+\(\w+\)`} {
		b.Run(fmt.Sprintf("%q", p), func(b *testing.B) {
			s, err := Compile([]string{p}, Options{Regexp: regexp.QuoteMeta(p) != p})
			if err != nil {
				b.Fatal(err)
			}
			m := s.Matcher(never)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				m.Count(src)
			}
		})
	}
}
