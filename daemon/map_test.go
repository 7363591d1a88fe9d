package daemon

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// mapText is a map as it is printed, but for the escapes of what a terminal would obey.
func mapText(r *wire.MapResult, anchors bool) string {
	lines := r.Head()
	next := 0
	for i := range r.Files {
		if !r.Outline {
			lines = append(lines, r.Files[i].Line())
		}
		for ; next < len(r.Entries) && r.Entries[next].Path == r.Files[i].Path; next++ {
			lines = append(lines, r.EntryLine(&r.Entries[next], anchors))
		}
	}
	lines = append(lines, r.Foot(anchors)...)
	return strings.Join(lines, "\n") + "\n"
}

func mapOf(t testing.TB, ws *Workspace, p wire.MapParams) *wire.MapResult {
	t.Helper()
	res, err := ws.Map(t.Context(), p)
	if err != nil {
		t.Fatalf("map %+v: %v", p, err)
	}
	return res
}

// mappedModule is a small module of Go: one function is used everywhere, one of the same name nowhere.
var mappedModule = map[string]string{
	"go.mod":       "module example.com/m\n",
	"a/a.go":       "package a\n\n// New makes one.\nfunc New() *Item { return nil }\n\ntype Item struct {\n\tName string\n}\n\nfunc (i *Item) Close() {}\n\nfunc unused() {}\n",
	"b/b.go":       "package b\n\nfunc New() {}\n\nfunc Rare() {}\n",
	"c/c.go":       "package c\n\nimport \"example.com/m/a\"\n\nfunc C() { a.New().Close() }\n",
	"d/d.go":       "package d\n\nimport x \"example.com/m/a\"\n\nvar D = x.New()\n\ntype E struct{ in *x.Item }\n",
	"d/d_test.go":  "package d\n\nimport \"example.com/m/b\"\n\nfunc TestD() { b.Rare() }\n",
	"notes.txt":    "text\n",
	"data.bin":     "\x00",
	".env":         "SECRET=1\n",
	"ignored/x.go": "package x\n\nfunc Ignored() {}\n",
	".gitignore":   "ignored/\n",
}

// TestMapText: the text of a tree and of a file.
func TestMapText(t *testing.T) {
	ws := newWorkspace(t, mappedModule)
	want := `[ctx map 9 files · budget 1,200 tok · engine tree-sitter]
repo:a/a.go · ~36 tok · 5d · imported-by 2
  repo:a/a.go --symbol New · func New() *Item
  repo:a/a.go --symbol Item · type Item struct
  repo:a/a.go --symbol Item.Name · Name string
  repo:a/a.go --symbol Item.Close · func (i *Item) Close()
  repo:a/a.go --symbol unused · func unused()
repo:b/b.go · ~11 tok · 2d · imported-by 1
  repo:b/b.go --symbol New · func New()
  repo:b/b.go --symbol Rare · func Rare()
repo:d/d.go · ~21 tok · 3d
  repo:d/d.go --symbol D · var D = x.New()
  repo:d/d.go --symbol E · type E struct
  repo:d/d.go --symbol E.in · in *x.Item
repo:c/c.go · ~17 tok · 1d
  repo:c/c.go --symbol C · func C()
repo:d/d_test.go · ~16 tok · 1d
  repo:d/d_test.go --symbol TestD · func TestD()
repo:.gitignore · ~3 tok
repo:data.bin · ~1 tok
repo:go.mod · ~6 tok
repo:notes.txt · ~2 tok
omitted: 0 files · 0 symbols
`
	if got := mapText(mapOf(t, ws, wire.MapParams{}), false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	outline := `[ctx map repo:a/a.go · budget 1,200 tok · engine tree-sitter]
language: go · 5 symbols · 0 imports · ~36 tok
outline:
function New L4:4@4e5c55b4 · func New() *Item
struct Item L6:8@121d5109 · type Item struct
  field Name L7:7@d0abbd62 · Name string
  method Close L10:10@c68feed6 · func (i *Item) Close()
function unused L12:12@a049e973 · func unused()
`
	res := mapOf(t, ws, wire.MapParams{Path: "a/a.go", Anchors: true})
	if got := mapText(res, true); got != outline {
		t.Errorf("got\n%s\nwant\n%s", got, outline)
	}
	for _, e := range res.Entries { // both addresses are the definition's
		for _, address := range []string{e.Live.Address, e.Captured.Address} {
			a := wire.ParseAddress(address)
			got, err := ws.Get(t.Context(), wire.GetParams{Ref: a.Ref, Lines: a.Lines, Span: a.Span})
			if err != nil || got.Lines != e.Lines || !strings.Contains(strings.Join(got.Text, "\n"), e.Name) {
				t.Errorf("%s of %s: %+v, %v", address, e.Name, got, err)
			}
		}
	}
	if res := mapOf(t, ws, wire.MapParams{Path: "d"}); res.Total != (wire.MapCount{Files: 2, Symbols: 4}) || res.Path != "repo:d" {
		t.Errorf("a folder: %+v", res)
	}
	if res := mapOf(t, ws, wire.MapParams{Path: ".", Common: wire.Common{Dir: "d"}}); res.Path != "repo:d" {
		t.Errorf("the folder one stands in: %+v", res)
	}
	if res := mapOf(t, ws, wire.MapParams{Path: "a/a.go:4"}); !res.Outline || len(res.Entries) != 5 {
		t.Errorf("a file with a line: %+v", res)
	}
}

// TestMapWeights: what is used in more files weighs more, each definition what is bound to it and not to another of
// its name; tests weigh less than the program, and private names less than public ones.
func TestMapWeights(t *testing.T) {
	ws := newWorkspace(t, mappedModule)
	weight := map[string]int{}
	res := mapOf(t, ws, wire.MapParams{Budget: 5000})
	for _, e := range res.Entries {
		weight[e.Path+":"+e.Symbol] = e.Weight
	}
	for _, pair := range [][2]string{
		{"a/a.go:New", "b/b.go:New"}, {"a/a.go:Item", "d/d.go:E"}, {"b/b.go:Rare", "b/b.go:New"}, {"a/a.go:Item.Close", "a/a.go:Item.Name"},
		{"c/c.go:C", "a/a.go:unused"}, {"c/c.go:C", "d/d_test.go:TestD"}, {"a/a.go:New", "b/b.go:Rare"},
	} {
		if weight[pair[0]] <= weight[pair[1]] || weight[pair[1]] == 0 {
			t.Errorf("%s weighs %d, %s %d", pair[0], weight[pair[0]], pair[1], weight[pair[1]])
		}
	}
}

// oddFiles have names that have to be named with care.
var oddFiles = map[string]string{
	"odd.md":                    "# Using --symbol x\n\n## a --lines 1:2\n\nsetext\nname\n======\n\n## ---\n\n## caf\xe9 here\n\n## bell\x07 here\n\n## it's\n\n# Using --symbol x\n\n## a.b\n\n##  \u00a0nbsp\u00a0\n\n## " + strings.Repeat("long ", 100) + "\n",
	"sp ace/we ird%41\n:2.py":   "class A:\n    def __init__(self): pass\n    def m(self):\n        def inner(): pass\n\nclass A:\n    def m(self): pass\n",
	"bad\xff.py":                "def caf\xe9(): pass\ndef beta(): pass\n",
	"a.b/x.js":                  "const api = { 'get x'() {}, [y]: 1 }\nclass K { #p = 1; static { } }\n",
	"a.b.py":                    "def f(): pass\n",
	"op.cpp":                    "struct S { bool operator==(const S&) const; operator int(); ~S(); };\nnamespace a::b { template <class T> T max(T x) { return x; } }\n",
	"cut.rs":                    "impl<T> Foo<T> { fn new() -> Self { } }\nstruct Foo<T>(T);\nfn 日本() {}\n",
	"deep.py":                   strings.Repeat("class A:\n", 1) + "  class B:\n    class C:\n      class D:\n        def e(self): pass\n",
	"empty.go":                  "",
	"CR.py":                     "def a():\r  pass\rdef b(): pass\r",
	"dir/credentials/hidden.py": "def hidden(): pass\n",
}

// TestMapChain: following next visits every definition and every file once, whatever the budget, and no text is longer
// than its budget unless it is one row. CASES E1.
func TestMapChain(t *testing.T) {
	files := map[string]string{}
	for _, set := range []map[string]string{mappedModule, oddFiles} {
		for p, text := range set {
			files[p] = text
		}
	}
	ws := newWorkspace(t, files)
	settled(t, ws)
	snap := ws.cur.Load()
	for _, scope := range []string{"", "a", "odd.md", "sp%20ace/we%20ird%2541%0A%3A2.py", "op.cpp", "empty.go", "a.b", "a/a.go"} {
		want := 0
		for _, f := range snap.files {
			name := wire.DecodePath(scope)
			if within(f.Path, name) && f.Facts != nil && !strings.Contains(f.Path, "credentials") {
				want += len(f.Facts.Defs)
			}
		}
		if scope != "" {
			scope = "repo:" + scope
		}
		for _, budget := range []int{64, 70, 90, 128, 200, 300, 1000, 20000} {
			for _, anchors := range []bool{false, true} {
				p := wire.MapParams{Path: scope, Budget: budget, Anchors: anchors}
				entries, seen := map[string]int{}, map[string]int{}
				left := want + 1
				for page := 0; ; page++ {
					res := mapOf(t, ws, p)
					text := mapText(res, anchors)
					rows := len(res.Entries)
					for _, f := range res.Files {
						seen[f.Path+f.PathBase64]++
						if f.Definitions == 0 {
							rows++
						}
					}
					// This text is not escaped; what that takes is counted, too.
					if len(text) > 4*budget && rows > 1 {
						t.Errorf("%s, budget %d, page %d: %d bytes:\n%s", scope, budget, page, len(text), text)
					}
					for _, e := range res.Entries {
						entries[fmt.Sprint(e.Path, e.PathBase64, e.Bytes, e.SelectionBytes)]++
					}
					if res.Omitted.Symbols > left || res.Total.Symbols != want || res.Note != "" {
						t.Fatalf("%s: omitted %+v of %+v after %d, want %d; %s", scope, res.Omitted, res.Total, left, want, res.Note)
					}
					left = res.Omitted.Symbols
					if res.Next == "" {
						if res.Omitted != (wire.MapCount{}) || want > 0 && len(seen) != res.Total.Files {
							t.Errorf("%s: at the end %d of %d files were shown, omitted %+v", scope, len(seen), res.Total.Files, res.Omitted)
						}
						break
					}
					if res.Next == p.After || page > want+len(snap.files) {
						t.Fatalf("%s: the chain does not advance: %s", scope, res.Next)
					}
					p.After = res.Next
				}
				for at, n := range entries {
					if n != 1 {
						t.Errorf("%s, budget %d: %s shown %d times", scope, budget, at, n)
					}
				}
				if len(entries) != want {
					t.Errorf("%s, budget %d: %d definitions were shown, want %d", scope, budget, len(entries), want)
				}
			}
		}
	}
}

// TestMapResolvesInDef: whatever a map names, def knows, at the same place. On trees of several languages in
// CTX_TREES too.
func TestMapResolvesInDef(t *testing.T) {
	odd := newWorkspace(t, oddFiles)
	workspaces := []*Workspace{odd}
	d := newDaemon(t)
	for _, root := range append([]string{filepath.Join(runtime.GOROOT(), "src", "encoding"), filepath.Join("..", "index")}, filepath.SplitList(os.Getenv("CTX_TREES"))...) {
		abs, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		workspaces = append(workspaces, use(t, d, abs))
	}
	for _, ws := range workspaces {
		p, checked := wire.MapParams{Budget: 100_000}, 0
		for {
			res := mapOf(t, ws, p)
			for _, e := range res.Entries {
				checked++
				got, err := ws.Def(t.Context(), wire.DefParams{Common: wire.Common{NoSync: true}, Target: e.Target, Symbol: e.Symbol, NoBody: true, Limit: 10_000})
				if err != nil || !slices.ContainsFunc(got.Definitions, func(x wire.Definition) bool {
					return x.Path == e.Path && x.Bytes == e.Bytes && x.SelectionBytes == e.SelectionBytes && x.Live.Address == e.Live.Address
				}) {
					t.Errorf("%s --symbol %q: %v", e.Target, e.Symbol, err)
				}
			}
			if p.After = res.Next; p.After == "" {
				if checked != res.Total.Symbols || checked < 20 {
					t.Errorf("%s: %d of %d were checked", ws.Root, checked, res.Total.Symbols)
				}
				t.Logf("%s: %d of %d resolve", filepath.Base(ws.Root), checked, res.Total.Symbols)
				break
			}
		}
	}
}

// TestMapColdIsWarm: what is still to be parsed changes no map.
func TestMapColdIsWarm(t *testing.T) {
	corpus := sources(t)
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		root := t.TempDir()
		for i := range 120 {
			src := corpus[rnd.IntN(len(corpus))]
			write(t, filepath.Join(root, fmt.Sprintf("d%d/f%d%s", i%7, i, filepath.Ext(src.path))), src.text)
		}
		for path, text := range mappedModule {
			write(t, filepath.Join(root, path), text)
		}
		ws := use(t, newDaemon(t), root)
		settled(t, ws)
		warm := ws.cur.Load()
		answers := func(ws *Workspace) (all []string) {
			for _, p := range []wire.MapParams{{Budget: 2000}, {Budget: 100, Path: "d1"}, {Path: "a/a.go"}, {Path: "a/a.go", Budget: 64}} {
				p.NoSync = true
				res := mapOf(t, ws, p)
				res.Coverage = wire.Coverage{}
				all = append(all, params(t, res))
			}
			return all
		}
		want := answers(ws)
		for _, share := range []int{10, 60} { // few, which the request parses, and all
			var cold []change
			for _, f := range warm.files {
				if f.blob() != (captures.BlobID{}) && rnd.IntN(60) < share {
					cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
				}
			}
			ws.cur.Store(warm.with(cold[:min(len(cold), fewPending)]))
			var got []string
			forgetting(ws.catalog, func() { got = answers(ws) })
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d pending:\ncold %s\nwarm %s", seed, len(cold), got, want)
			}
		}
		// A daemon that has just begun: the background parses.
		fresh := use(t, newDaemon(t), root)
		if first := mapOf(t, fresh, wire.MapParams{Budget: 2000}); first.Coverage.Pending != 0 {
			t.Errorf("%+v", first.Coverage)
		}
		if got := answers(fresh); !slices.Equal(got, want) {
			t.Fatalf("seed %d: another daemon:\ngot  %s\nwant %s", seed, got, want)
		}
	}
}

// TestMapFollowsEdits: a map shows what was written before it was asked for, in weights as in rows; a chain that goes
// on in another list says so. CASES F2.
func TestMapFollowsEdits(t *testing.T) {
	ws := newWorkspace(t, mappedModule)
	settled(t, ws)
	weight := func(symbol string) int {
		for _, e := range mapOf(t, ws, wire.MapParams{Budget: 5000}).Entries {
			if e.Symbol == symbol {
				return e.Weight
			}
		}
		return -1
	}
	rare := weight("Rare")
	first := mapOf(t, ws, wire.MapParams{Budget: 64})
	for round := range 20 {
		name := fmt.Sprintf("Added%d", round)
		write(t, filepath.Join(ws.Root, "e/e.go"), "package e\n\nimport \"example.com/m/b\"\n\nfunc "+name+"() { b.Rare() }\n")
		if weight(name) < 0 || weight("Rare") <= rare {
			t.Fatalf("round %d: %s weighs %d, Rare %d", round, name, weight(name), weight("Rare"))
		}
		if res := mapOf(t, ws, wire.MapParams{Path: "e/e.go"}); len(res.Entries) != 1 || res.Entries[0].Name != name {
			t.Fatalf("round %d: %+v", round, res)
		}
		if err := os.Remove(filepath.Join(ws.Root, "e/e.go")); err != nil {
			t.Fatal(err)
		}
		if weight(name) >= 0 || weight("Rare") != rare {
			t.Fatalf("round %d: %s is gone and weighs %d, Rare %d", round, name, weight(name), weight("Rare"))
		}
	}
	if res := mapOf(t, ws, wire.MapParams{Budget: 64, After: first.Next}); res.Note != "" {
		t.Error(res.Note)
	}
	write(t, filepath.Join(ws.Root, "b/b.go"), "package b\n\nfunc Other() {}\n\nfunc Rare() {}\n\nfunc New() {}\n")
	if res := mapOf(t, ws, wire.MapParams{Budget: 64, After: first.Next}); !strings.Contains(res.Note, "has changed") {
		t.Errorf("%+v", res)
	}
}

// TestMapRefusals: what cannot be mapped is refused, each for its own reason. CASES S2.
func TestMapRefusals(t *testing.T) {
	ws := newWorkspace(t, mappedModule)
	if err := os.Symlink("a", filepath.Join(ws.Root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		p    wire.MapParams
		word wire.Word
		says string
	}{
		{wire.MapParams{Path: "nowhere"}, wire.NotFound, "no such path"},
		{wire.MapParams{Path: "../x"}, wire.PathDenied, "outside"},
		{wire.MapParams{Path: "repo:../x"}, wire.PathDenied, "'..'"},
		{wire.MapParams{Path: ".env"}, wire.PathDenied, "policy"},
		{wire.MapParams{Path: "ignored"}, wire.NotFound, ".gitignore:1: ignored/"},
		{wire.MapParams{Path: "ignored/x.go"}, wire.NotFound, ".gitignore:1: ignored/"},
		{wire.MapParams{Path: "link"}, wire.Unsupported, "repo:a"},
		{wire.MapParams{Path: "notes.txt"}, wire.Unsupported, "no language"},
		{wire.MapParams{Path: "a/a.go", Budget: 63}, wire.InvalidRequest, "64 to 1000000"},
		{wire.MapParams{Budget: -1}, wire.InvalidRequest, "64 to 1000000"},
		{wire.MapParams{After: "7"}, wire.InvalidRequest, "next: says"},
		{wire.MapParams{After: "0@07407f1c"}, wire.InvalidRequest, "next: says"},
		{wire.MapParams{After: "7@07407F1C"}, wire.InvalidRequest, "next: says"},
		{wire.MapParams{Path: strings.Repeat("x", maxRef+1)}, wire.InvalidRequest, "too long"},
	} {
		_, err := ws.Map(t.Context(), tt.p)
		if word(err) != tt.word || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.p, err)
		}
	}
	if res := mapOf(t, ws, wire.MapParams{After: "999999999@07407f1c"}); len(res.Entries) != 0 || res.Next != "" || res.Note == "" {
		t.Errorf("behind the end: %+v", res)
	}
	if res := mapOf(t, ws, wire.MapParams{Path: "a/a.go", After: "999999999@07407f1c"}); len(res.Entries) != 0 || res.Next != "" || res.Note == "" {
		t.Errorf("behind the end of a file: %+v", res)
	}
}
