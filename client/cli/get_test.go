package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ctxd/client/wire"
)

// beta is the second function of the seed's file, before and after two lines are put on top.
func beta() *wire.GetResult {
	return &wire.GetResult{Ref: "repo:m.py", Path: "m.py", Snapshot: "cf3db50116cd", Selector: "--lines 4:5@07407f1c",
		Lines: wire.Lines{4, 5}, Total: 8, Text: []string{"def beta():", "    return 2"}}
}

func moved() *wire.GetResult {
	r := beta()
	r.Snapshot, r.Selector, r.Total, r.Lines = "a4536d5d3f22", "--lines 6:7@07407f1c", 10, wire.Lines{6, 7}
	r.Outcome, r.From, r.Anchor, r.Identity, r.Checked, r.Copies = wire.Relocated, &wire.Lines{4, 5}, "07407f1c", "proven", "full", 1
	return r
}

func with(r *wire.GetResult, change func(*wire.GetResult)) *wire.GetResult {
	change(r)
	return r
}

// getTexts are answers, and how they are printed.
var getTexts = []struct {
	name   string
	result *wire.GetResult
	want   string
}{
	{"the seed's first read", beta(), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
selector: --lines 4:5@07407f1c of 8
L4: def beta():
L5:     return 2
`},
	{"the seed's relocated read", moved(), `[ctx get repo:m.py (snapshot:a4536d5d3f22)]
anchor: @07407f1c moved L4:5 → L6:7 (content unchanged)
selector: --lines 6:7@07407f1c of 10
L6: def beta():
L7:     return 2
`},
	{"verified", with(beta(), func(r *wire.GetResult) {
		r.Outcome, r.Anchor, r.Identity, r.Checked, r.Copies, r.Windows = wire.Verified, "07407f1c", "content", "short", 3, 50000
	}), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
selector: --lines 4:5@07407f1c of 8
L4: def beta():
L5:     return 2
`},
	{"tags", with(beta(), func(r *wire.GetResult) { r.Tags = []string{"78", "56"} }), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
selector: --lines 4:5@07407f1c of 8
L4:78| def beta():
L5:56|     return 2
`},
	{"captured span", with(beta(), func(r *wire.GetResult) { r.Span, r.Selector = "b34a0fcd32", "" }), `[ctx get repo:m.py (snapshot:cf3db50116cd) span:b34a0fcd32]
region: L4:5 (2 lines, complete)
L4: def beta():
L5:     return 2
`},
	{"part of a captured span", with(beta(), func(r *wire.GetResult) {
		r.Span, r.Region, r.Next = "b34a0fcd32", &wire.Lines{4, 1203}, "snapshot:cf3db50116cd --lines 6:1203"
	}), `[ctx get repo:m.py (snapshot:cf3db50116cd) span:b34a0fcd32]
region: L4:1203 (1,200 lines, showing L4:5)
L4: def beta():
L5:     return 2
next: ctx get snapshot:cf3db50116cd --lines 6:1203
`},
	{"symbol", with(beta(), func(r *wire.GetResult) { r.Symbol = "beta" }), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
symbol: beta → lines 4:5
selector: --lines 4:5@07407f1c of 8
L4: def beta():
L5:     return 2
`},
	{"part of a symbol", with(beta(), func(r *wire.GetResult) { r.Symbol, r.Region = "beta", &wire.Lines{4, 1203} }), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
symbol: beta → lines 4:1203
selector: --lines 4:5@07407f1c of 8
L4: def beta():
L5:     return 2
`},
	{"snapshot", with(beta(), func(r *wire.GetResult) {
		r.Ref, r.Selector, r.Divergence = "snapshot:cf3db50116cd", "--lines 4:5", "file no longer present in worktree"
	}), `[ctx get snapshot:cf3db50116cd (m.py)]
selector: --lines 4:5 of 8
divergence: file no longer present in worktree
L4: def beta():
L5:     return 2
`},
	{"blob", with(beta(), func(r *wire.GetResult) { r.Ref, r.Path, r.Total = "blob:3f1c0a7be2d4", "", 1204 }), `[ctx get blob:3f1c0a7be2d4]
selector: --lines 4:5@07407f1c of 1,204
L4: def beta():
L5:     return 2
`},
	{"cut", with(beta(), func(r *wire.GetResult) {
		r.Truncated, r.Next = &wire.Truncated{Shown: 4000, Of: 5200}, "repo:m.py --lines 6:8@0badcafe"
	}), `[ctx get repo:m.py (snapshot:cf3db50116cd)]
selector: --lines 4:5@07407f1c of 8
L4: def beta():
L5:     return 2
[ctx:truncated shown≈4000 of ≈5200 est tokens]
next: ctx get repo:m.py --lines 6:8@0badcafe
`},
	{"one of several", with(moved(), func(r *wire.GetResult) { r.Identity, r.Copies, r.Checked, r.Windows = "content", 3, "short", 999999 }),
		`[ctx get repo:m.py (snapshot:a4536d5d3f22)]
anchor: @07407f1c moved L4:5 → L6:7 (content unchanged)
selector: --lines 6:7@07407f1c of 10
identity: content · one of 3 equal regions
checked: short · 8 digits over 999,999 windows
L6: def beta():
L7:     return 2
`},
	{"empty file", &wire.GetResult{Ref: "repo:e", Snapshot: "cf3db50116cd", Note: "the file is empty"},
		"[ctx get repo:e (snapshot:cf3db50116cd)]\nnote: the file is empty\n"},
}

func TestGetText(t *testing.T) {
	for _, tt := range getTexts {
		t.Run(tt.name, func(t *testing.T) {
			daemon(t, map[string]any{wire.MethodGet: tt.result})
			out, errs, code := ctx("get", "repo:m.py")
			if out != tt.want || errs != "" || code != 0 {
				t.Errorf("got\n%swant\n%s%s exit %d", out, tt.want, errs, code)
			}
		})
	}
}

func TestGetLost(t *testing.T) {
	message := "anchor @07407f1c not found in repo:m.py: the content that was at lines 4:5 is no longer in this file " +
		"(it was edited or deleted). Re-navigate — `ctx def` mints a fresh anchored address — or read the current lines " +
		"with `ctx get repo:m.py --lines 4:5` if the coordinates are what you meant."
	refusal := wire.NewError(wire.ErrorData{Error: wire.AnchorStale, Message: message, Outcome: wire.Lost, Path: "m.py",
		Suggestions: []string{"ctx get repo:m.py --lines 4:5", "ctx get repo:m.py --span b34a0fcd32"}})
	daemon(t, map[string]any{wire.MethodGet: refusal})
	out, errs, code := ctx("get", "repo:m.py", "--lines", "4:5@07407f1c")
	want := "ctx get: " + message + "\n  try: ctx get repo:m.py --span b34a0fcd32\n"
	if out != "" || errs != want || code != 2 {
		t.Errorf("stdout %q\nstderr %q\nexit %d", out, errs, code)
	}
	out, errs, code = ctx("get", "repo:m.py", "--json")
	if out != "" || !strings.HasPrefix(errs, "{\n  \"error\": \"anchor_stale\",\n") || code != 2 {
		t.Errorf("stdout %q\nstderr %q\nexit %d", out, errs, code)
	}
}

func TestGetBytes(t *testing.T) {
	raw := "caf\xe9\x1b[31m\r\nx"
	result := func(next string) *wire.GetResult {
		return &wire.GetResult{Ref: "repo:m", Snapshot: "cf3db50116cd", Selector: "--bytes 1:11", Total: 2, Next: next,
			Text: []string{"caf\ufffd\x1b[31m", "x"}, TextBase64: base64.StdEncoding.EncodeToString([]byte(raw))}
	}
	head := "[ctx get repo:m (snapshot:cf3db50116cd)]\nselector: --bytes 1:11\n"
	for _, tt := range []struct {
		next     string
		terminal bool
		want     string
	}{
		{"", false, head + raw},
		{"repo:m --bytes 12:40", false, head + raw + "\nnext: ctx get repo:m --bytes 12:40\n"},
		{"", true, head + `caf\xe9\x1b[31m\x0d` + "\nx\n"},
	} {
		var p page
		renderGet(result(tt.next), tt.terminal, &p)
		if string(p.text) != tt.want {
			t.Errorf("%+v\n got %q\nwant %q", tt, p.text, tt.want)
		}
	}
}

// CASES S6: nothing that a terminal would obey is printed.
func TestControlCharacters(t *testing.T) {
	evil := "\x1b]0;x\x07\u202e\u0085\x7f\t\u200dé\u2028"
	shown := `\x1b]0;x\x07\u202e\u0085\x7f` + "\t\u200dé" + `\u2028`
	daemon(t, map[string]any{
		wire.MethodGet: with(beta(), func(r *wire.GetResult) { r.Text[0], r.Symbol, r.Note = evil, evil, evil+"\n" }),
		wire.MethodDef: wire.NewError(wire.ErrorData{Error: wire.NotFound, Message: evil, Suggestions: []string{evil + "!"}}),
	})
	out, _, _ := ctx("get", "repo:m.py")
	want := "[ctx get repo:m.py (snapshot:cf3db50116cd)]\nsymbol: " + shown + " → lines 4:5\nselector: --lines 4:5@07407f1c of 8\nnote: " +
		shown + "\\x0a\nL4: " + shown + "\nL5:     return 2\n"
	if out != want {
		t.Errorf("got %q\nwant %q", out, want)
	}
	if _, errs, code := ctx("def", "x"); errs != "ctx def: "+shown+"\n  try: "+shown+"!\n" || code != 2 {
		t.Errorf("stderr %q, exit %d", errs, code)
	}
	out, _, _ = ctx("get", "repo:m.py", "--json")
	var exact wire.GetResult
	if err := json.Unmarshal([]byte(out), &exact); err != nil || exact.Text[0] != evil || exact.Note != evil+"\n" {
		t.Errorf("JSON is not exact: %q, %v", out, err)
	}
	obeyed(t, out)
	_, errs, _ := ctx("def", "x", "--json")
	var refusal wire.ErrorData
	if err := json.Unmarshal([]byte(errs), &refusal); err != nil || refusal.Message != evil {
		t.Errorf("JSON is not exact: %q, %v", errs, err)
	}
	obeyed(t, errs)
}

// obeyed fails when JSON holds what a terminal would obey, or what cannot be seen.
func obeyed(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r < ' ' && r != '\n' || r == 0x7f || r > 0x7f && hidden(r) || unicode.Is(unicode.Cf, r) {
			t.Errorf("%q: %U gets through", text, r)
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
}

// JSON is printed as the same JSON, whatever its strings hold.
func FuzzEscaped(f *testing.F) {
	for _, seed := range []string{"plain", "é€😀", "\u009b31m\x7f", "a\u202eb\u200d", "\U000e0041", "\xff\x9b", "\u2028", "\\\u009b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var raw bytes.Buffer // as a daemon in another language may write it
		raw.WriteString(`{"a":`)
		quoted, _ := json.Marshal(text)
		raw.Write(quoted)
		raw.WriteString(`,"b":"`)
		for i := range len(text) {
			if c := text[i]; c >= ' ' && c != '"' && c != '\\' {
				raw.WriteByte(c)
			}
		}
		raw.WriteString(`"}`)
		got, err := indented(json.RawMessage(raw.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var want, have map[string]string
		if err := json.Unmarshal(raw.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &have); err != nil || !maps.Equal(want, have) {
			t.Fatalf("%q: %q, %v", raw.Bytes(), got, err)
		}
		obeyed(t, string(got))
	})
}

func FuzzShown(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[0m", "a\xffb", "\u202e", "\U000e0041", "\t", "é", "\xf0\x9f\x98", "\u061c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := string(appendShown(nil, text))
		if strings.ToValidUTF8(got, "") != got {
			t.Fatalf("%q: not UTF-8: %q", text, got)
		}
		for _, r := range got {
			if r < ' ' && r != '\t' || r == 0x7f || r > 0x7f && hidden(r) {
				t.Fatalf("%q: %U gets through", text, r)
			}
		}
		if again := string(appendShown(nil, got)); again != got {
			t.Fatalf("%q: %q is escaped again: %q", text, got, again)
		}
	})
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1000000: "1,000,000", -1204: "-1,204", -120: "-120"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
