package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

// village is a tree of Go with as many functions and methods as it is told.
func village(t *testing.T, n int) string {
	files := map[string]string{
		"other/go.mod":     "module other\n",
		"other/o.go":       "package other\n\nfunc Elsewhere() { House0() }\n",
		"b/testdata/t.go":  "package t\n\nfunc Data() { House0() }\n",
		"a/plan9_plan9.go": "package a\n\nfunc plan() { House0() }\n",
		"README.md":        "House0\n",
	}
	for i := range n {
		files[fmt.Sprintf("a/f%d.go", i)] = fmt.Sprintf(`package a

func House%d(door int) int {
	window := door
	return window
}

func (h hut) Roof%d() {
	House%d(1)
}

func get() {}
`, i, i, (i+1)%n)
	}
	return planted(t, files)
}

// From the first question to the table: a sample of the server's symbols, its references, and what a side
// that is wrong in known ways has of them.
func TestPrecision(t *testing.T) {
	s, fake, tree := serveFake(t, village(t, 12), nil)
	out := &bytes.Buffer{}
	b := &bench{out: out, misses: 3}
	a := &answers{Server: "fake", Language: "go", Unseen: unseenGo(tree)}
	if err := b.interview(t.Context(), s, tree, languages["go"], 24, a); err != nil {
		t.Fatal(err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, of := range a.Symbols {
		counts[group(of.Kind, of.Common)]++
		if of.Kind == aLocal && of.Name == "a" {
			t.Error("the name of the package is local")
		}
		if of.Outside != 1 || !slices.Contains(of.References, of.Site) {
			t.Errorf("%s: %d outside, %v", of.Site, of.Outside, of.References)
		}
	}
	// Eleven files: the first is opened before the sample. No types, no fields: the others make up.
	if counts["function"]+counts["method"]+counts["local"] != 24 || counts["function"] < 4 || counts["local"] == 0 || counts["function common"] == 0 {
		t.Errorf("the sample is %v", counts)
	}
	if len(fake.opened) < 4 || slices.ContainsFunc(fake.opened, func(file string) bool { return a.Unseen[file] != "" || !tree.has(file) }) {
		t.Errorf("opened are %v", fake.opened)
	}
	words, err := tree.hits(map[string]bool{"House0": true, "Roof1": true})
	if err != nil {
		t.Fatal(err)
	}
	of := &symbol{Site: site{"a/f0.go", 3, 6}, Name: "House0", Kind: aFunction, References: []site{{"a/f0.go", 3, 6}, {"a/f11.go", 9, 2}, {"a/f3.go", 1, 9}}}
	a.Symbols = []symbol{*of}
	c := &comparer{tree, languages["go"], a}
	err = b.judgeAll(c, words, func(at site) ([]claim, error) {
		return []claim{
			{of.Site, wire.TierLocal, "declaration"},
			{site{"a/f11.go", 9, 2}, wire.TierName, "call"},
			{site{"a/f11.go", 9, 2}, wire.TierImport, "call"}, // once, by its surest row
			{site{"other/o.go", 3, 20}, wire.TierImport, "call"},
			{site{"README.md", 1, 1}, wire.TierImport, "read"},
			{site{"a/f1.go", 9, 2}, wire.TierImport, "call"}, // House2
			{site{"a/f2.go", 9, 2}, wire.TierName, "call"},
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.verdicts) != 2 || b.verdicts[0].got != "50.00 %" || b.verdicts[1].got != "50.00 %" || b.verdicts[0].met || b.verdicts[1].met {
		t.Errorf("the verdicts are %v", b.verdicts)
	}
	for _, want := range []string{
		"import that the server does not have: 1\n  function, call, another name: 1\n    a/f0.go:3:6 House0: a/f1.go:9:2  House2(1)\n",
		"that we do not have: 1\n  function, another name: 1\n    a/f0.go:3:6 House0: a/f3.go:1:9  package a\n",
		"found beyond the server: 2\n  function, " + otherLanguage + ": 1\n", "  function, " + otherModule + ": 1\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out, want)
		}
	}
}

// The same tree gives the same sample, whatever the order of the questions before.
func TestSampleIsTheSame(t *testing.T) {
	root := village(t, 9)
	var samples []string
	for range 2 {
		s, _, tree := serveFake(t, root, nil)
		a := &answers{Unseen: unseenGo(tree)}
		if err := (&bench{out: &bytes.Buffer{}}).interview(t.Context(), s, tree, languages["go"], 12, a); err != nil {
			t.Fatal(err)
		}
		if err := s.close(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a.Symbols)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, string(text))
	}
	if samples[0] != samples[1] {
		t.Errorf("%s\n%s", samples[0], samples[1])
	}
}

func TestAnswersThatDoNotSettle(t *testing.T) {
	s, _, tree := serveFake(t, village(t, 3), func(f *fakeServer) { f.wild = true })
	one := []symbol{{Site: site{"a/f0.go", 3, 6}, Name: "House0"}}
	if err := s.settled(t.Context(), tree, one, io.Discard); err == nil || !strings.Contains(err.Error(), "still change") {
		t.Errorf("got %v", err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnswerThatIsRefused(t *testing.T) {
	s, _, tree := serveFake(t, village(t, 3), func(f *fakeServer) { f.fails = "House0" })
	symbols := []symbol{{Site: site{"a/f0.go", 3, 6}, Name: "House0"}, {Site: site{"a/f1.go", 3, 6}, Name: "House1"}}
	if err := s.settled(t.Context(), tree, symbols, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(symbols[0].Failed, "no package for it") || symbols[1].Failed != "" || len(symbols[1].References) != 2 {
		t.Errorf("got %+v", symbols)
	}
	c := &comparer{tree, languages["go"], &answers{}}
	if s, d := c.compare(&symbols[0], []claim{{site{"a/f1.go", 3, 6}, wire.TierLocal, ""}}, nil); s != (score{failed: 1}) || d != nil {
		t.Errorf("a symbol without an answer is counted: %+v, %v", s, d)
	}
}

func TestLoadAnswers(t *testing.T) {
	root := village(t, 2)
	tree, err := treeOf(t.Context(), root, languages["go"])
	if err != nil {
		t.Fatal(err)
	}
	a := &answers{Server: "fake 1", Language: "go", Files: len(tree.files), Unseen: unseenGo(tree),
		Symbols: []symbol{{Site: site{"a:b/f0.go", 3, 6}, Name: "House0", Kind: aFunction, References: []site{{"a/f1.go", 9, 2}}}}}
	if a.Digest, err = tree.digest(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.json")
	if err := a.save(file); err != nil {
		t.Fatal(err)
	}
	got, _, err := loadAnswers(t.Context(), file, root)
	if err != nil || !slices.EqualFunc(got.Symbols, a.Symbols, func(x, y symbol) bool { return x.Site == y.Site && slices.Equal(x.References, y.References) }) ||
		!maps.Equal(got.Unseen, a.Unseen) {
		t.Errorf("%+v, %v", got, err)
	}
	// One more byte, one more file: it is another tree.
	if err := (&bench{loadFile: file, root: village(t, 3)}).loads(t); err == nil || !strings.Contains(err.Error(), "that are not all the same") {
		t.Errorf("another tree: %v", err)
	}
}

func (b *bench) loads(t *testing.T) error { return precision(t.Context(), b) }

func TestPrecisionWantsAServer(t *testing.T) {
	for _, c := range []struct {
		b    bench
		want string
	}{
		{bench{}, "--server"},
		{bench{server: "x"}, "--language"},
		{bench{server: "x", lang: "cobol"}, "name one of c, cpp, go, java, python, rust, typescript"},
		{bench{server: "no-such-server-here", lang: "go", root: planted(t, map[string]string{"a.go": ""}), out: &bytes.Buffer{}}, "install it"},
		{bench{server: "x", lang: "c", root: planted(t, map[string]string{"a.c": ""}), out: &bytes.Buffer{}}, "compile_commands.json"},
		{bench{server: "x", lang: "go", root: planted(t, map[string]string{"a.c": ""}), out: &bytes.Buffer{}}, "no file of go"},
	} {
		if err := precision(t.Context(), &c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.b, err)
		}
	}
}

func TestClaims(t *testing.T) {
	tree := &tree{root: planted(t, map[string]string{"a.go": "package a\n\n\tvar é𝄞, x = 1, 2\n", "b.go": "x\n"}), lines: map[string][]string{}}
	x := wire.Position{Line: 2, Character: 10}
	got := tree.claims(&wire.RefsResult{
		Definitions: []wire.Definition{{Path: "a.go", SelectionRange: wire.Range{Start: wire.Position{Line: 2, Character: 5}}}, {Path: "b.go"}},
		References:  []wire.Reference{{Path: "a.go", Range: wire.Range{Start: x}, Tier: wire.TierName, Role: "read"}},
	}, site{"a.go", 3, 6})
	want := []claim{
		{site{"a.go", 3, 6}, wire.TierLocal, "definition"}, {site{"b.go", 1, 1}, wire.TierImport, "definition"}, {site{"a.go", 3, 14}, wire.TierName, "read"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
