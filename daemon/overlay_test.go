package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
	"ctxd/daemon/facts"
)

// under is ws with buffers, path → content.
func under(ws *Workspace, buffers map[string]string) *Workspace {
	var o *Overlay
	for path, src := range buffers {
		o = o.With(NewBuffer(path, []byte(src)))
	}
	return ws.Under(o)
}

// Every request sees the buffers in place of the files, and nobody else does.
// CASES L4.
func TestOverlay(t *testing.T) {
	ws := newWorkspace(t, map[string]string{
		"m.py": "def alpha(): pass\n", "n.py": "from m import alpha\nalpha()\n", ".gitignore": "skipped.py\n", "skipped.py": "",
	})
	mine := under(ws, map[string]string{
		"m.py": "\ndef alpha(): pass\ndef beta(): alpha()\n", "new.py": "import m\nm.beta()\n", "skipped.py": "def beta(): pass\n", ".env": "def beta(): pass\n",
	})
	ctx := t.Context()
	def, err := mine.Def(ctx, wire.DefParams{Target: "beta"})
	if err != nil || len(def.Definitions) != 1 || def.Definitions[0].Path != "m.py" || def.Definitions[0].Lines[0] != 3 || def.Definitions[0].Text[0] != "def beta(): alpha()" {
		t.Errorf("def: %+v, %v", def, err)
	}
	refs, err := mine.Refs(ctx, wire.RefsParams{Target: "m.alpha"})
	if err != nil || refs.Tiers != (wire.Tiers{Local: 2, Import: 2}) {
		t.Errorf("refs: %+v, %v", refs, err)
	}
	refs, err = mine.Refs(ctx, wire.RefsParams{Target: "m.beta"})
	if err != nil || len(refs.References) != 2 || refs.References[1].Path != "new.py" || refs.References[1].Tier != wire.TierImport {
		t.Errorf("refs of what is not on disk: %+v, %v", refs, err)
	}
	found, err := mine.Search(ctx, wire.SearchParams{Patterns: []string{"beta"}})
	if err != nil || found.Total != 2 {
		t.Errorf("search: %+v, %v", found, err)
	}
	outline, err := mine.Map(ctx, wire.MapParams{Path: "repo:m.py"})
	if err != nil || len(outline.Entries) != 2 {
		t.Errorf("map: %+v, %v", outline, err)
	}
	got, err := mine.Get(ctx, wire.GetParams{Ref: "repo:new.py"})
	if err != nil || !strings.Contains(got.Note, "not on disk") || len(got.Text) != 2 {
		t.Errorf("get: %+v, %v", got, err)
	}
	diag, err := under(ws, map[string]string{"m.py": "def alpha(: pass\n"}).Diag(ctx, wire.DiagParams{})
	if err != nil || diag.Errors != 1 {
		t.Errorf("diag: %+v, %v", diag, err)
	}
	if diag, err = ws.Diag(ctx, wire.DiagParams{}); err != nil || diag.Errors != 0 {
		t.Errorf("diag on disk: %+v, %v", diag, err)
	}
	if _, err := mine.Get(ctx, wire.GetParams{Ref: "repo:.env"}); word(err) != wire.PathDenied {
		t.Errorf("a secret that is open: %v", err)
	}
	if _, err := ws.Def(ctx, wire.DefParams{Target: "beta"}); word(err) != wire.NotFound {
		t.Errorf("on disk: %v", err)
	}
	if _, err := mine.Def(ctx, wire.DefParams{Target: "repo:skipped.py:beta"}); word(err) != wire.NotFound {
		t.Errorf("an ignored file that is open: %v", err)
	}
}

// A buffer that holds what its file does costs and changes nothing.
func TestOverlayUnmodified(t *testing.T) {
	src := "def alpha(): pass\n"
	ws := newWorkspace(t, map[string]string{"m.py": src})
	settled(t, ws)
	mine := under(ws, map[string]string{"m.py": src})
	if base := ws.cur.Load(); mine.over(t.Context(), base) != base {
		t.Error("a snapshot was made for nothing")
	}
	def, err := mine.Def(t.Context(), wire.DefParams{Target: "alpha"})
	if err != nil || def.Definitions[0].Note != "" {
		t.Errorf("%+v, %v", def, err)
	}
}

// Answers over buffers are those over files with the same bytes: the model is a copy of the tree.
func TestOverlayIsATree(t *testing.T) {
	files := map[string]string{"a.py": "def f(): pass\n", "b.py": "from a import f\nf()\n", "c.py": "import a\na.f()\n", "d/e.py": "x = 1\n"}
	buffers := map[string]string{"a.py": "\n\ndef f(): pass\ndef g(): f()\n", "b.py": "from a import f as h, g\nh()\ng()\n", "d/new.py": "from a import g\ng()\n"}
	ws := newWorkspace(t, files)
	mine := under(ws, buffers)
	model := map[string]string{}
	for _, from := range []map[string]string{files, buffers} {
		for path, src := range from {
			model[path] = src
		}
	}
	other := newWorkspace(t, model)
	for _, target := range []string{"f", "g", "a.g", "repo:b.py:2:1", "repo:c.py:2:3"} {
		got, err := mine.Refs(t.Context(), wire.RefsParams{Target: target})
		want, err2 := other.Refs(t.Context(), wire.RefsParams{Target: target})
		if err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", target, err, err2)
		}
		show := func(r *wire.RefsResult) (all []string) {
			for _, d := range r.Definitions {
				all = append(all, "def "+d.Live.Address)
			}
			for _, x := range r.References {
				all = append(all, x.Tier+" "+x.Live.Address)
			}
			return all
		}
		if !slices.Equal(show(got), show(want)) {
			t.Errorf("%s: got %q, want %q", target, show(got), show(want))
		}
	}
}

// Facts of buffers are not kept: the cache on disk would grow with every keystroke.
func TestOverlayFactsAreNotKept(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def alpha(): pass\n"})
	settled(t, ws)
	kept := func(src string) bool {
		_, ok := ws.catalog.store.Get(facts.KeyOf(blobOf([]byte(src)), "m.py"))
		return ok
	}
	if !kept("def alpha(): pass\n") {
		t.Error("those of the file are not")
	}
	for _, name := range []string{"a", "b", "c"} {
		src := "def " + name + "(): pass\n"
		if _, err := under(ws, map[string]string{"m.py": src}).Def(t.Context(), wire.DefParams{Target: name}); err != nil {
			t.Error(err)
		}
		if kept(src) {
			t.Errorf("%q is kept", src)
		}
	}
}

// Who reads the disk is told what editors have open, once for each, until they close it.
// CASES A21.
func TestAnnounce(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def alpha(): pass\n"})
	note := func() string {
		t.Helper()
		def, err := ws.Def(t.Context(), wire.DefParams{Target: "alpha"})
		if err != nil {
			t.Fatal(err)
		}
		return def.Definitions[0].Note
	}
	var none *Overlay
	ws.Announce(1, none.With(NewBuffer("m.py", []byte("def alpha(): pass\n"))))
	if got := note(); got != "" {
		t.Errorf("unmodified: %q", got)
	}
	ws.Announce(1, none.With(NewBuffer("m.py", []byte("typed\n"))))
	if got := note(); !strings.Contains(got, "modified in an editor") {
		t.Errorf("modified: %q", got)
	}
	ws.Announce(2, none.With(NewBuffer("m.py", []byte("other\n"))))
	ws.Announce(1, nil)
	if got := note(); !strings.Contains(got, "modified in an editor") {
		t.Errorf("by another: %q", got)
	}
	ws.Announce(2, nil)
	if got := note(); got != "" || len(ws.editors.open) != 0 {
		t.Errorf("closed: %q, %v", got, ws.editors.open)
	}
}

// What follows changes is told of them.
func TestChanges(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def alpha(): pass\n"})
	if err := ws.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	changes, stop := ws.Changes()
	defer stop()
	if err := os.WriteFile(filepath.Join(ws.Root, "m.py"), []byte("def beta(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	<-changes
}

// Checkers judge files: what they find is no verdict of a buffer that is not saved, and typing does not start them.
func TestCheckersAndBuffers(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "ctx.toml"), script(grepper, ""))
	write(t, filepath.Join(root, "a.txt"), "good\nbad\n")
	write(t, filepath.Join(root, "b.txt"), "bad\n")
	ws := use(t, d, root)
	trustIt(t, d, root)
	runs := func() int {
		text, _ := os.ReadFile(filepath.Join(ws.checkerState, "runs"))
		return strings.Count(string(text), "run")
	}
	want := []string{"a.txt:2 warning it is bad (test)", "b.txt:1 warning it is bad (test)"}
	if rows, _ := diag(t, ws, wire.DiagParams{}); !slices.Equal(rows, want) {
		t.Fatalf("on disk: %q", rows)
	}
	before := runs()
	if rows, _ := diag(t, under(ws, map[string]string{"a.txt": "good\nbad\n"}), wire.DiagParams{}); !slices.Equal(rows, want) {
		t.Errorf("unmodified: %q", rows)
	}
	for _, typed := range []string{"\n", "\n\n", "\n\n\n"} {
		if rows, _ := diag(t, under(ws, map[string]string{"a.txt": typed + "good\nbad\n"}), wire.DiagParams{}); !slices.Equal(rows, want[1:]) {
			t.Errorf("typed: %q", rows)
		}
	}
	if n := runs(); n != before {
		t.Errorf("%d runs for what was typed", n-before)
	}
}

// What an editor has open and modified is not written behind its back.
// CASES A21.
func TestCheckFixLeavesOpenFiles(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "def alpha():\n    return 1\n"})
	def, err := ws.Def(t.Context(), wire.DefParams{Target: "alpha"})
	if err != nil {
		t.Fatal(err)
	}
	notes := "see " + def.Definitions[0].Live.Address + "\n"
	write(t, filepath.Join(ws.Root, "notes.md"), notes)
	write(t, filepath.Join(ws.Root, "m.py"), "import os\n\ndef alpha():\n    return 1\n")
	var none *Overlay
	ws.Announce(1, none.With(NewBuffer("notes.md", []byte(notes+"typed\n"))))
	res, err := ws.Check(t.Context(), wire.CheckParams{Fix: true})
	if err != nil || res.Counts.Unfixed != 1 || res.Counts.Fixed != 0 || !strings.Contains(res.Addresses[0].Note, "modified in an editor") {
		t.Errorf("%+v, %v", res, err)
	}
	if src, _ := os.ReadFile(filepath.Join(ws.Root, "notes.md")); string(src) != notes {
		t.Errorf("written: %q", src)
	}
	ws.Announce(1, nil)
	if res, err = ws.Check(t.Context(), wire.CheckParams{Fix: true}); err != nil || res.Counts.Fixed != 1 {
		t.Errorf("closed: %+v, %v", res, err)
	}
}
