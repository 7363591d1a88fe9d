package daemon

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
)

// refsOf asks and lists the rows as "path:line:column tier role name in enclosing".
func refsOf(t testing.TB, ws *Workspace, p wire.RefsParams) []string {
	t.Helper()
	res, err := ws.Refs(t.Context(), p)
	if err != nil {
		t.Fatalf("refs %s: %v", p.Target, err)
	}
	return refRows(res)
}

func refRows(res *wire.RefsResult) []string {
	var rows []string
	for _, r := range res.References {
		row := fmt.Sprintf("%s:%d:%d %s %s %s", r.Path, r.Range.Start.Line+1, r.Range.Start.Character+1, r.Tier, r.Role, r.Name)
		if r.Enclosing != "" {
			row += " in " + r.Enclosing
		}
		rows = append(rows, row)
	}
	return rows
}

// services are two packages with a type of the same name.
var services = map[string]string{
	"go.mod": "module example.com/m\n",
	"a/a.go": "package a\n\ntype UserService struct{ next *UserService }\n\nfunc (s *UserService) Find() {\n\ts.next.Find() // Find\n}\n\nfunc Text() string { return \"Find\" }\n",
	"b/b.go": "package b\n\ntype UserService struct{}\n\nfunc (s UserService) Find() {}\n\nfunc use(u UserService) { u.Find() }\n",
	"main.go": "package main\n\nimport (\n\t\"example.com/m/a\"\n\tbb \"example.com/m/b\"\n)\n\nfunc main() {\n\tvar s a.UserService\n\ts.Find()\n" +
		"\tx := bb.UserService{}\n\tx.Find()\n\tmake().Find()\n}\n\nfunc make() interface{ Find() } { return nil }\n",
}

// TestRefs: the references of two methods with one name, each with its definition; what is bound to the other is left
// out; candidates are told apart; comments and strings are none.
// CASES R2, R3, P12.
func TestRefs(t *testing.T) {
	ws := newWorkspace(t, services)
	candidates := []string{"main.go:13:9 name call Find in main"}
	a := []string{"a/a.go:5:23 local declaration Find", "a/a.go:6:9 local call Find in UserService.Find", "main.go:10:4 import call Find in main"}
	b := []string{"b/b.go:5:22 local declaration Find", "b/b.go:7:29 local call Find in use", "main.go:12:4 import call Find in main"}
	for target, want := range map[string][]string{
		"repo:a/a.go:UserService.Find": append(slices.Clone(a), candidates...),
		"a.UserService.Find":           append(slices.Clone(a), candidates...),
		"repo:b/b.go:UserService.Find": append(slices.Clone(b), candidates...),
		"UserService.Find":             slices.Concat(a, b, candidates),
		"repo:main.go:10:5":            append(slices.Clone(a), candidates...),
		"repo:main.go:12:4":            append(slices.Clone(b), candidates...),
		"repo:a/a.go:6:9":              append(slices.Clone(a), candidates...),
		// A use that is not bound stands for every definition of its name.
		"repo:main.go:9:6": {"main.go:9:6 local declaration s in main", "main.go:10:2 local read s in main"},
	} {
		got := refsOf(t, ws, wire.RefsParams{Target: target})
		got = slices.DeleteFunc(got, func(row string) bool { return strings.Contains(row, "main.go:16:") })
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "UserService.Find", Tier: wire.TierImport})
	if err != nil || len(res.Definitions) != 2 || res.Total != 6 || res.Tiers.Import != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, r := range res.References { // both addresses of each row read the line it quotes
		for _, ref := range []string{r.Live.Address, r.Captured.Address} {
			a := wire.ParseAddress(ref)
			got, err := ws.Get(t.Context(), wire.GetParams{Ref: a.Ref, Lines: a.Lines, Span: a.Span})
			if err != nil || len(got.Text) != 1 || got.Text[0] != r.Text {
				t.Errorf("%s: %+v, %v; want %q", ref, got, err, r.Text)
			}
		}
	}
	if got := refsOf(t, ws, wire.RefsParams{Target: "UserService.Find", Path: "b"}); !slices.Equal(got, b[:2]) {
		t.Errorf("below b: %q", got)
	}
}

// TestRefsOfNothing: a missing name is refused, and similar ones are suggestions; so is what lies outside.
// CASES R1.
func TestRefsOfNothing(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"go.mod": "module m\n", "a.go": "package a\n\nimport \"fmt\"\n\nfunc fetch_all() { fetch_all(); fmt.Println() }\n"})
	_, err := ws.Refs(t.Context(), wire.RefsParams{Target: "fetch"})
	if word(err) != wire.NotFound || len(err.(*wire.Error).Data.Suggestions) != 1 || !strings.Contains(err.(*wire.Error).Data.Suggestions[0], "fetch_all") {
		t.Errorf("%+v", err)
	}
	for _, target := range []string{"a.go:5:38", "a.go:3:2"} {
		if res, err := ws.Refs(t.Context(), wire.RefsParams{Target: target}); word(err) != wire.NotFound {
			t.Errorf("%s: %+v, %v", target, res, err)
		}
	}
	if _, err := ws.Refs(t.Context(), wire.RefsParams{Target: "fetch_all", Tier: "best"}); word(err) != wire.InvalidRequest {
		t.Error(err)
	}
}

// TestRefsPages: following next visits every reference once, whatever the size of a page.
func TestRefsPages(t *testing.T) {
	ws := newWorkspace(t, services)
	all := refsOf(t, ws, wire.RefsParams{Target: "UserService"})
	if len(all) < 6 {
		t.Fatalf("%q", all)
	}
	for limit := 1; limit <= len(all); limit++ {
		var got []string
		for after := 0; ; {
			res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "UserService", Limit: limit, After: after})
			if err != nil || res.Next != 0 && res.Next <= after || res.Total != len(all) {
				t.Fatalf("limit %d after %d: %+v, %v", limit, after, res, err)
			}
			got = append(got, refRows(res)...)
			if after = res.Next; after == 0 {
				break
			}
		}
		if !slices.Equal(got, all) {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}

// TestRefsPagesKeepLines: no page ends within a line, which the text shows as one row.
func TestRefsPagesKeepLines(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.go": "package a\n\nfunc f() int { return 1 }\n\nvar x = f() + f()\nvar y = f() + f() + f() + f()\nvar z = f()\n"})
	for limit := 1; limit <= 8; limit++ {
		total := 0
		seen := map[int]bool{}
		for after := 0; ; {
			res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "f", Limit: limit, After: after})
			if err != nil {
				t.Fatal(err)
			}
			page := map[int]bool{}
			for _, r := range res.References {
				if seen[r.Lines[0]] {
					t.Errorf("limit %d: line %d on two pages", limit, r.Lines[0])
				}
				page[r.Lines[0]] = true
			}
			if total += len(res.References); len(res.References) > limit && len(page) > 1 {
				t.Errorf("limit %d: %d rows", limit, len(res.References))
			}
			for line := range page {
				seen[line] = true
			}
			if after = res.Next; after == 0 {
				break
			}
		}
		if total != 8 {
			t.Errorf("limit %d: %d rows, want 8", limit, total)
		}
	}
}

// TestRefsOfEmbedded: an embedded field is declared where its type is used.
func TestRefsOfEmbedded(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.go": "package a\n\ntype Base struct{}\n\ntype T struct{ *Base }\n\nfunc f(t T) { _ = t.Base; _ = T{Base: nil} }\n"})
	for target, want := range map[string][]string{
		"a.go:5:18": {"a.go:5:17 local declaration Base in T", "a.go:7:21 local read Base in f", "a.go:7:33 local read Base in f"},
		"a.go:7:22": {"a.go:5:17 local declaration Base in T", "a.go:7:21 local read Base in f", "a.go:7:33 local read Base in f"},
		"a.go:3:6":  {"a.go:3:6 local declaration Base", "a.go:5:17 local type Base in T"},
	} {
		if got := refsOf(t, ws, wire.RefsParams{Target: target}); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestRefsOfOverloads: a call that may be of several overloads is a candidate for each, and is bound, to none of them alone,
// where all are asked about.
func TestRefsOfOverloads(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"A.java": "class A {\n  void f() {}\n  void f(int a) {}\n  void f(String a) {}\n  void g() { f(); f(1); }\n}\n",
		"c.cpp":  "void f(int a, int b = 0);\nvoid f();\nvoid f() {}\nvoid f(int a, int b) {}\nvoid g() { f(); f(1); auto h = f; }\n",
		"B.kt":   "class B {\n  fun f() {}\n  fun f(a: Int) {}\n}\n",
	})
	for target, want := range map[string][]string{
		"A.java:2:8":  {"A.java:2:8 local declaration f in A", "A.java:5:14 local call f in A.g"},
		"A.java:3:8":  {"A.java:3:8 local declaration f in A", "A.java:5:19 name call f in A.g"},
		"A.java:5:19": {"A.java:3:8 local declaration f in A", "A.java:4:8 local declaration f in A", "A.java:5:19 local call f in A.g"},
		"c.cpp:1:6":   {"c.cpp:1:6 local declaration f", "c.cpp:4:6 local declaration f", "c.cpp:5:17 local call f in g", "c.cpp:5:32 name read f in g"},
		"c.cpp:5:12":  {"c.cpp:2:6 local declaration f", "c.cpp:3:6 local declaration f", "c.cpp:5:12 local call f in g", "c.cpp:5:32 name read f in g"},
		"B.kt:2:7":    {"B.kt:2:7 local declaration f in B"},
	} {
		if got := refsOf(t, ws, wire.RefsParams{Target: target}); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	res, err := ws.Refs(t.Context(), wire.RefsParams{Target: "A.java:5:19"})
	if err != nil || len(res.Definitions) != 2 || res.References[2].Definition != -1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestRefsOfModules: what a module is as a whole, or by default, is found under every name that others give it, whether
// they are parsed yet or not.
func TestRefsOfModules(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.js":  "class Foo { run() {} }\nmodule.exports = Foo\n",
		"b.js":  "const Bar = require('./a')\nnew Bar().run()\n",
		"c.ts":  "import Baz = require('./a')\nlet z: Baz\n",
		"d.mjs": "import Qux from './a.js'\nQux\n",
		"e.js":  "export default class Own {}\n",
		"f.js":  "import Mine from './e.js'\nMine\n",
		"g.js":  "const Bar = 1\nBar\n",
	})
	settled(t, ws)
	warm := ws.cur.Load()
	for target, want := range map[string][]string{
		"repo:a.js:Foo": {"a.js:1:7 local declaration Foo", "a.js:2:18 local import Foo", "b.js:1:7 import declaration Bar", "b.js:2:5 import call Bar",
			"c.ts:1:8 import import Baz", "c.ts:2:8 import type Baz in z", "d.mjs:1:8 import import Qux", "d.mjs:2:1 import read Qux"},
		"repo:e.js:Own": {"e.js:1:22 local declaration Own", "f.js:1:8 import import Mine", "f.js:2:1 import read Mine"},
	} {
		ws.cur.Store(warm)
		if got := refsOf(t, ws, wire.RefsParams{Target: target}); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		var cold []change
		for _, f := range warm.files {
			cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
		}
		ws.cur.Store(warm.with(cold))
		forgetting(ws.catalog, func() {
			if got := refsOf(t, ws, wire.RefsParams{Target: target, Common: wire.Common{NoSync: true}}); !slices.Equal(got, want) {
				t.Errorf("cold %s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestRefsOfAmbient: what a module of another tree has is found where the tree declares it.
func TestRefsOfAmbient(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"package.json": `{"dependencies": {"dep": "1", "@a/b.c": "1"}}`,
		"types.d.ts":   "declare module \"dep\" {\n  export interface Box { size: number }\n  export function make(): Box\n}\ndeclare module '@a/b.c' { export const one: number }\n",
		"a.ts":         "import { Box, make as fresh } from 'dep'\nimport * as dep from \"dep\"\nfunction f(b: Box) { return b.size + dep.make().size }\nfresh()\n",
		"b.js":         "import { make } from 'dep'\nmake()\n",
		"c.js":         "import { make } from 'other'\nmake()\n",
		"d.ts":         "import { one } from '@a/b.c'\none\n",
	})
	makes := []string{"types.d.ts:3:19 local declaration make in dep", "a.ts:1:15 import import make", "a.ts:1:23 import import fresh", "a.ts:3:42 import call make in f", "a.ts:4:1 import call fresh", "b.js:1:10 import import make", "b.js:2:1 import call make"}
	for target, want := range map[string][]string{
		"types.d.ts:3:20": makes, "a.ts:3:42": makes, "b.js:2:2": makes,
		"a.ts:1:11":       {"types.d.ts:2:20 local declaration Box in dep", "types.d.ts:3:27 local type Box in dep.make", "a.ts:1:10 import import Box", "a.ts:3:15 import type Box in f"},
		"types.d.ts:5:42": {"types.d.ts:5:40 local declaration one in @a/b.c", "d.ts:1:10 import import one", "d.ts:2:1 import read one"},
	} {
		got := slices.DeleteFunc(refsOf(t, ws, wire.RefsParams{Target: target}), func(row string) bool { return strings.Contains(row, " name ") })
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestRefsFollowEdits: no row quotes what the text no longer has, whether the file has been parsed again or not.
// CASES R11.
func TestRefsFollowEdits(t *testing.T) {
	ws := newWorkspace(t, services)
	settled(t, ws)
	for round := range 30 {
		write(t, filepath.Join(ws.Root, "b/use.go"), fmt.Sprintf("package b\n\n%sfunc more(u UserService) { u.Find() }\n", strings.Repeat("\n", round)))
		want := fmt.Sprintf("b/use.go:%d:30 import call Find in more", round+3)
		if got := refsOf(t, ws, wire.RefsParams{Target: "repo:b/b.go:UserService.Find"}); !slices.Contains(got, want) {
			t.Fatalf("round %d: %q", round, got)
		}
		write(t, filepath.Join(ws.Root, "b/use.go"), "package b\n")
		if got := refsOf(t, ws, wire.RefsParams{Target: "repo:b/b.go:UserService.Find"}); len(got) != 4 {
			t.Fatalf("round %d: %q", round, got)
		}
	}
}

// TestRefsColdIsComplete: what is still to be parsed changes no reference.
func TestRefsColdIsComplete(t *testing.T) {
	corpus := sources(t)
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		user := ParseUserConfig("", nil)
		user.Facts.MaxBytes = 0
		root := t.TempDir()
		files := map[string]string{}
		for i := range 40 {
			src := corpus[rnd.IntN(len(corpus))]
			files[fmt.Sprintf("d%d/f%d%s", i%7, i, filepath.Ext(src.path))] = src.text
		}
		for path, text := range services {
			files[path] = text
		}
		for path, text := range files {
			write(t, filepath.Join(root, path), text)
		}
		ws := use(t, newDaemonWith(t, user), root)
		settled(t, ws)
		warm := ws.cur.Load()
		answer := func(target string) string {
			res, err := ws.Refs(t.Context(), wire.RefsParams{Target: target, Limit: 1000, Common: wire.Common{NoSync: true}})
			if err != nil {
				return err.Error()
			}
			res.Coverage = wire.Coverage{}
			return params(t, res)
		}
		for _, target := range append(targets(rnd, warm, files), "UserService.Find", "UserService", "repo:main.go:12:4") {
			ws.cur.Store(warm)
			want := answer(target)
			for _, share := range []int{5, 60} {
				var cold []change
				for _, f := range warm.files {
					if f.blob() != (captures.BlobID{}) && rnd.IntN(60) < share {
						cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
					}
				}
				ws.cur.Store(warm.with(cold))
				var got string
				forgetting(ws.catalog, func() { got = answer(target) })
				if got != want {
					t.Fatalf("seed %d: %s, %d files pending:\ncold %s\nwarm %s", seed, target, len(cold), got, want)
				}
			}
		}
	}
}

// TestRefsOfShorthand: a local that is taken from an object by the name of a member has that member's uses as candidates,
// and a position that nothing binds has candidates only.
func TestRefsOfShorthand(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.ts": "export function f(o: any) {\n  const { size } = o;\n  return size + o.size;\n}\n",
		"b.ts": "export interface Box { size: number }\nexport function g(b: Box, c: any) { return b.size + c.size; }\n",
	})
	for target, want := range map[string][]string{
		"a.ts:2:11": {"a.ts:2:11 local declaration size in f", "a.ts:3:10 local read size in f", "a.ts:3:19 name read size in f",
			"b.ts:1:24 name declaration size in Box", "b.ts:2:46 name read size in g", "b.ts:2:55 name read size in g"},
		"b.ts:2:56": {"a.ts:2:11 name read size in f", "a.ts:3:19 name read size in f", "b.ts:1:24 name declaration size in Box",
			"b.ts:2:46 name read size in g", "b.ts:2:55 name read size in g"},
	} {
		if got := refsOf(t, ws, wire.RefsParams{Target: target}); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", target, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
