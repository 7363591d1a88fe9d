package daemon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// checked is a check that must succeed.
func checked(t testing.TB, ws *Workspace, p wire.CheckParams) *wire.CheckResult {
	t.Helper()
	res, err := ws.Check(t.Context(), p)
	if err != nil {
		t.Fatalf("check %+v: %v", p, err)
	}
	return res
}

// liveOf is the live address of lines of a file as it is now.
func liveOf(t testing.TB, ws *Workspace, path string, first, last int) string {
	t.Helper()
	return get(t, ws, wire.GetParams{Ref: wire.RepoRef(path), Lines: fmt.Sprintf("%d:%d", first, last)}).Live.Address
}

// rowsOf are the rows of an answer in brief.
func rowsOf(res *wire.CheckResult) []string {
	var rows []string
	for _, a := range res.Addresses {
		row := fmt.Sprintf("%s:%d %s", a.Path, a.Lines[0], a.Outcome.Outcome)
		if a.Fixed != "" {
			row += " fixed"
		}
		rows = append(rows, row)
	}
	return rows
}

func same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestCheck: every address in every text has one row with where it stands, the worst first; next goes through all of them.
func TestCheck(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"m.py": seedFile, "bin.dat": "\x00repo:m.py --lines 4:5@07407f1c", ".env": "repo:m.py --lines 4:5@07407f1c\n",
		"out/x.md": "repo:m.py --lines 4:5@07407f1c\n", ".gitignore": "out\n", "ex/e.md": "repo:gone.py --lines 4:5@07407f1c\n",
		"ctx.toml": "[check]\nexclude = [\"ex/\"]\n", "pic.bin": "\x00",
	})
	if err := os.Mkdir(filepath.Join(ws.Root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws.Root, "d/notes.md"), "# é\n"+
		"é repo:m.py --lines 4:5@07407f1c, repo:m.py --lines 4:5@00000000\n"+
		"repo:m.py\n  --lines 1:2@07407f1c\n"+
		"repo:pic.bin --lines 1:1@07407f1c\nrepo:../m.py --lines 1:1@07407f1c\nrepo:m.py --lines 9:9@07407f1c <!-- ctx:ignore -->\n")
	write(t, filepath.Join(ws.Root, "d/more.go"), "// repo:none.py --lines 4:5@07407f1c\npackage d\n")
	res := checked(t, ws, wire.CheckParams{})
	same(t, rowsOf(res), "d/more.go:1 lost", "d/notes.md:2 lost", "d/notes.md:5 lost", "d/notes.md:6 error", "d/notes.md:3 relocated", "d/notes.md:2 verified")
	if want := (wire.CheckCounts{Verified: 1, Relocated: 1, Lost: 3, Error: 1, Ignored: 1}); res.Counts != want || res.Total != 6 {
		t.Errorf("%+v of %d", res.Counts, res.Total)
	}
	if res.Excluded != 1 || res.Scanned.Binary != 2 || res.Scanned.Secrets != 1 {
		t.Errorf("excluded %d, %+v", res.Excluded, res.Scanned)
	}
	last := res.Addresses[5]
	if last.Range.Start != (wire.Position{Line: 1, Character: 2}) || last.Bytes != (wire.Bytes{8, 38}) {
		t.Errorf("%+v %v", last.Range, last.Bytes)
	}
	var paged []string
	for after := 0; ; {
		page := checked(t, ws, wire.CheckParams{Limit: 2, After: after})
		paged = append(paged, rowsOf(page)...)
		if after = page.Next; after == 0 {
			break
		}
	}
	same(t, paged, rowsOf(res)...)
	// Files and directories, each once.
	same(t, rowsOf(checked(t, ws, wire.CheckParams{Paths: []string{"repo:d/more.go", "d", "repo:d"}})), rowsOf(res)...)
	same(t, rowsOf(checked(t, ws, wire.CheckParams{Common: wire.Common{Dir: "d"}, Paths: []string{"more.go"}})), "d/more.go:1 lost")
	for path, want := range map[string]wire.Word{
		"repo:none": wire.NotFound, "../x": wire.PathDenied, "repo:out/x.md": wire.NotFound, "repo:.env": wire.PathDenied, "/etc/passwd": wire.PathDenied,
	} {
		if _, err := ws.Check(t.Context(), wire.CheckParams{Paths: []string{path}}); word(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	for _, p := range []wire.CheckParams{{Limit: -1}, {After: -1}, {Limit: 1 << 30}} {
		if _, err := ws.Check(t.Context(), p); word(err) != wire.InvalidRequest {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// TestCheckReadsYourWrites: an address that was written before the question is found.
func TestCheckReadsYourWrites(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile})
	for i := range 20 {
		write(t, filepath.Join(ws.Root, fmt.Sprintf("n%d/x.md", i)), "repo:m.py --lines 4:5@07407f1c")
		if res := checked(t, ws, wire.CheckParams{}); res.Counts.Verified != i+1 {
			t.Fatalf("after %d: %+v", i+1, res.Counts)
		}
	}
}

// TestCheckFix: only the digits of selectors change: not the line ends, the bytes around, the mode, the missing final line
// end. A second check finds everything true.
func TestCheckFix(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile, "a b.py": seedFile})
	const text = "\xff\xfe\r\nrepo:m.py --lines 4:5@07407f1c, 'repo:a b.py' --lines=4:5@07407f1c;\rrepo:m.py L4:5@07407f1c\r\n" +
		"// repo:a%20b.py\r\n//\t--lines 4:5@07407f1c\n\nrepo:m.py --lines 1:2@00000000\n\trepo:./m.py  --lines  4:5@07407f1c <- here"
	doc := filepath.Join(ws.Root, "d/notes.md")
	write(t, doc, text)
	if err := os.Chmod(doc, 0o751); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws.Root, "m.py"), "# 1\n"+seedFile)
	write(t, filepath.Join(ws.Root, "a b.py"), strings.Repeat("# 1\n", 96)+seedFile)
	before := checked(t, ws, wire.CheckParams{})
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if before.Counts.Relocated != 5 || res.Counts.Fixed != 5 || res.Counts.Unfixed != 0 || res.Counts.Lost != 1 {
		t.Errorf("%+v, then %+v", before.Counts, res.Counts)
	}
	want := strings.NewReplacer("repo:m.py --lines 4:5", "repo:m.py --lines 5:6", "L4:5", "L5:6", "repo:./m.py  --lines  4:5", "repo:./m.py  --lines  5:6", "4:5", "100:101").Replace(text)
	got, err := os.ReadFile(doc)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%q\n%q", err, got, want)
	}
	if fi, err := os.Stat(doc); err != nil || fi.Mode().Perm() != 0o751 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Join(ws.Root, "d")); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	after := checked(t, ws, wire.CheckParams{})
	if after.Counts.Verified != 5 || after.Counts.Relocated != 0 || after.Counts.Lost != 1 {
		t.Errorf("%+v", after.Counts)
	}
	for _, a := range after.Addresses[1:] {
		if a.Outcome.Checked != "full" {
			t.Errorf("%s is checked by its 8 digits only", a.Outcome.Address)
		}
	}
}

// TestCheckFixAmbiguous: of several equal regions none is written down as the one that was meant.
func TestCheckFixAmbiguous(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": "x\na\ny\na\n", "d.md": "repo:m.txt --lines 9:9@" + anchors.NewTable([]byte("a\n")).Digest(anchors.Span{First: 1, Last: 1}).Anchor().String()})
	text, _ := os.ReadFile(filepath.Join(ws.Root, "d.md"))
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Unfixed != 1 || res.Counts.Fixed != 0 || !strings.Contains(res.Addresses[0].Note, "several regions") {
		t.Errorf("%+v %+v", res.Counts, res.Addresses)
	}
	if now, _ := os.ReadFile(filepath.Join(ws.Root, "d.md")); string(now) != string(text) {
		t.Errorf("%q", now)
	}
}

// TestCheckFixChain: a fixed address changes the line that another one anchors, in another file and in its own. Those
// are made anew, to the end of the chain.
func TestCheckFixChain(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile})
	doc := func(name string) string { return filepath.Join(ws.Root, name) }
	write(t, doc("a.md"), "one\nsee "+liveOf(t, ws, "m.py", 4, 5)+"\ntwo\n\n")
	write(t, doc("b.md"), "three\n"+liveOf(t, ws, "a.md", 1, 4)+"\n")
	write(t, doc("c.md"), liveOf(t, ws, "b.md", 2, 2)+"\nfour\n")
	write(t, doc("c.md"), liveOf(t, ws, "b.md", 2, 2)+"\n"+liveOf(t, ws, "c.md", 1, 1)+"\n"+liveOf(t, ws, "m.py", 1, 2)+"\n")
	write(t, doc("m.py"), "# new\n"+seedFile)
	if before := checked(t, ws, wire.CheckParams{}); before.Counts.Relocated != 2 || before.Counts.Verified != 3 {
		t.Fatalf("%+v", before.Counts)
	}
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Fixed != 5 || res.Counts.Unfixed != 0 {
		t.Errorf("%+v", res.Counts)
	}
	if after := checked(t, ws, wire.CheckParams{}); after.Counts.Verified != 5 {
		t.Errorf("%+v\n%v", after.Counts, rowsOf(after))
	}
	// What does not depend on a change is left as it is.
	if again := checked(t, ws, wire.CheckParams{Fix: true}); again.Counts.Fixed != 0 {
		t.Errorf("%+v", again.Counts)
	}
}

// TestCheckWithin: an address in the lines that it names is lost, and is told why.
func TestCheckWithin(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"a.md": "one\ntwo\nthree\n"})
	write(t, filepath.Join(ws.Root, "a.md"), "one\n"+liveOf(t, ws, "a.md", 1, 3)+"\nthree\n")
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Lost != 1 || !strings.Contains(res.Addresses[0].Note, "stands in the lines that it names") {
		t.Errorf("%+v", res.Addresses)
	}
}

// TestCheckFixCircle: addresses that anchor each other's lines cannot be rewritten, nor what stands in these lines.
// Nobody makes such a pair by accident, so that what they resolve to is made up here.
func TestCheckFixCircle(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"a.md": "repo:b.md --lines 5:5@07407f1c repo:m.py --lines 3:3@07407f1c\n",
		"b.md": "repo:a.md --lines 5:5@07407f1c\nrepo:m.py --lines 4:4@07407f1c\n",
	})
	settled(t, ws)
	c, err := ws.scanned(t.Context(), wire.CheckParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.all {
		to := wire.Lines{1, 1}
		path := strings.TrimPrefix(wire.ParseAddress(f.address).Ref, "repo:")
		f.outcome = &wire.Outcome{
			Address: f.address, Outcome: wire.Relocated, Path: path, Lines: &to, Copies: 1,
			Live: &wire.Live{Anchor: "07407f1c", Lines: to, Address: "repo:" + path + " --lines 1:1@07407f1c"},
		}
	}
	if err := c.fix(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range c.all {
		got = append(got, fmt.Sprintf("%s %t %q", f.at(), f.fixed != "", f.note))
	}
	same(t, got,
		`repo:a.md:L1 false "not fixed: it stands in lines whose anchor would change its own"`,
		`repo:a.md:L1 false "not fixed: it stands in lines that repo:b.md:L1 anchors, and that one cannot be rewritten"`,
		`repo:b.md:L1 false "not fixed: it stands in lines whose anchor would change its own"`,
		`repo:b.md:L2 true "written, and no longer true: the lines that it names were changed meanwhile; run it again"`)
}

// TestCheckFixConflict: a file that was changed between the look and the write is left as it is, and so is an address
// in it that another file's fix would have made untrue.
func TestCheckFixConflict(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"written":  func(path string) error { return os.WriteFile(path, []byte("theirs\n"), 0o644) },
		"replaced": func(path string) error { return byRenaming(path, "theirs\n") },
		"appended": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("theirs\n")
			return err
		},
		"removed": os.Remove,
		"a link": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink("m.py", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.py": seedFile})
			inner, outer, other := filepath.Join(ws.Root, "a.md"), filepath.Join(ws.Root, "b.md"), filepath.Join(ws.Root, "c.md")
			write(t, inner, "see "+liveOf(t, ws, "m.py", 4, 5)+"\n")
			write(t, outer, liveOf(t, ws, "a.md", 1, 1)+"\n")
			write(t, other, liveOf(t, ws, "m.py", 4, 5)+"\n")
			write(t, filepath.Join(ws.Root, "m.py"), "# new\n"+seedFile)
			was, _ := os.ReadFile(inner)
			settled(t, ws)
			c, err := ws.scanned(t.Context(), wire.CheckParams{})
			if err == nil {
				err = c.resolve(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := change(outer); err != nil {
				t.Fatal(err)
			}
			theirs, theirErr := os.ReadFile(outer)
			if err := c.fix(t.Context()); err != nil {
				t.Fatal(err)
			}
			now, nowErr := os.ReadFile(outer)
			if string(now) != string(theirs) || (nowErr == nil) != (theirErr == nil) {
				t.Errorf("theirs did not survive: %q %v", now, nowErr)
			}
			if now, _ := os.ReadFile(other); !strings.Contains(string(now), "5:6@") {
				t.Errorf("what is not concerned was not fixed: %q", now)
			}
			if entries, _ := os.ReadDir(ws.Root); len(entries) > 4 {
				t.Errorf("left behind: %v", entries)
			}
			// What the outer one names is left alone, or the address that theirs may hold would be made untrue.
			if now, _ := os.ReadFile(inner); string(now) != string(was) || !c.all[0].unfixed || !strings.Contains(c.all[0].note, "repo:b.md:L1 anchors") {
				t.Errorf("%q: %q", now, c.all[0].note)
			}
			for _, f := range c.all {
				if f.doc.path == "b.md" && f.fixed != "" {
					t.Errorf("%s is said to be fixed", f.at())
				}
			}
		})
	}
}

func byRenaming(path, text string) error {
	if err := os.WriteFile(path+"~", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+"~", path)
}

// TestCheckFixDenied: a file that may not be written is not replaced, though its directory would allow that.
func TestCheckFixDenied(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "# new\n" + seedFile, "d.md": "repo:m.py --lines 4:5@07407f1c\n"})
	doc := filepath.Join(ws.Root, "d.md")
	src, _ := os.ReadFile(doc)
	if err := ws.replace(context.Background(), "d.md", blobOf([]byte("other")), nil); word(err) != wire.EditConflict {
		t.Errorf("%v", err)
	}
	if err := ws.replace(context.Background(), "none.md", blobOf(src), nil); word(err) != wire.NotFound {
		t.Errorf("%v", err)
	}
	if now, _ := os.ReadFile(doc); string(now) != string(src) {
		t.Errorf("%q", now)
	}
	if err := os.Chmod(doc, 0o444); err != nil {
		t.Fatal(err)
	}
	res := checked(t, ws, wire.CheckParams{Fix: true})
	if res.Counts.Unfixed != 1 || !strings.Contains(res.Addresses[0].Note, "permission denied") {
		t.Errorf("%+v", res.Addresses)
	}
}

var selectorText = regexp.MustCompile(`\d+:\d+@[0-9a-f]{8}`)

// TestCheckFixRandom: documents that name lines of code, of each other and of themselves, and edits that move these lines.
// A fix leaves nothing relocated, makes nothing lost that was not, and changes selectors alone.
func TestCheckFixRandom(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		ws := newWorkspace(t, map[string]string{"m.py": seedFile})
		texts := map[string][]string{}
		var names []string
		put := func(name string) { write(t, filepath.Join(ws.Root, name), strings.Join(texts[name], "\n")) }
		for i := range 6 {
			name := fmt.Sprintf("%d.md", i)
			names = append(names, name)
			for n := range 3 + r.IntN(20) {
				line := fmt.Sprintf("%s line %d", name, n)
				for range r.IntN(3) {
					of := names[r.IntN(len(names))]
					if i < 2 || len(texts[of]) == 0 {
						break
					}
					put(of)
					first := 1 + r.IntN(len(texts[of]))
					last := min(len(texts[of]), first+r.IntN(4))
					line += " " + liveOf(t, ws, of, first, last)
				}
				texts[name] = append(texts[name], line)
			}
			put(name)
		}
		if got := checked(t, ws, wire.CheckParams{Limit: maxRows}); got.Counts.Verified != got.Total {
			t.Fatalf("seed %d: %+v", seed, got.Counts)
		}
		for range 1 + r.IntN(8) {
			name := names[r.IntN(len(names))]
			at := r.IntN(len(texts[name]) + 1)
			texts[name] = append(texts[name][:at], append([]string{fmt.Sprintf("inserted %d", r.Uint64())}, texts[name][at:]...)...)
			put(name)
		}
		before := checked(t, ws, wire.CheckParams{Limit: maxRows})
		was := map[string]string{}
		for _, name := range names {
			src, _ := os.ReadFile(filepath.Join(ws.Root, name))
			was[name] = selectorText.ReplaceAllString(string(src), "")
		}
		fixed := checked(t, ws, wire.CheckParams{Limit: maxRows, Fix: true})
		after := checked(t, ws, wire.CheckParams{Limit: maxRows})
		if after.Counts.Relocated != 0 || after.Counts.Lost != before.Counts.Lost || after.Total != before.Total || fixed.Counts.Unfixed != 0 {
			t.Fatalf("seed %d: %+v, fixed %+v, then %+v", seed, before.Counts, fixed.Counts, after.Counts)
		}
		for _, name := range names {
			src, _ := os.ReadFile(filepath.Join(ws.Root, name))
			if selectorText.ReplaceAllString(string(src), "") != was[name] {
				t.Errorf("seed %d: %s changed otherwise", seed, name)
			}
		}
	}
}
