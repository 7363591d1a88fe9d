package lsp

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// model is a text as a client keeps it that knows nothing of ours: lines of characters, counted one by one.
type model struct{ text []rune }

func (m *model) lines() (starts []int) {
	starts = []int{0}
	for i, r := range m.text {
		if r == '\n' || r == '\r' && (i+1 == len(m.text) || m.text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func width(r rune, e encoding) int {
	switch e {
	case utf8Units:
		return len(string(r))
	case utf16Units:
		return len(utf16.Encode([]rune{r}))
	}
	return 1
}

// position of the character with that index.
func (m *model) position(i int, e encoding) protocol.Position {
	starts := m.lines()
	line := 0
	for line+1 < len(starts) && starts[line+1] <= i {
		line++
	}
	units := 0
	for k := starts[line]; k < i; k++ {
		if r := m.text[k]; r == '\n' || r == '\r' && m.endsLine(k) { // behind the first half of \r\n
			break
		}
		units += width(m.text[k], e)
	}
	return protocol.Position{Line: uint32(line), Character: uint32(units)}
}

func (m *model) endsLine(k int) bool { return m.text[k] == '\r' || m.text[k] == '\n' }

// index of a position: clamped to its line, and to the start of a character.
func (m *model) index(p protocol.Position, e encoding) int {
	starts := m.lines()
	if int(p.Line) >= len(starts) {
		return len(m.text)
	}
	units := 0
	i := starts[p.Line]
	for ; i < len(m.text) && !m.endsLine(i); i++ {
		if units += width(m.text[i], e); units > int(p.Character) {
			break
		}
	}
	return i
}

func (m *model) replace(r protocol.Range, text string, e encoding) {
	m.text = slices.Replace(m.text, m.index(r.Start, e), m.index(r.End, e), []rune(text)...)
}

var alphabet = []string{"a", "b", "_", " ", "\t", "\n", "\r\n", "\r", "é", "ß", "中", "😀", "𝒳", "\u2028", "\u0085", "\f", "\ufeff", "e\u0301", "👩‍👩‍👧", "\u200f", "\uFFFD"}

func someText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// longLine has no terminator, and is long enough for several marks.
func longLine(r *rand.Rand, most int) string {
	return strings.NewReplacer("\n", "", "\r", "").Replace(someText(r, most))
}

// Random texts and edits in three encodings: the server's text, lines and positions are those of the model, and what
// it keeps of the lines is what it would find anew. Every tenth text has long lines.
func TestPositionModel(t *testing.T) {
	marked := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := []encoding{utf8Units, utf16Units, utf32Units}[seed%3]
		start, far, every := someText(r, 60), 30, 1
		if seed%10 == 0 {
			start, far, every = longLine(r, 2000)+start+longLine(r, 2000), 2500, 97
		}
		m := &model{[]rune(start)}
		l := newLines([]byte(start))
		for step := range 30 {
			var changes []contentChange
			for range 1 + r.IntN(4) {
				text := someText(r, 6)
				if every > 1 && r.IntN(4) == 0 {
					text = longLine(r, 900)
				}
				if r.IntN(20) == 0 {
					m.text = []rune(text)
					changes = append(changes, contentChange{Text: &text})
					continue
				}
				a, b := somePosition(r, m, far), somePosition(r, m, far)
				if every > 1 && r.IntN(2) == 0 { // to the same place, or near it
					b = protocol.Position{Line: a.Line, Character: a.Character + uint32(r.IntN(3)*r.IntN(400))}
				}
				if m.index(a, e) > m.index(b, e) {
					a, b = b, a
				}
				at := protocol.Range{Start: a, End: b}
				m.replace(at, text, e)
				changes = append(changes, contentChange{Range: &at, Text: &text})
			}
			before := string(l.src)
			old := l
			next, err := edited(l, changes, e)
			if err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
			if string(old.src) != before {
				t.Fatalf("seed %d step %d: an earlier version was changed", seed, step)
			}
			if l = next; string(l.src) != string(m.text) {
				t.Fatalf("seed %d step %d: text is %q, the model's %q", seed, step, l.src, string(m.text))
			}
			if fresh := newLines(l.src); !slices.Equal(l.starts, fresh.starts) {
				t.Fatalf("seed %d step %d: lines of %q: kept %v, found %v", seed, step, l.src, l.starts, fresh.starts)
			}
			for i, k := range l.marks {
				p := newMapper(newLines(l.src), e).position(k.offset)
				if int(p.Character) != k.units || i > 0 && l.marks[i-1].offset >= k.offset {
					t.Fatalf("seed %d step %d: mark %d of %v, in %s: the column there is %d", seed, step, i, l.marks, e, p.Character)
				}
			}
			marked += len(l.marks)
			check(t, seed, l, m, e, far, every)
		}
	}
	if marked < 1000 {
		t.Errorf("only %d marks were looked at", marked)
	}
}

// check compares every nth position of a text, ascending and in random order.
func check(t *testing.T, seed uint64, l lines, m *model, e encoding, far, every int) {
	t.Helper()
	up, jumping := newMapper(l, e), newMapper(l, e)
	r := rand.New(rand.NewPCG(seed, 2))
	offsets := []int{0}
	for _, c := range m.text {
		offsets = append(offsets, offsets[len(offsets)-1]+utf8.RuneLen(c))
	}
	order := r.Perm(len(offsets))
	for k := 0; k < len(offsets); k += every {
		i := k
		want := m.position(i, e)
		if got := up.position(offsets[i]); got != want {
			t.Fatalf("seed %d: position of byte %d of %q in %s: got %v, want %v", seed, offsets[i], l.src, e, got, want)
		}
		i = order[k]
		want = m.position(i, e)
		if got := jumping.position(offsets[i]); got != want {
			t.Fatalf("seed %d: position of byte %d of %q in %s, jumping: got %v, want %v", seed, offsets[i], l.src, e, got, want)
		}
		p := somePosition(r, m, far)
		if got, want := jumping.offsetOf(p), offsets[m.index(p, e)]; got != want {
			t.Fatalf("seed %d: offset of %v of %q in %s: got %d, want %d", seed, p, l.src, e, got, want)
		}
	}
}

func somePosition(r *rand.Rand, m *model, far int) protocol.Position {
	p := protocol.Position{Line: uint32(r.IntN(len(m.lines()) + 2)), Character: uint32(r.IntN(far))}
	if r.IntN(50) == 0 {
		p.Character = 1<<32 - 1
	}
	return p
}

// Over the whole protocol: a server on a connection has the text and finds the places that the model says.
func TestPositionModelOverTheWire(t *testing.T) {
	h := tree(t, "-- w.py --\n")
	for seed, offer := range []string{"utf-8", "utf-16", "utf-32"} {
		e := h.edit(`{"general":{"positionEncodings":["` + offer + `"]}}`)
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		m := &model{[]rune("")}
		e.open("w.py", "")
		for version := range 40 {
			var changes []any
			for range 1 + r.IntN(5) {
				text := someText(r, 8)
				a, b := somePosition(r, m, 30), somePosition(r, m, 30)
				if m.index(a, encoding(offer)) > m.index(b, encoding(offer)) {
					a, b = b, a
				}
				at := protocol.Range{Start: a, End: b}
				m.replace(at, text, encoding(offer))
				changes = append(changes, map[string]any{"range": at, "text": text})
			}
			e.change("w.py", version+2, changes...)
			p := e.doc("w.py")
			p["positions"] = []any{pos(0, 0)}
			var got []protocol.SelectionRange
			e.must("textDocument/selectionRange", p, &got)
			outer := &got[0]
			for outer.Parent != nil {
				outer = outer.Parent
			}
			if want := m.position(len(m.text), encoding(offer)); outer.Range.End != want {
				t.Fatalf("%s, version %d: the text ends at %v, the model's at %v: %q", offer, version+2, outer.Range.End, want, string(m.text))
			}
		}
	}
}

func FuzzPositions(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "é😀\r\r\n", "\xff\xfe\n", "\ufeffx\u2028y"} {
		f.Add([]byte(s), uint32(1), uint32(2), 3)
	}
	f.Fuzz(func(t *testing.T, src []byte, line, character uint32, offset int) {
		for _, e := range []encoding{utf8Units, utf16Units, utf32Units} {
			l := newLines(src)
			m := newMapper(l, e)
			at := m.offsetOf(protocol.Position{Line: line, Character: character})
			if at < 0 || at > len(src) {
				t.Fatalf("offset %d of %d", at, len(src))
			}
			if back := m.offsetOf(m.position(at)); back != at {
				t.Fatalf("%s: offset %d comes back as %d in %q", e, at, back, src)
			}
			m.position(offset)
		}
	})
}

// An edit of a big text costs what it changes, not the text: a thousand edits of a megabyte in one notification.
func TestManyEditsOfABigText(t *testing.T) {
	text := strings.Repeat("some line of text\n", 60_000)
	l := newLines([]byte(text))
	var changes []contentChange
	x := "x"
	for i := range 1000 {
		at := protocol.Range{Start: protocol.Position{Line: uint32(i * 50)}, End: protocol.Position{Line: uint32(i * 50)}}
		changes = append(changes, contentChange{Range: &at, Text: &x})
	}
	got, err := edited(l, changes, utf16Units)
	if err != nil || len(got.src) != len(text)+1000 || got.starts[51] != 50*18+1+18+1 {
		t.Errorf("%v, %d bytes, line 51 at %d", err, len(got.src), got.starts[51])
	}
}

// editsOfALongLine are n edits of one line of a megabyte, here and there, and what they make of it.
func editsOfALongLine(n int) (text string, changes []contentChange, want string) {
	const unit = "é😀x" // 4 units of UTF-16
	text = strings.Repeat(unit, 1<<20/len(unit))
	r := rand.New(rand.NewPCG(1, 1))
	var added []int
	for range n {
		at := r.IntN(len(text) / len(unit))
		added = append(added, at)
	}
	x := "é"
	behind := func(i int) (n int) { // edits before the ith that moved its place
		for _, other := range added[:i] {
			if other < added[i] {
				n++
			}
		}
		return n
	}
	for i, at := range added {
		p := protocol.Position{Character: uint32(4*at + behind(i))}
		changes = append(changes, contentChange{Range: &protocol.Range{Start: p, End: p}, Text: &x})
	}
	sorted := slices.Sorted(slices.Values(added))
	var b strings.Builder
	end := 0
	for _, at := range sorted {
		b.WriteString(text[end : at*len(unit)])
		b.WriteString(x)
		end = at * len(unit)
	}
	b.WriteString(text[end:])
	return text, changes, b.String()
}

// One line of a megabyte, in one notification and in one for each edit.
func TestManyEditsOfALongLine(t *testing.T) {
	text, changes, want := editsOfALongLine(2000)
	got, err := edited(newLines([]byte(text)), changes, utf16Units)
	if err != nil || string(got.src) != want {
		t.Errorf("in one notification: %v, %d bytes, want %d", err, len(got.src), len(want))
	}
	l := newLines([]byte(text))
	for i := range changes {
		if l, err = edited(l, changes[i:i+1], utf16Units); err != nil {
			t.Fatal(err)
		}
	}
	if string(l.src) != want {
		t.Errorf("in many: %d bytes, want %d", len(l.src), len(want))
	}
}

func BenchmarkEditsOfALongLine(b *testing.B) {
	text, changes, _ := editsOfALongLine(2000)
	b.Run("one notification", func(b *testing.B) {
		for b.Loop() {
			edited(newLines([]byte(text)), changes, utf16Units)
		}
	})
	b.Run("2,000 notifications", func(b *testing.B) {
		for b.Loop() {
			l := newLines([]byte(text))
			for i := range changes {
				l, _ = edited(l, changes[i:i+1], utf16Units)
			}
		}
	})
}
