package daemon

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

const seedFile = "def alpha():\n    return 1\n\ndef beta():\n    return 2\n\ndef gamma():\n    return 3\n"

// get reads and fails the test on an error.
func get(t testing.TB, ws *Workspace, p wire.GetParams) *wire.GetResult {
	t.Helper()
	res, err := ws.Get(context.Background(), p)
	if err != nil {
		t.Fatalf("get %+v: %v", p, err)
	}
	return res
}

// refused reads and fails the test unless it is refused with word.
func refused(t testing.TB, ws *Workspace, p wire.GetParams, want wire.Word) *wire.ErrorData {
	t.Helper()
	res, err := ws.Get(context.Background(), p)
	if word(err) != want {
		t.Fatalf("get %+v: %v %v; want %s", p, res, err, want)
	}
	return err.(*wire.Error).Data
}

// TestEndings: terminators are not content (CASES E3): a rewrite of CRLF to LF keeps every anchor,
// and so does the way back.
func TestEndings(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile})
	path := filepath.Join(ws.Root, "m.py")
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "4:5"}).Live.Address
	for _, text := range []string{
		strings.ReplaceAll(seedFile, "\n", "\r\n"),
		strings.ReplaceAll(seedFile, "\n", "\r"),
		strings.Replace(seedFile, "\n", "\r\n", 3),
		seedFile,
	} {
		write(t, path, text)
		res := get(t, ws, wire.GetParams{Ref: live})
		if res.Outcome != wire.Verified || !slices.Equal(res.Text, []string{"def beta():", "    return 2"}) {
			t.Errorf("%q: %s %q", text, res.Outcome, res.Text)
		}
	}
}

// TestWhiteSpaceIsContent: another indentation, tabs for blanks, trailing blanks are other content
// (CASES A6).
func TestWhiteSpaceIsContent(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": "if a:\n    x = 1\n"})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "2:2"}).Live.Address
	for _, line := range []string{"x = 1", "\tx = 1", "    x = 1 ", "    x  = 1"} {
		write(t, filepath.Join(ws.Root, "m.py"), "if a:\n"+line+"\n")
		d := refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
		if d.Outcome != wire.Lost || d.Captured == nil || len(d.Suggestions) != 3 || d.Became == nil || *d.Became.Lines != (wire.Lines{2, 2}) {
			t.Errorf("%q: %+v", line, d)
		}
	}
}

// TestBlock: a range relocates as one block of its length, or is lost (CASES A12).
func TestBlock(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": "1\n2\n3\na\nb\n4\n5\n"})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "4:5"}).Live.Address
	write(t, filepath.Join(ws.Root, "m.txt"), "1\n2\n3\na\nx\nb\n4\nb\n")
	refused(t, ws, wire.GetParams{Ref: live}, wire.AnchorStale)
	ws = newWorkspace(t, map[string]string{"m.txt": "1\n2\n3\na\nb\n4\n5\n"})
	live = get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "4:5"}).Live.Address
	write(t, filepath.Join(ws.Root, "m.txt"), "a\nx\nb\nb\na\nb\n")
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{5, 6}) || res.Outcome != wire.Relocated {
		t.Errorf("%+v", res)
	}
}

// TestInvalidUTF8: JSON loses no byte (CASES E1).
func TestInvalidUTF8(t *testing.T) {
	const src = "x = 1\n# caf\xe9\ny = 2\n"
	ws := newWorkspace(t, map[string]string{"m\xff.py": src})
	res := get(t, ws, wire.GetParams{Ref: wire.RepoRef("m\xff.py")})
	raw, err := base64.StdEncoding.DecodeString(res.TextBase64)
	if err != nil || string(raw) != src || res.Text[1] != "# caf�" {
		t.Errorf("%q %q %v", raw, res.Text, err)
	}
	if name, _ := base64.StdEncoding.DecodeString(res.PathBase64); string(name) != "m\xff.py" {
		t.Errorf("path %q", name)
	}
	want := anchors.NewTable([]byte(src)).Digest(anchors.Span{First: 1, Last: 3}).Anchor().String()
	if res.Live.Anchor != want {
		t.Errorf("the anchor is not of the raw bytes: %s != %s", res.Live.Anchor, want)
	}
	write(t, filepath.Join(ws.Root, "m\xff.py"), strings.Replace(src, "\xe9", "\xe8", 1))
	refused(t, ws, wire.GetParams{Ref: res.Live.Address}, wire.AnchorStale)
}

// TestOneLineTable: get and def count lines alike, whatever control characters a line holds
// (CASES E2).
// LIBRARIES M14.
func TestOneLineTable(t *testing.T) {
	src := "a = 1\n\fb = 2\nc = '\u2028'\nd = 4\u0085\ne = '\v\x1c'\r\ndef last():\n    return 9\n"
	ws := newWorkspace(t, map[string]string{"m.py": src})
	def, err := ws.Def(t.Context(), wire.DefParams{Target: "last"})
	if err != nil {
		t.Fatal(err)
	}
	d := def.Definitions[0]
	if d.Lines != (wire.Lines{6, 7}) || d.Range.Start != (wire.Position{Line: 5}) {
		t.Errorf("%+v", d)
	}
	if res := get(t, ws, wire.GetParams{Ref: d.Live.Address}); res.Text[0] != "def last():" || res.Total != 7 {
		t.Errorf("%+v", res)
	}
	// A lone CR ends a line for LSP and for us, though not for the parser.
	write(t, filepath.Join(ws.Root, "m.py"), "x = 1\ry = 2\r\ndef last():\n    return 9\n")
	def, err = ws.Def(t.Context(), wire.DefParams{Target: "last"})
	if err != nil || def.Definitions[0].Lines != (wire.Lines{3, 4}) {
		t.Errorf("%v %+v", err, def)
	}
}

// TestUTF16: characters of a range are UTF-16 units.
// CASES E2.
func TestUTF16(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.js": "/* é😀 */ function f() {}\n"})
	def, err := ws.Def(t.Context(), wire.DefParams{Target: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if got := def.Definitions[0].SelectionRange.Start; got != (wire.Position{Line: 0, Character: 19}) {
		t.Errorf("name at %+v", got)
	}
	if got := def.Definitions[0].SelectionBytes; got != (wire.Bytes{22, 23}) {
		t.Errorf("name bytes %v", got)
	}
}

// TestCollision: two contents with one anchor. What was minted is remembered with its full digest.
func TestCollision(t *testing.T) {
	one, two := collision(t)
	ws := newWorkspace(t, map[string]string{"m.txt": "head\n" + one + "\ntail\n"})
	path := filepath.Join(ws.Root, "m.txt")
	live := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "2:2"}).Live
	write(t, path, "head\n"+two+"\ntail\n")
	refused(t, ws, wire.GetParams{Ref: live.Address}, wire.AnchorStale)
	if o := outcomes(t, ws, live.Address)[0]; o.Outcome != wire.Lost {
		t.Errorf("resolve: %+v", o)
	}
	// Somebody reads the new content at the same lines: now the address stands for two contents,
	// and neither reader may be given the other's.
	if got := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "2:2"}).Live; got.Address != live.Address {
		t.Fatalf("no collision: %s, %s", got.Address, live.Address)
	}
	refused(t, ws, wire.GetParams{Ref: live.Address}, wire.AnchorAmbiguous)
	// In a workspace that never minted it, the 8 digits are all there is; the answer says so.
	other := newWorkspace(t, map[string]string{"m.txt": "head\n" + two + "\ntail\n"})
	if res := get(t, other, wire.GetParams{Ref: live.Address}); res.Checked != "short" || res.Text[0] != two {
		t.Errorf("%+v", res)
	}
}

// collision finds two lines whose one-line anchors agree in all 8 digits: among n anchors a pair is
// likely once n²/2³³ passes 1 (200,000 lines: 99 %).
func collision(t *testing.T) (string, string) {
	seen := map[anchors.Anchor]string{}
	for i := range 1 << 20 {
		line := fmt.Sprintf("line %d", i)
		a := anchors.NewTable([]byte(line)).Digest(anchors.Span{First: 1, Last: 1}).Anchor()
		if first, ok := seen[a]; ok {
			return first, line
		}
		seen[a] = line
	}
	t.Fatal("no two of a million lines collide")
	return "", ""
}

func outcomes(t *testing.T, ws *Workspace, addresses ...string) []wire.Outcome {
	t.Helper()
	res, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: addresses})
	if err != nil || len(res.Outcomes) != len(addresses) {
		t.Fatalf("resolve: %+v %v", res, err)
	}
	return res.Outcomes
}

// TestResolve: one outcome for each address, in order, whatever they are.
// CASES S2.
func TestResolve(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile, "n.py": seedFile})
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "4:5"})
	write(t, filepath.Join(ws.Root, "m.py"), "import os\n"+seedFile)
	got := outcomes(t, ws, live.Live.Address, "repo:n.py --lines 4:5@07407f1c", "repo:n.py --lines 1:1@07407f1c",
		"repo:gone.py --lines 4:5@07407f1c", "repo:m.py --lines 4:5", "repo:m.py", "nonsense --lines x",
		live.Captured.Address, "repo:m.py --span 0123456789", "../x --lines 1:1@07407f1c")
	want := []string{"relocated", "verified", "lost", "lost", "error", "error", "error", "verified", "lost", "error"}
	for i, o := range got {
		if o.Outcome != want[i] {
			t.Errorf("%d %s: %s, want %s (%+v)", i, o.Address, o.Outcome, want[i], o.Error)
		}
	}
	// Lines that ctx prints are understood whole.
	for _, line := range []string{"live: ctx get repo:n.py --lines 4:5@07407f1c", "definition: repo:n.py L4:5@07407f1c (function)", "repo:n.py L4:5@07407f1c"} {
		if o := outcomes(t, ws, line)[0]; o.Outcome != wire.Verified {
			t.Errorf("%s: %+v", line, o)
		}
	}
	refused(t, ws, wire.GetParams{Ref: "repo:n.py", Lines: "4:5@07407f1c", Span: "b34a0fcd32"}, wire.AnchorInvalid)
	// The corrected address is checked in full from now on.
	if o := outcomes(t, ws, got[0].Live.Address)[0]; o.Outcome != wire.Verified || o.Checked != "full" {
		t.Errorf("%+v", o)
	}
	if _, err := ws.Resolve(t.Context(), wire.ResolveParams{Addresses: make([]string, maxAddresses+1)}); word(err) != wire.InvalidRequest {
		t.Errorf("too many: %v", err)
	}
}

// TestContinuation: every cut names the rest, and following the names visits each line once.
func TestContinuation(t *testing.T) {
	var src strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&src, "line %d %s\n", i+1, strings.Repeat("é", i%97))
	}
	src.WriteString(strings.Repeat("wide ", 5000) + "\nlast\n")
	ws := newWorkspace(t, map[string]string{"m.txt": src.String()})
	for _, first := range []wire.GetParams{{Ref: "repo:m.txt"}, {Ref: "repo:m.txt", Hashlines: true}, {Ref: "repo:m.txt", Bytes: "1:9999999"}} {
		var all bytes.Buffer
		steps := 0
		for p := first; ; steps++ {
			if steps > 500 {
				t.Fatal("the chain does not end")
			}
			res := get(t, ws, p)
			all.WriteString(src.String()[res.Bytes[0]:res.Bytes[1]])
			if res.Next == "" {
				break
			}
			p = wire.GetParams{Ref: res.Next, Hashlines: first.Hashlines}
		}
		if all.String() != src.String() {
			t.Errorf("%+v: the chain gives %d bytes, the file has %d", first, all.Len(), src.Len())
		}
	}
}

// TestCaptured: a span and a snapshot give the bytes that were read, whatever became of the file.
func TestCaptured(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"d/m.py": seedFile})
	path := filepath.Join(ws.Root, "d/m.py")
	c := get(t, ws, wire.GetParams{Ref: "repo:d/m.py", Lines: "4:5"}).Captured
	if c.Span != "b34a0fcd32" {
		t.Fatalf("span %s", c.Span)
	}
	for what, change := range map[string]func(){
		"edited":  func() { write(t, path, "x = 1\n") },
		"ignored": func() { write(t, filepath.Join(ws.Root, ".gitignore"), "d/\n") },
		"renamed": func() { os.Rename(path, path+".old") },
		"deleted": func() { os.RemoveAll(filepath.Dir(path)) },
	} {
		change()
		for _, ref := range []string{c.Address, "snapshot:" + c.Snapshot + " --lines 4:5", "snapshot:" + c.Snapshot[:6] + " --lines 4:5@07407f1c"} {
			res := get(t, ws, wire.GetParams{Ref: ref})
			if !slices.Equal(res.Text, []string{"def beta():", "    return 2"}) || res.Snapshot != c.Snapshot {
				t.Errorf("%s, %s: %+v", what, ref, res)
			}
		}
	}
	refused(t, ws, wire.GetParams{Ref: "snapshot:" + c.Snapshot, Lines: "4:5@00000000"}, wire.AnchorStale)
	refused(t, ws, wire.GetParams{Ref: "repo:d/m.py", Span: "00000000ff"}, wire.SpanUnknown)
	refused(t, ws, wire.GetParams{Ref: "repo:other.py", Span: c.Span}, wire.SpanUnknown)
	refused(t, ws, wire.GetParams{Ref: "snapshot:abc"}, wire.SpanUnknown)
	refused(t, ws, wire.GetParams{Ref: "snapshot:" + c.Snapshot, Span: c.Span}, wire.InvalidRequest)
	if res := get(t, ws, wire.GetParams{Ref: "snapshot:" + c.Snapshot, Symbol: "beta"}); res.Lines != (wire.Lines{4, 5}) {
		t.Errorf("a symbol of a snapshot: %+v", res)
	}
	if o := outcomes(t, ws, "snapshot:"+c.Snapshot+" --lines 4:5@07407f1c", "snapshot:"+c.Snapshot+" --lines 1:1@07407f1c"); o[0].Outcome != wire.Verified || o[1].Outcome != wire.Lost {
		t.Errorf("%+v", o)
	}
}

// TestDamagedBlob: bytes that are no longer what was captured are refused, not shown.
func TestDamagedBlob(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile})
	c := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "4:5"}).Captured
	blobs, err := filepath.Glob(filepath.Join(ws.catalog.parser.dir, "..", "captures", "blobs", "*", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatalf("%v %v", blobs, err)
	}
	write(t, blobs[0], "nothing of ours")
	refused(t, ws, wire.GetParams{Ref: c.Address}, wire.SpanUnknown)
}

// TestSelectors: what is not a selector is refused with the grammar in the message.
func TestSelectors(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile, "empty": ""})
	for _, c := range []struct {
		p    wire.GetParams
		word wire.Word
		says string
	}{
		{wire.GetParams{Lines: "4"}, wire.AnchorInvalid, "expected A:B or A:B@anchor"},
		{wire.GetParams{Lines: "4:5@short"}, wire.AnchorInvalid, "invalid span '4:5@short'"},
		{wire.GetParams{Lines: "5:4"}, wire.AnchorInvalid, "need 1 <= A <= B"},
		{wire.GetParams{Lines: "0:3"}, wire.AnchorInvalid, "need 1 <= A <= B"},
		{wire.GetParams{Lines: "99999999999999999999:99999999999999999999"}, wire.AnchorInvalid, "invalid span"},
		{wire.GetParams{Bytes: "1:2@07407f1c"}, wire.AnchorInvalid, "--bytes"},
		{wire.GetParams{Symbol: "beta", Lines: "4:5@07407f1c"}, wire.AnchorInvalid, "cannot be combined"},
		{wire.GetParams{Lines: "9:9"}, wire.AnchorNotFound, "--lines 9:9 selects nothing: the content has 8 lines. Use --lines 1:8 or omit --lines."},
		{wire.GetParams{Bytes: "900:901"}, wire.AnchorNotFound, "selects nothing"},
		{wire.GetParams{Symbol: "delta"}, wire.NotFound, "delta"},
	} {
		c.p.Ref = "repo:m.py"
		if d := refused(t, ws, c.p, c.word); !strings.Contains(d.Message, c.says) {
			t.Errorf("%+v: %s", c.p, d.Message)
		}
	}
	if res := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:99"}); res.Lines != (wire.Lines{7, 8}) {
		t.Errorf("an end past the text is clamped: %v", res.Lines)
	}
	if res := get(t, ws, wire.GetParams{Ref: "repo:m.py", Symbol: "beta", Lines: "1:1"}); res.Lines != (wire.Lines{4, 5}) {
		t.Errorf("--symbol wins over bare lines: %v", res.Lines)
	}
	if res := get(t, ws, wire.GetParams{Ref: "repo:empty"}); res.Total != 0 || len(res.Text) != 0 {
		t.Errorf("an empty file: %+v", res)
	}
	refused(t, ws, wire.GetParams{Ref: "repo:empty", Lines: "1:1"}, wire.AnchorNotFound)
	for ref, want := range map[string]wire.Lines{"m.py:4": {4, 4}, "m.py:4-5": {4, 5}, "./m.py:4:7": {4, 4}, "repo:m.py:4-5": {4, 5}} {
		if res := get(t, ws, wire.GetParams{Ref: ref}); res.Lines != want {
			t.Errorf("%s: %v, want %v", ref, res.Lines, want)
		}
	}
	// After the file shrank, a span past its end still relocates.
	live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:8"}).Live.Address
	write(t, filepath.Join(ws.Root, "m.py"), "def gamma():\n    return 3\n")
	if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines != (wire.Lines{1, 2}) {
		t.Errorf("%v", res.Lines)
	}
}

// TestBoundedReferences: nothing that is sent as a reference keeps the daemon busy.
func TestBoundedReferences(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.py": seedFile})
	for _, ref := range []string{strings.Repeat(":", 1<<20), strings.Repeat("a:", 1<<19), "repo:" + strings.Repeat("%3A", 1<<18), strings.Repeat("a.", 1<<19)} {
		refused(t, ws, wire.GetParams{Ref: ref}, wire.InvalidRequest)
		if _, err := ws.Def(t.Context(), wire.DefParams{Target: ref}); word(err) != wire.InvalidRequest {
			t.Errorf("def: %v", err)
		}
		if o := outcomes(t, ws, ref+" --lines 1:1@07407f1c")[0]; o.Outcome != "error" {
			t.Errorf("resolve: %+v", o)
		}
	}
}

// TestZoom: a captured span that is too long to show comes with its two halves, down to spans that fit.
func TestZoom(t *testing.T) {
	ws := newWorkspace(t, map[string]string{"m.txt": strings.Repeat("a line of text\n", 1000)})
	table := anchors.NewTable([]byte(strings.Repeat("a line of text\n", 1000)))
	minted, _ := ws.mint(&Text{Path: "m.txt", Blob: blobOf(table.Source()), Table: table}, anchors.Span{First: 1, Last: 1000})
	span := minted[0].captured.Address
	for depth := 0; ; depth++ {
		res := get(t, ws, wire.GetParams{Ref: span})
		if res.Next == "" {
			if depth < 2 || len(res.Zoom) != 0 {
				t.Errorf("depth %d, zoom %v", depth, res.Zoom)
			}
			return
		}
		if len(res.Zoom) != 2 || res.Zoom[0].Lines[1]+1 != res.Zoom[1].Lines[0] || res.Zoom[1].Lines[1] != res.Region[1] {
			t.Fatalf("%+v of %v", res.Zoom, res.Region)
		}
		span = res.Zoom[1].Address
	}
}
