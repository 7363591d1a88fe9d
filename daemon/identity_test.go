package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// twins is a file with three equal lines, at 3, 7 and 11 (CASES A1).
const twins = "def a():\n    x = 1\n    return None\n\ndef b():\n    y = 2\n    return None\n\ndef c():\n    z = 3\n    return None\n"

// edits of twins, and where its line 7 is afterwards: 0 is nowhere.
var twinEdits = []struct {
	name string
	edit func([]string) []string
	line int
}{
	{"the first is deleted", func(l []string) []string { return slices.Delete(l, 2, 3) }, 6},
	{"a fourth above the first", func(l []string) []string { return slices.Insert(l, 0, "def z():", "    return None", "") }, 10},
	{"a fourth between", func(l []string) []string { return slices.Insert(l, 4, "def z():", "    return None", "") }, 10},
	{"it is replaced", func(l []string) []string { l[6] = "    return 7"; return l }, 0},
	{"it is deleted", func(l []string) []string { return slices.Delete(l, 6, 7) }, 0},
	{"its function is deleted", func(l []string) []string { return slices.Delete(l, 4, 8) }, 0},
	{"the third is deleted", func(l []string) []string { return slices.Delete(l, 8, 11) }, 7},
	{"another takes its lines", func(l []string) []string { return slices.Delete(l, 0, 4) }, 3},
	{"lines above are as many as between", func(l []string) []string {
		return slices.Insert(l, 0, "import a", "import b", "import c", "import d")
	}, 11},
	{"nothing", func(l []string) []string { return l }, 7},
}

// TestTwins: of equal lines the one that was addressed is found, or none. Never its twin (CASES A1).
func TestTwins(t *testing.T) {
	for _, history := range []string{"captured", "restarted", "collected, committed", "bytes collected, committed", "bytes collected, running, committed", "foreign, committed"} {
		for _, c := range twinEdits {
			t.Run(history+"/"+c.name, func(t *testing.T) {
				root, state := t.TempDir(), t.TempDir()
				file := filepath.Join(root, "m.py")
				write(t, file, twins)
				ws, stop := started(t, state, root)
				defer func() { stop() }()
				live := "repo:m.py --lines 7:7@" + anchorOf("    return None")
				if strings.HasSuffix(history, "committed") {
					committedTree(t, ws)
				}
				if !strings.HasPrefix(history, "foreign") {
					live = get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:7"}).Live.Address
				}
				lines := c.edit(strings.Split(strings.TrimSuffix(twins, "\n"), "\n"))
				write(t, file, strings.Join(lines, "\n")+"\n")
				if history == "bytes collected, running, committed" {
					collectBytes(t, state)
				} else if history == "restarted" || strings.Contains(history, "collected") {
					stop()
					if strings.HasPrefix(history, "bytes") {
						collectBytes(t, state)
					} else if history != "restarted" {
						if err := os.RemoveAll(filepath.Join(state, "captures")); err != nil {
							t.Fatal(err)
						}
					}
					ws, stop = started(t, state, root)
				}
				if c.line == 0 {
					d := refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
					if d.Became == nil || d.Became.Kind != wire.Edited && d.Became.Kind != wire.Deleted || d.Became.Twin == "" {
						t.Errorf("became %+v", d.Became)
					}
					return
				}
				res := get(t, ws, wire.GetParams{Ref: live})
				if res.Lines != (wire.Lines{c.line, c.line}) || res.Identity != identityProven || res.Text[0] != "    return None" {
					t.Errorf("L%d %s of %d copies, want L%d proven", res.Lines[0], res.Identity, res.Copies, c.line)
				}
				if want := map[bool]string{true: wire.Verified, false: wire.Relocated}[c.line == 7]; res.Outcome != want {
					t.Errorf("%s, want %s", res.Outcome, want)
				}
			})
		}
	}
}

// TestBlankTwins: a span of blank lines has no content of its own to be known by, and is followed all the same.
func TestBlankTwins(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": "a\n\n\nb\n\n\nc\n\n\nd\n"})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "5:6"}).Live.Address
	write(t, filepath.Join(ws.Root, "m.txt"), "new\n\n\na\n\n\nb\n\n\nc\n\n\nd\n")
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{8, 9}) || res.Identity != identityProven {
		t.Errorf("%v %s", res.Lines, res.Identity)
	}
	write(t, filepath.Join(ws.Root, "m.txt"), "a\n\n\nb\nc\n\n\nd\n")
	refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
}

// TestTwinsWithoutHistory: what only content knows is said to be known by content, with the number of copies.
func TestTwinsWithoutHistory(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": twins})
	res := get(t, ws, wire.GetParams{Ref: "repo:m.py --lines 7:7@" + anchorOf("    return None")})
	if res.Identity != identityContent || res.Copies != 3 || res.Checked != "short" {
		t.Errorf("%s, %d copies, %s", res.Identity, res.Copies, res.Checked)
	}
}

// TestStepByStep: versions that were seen between prove what the first and the last alone cannot.
func TestStepByStep(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": "p\nx\nq\n"})
	file := filepath.Join(ws.Root, "m.txt")
	live := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "2:2"}).Live.Address
	// A twin is put below, then the lines around the first go: at the end the twin stands where it stood.
	for _, text := range []string{"p\nx\nq\nr\nx\ns\n", "p\nx\nr\nx\ns\n", "x\nr\nx\ns\n", "r\nx\ns\n"} {
		write(t, file, text)
		def(t, ws, "nothing") // somebody asks for something else
		get(t, ws, wire.GetParams{Ref: "repo:m.txt"})
	}
	d := refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
	if d.Became == nil || d.Became.Twin == "" {
		t.Errorf("became %+v", d.Became)
	}
}

// TestThereAndBack: what stood on one branch is known again after another one, and after the file was gone or empty.
func TestThereAndBack(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": twins})
	file := filepath.Join(ws.Root, "m.py")
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:7"}).Live.Address
	for _, other := range []string{"def q():\n    return None\n", "\n", "x\n"} {
		write(t, file, other)
		if _, err := ws.Get(t.Context(), wire.GetParams{Ref: live}); word(err) != wire.AnchorStale {
			t.Errorf("%q: %v", other, err)
		}
		write(t, file, "# one more\n"+twins)
		if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{8, 8}) || res.Identity != identityProven {
			t.Errorf("after %q: %v %s", other, res.Lines, res.Identity)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
		write(t, file, twins)
		if res := get(t, ws, wire.GetParams{Ref: live}); res.Outcome != wire.Verified || res.Identity != identityProven {
			t.Errorf("after it was gone: %s %s", res.Outcome, res.Identity)
		}
	}
}

// TestTwoOrigins: one address that was made from two versions, for different copies, is not proven to mean either.
func TestTwoOrigins(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": twins})
	file := filepath.Join(ws.Root, "m.py")
	first := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:7"}).Live.Address
	write(t, file, "import a\nimport b\nimport c\nimport d\n"+twins) // the first copy stands at 7 now
	second := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:7"}).Live.Address
	if first != second {
		t.Fatalf("%s and %s", first, second)
	}
	if res := get(t, ws, wire.GetParams{Ref: first}); res.Identity != identityContent || res.Copies != 3 {
		t.Errorf("%s, %d copies", res.Identity, res.Copies)
	}
}

// TestCommittedAcrossRenames: a file's history is followed under its earlier names.
func TestCommittedAcrossRenames(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"old/m.py": twins})
	committedTree(t, ws)
	if err := os.Rename(filepath.Join(ws.Root, "old/m.py"), filepath.Join(ws.Root, "m.py")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws.Root, "m.py"), "# moved\n"+twins)
	committedTree(t, ws)
	// Made when the file had its first content: the line is 8 now.
	res := get(t, ws, wire.GetParams{Ref: "repo:m.py --lines 7:7@" + anchorOf("    return None")})
	if res.Lines != (wire.Lines{8, 8}) || res.Identity != identityProven || res.Checked != "short" {
		t.Errorf("%v %s %s", res.Lines, res.Identity, res.Checked)
	}
}

// collectBytes removes the captured bytes and leaves the mint records, as a collection does that is cut short.
func collectBytes(t *testing.T, state string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(state, "captures", "blobs")); err != nil {
		t.Fatal(err)
	}
}

// TestCollected: where the captured bytes are gone, the file's git history serves: the very version if it was committed, and else
// those that have the content, which prove nothing: in the version itself the lines may have been another copy (CASES A1).
func TestCollected(t *testing.T) {
	above := "import a\n" + twins // the line is 8 there
	for _, c := range []struct {
		name     string
		minted   string   // the version of which the address is made
		at       string   // the lines
		commits  []string // before that
		line     int      // in the end, when one more line stands on top of twins
		identity string
		again    string // after the answer itself was made from a version that is not committed, and its bytes are gone as well
	}{
		{"committed", twins, "7:7", []string{twins, above}, 8, identityProven, identityProven},
		{"an old version", above, "8:8", []string{above, twins, "x\n"}, 8, identityProven, identityContent},
		{"another copy at the same lines later", twins, "7:7", []string{twins, "import a\nimport b\nimport c\nimport d\n" + twins}, 8, identityProven, identityProven},
		{"not committed as it was", twins + "# more\n", "7:7", []string{twins}, 8, identityContent, identityContent},
		{"not committed, and others disagree", twins + "# more\n", "7:7", []string{twins, "import a\nimport b\nimport c\nimport d\n" + twins}, 0, identityContent, identityContent},
		{"nothing like it committed", above, "8:8", []string{twins}, 0, identityContent, identityContent},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, state := t.TempDir(), t.TempDir()
			file := filepath.Join(root, "m.py")
			write(t, file, c.commits[0])
			ws, stop := started(t, state, root)
			defer func() { stop() }()
			runGit(t, ws, "init", "-q")
			for _, text := range c.commits {
				write(t, file, text)
				commitAll(t, ws)
			}
			write(t, file, c.minted)
			live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: c.at}).Live.Address
			for _, restart := range []bool{false, true} {
				write(t, file, "other\n")
				if restart {
					stop()
				}
				collectBytes(t, state)
				if restart {
					ws, stop = started(t, state, root)
				}
				d := refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
				if (d.Became == nil) != (c.name == "nothing like it committed") {
					t.Errorf("restarted %v: became %+v", restart, d.Became)
				}
				write(t, file, "# top\n"+twins)
				res := get(t, ws, wire.GetParams{Ref: live})
				want := c.identity
				if restart {
					want = c.again
				}
				if c.line > 0 && res.Lines != (wire.Lines{c.line, c.line}) || res.Identity != want || res.Checked != "full" {
					t.Errorf("restarted %v: %v %s %s, want %d %s", restart, res.Lines, res.Identity, res.Checked, c.line, want)
				}
			}
		})
	}
}

// TestLineThatMoved: a line that stands once in each version, and was moved alone among lines that were rewritten, is followed if it
// says enough, and the answer says how sure it is.
func TestLineThatMoved(t *testing.T) {
	for _, c := range []struct {
		line, identity string
		between        bool // a version was seen in which it stood twice
	}{
		{"    return average(first, second, 2)", identityProven, false},
		{"    return mean(xs, 2)", identityContent, false},
		{"    return mean(xs, 2)", "", true},
		{"    i += 1", "", false},
		{"}", "", false},
	} {
		t.Run(fmt.Sprintf("%s %v", c.line, c.between), func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.py": "one\ntwo\n" + c.line + "\nthree\nfour\nfive\nsix\nseven\n"})
			file := filepath.Join(ws.Root, "m.py")
			live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "3:3"}).Live.Address
			if c.between {
				write(t, file, "one\ntwo\n"+c.line+"\nthree\nfour\nfive\n"+c.line+"\nsix\nseven\n")
				get(t, ws, wire.GetParams{Ref: live})
			}
			write(t, file, "one\n2\n3\nfour\nfive\n6\n"+c.line+"\n8\nseven\n")
			if c.identity == "" {
				refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
				return
			}
			if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{7, 7}) || res.Identity != c.identity || res.Outcome != wire.Relocated {
				t.Errorf("%v %s %s", res.Lines, res.Identity, res.Outcome)
			}
		})
	}
}

// started is a workspace of a daemon with that state, until stop.
func started(t *testing.T, state, root string) (ws *Workspace, stop func()) {
	t.Helper()
	d, err := New(Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	return use(t, d, root), func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// anchorOf is the anchor of all lines of a text.
func anchorOf(text string) string {
	t := anchors.NewTable([]byte(text))
	return t.Digest(anchors.Span{First: 1, Last: t.Len()}).Anchor().String()
}

var became = []struct {
	name   string
	change func(t *testing.T, root string)
	want   func(b *wire.Became) bool
}{
	{"edited", func(t *testing.T, root string) {
		write(t, filepath.Join(root, "m.py"), "import a\n"+strings.Replace(longFile, "total += value * 2", "total -= value * 3", 1))
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Edited && b.Path == "m.py" && *b.Lines == wire.Lines{4, 8} && b.Surviving == 4 && b.Of == 5 && strings.HasPrefix(b.Address, "repo:m.py --lines 4:8@")
	}},
	{"a definition keeps its name", func(t *testing.T, root string) {
		write(t, filepath.Join(root, "m.py"), "def first():\n    pass\n\n\ndef middle(values):\n    return 3\n\n\ndef last():\n    pass\n")
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Edited && b.Symbol == "middle" && *b.Lines == wire.Lines{5, 6}
	}},
	{"deleted", func(t *testing.T, root string) {
		write(t, filepath.Join(root, "m.py"), "def first(): pass\n\n\ndef last(): pass\n")
	}, func(b *wire.Became) bool { return b.Kind == wire.Deleted && b.Address == "" }},
	{"moved to another file", func(t *testing.T, root string) {
		write(t, filepath.Join(root, "m.py"), "def first(): pass\n\n\ndef last(): pass\n")
		write(t, filepath.Join(root, "n.py"), "# new\n\n"+middle)
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Moved && b.Path == "n.py" && *b.Lines == wire.Lines{3, 7}
	}},
	{"moved to two files", func(t *testing.T, root string) {
		write(t, filepath.Join(root, "m.py"), "def first(): pass\n\n\ndef last(): pass\n")
		write(t, filepath.Join(root, "n.py"), "# new\n\n"+middle)
		write(t, filepath.Join(root, "o.py"), middle)
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Moved && b.Address == "" && len(b.Candidates) == 2 && b.More == 0
	}},
	{"the file is renamed", func(t *testing.T, root string) {
		if err := os.Rename(filepath.Join(root, "m.py"), filepath.Join(root, "n.py")); err != nil {
			t.Fatal(err)
		}
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Renamed && b.Path == "n.py" && *b.Lines == wire.Lines{3, 7}
	}},
	{"the file is renamed and changed", func(t *testing.T, root string) {
		if err := os.Remove(filepath.Join(root, "m.py")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "n.py"), "import a\n"+longFile)
	}, func(b *wire.Became) bool {
		return b.Kind == wire.Moved && b.Path == "n.py" && *b.Lines == wire.Lines{4, 8}
	}},
	{"the file is deleted", func(t *testing.T, root string) {
		if err := os.Remove(filepath.Join(root, "m.py")); err != nil {
			t.Fatal(err)
		}
	}, func(b *wire.Became) bool { return b.Kind == wire.Deleted }},
}

const (
	middle   = "def middle(values):\n    total = 0\n    for value in values:\n        total += value * 2\n    return total\n"
	longFile = "def first(): pass\n\n" + middle + "\ndef last(): pass\n"
)

// TestBecame: a lost anchor says what became of its content, whether the address was made here or comes from a document.
func TestBecame(t *testing.T) {
	for _, from := range []string{"here", "elsewhere", "here, and collected"} {
		for _, c := range became {
			t.Run(fmt.Sprintf("%s, minted %s", c.name, from), func(t *testing.T) {
				root, state := t.TempDir(), t.TempDir()
				write(t, filepath.Join(root, "m.py"), longFile)
				write(t, filepath.Join(root, "copy.py"), "x = 1\n"+strings.Replace(middle, "2", "4", 1))
				ws, stop := started(t, state, root)
				defer stop()
				live := "repo:m.py --lines 3:7@" + anchorOf(middle)
				if from != "here" {
					committedTree(t, ws)
				}
				if from == "elsewhere" {
				} else if got := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "3:7"}).Live.Address; got != live {
					t.Fatalf("%s, want %s", got, live)
				}
				def(t, ws, "middle") // the index is complete
				c.change(t, ws.Root)
				if from == "here, and collected" {
					collectBytes(t, state)
				}
				d := refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
				if d.Became == nil || !c.want(d.Became) {
					t.Errorf("%+v", d.Became)
				}
			})
		}
	}
}

// TestNeverThere: an address that no version of the file had.
func TestNeverThere(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": longFile})
	committedTree(t, ws)
	d := refused(t, ws, wire.GetParams{Ref: "repo:m.py --lines 3:7@00000000"}, wire.AnchorStale)
	if d.Became == nil || d.Became.Kind != wire.NeverThere {
		t.Errorf("%+v", d.Became)
	}
}

// committedTree commits all that ws has, in a repository that may be new.
func committedTree(t *testing.T, ws *Workspace) {
	t.Helper()
	runGit(t, ws, "init", "-q")
	commitAll(t, ws)
}
