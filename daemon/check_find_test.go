package daemon

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// findCases are texts and the addresses in them. They seed FuzzMentions.
var findCases = []struct {
	name, text string
	want       []string
}{
	{"bare", "repo:m.py --lines 4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"a sentence's end", "see repo:m.py --lines 4:5@07407f1c. Or repo:d/n.go --lines 1:1@b7e1cc67, or", []string{"repo:m.py --lines 4:5@07407f1c", "repo:d/n.go --lines 1:1@b7e1cc67"}},
	{"code span", "`repo:m.py --lines 4:5@07407f1c` and ``repo:n.py --lines 1:2@07407f1c``", []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.py --lines 1:2@07407f1c"}},
	{"code span of the path alone", "`repo:m.py` --lines 4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"table", "| x |repo:m.py --lines 4:5@07407f1c|repo:n.py --lines 4:5@07407f1c | y |", []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.py --lines 4:5@07407f1c"}},
	{"link", "[here](repo:m.py --lines 4:5@07407f1c) [there](<repo:a b.py --lines 4:5@07407f1c>)", []string{"repo:m.py --lines 4:5@07407f1c", "repo:a b.py --lines 4:5@07407f1c"}},
	{"shell quotes", `ctx get 'repo:a b.py --lines 4:5@07407f1c'; ctx get "repo:c d.py" --lines '4:5@07407f1c'`, []string{"repo:a b.py --lines 4:5@07407f1c", "repo:c d.py --lines 4:5@07407f1c"}},
	{"apostrophes", "it's 'repo:m.py --lines 4:5@07407f1c' isn't it", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"equals sign", "ctx get --json repo:m.py --lines=4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"printed by def", "definition: repo:m.py L4:5@07407f1c (function)", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"percent-encoded", "repo:a%20b%28c%29.py --lines 4:5@07407f1c", []string{"repo:a%20b%28c%29.py --lines 4:5@07407f1c"}},
	{"any script", "siehe repo:größe/文.py --lines 4:5@07407f1c。見repo:m.py --lines 4:5@07407f1c", []string{"repo:größe/文.py --lines 4:5@07407f1c", "repo:m.py --lines 4:5@07407f1c"}},
	{"brackets in a path", "repo:app/[id]/page.tsx --lines 1:2@07407f1c", []string{"repo:app/[id]/page.tsx --lines 1:2@07407f1c"}},
	{"comment", "// Held by repo:m.py --lines 4:5@07407f1c: see there.\n# repo:n.py --lines 4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.py --lines 4:5@07407f1c"}},
	{"a string", `"repo:m.py --lines 4:5@07407f1c\n"`, []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"filled paragraph", "as in repo:m.py\r\n--lines 4:5@07407f1c or repo:n.py --lines\n  4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.py --lines 4:5@07407f1c"}},
	{"filled comment", "\t// as in repo:m.py\n\t// --lines 4:5@07407f1c\n-- repo:n.sql\n-- --lines 4:5@07407f1c\n> repo:q.md\n> --lines 1:1@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c", "repo:n.sql --lines 4:5@07407f1c", "repo:q.md --lines 1:1@07407f1c"}},
	{"behind a broken one", "repo:x repo:m.py --lines 4:5@07407f1c", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"behind one in the same word", "(repo:x,repo:m.py --lines 4:5@07407f1c)", []string{"repo:m.py --lines 4:5@07407f1c"}},
	{"two in quotes", "'repo:a' 'repo:b c --lines 4:5@07407f1c'", []string{"repo:b c --lines 4:5@07407f1c"}},

	{"a template", "repo:m.py --lines A:B@anchor, repo:PATH --lines A:B@07407f1c", nil},
	{"no anchor", "repo:m.py --lines 4:5, repo:m.py --lines 4:5@, repo:m.py --lines 4:5@0740", nil},
	{"a longer word", "repo:m.py --lines 4:5@07407f1cd, repo:m.py --lines 4:5@07407f1c_x", nil},
	{"capital digits", "repo:m.py --lines 4:5@07407F1C", nil},
	{"backwards", "repo:m.py --lines 5:4@07407f1c repo:m.py --lines 0:4@07407f1c", nil},
	{"too large a number", "repo:m.py --lines 1:99999999999999999999@07407f1c", nil},
	{"no path", "repo: --lines 4:5@07407f1c, 'repo:' --lines 4:5@07407f1c", nil},
	{"the head of a list", "repo:m.py: --lines 4:5@07407f1c", nil},
	{"another scheme", "myrepo:m.py --lines 4:5@07407f1c sub-repo:m.py --lines 4:5@07407f1c", nil},
	{"captured", "repo:m.py --span b34a0fcd32 snapshot:cf3db50116cd --lines 4:5@07407f1c", nil},
	{"an empty line between", "repo:m.py\n\n--lines 4:5@07407f1c", nil},
	{"cells apart", "| repo:m.py | --lines 4:5@07407f1c |", nil},
	{"a quote that closes elsewhere", "'repo:a b\n.py' --lines 4:5@07407f1c", nil},
}

func TestMentions(t *testing.T) {
	for _, c := range findCases {
		var got []string
		for _, m := range mentions([]byte(c.text)) {
			got = append(got, m.address)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, c.text, got, c.want)
		}
	}
}

// TestUnmarked: what is said to be an example is none, and an opening mark that is never closed hides nothing.
func TestUnmarked(t *testing.T) {
	const address = "repo:m.py --lines 4:5@07407f1c"
	for _, c := range []struct {
		text          string
		kept, ignored int
	}{
		{address + " <!-- ctx:ignore -->", 0, 1},
		{"# ctx:ignore\n" + address, 1, 0},
		{address + " ctx:ignored", 1, 0},
		{address + " ctx:ignore-start", 1, 0},
		{address + " actx:ignore", 1, 0},
		{"repo:m.py\n--lines 4:5@07407f1c // ctx:ignore", 0, 1},
		{"<!-- ctx:ignore-start -->\n" + address + "\n" + address + "\n<!-- ctx:ignore-end -->\n" + address, 1, 2},
		{"# ctx:ignore-start\n" + address + "\n", 1, 0},
		{address + "\n# ctx:ignore-end\n", 1, 0},
		{"see ctx:ignore-start\n" + address + "\n# ctx:ignore-end\n", 1, 0},
		{"// ctx:ignore-start\n// ctx:ignore-start\n" + address + "\n// ctx:ignore-end\n" + address + "\n// ctx:ignore-end", 1, 1},
	} {
		table := anchors.NewTable([]byte(c.text))
		kept, ignored := unmarked(table, mentions(table.Source()))
		if len(kept) != c.kept || ignored != c.ignored {
			t.Errorf("%q: %d kept, %d ignored", c.text, len(kept), ignored)
		}
	}
}

// TestMentionsAtLength: texts that begin addresses without end are read in one pass. A second one for each beginning
// would take minutes here.
func TestMentionsAtLength(t *testing.T) {
	for _, unit := range []string{"repo:", "repo:,", "'repo:", "<repo:a ", "`repo:a b ", "\"repo:x --lines ", "repo:a\n--lines ", "'repo:\"repo:<repo:"} {
		if got := mentions([]byte(strings.Repeat(unit, 1<<20))); len(got) > 0 {
			t.Errorf("%q: %d addresses, first %q", unit, len(got), got[0].address)
		}
	}
}

// FuzzMentions: what is found is an address that ctx reads, stands where it says, and is found again with another
// selector in its place.
func FuzzMentions(f *testing.F) {
	for _, c := range findCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		all := mentions(src)
		last := 0
		for i, m := range all {
			if m.start < last || m.refEnd <= m.start || m.selStart <= m.refEnd || m.selEnd != m.end || m.end > len(src) {
				t.Fatalf("%+v behind %d", m, last)
			}
			last = m.end
			a := wire.ParseAddress(m.address)
			sel, err := anchors.ParseSelector(a.Lines)
			if err != nil || !sel.Anchored || a.Span != "" || !strings.HasPrefix(m.address, "repo:") {
				t.Fatalf("%q: %+v %v", m.address, a, err)
			}
			if ref := string(src[m.start:m.refEnd]); strings.TrimSpace(ref) != a.Ref {
				t.Fatalf("%q is read as %q", ref, a.Ref)
			}
			now := anchors.Selector{Span: anchors.Span{First: sel.First + 7, Last: sel.Last + 12}, Anchor: sel.Anchor, Anchored: true}
			fixed := slices.Concat(src[:m.selStart], []byte(now.String()), src[m.selEnd:])
			again := mentions(fixed)
			if now.Len() > 0 && (len(again) != len(all) || again[i].start != m.start || !bytes.HasSuffix([]byte(again[i].address), []byte(now.String()))) {
				t.Fatalf("%q was not found again: %+v", fixed, again)
			}
		}
		table := anchors.NewTable(src)
		if kept, ignored := unmarked(table, all); len(kept)+ignored != len(all) {
			t.Fatalf("%d and %d of %d", len(kept), ignored, len(all))
		}
	})
}
