package daemon

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/facts"
	"ctxd/index"
)

// def asks and lists the rows as "path:first-last kind Container.Name".
func def(t testing.TB, ws *Workspace, target string) []string {
	t.Helper()
	res, err := ws.Def(t.Context(), wire.DefParams{Target: target})
	if err != nil {
		if word(err) != wire.NotFound {
			t.Fatalf("def %s: %v", target, err)
		}
		return nil
	}
	var rows []string
	for _, d := range res.Definitions {
		name := d.Name
		if d.Container != "" {
			name = d.Container + "." + name
		}
		rows = append(rows, fmt.Sprintf("%s:%d-%d %s %s", d.Path, d.Lines[0], d.Lines[1], d.Kind, name))
	}
	return rows
}

// TestTargets: the ways to name a definition.
// CASES S2, P8, P9, P12, P16.
func TestTargets(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.go":      "package stack\n\ntype Stack[T any] struct{ items []T }\n",
		"b.go":      "package stack\n\nfunc (s *Stack[T]) Push(v T) {\n\ts.items = append(s.items, v)\n}\n\nfunc Push() {}\n",
		"w.cpp":     "namespace a { struct W { int m(); }; }\n\nint a::W::m() {\n  return 1;\n}\n",
		"doc.md":    "# 1.2 Scope\n\ntext\n\n## More\n",
		"pkg/m.py":  "@deco\n@other(\n    1)\ndef f(x):\n    def inner():\n        pass\n    return x\n",
		"c:d/e.py":  "def g():\n    pass\n",
		"pkg/ü.py":  "def größe():\n    pass\n",
		"plain.txt": "def f():\n",
		"net.md":    "# .NET Core\n\n# std::vector\n",
	})
	push := "b.go:3-5 method Stack.Push"
	for target, want := range map[string][]string{
		"Stack.Push":               {push},
		"stack.Stack.Push":         {push},
		"Push":                     {push, "b.go:7-7 function Push"},
		"stack.Push":               {"b.go:7-7 function Push"},
		"ack.Push":                 nil,
		"repo:b.go:Stack.Push":     {push},
		"b.go:Stack.Push":          {push},
		"./b.go:Stack.Push":        {push},
		"b.go:4":                   {push},
		"b.go:3:20":                {push},
		"a::W::m":                  {"w.cpp:1-1 method a.W.m", "w.cpp:3-5 method a.W.m"},
		"W.m":                      {"w.cpp:1-1 method a.W.m", "w.cpp:3-5 method a.W.m"},
		"1.2 Scope":                {"doc.md:1-5 heading 1.2 Scope"},
		"f":                        {"pkg/m.py:1-7 function f"},
		"m.f":                      {"pkg/m.py:1-7 function f"},
		"pkg.m.f":                  {"pkg/m.py:1-7 function f"},
		"f.inner":                  {"pkg/m.py:5-6 function f.inner"},
		"pkg/m.py:2":               {"pkg/m.py:1-7 function f"},
		"pkg/m.py:1:2":             {"pkg/m.py:1-7 function f"},
		"pkg/m.py:7":               {"pkg/m.py:1-7 function f"},
		"repo:c%3Ad/e.py:g":        {"c:d/e.py:1-2 function g"},
		"c:d/e.py:g":               {"c:d/e.py:1-2 function g"},
		"repo:pkg/ü.py:größe":      {"pkg/ü.py:1-2 function größe"},
		"repo:pkg/m.py --symbol f": {"pkg/m.py:1-7 function f"},
		"absent":                   nil,
		"repo:pkg/m.py:absent":     nil,
		"F":                        nil,
		".NET Core":                {"net.md:1-1 heading .NET Core"},
		"std::vector":              {"net.md:3-3 heading std::vector"},
		"b.go:3:10":                {"a.go:3-3 struct Stack"},
		"b.go:4:2":                 {"b.go:3-3 variable s"}, // the receiver
		"b.go:4:4":                 {"a.go:3-3 field Stack.items"},
		"deco":                     nil,
	} {
		if got := def(t, ws, target); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for target, want := range map[string]wire.Word{
		"": wire.InvalidRequest, "repo:b.go": wire.InvalidRequest, "repo:../b.go:f": wire.PathDenied,
		"repo:plain.txt:f": wire.Unsupported, "b.go:99": wire.AnchorNotFound, "repo:nosuch.go:f": wire.NotFound,
	} {
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: target}); word(err) != want {
			t.Errorf("%q: %v; want %s", target, err, want)
		}
	}
}

// TestNear: a refusal suggests what was probably meant, in full.
func TestNear(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.go": "package http\n\ntype Server struct{}\n\nfunc (s *Server) Serve() {}\n\nfunc ServeFile() {}\n"})
	for target, want := range map[string]string{"Server.serve": "ctx def Server.Serve", "(*server).serve": "ctx def Server.Serve", "servefile": "ctx def ServeFile", "ServeFiles": "ctx def ServeFile"} {
		_, err := ws.Def(t.Context(), wire.DefParams{Target: target})
		if word(err) != wire.NotFound || len(err.(*wire.Error).Data.Suggestions) == 0 || err.(*wire.Error).Data.Suggestions[0] != want {
			t.Errorf("%s: %+v", target, err.(*wire.Error).Data)
		}
	}
	for target, want := range map[string]string{"nosuch.go:12": "no such path in workspace: repo:nosuch.go", "x/nosuch.go:3:4": "no such path in workspace: repo:x/nosuch.go"} {
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: target}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", target, err)
		}
		if _, err := ws.Get(t.Context(), wire.GetParams{Ref: target}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestPages: a long list is cut and goes on where it was cut; every row once.
func TestPages(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("f%02d.go", i)] = "package p\n\nfunc Same() {}\n\nfunc (T) Same() {}\n"
	}
	ws := newWorkspace(t, files)
	var all []string
	for after := 0; ; {
		res, err := ws.Def(t.Context(), wire.DefParams{Target: "Same", Limit: 7, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != 50 {
			t.Fatalf("total %d", res.Total)
		}
		for _, d := range res.Definitions {
			all = append(all, d.Live.Address)
		}
		if after = res.Next; after == 0 {
			break
		}
	}
	if len(all) != 50 || !slices.IsSorted(all) || len(slices.Compact(all)) != 50 {
		t.Errorf("%d rows: %q", len(all), all)
	}
}

// TestColdIsComplete: whatever tree, and whatever part of its files is still pending, the answer is that of
// a warm index, to the byte, apart from its coverage. The trees are drawn from the languages' own
// tests and from the Go library; what is asked for are names that are defined, and words that are not.
func TestColdIsComplete(t *testing.T) {
	corpus, suggested := sources(t), 0
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		files := map[string]string{"bom.py": "\ufeffmarked = 1\n"}
		for i := range 40 {
			src := corpus[rnd.IntN(len(corpus))]
			files[fmt.Sprintf("d%d/f%d%s", i%7, i, filepath.Ext(src.path))] = src.text
		}
		user := ParseUserConfig("", nil)
		user.Facts.MaxBytes = 0
		root := t.TempDir()
		for path, text := range files {
			write(t, filepath.Join(root, path), text)
		}
		ws := use(t, newDaemonWith(t, user), root)
		settled(t, ws)
		warm := ws.cur.Load()
		if warm.parsed < 30 {
			t.Fatalf("seed %d: only %d files are parsed", seed, warm.parsed)
		}
		answer := func(target string) string {
			res, err := ws.Def(t.Context(), wire.DefParams{Target: target, Common: wire.Common{NoSync: true}})
			if refused, ok := errors.AsType[*wire.Error](err); ok {
				if len(refused.Data.Suggestions) > 0 {
					suggested++
				}
				refused.Data.Coverage = nil
				return params(t, refused)
			} else if err != nil {
				t.Fatal(err)
			}
			res.Coverage = wire.Coverage{}
			return params(t, res)
		}
		for _, target := range targets(rnd, warm, files) {
			ws.cur.Store(warm)
			want := answer(target)
			for _, share := range []int{1, 10, 60} {
				var cold []change
				for _, f := range warm.files {
					if f.blob() != (captures.BlobID{}) && rnd.IntN(60) < share {
						cold = append(cold, change{f, &File{Path: f.Path, Stat: f.Stat}})
					}
				}
				ws.cur.Store(warm.with(cold))
				got := ""
				if rnd.IntN(3) > 0 {
					forgetting(ws.catalog, func() { got = answer(target) })
				} else {
					got = answer(target)
				}
				if got != want {
					t.Errorf("seed %d: %s, %d files pending:\ncold %s\nwarm %s", seed, target, len(cold), got, want)
				}
			}
		}
	}
	if suggested < 500 {
		t.Errorf("only %d refusals suggest something", suggested)
	}
}

// forgetting calls do while c knows no content, so that pending files are filtered and parsed.
func forgetting(c *catalog, do func()) {
	swap := func(known map[facts.Key]weak.Pointer[Facts]) map[facts.Key]weak.Pointer[Facts] {
		c.mu.Lock()
		defer c.mu.Unlock()
		old := c.known
		c.known = known
		return old
	}
	old := swap(map[facts.Key]weak.Pointer[Facts]{})
	do()
	swap(old)
}

// source is one file of a corpus.
type source struct{ path, text string }

// sources are files of all languages.
func sources(t *testing.T) (all []source) {
	t.Helper()
	archives, err := filepath.Glob("../index/languages/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if index.Language(f.Name, f.Data) != "" {
				all = append(all, source{f.Name, string(f.Data)})
			}
		}
	}
	for _, dir := range []string{"sort", "io", "strings"} {
		names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal("no Go library", err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, source{name, string(text)})
		}
	}
	return all
}

// targets are names that the snapshot defines, as users write them, and words of its files.
func targets(rnd *rand.Rand, s *Snapshot, files map[string]string) []string {
	all := []string{"marked", "absent"}
	for len(all) < 60 {
		f := s.files[rnd.IntN(len(s.files))]
		if f.Facts == nil || len(f.Facts.Defs) == 0 {
			continue
		}
		d := &f.Facts.Defs[rnd.IntN(len(f.Facts.Defs))]
		all = append(all, d.Name, d.Qualified())
		// And what resembles a name: in another case, without its end, with another one.
		all = append(all, strings.ToUpper(d.Qualified()), d.Name[:len(d.Name)-rnd.IntN(min(3, len(d.Name)))], d.Name+"_x"[:1+rnd.IntN(2)])
		if words := strings.Fields(files[f.Path]); len(words) > 0 {
			all = append(all, strings.Trim(words[rnd.IntN(len(words))], "(){};,*"))
		}
	}
	return all
}

// TestSameTick: a second write within one tick of the clock, of the same size into the same inode,
// leaves the stat as it was; it must be seen all the same.
func TestSameTick(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def n_000():\n    pass\n"})
	f, err := os.OpenFile(filepath.Join(ws.Root, "m.py"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := 1; i < 200; i++ {
		if _, err := f.WriteAt(fmt.Appendf(nil, "%03d", i), int64(len("def n_"))); err != nil {
			t.Fatal(err)
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i)); len(got) != 1 {
			t.Fatalf("write %d is not seen", i)
		}
		if got := def(t, ws, fmt.Sprintf("n_%03d", i-1)); got != nil {
			t.Fatalf("write %d: the name before is still answered: %q", i, got)
		}
	}
}

// TestForgedTime: mtime set back, or an hour ahead, hides no edit (CASES F15).
func TestForgedTime(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def one():\n    pass\n"})
	path := filepath.Join(ws.Root, "m.py")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	def(t, ws, "one")
	write(t, path, "def two():\n    pass\n")
	for _, at := range []time.Time{before.ModTime(), before.ModTime().Add(time.Hour)} {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if got := def(t, ws, "two"); len(got) != 1 {
			t.Errorf("mtime %v: %q", at, got)
		}
		if got := def(t, ws, "one"); got != nil {
			t.Errorf("mtime %v: %q", at, got)
		}
	}
}

// TestRootReplaced: the same path, another directory. CASES F8.
func TestRootReplaced(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def one():\n    pass\n"})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py"}).Live.Address
	if got := def(t, ws, "one"); len(got) != 1 {
		t.Fatal(got)
	}
	if err := os.RemoveAll(ws.Root); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Def(t.Context(), wire.DefParams{Target: "one"}); word(err) != wire.NotFound {
		t.Fatalf("without a root: %v", err)
	}
	write(t, filepath.Join(ws.Root, "m.py"), "\ndef one():\n    pass\n\ndef two():\n    pass\n")
	// Reads come first: they too must find the new directory.
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Outcome != wire.Relocated {
		t.Errorf("%+v", res)
	}
	if o := outcomes(t, ws, live)[0]; o.Outcome != wire.Relocated {
		t.Errorf("%+v", o)
	}
	if got := def(t, ws, "two"); len(got) != 1 {
		t.Errorf("two: %q", got)
	}
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Outcome != wire.Relocated {
		t.Errorf("%+v", res)
	}
}

// TestUnreadable: a file that cannot be parsed or read has a reason, and hides no other.
// CASES P2.
func TestUnreadable(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"m.py":   "def f():\n    pass\n",
		"big.py": "def f():\n    pass\n" + strings.Repeat("x = 1\n", 1<<20),
		"nul.py": "def f():\n    pass\n\x00",
	})
	if got := def(t, ws, "f"); !slices.Equal(got, []string{"m.py:1-2 function f"}) {
		t.Errorf("%q", got)
	}
	for target, want := range map[string]wire.Word{"repo:big.py:f": wire.FileTooLarge, "repo:nul.py:f": wire.BinaryContent} {
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: target}); word(err) != want {
			t.Errorf("%s: %v; want %s", target, err, want)
		}
	}
	if w := ws.status(); len(w.Unparsed) != 2 {
		t.Errorf("%+v", w.Unparsed)
	}
	// Anchors work on them all the same.
	live := get(t, ws, wire.GetParams{Ref: "repo:big.py", Lines: "1:2"}).Live.Address
	write(t, filepath.Join(ws.Root, "big.py"), strings.Repeat("x = 1\n", 1<<20)+"def f():\n    pass\n")
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{1<<20 + 1, 1<<20 + 2}) {
		t.Errorf("%v", res.Lines)
	}
}

// TestPolicy: no face gives what the policy keeps back, by whatever name it is asked for.
func TestPolicy(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"secrets/keys.py": "def api_key():\n    return 'x'\n",
		".env.py":         "def api_key():\n    return 'y'\n",
		"m.py":            "def fine():\n    pass\n\ndef both():\n    pass\n",
		".env.local.py":   "def both():\n    pass\n",
	})
	for _, target := range []string{"api_key", "repo:secrets/keys.py:api_key", ".env.py:1"} {
		if res, err := ws.Def(t.Context(), wire.DefParams{Target: target}); word(err) != wire.PathDenied {
			t.Errorf("%s: %+v %v", target, res, err)
		}
	}
	if got := def(t, ws, "both"); !slices.Equal(got, []string{"m.py:4-5 function both"}) {
		t.Errorf("both: %q", got)
	}
	if o := outcomes(t, ws, "repo:.env.py --lines 1:1@07407f1c")[0]; o.Outcome != "error" || o.Error.Error != wire.PathDenied {
		t.Errorf("%+v", o)
	}
	if s := ws.store.Stats(); s.Blobs != 1 {
		t.Errorf("%d blobs were captured; only m.py may be", s.Blobs)
	}
	// An exception holds for as long as ctx.toml says so.
	write(t, filepath.Join(ws.Root, "ctx.toml"), "[store]\nallow = [\".env.py\"]\n")
	if got := def(t, ws, "api_key"); !slices.Equal(got, []string{".env.py:1-2 function api_key"}) {
		t.Errorf("allowed: %q", got)
	}
	snapshot := get(t, ws, wire.GetParams{Ref: ".env.py"}).Snapshot
	if err := os.Remove(filepath.Join(ws.Root, "ctx.toml")); err != nil {
		t.Fatal(err)
	}
	refused(t, ws, wire.GetParams{Ref: ".env.py"}, wire.PathDenied)
	refused(t, ws, wire.GetParams{Ref: "snapshot:" + snapshot}, wire.PathDenied)
}

// TestChangedWhileAsked: when a file changes between look-up and citing, the answer is of what it
// holds now, or a refusal; never an empty list.
func TestChangedWhileAsked(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def f():\n    pass\n", "n.py": "def g():\n    pass\n"})
	def(t, ws, "f")
	snap := ws.cur.Load()
	for _, q := range []query{{symbol: "f"}, {at: &place{path: "m.py", line: 1}}} {
		write(t, filepath.Join(ws.Root, "m.py"), "def f():\n    pass\n")
		ask := func() []hit {
			if q.at != nil {
				hits, err := ws.defsAt(t.Context(), snap, q)
				if err != nil {
					t.Fatal(err)
				}
				return hits
			}
			_, hits, err := ws.defsNamed(t.Context(), snap, q.symbol)
			if err != nil {
				t.Fatal(err)
			}
			return hits
		}
		hits := ask()
		write(t, filepath.Join(ws.Root, "m.py"), "def f(x):\n    return x\n")
		res := &wire.DefResult{Total: len(hits)}
		if err := ws.fill(t.Context(), snap, res, hits, false); err != nil || res.Total != 1 || res.Definitions[0].Text[0] != "def f(x):" {
			t.Errorf("%+v: %v %+v", q, err, res)
		}
	}
}

// TestBounds: what a user's configuration sets cannot overflow into something else.
func TestBounds(t *testing.T) {
	c := ParseUserConfig("c", []byte("[daemon]\nidle_minutes = 999999999999\n[store]\nretention_days = 200000\nmax_bytes = -1\ntypo = 1\n[watch]\nmax_watches = -1\n[facts]\nmax_bytes = -1\n"))
	if c.Daemon.IdleMinutes != 30 || c.Store.RetentionDays != 30 || c.Store.MaxBytes != 2<<30 || c.Watch.MaxWatches != 0 || c.Facts.MaxBytes != 1<<30 || len(c.Problems) != 6 {
		t.Errorf("%+v", c)
	}
	if c := ParseUserConfig("c", []byte("[store]\nretention_days = \"x\"\n")); c.Store.RetentionDays != 30 || len(c.Problems) != 1 || !strings.HasPrefix(c.Problems[0], "c:2: store.retention_days has a value of the wrong type") {
		t.Errorf("%+v", c)
	}
	if c := parseConfig("c", []byte("[budgets]\nmax_matches = 0\nmax_lines = 3\n")); c.Budgets.MaxMatches != 80 || len(c.problems) != 2 {
		t.Errorf("%+v", c)
	}
}

// TestWideBody: a definition on one long line does not flood an answer.
func TestWideBody(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.js": "function f() { " + strings.Repeat("g(); ", 100_000) + "}\n"})
	res, err := ws.Def(t.Context(), wire.DefParams{Target: "f"})
	if err != nil {
		t.Fatal(err)
	}
	d := res.Definitions[0]
	if d.Complete || len(d.Text) != 0 || len(d.Signature) > 512 || d.Live == nil {
		t.Errorf("complete %v, %d lines, signature of %d bytes", d.Complete, len(d.Text), len(d.Signature))
	}
}

// TestFailedRead: a file that could not be read is tried again though no event tells of it.
func TestFailedRead(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def f():\n    pass\n"})
	def(t, ws, "f")
	// As if the read had failed: too many open files.
	snap := ws.cur.Load()
	old := snap.file("m.py")
	failed := &File{Path: old.Path, Stat: old.Stat, Racy: true, Facts: unreadable("too many open files")}
	ws.cur.Store(snap.with([]change{{old, failed}}))
	if got := def(t, ws, "f"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestSuggestionsAreQuoted: what is suggested can be pasted into a shell.
func TestSuggestionsAreQuoted(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.md": "# run $(touch pwned) it's\n"})
	_, err := ws.Def(t.Context(), wire.DefParams{Target: "RUN $(TOUCH PWNED) IT'S"})
	if err == nil || len(err.(*wire.Error).Data.Suggestions) != 1 || err.(*wire.Error).Data.Suggestions[0] != `ctx def 'run $(touch pwned) it'\''s'` {
		t.Errorf("%+v", err)
	}
}

// TestRenamedMeanwhile: a directory, or a file, changes its name while a question is answered; a symbol that it holds at
// every moment is never unknown.
func TestRenamedMeanwhile(t *testing.T) {
	for _, c := range []struct{ what, from, to string }{
		{"a directory", "a", "b"},
		{"a file between directories", "a/m.py", "c/m.py"},
		{"a file in its directory", "a/m.py", "a/n.py"},
	} {
		t.Run(c.what, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"a/m.py": "def always():\n    pass\n", "c/other.py": "other = 1\n"})
			questions := make(chan struct{})
			var mover sync.WaitGroup
			mover.Go(func() {
				from, to := filepath.Join(ws.Root, c.from), filepath.Join(ws.Root, c.to)
				for range questions {
					for range 5 {
						if err := os.Rename(from, to); err != nil {
							t.Error(err)
						}
						from, to = to, from
						runtime.Gosched()
					}
				}
			})
			defer mover.Wait()
			defer close(questions)
			for i := range 300 {
				questions <- struct{}{}
				res, err := ws.Def(t.Context(), wire.DefParams{Target: "always"})
				if err != nil || len(res.Definitions) != 1 {
					t.Fatalf("question %d: %v %+v", i, err, res)
				}
			}
		})
	}
}

// TestHugeNumbers: nothing that is asked for overflows.
func TestHugeNumbers(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile, "ctx.toml": "[budgets]\nmax_inline_lines = 9223372036854775807\n"})
	for _, p := range []wire.DefParams{{Target: "beta", Limit: math.MaxInt, After: 1}, {Target: "beta", Limit: math.MinInt, After: math.MinInt}, {Target: "beta", After: math.MaxInt}} {
		if _, err := ws.Def(t.Context(), p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if res := get(t, ws, wire.GetParams{Ref: "m.py", Lines: "2:3"}); res.Lines != (wire.Lines{2, 3}) {
		t.Errorf("%+v", res)
	}
}
