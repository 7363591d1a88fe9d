package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"ctxd/anchors"
	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// shapeFiles is how many files are edited, of at least shapeLines lines and at most shapeBytes.
	shapeFiles = 200
	shapeLines = 60
	shapeBytes = 1 << 20
	// mostEdited is the most lines that are inserted or deleted above a span.
	mostEdited = 20
)

// shape is one kind of edit that concerns a span of a text.
type shape struct {
	name string
	edit func(t *edited, s anchors.Span, chance *rand.Rand)
}

var shapes = []shape{
	{"insert above", func(t *edited, s anchors.Span, chance *rand.Rand) {
		t.insert(1+chance.IntN(s.First), t.fresh(1+chance.IntN(mostEdited)))
	}},
	{"delete above", func(t *edited, s anchors.Span, chance *rand.Rand) {
		if s.First > 1 {
			first := 1 + chance.IntN(s.First-1)
			t.remove(anchors.Span{First: first, Last: min(s.First-1, first+chance.IntN(mostEdited))})
		}
	}},
	{"move the span", func(t *edited, s anchors.Span, chance *rand.Rand) {
		moved := slices.Clone(t.lines[s.First-1 : s.Last])
		t.remove(s)
		if len(t.lines) > 0 {
			t.insert(1+chance.IntN(len(t.lines)+1), moved)
		}
	}},
	{"rewrite the span", func(t *edited, s anchors.Span, _ *rand.Rand) {
		for n := s.First; n <= s.Last; n++ {
			t.lines[n-1] = t.fresh(1)[0]
		}
	}},
	// The last is not the first seed's: a twin that stands before the true one.
	{"copy above", func(t *edited, s anchors.Span, chance *rand.Rand) {
		block := t.fresh(1)
		for _, l := range t.lines[s.First-1 : s.Last] {
			block = append(block, shapedLine{l.text, 0})
		}
		t.insert(1+chance.IntN(s.First), append(block, t.fresh(1)...))
	}},
}

// shapedLine is a line of an edited text: its bytes with their terminator, and which line of the old text it
// was, from 1; 0 for none.
type shapedLine struct {
	text string
	old  int
}

// edited is a text that is being edited. An edit whose place the new text does not show, such as the
// deletion of one of two equal lines that stand together, makes it void: nobody can say which line is which.
type edited struct {
	old    *anchors.Table
	lines  []shapedLine
	serial *int // of lines that no other text has
	void   bool
}

func newEdited(old *anchors.Table, serial *int) *edited {
	t := &edited{old: old, serial: serial}
	for n := 1; n <= old.Len(); n++ {
		t.lines = append(t.lines, shapedLine{string(old.Line(n)) + "\n", n})
	}
	return t
}

// fresh makes lines that no text has had.
func (t *edited) fresh(n int) []shapedLine {
	lines := make([]shapedLine, n)
	for i := range lines {
		*t.serial++
		lines[i].text = fmt.Sprintf("\tctxbench puts line %d of its own here\n", *t.serial)
	}
	return lines
}

// insert puts lines before line n.
func (t *edited) insert(n int, lines []shapedLine) {
	if n > 1 && t.lines[n-2].text == lines[len(lines)-1].text || n <= len(t.lines) && t.lines[n-1].text == lines[0].text {
		t.void = true
	}
	t.lines = slices.Insert(t.lines, n-1, lines...)
}

func (t *edited) remove(s anchors.Span) {
	if s.First > 1 && t.lines[s.First-2].text == t.lines[s.Last-1].text || s.Last < len(t.lines) && t.lines[s.Last].text == t.lines[s.First-1].text {
		t.void = true
	}
	t.lines = slices.Delete(t.lines, s.First-1, s.Last)
}

// fate returns the new text and what became of each line. One hunk says what replaced lost lines.
func (t *edited) fate() fate {
	var text bytes.Buffer
	for _, l := range t.lines {
		text.WriteString(l.text)
	}
	new := anchors.NewTable(text.Bytes())
	m := &gitMap{line: make([]int, t.old.Len()+1), back: make([]int, new.Len()+1)}
	for i, l := range t.lines {
		if m.back[i+1] = l.old; l.old > 0 {
			m.line[l.old] = i + 1
		}
	}
	if len(t.lines) == t.old.Len() { // a rewrite, if lines are gone
		var s anchors.Span
		for n := 1; n <= t.old.Len(); n++ {
			if m.line[n] == 0 {
				if s.Last = n; s.First == 0 {
					s.First = n
				}
			}
		}
		m.hunks = []hunk{{s, s}}
	}
	return fate{t.old, new, m}
}

// driftShapes makes edits of every shape in files of a copy of the tree, and asks after each. Each edit is undone
// before the next, which is a question too: what was addressed is what it was.
func (b *bench) driftShapes(ctx context.Context) ([]*driftReport, error) {
	root, err := b.scratch(false)
	if err != nil {
		return nil, err
	}
	files, err := sources(root, 4*b.times(shapeFiles))
	if err != nil {
		return nil, err
	}
	c, _, err := b.warm(ctx, root)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var reports []*driftReport
	for _, s := range shapes {
		reports = append(reports, newDriftReport(s.name, withCaptures), newDriftReport(s.name, mapAlone), newDriftReport(s.name, nearestCopy))
	}
	chance := rand.New(rand.NewPCG(5, 6))
	used, shown, undone, kept, serial := 0, 0, 0, 0, 0
	for _, path := range files {
		if used == b.times(shapeFiles) {
			break
		}
		old, err := editable(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		if old == nil {
			continue
		}
		used++
		spans, err := b.pickSpans(ctx, c, root, path, old, chance)
		if err != nil {
			return nil, err
		}
		for i, shape := range shapes {
			for _, span := range spans {
				t := newEdited(old, &serial)
				if shape.edit(t, span.span, chance); t.void {
					continue
				}
				is := t.fate()
				o, err := b.after(ctx, c, root, path, is.new, span)
				if err != nil {
					return nil, err
				}
				wrong := reports[3*i].rows[span.kind].judge(span, o, is)
				if wrong != "" && shown < b.misses {
					shown++
					fmt.Fprintf(b.out, "  %s %s, %s: %s\n", shape.name, span.address, spanKind(span.kind), wrong)
				}
				reports[3*i+1].rows[span.kind].judge(span, mapped(anchors.MapLines(old, is.new, nil), span.span), is)
				reports[3*i+2].rows[span.kind].judge(span, nearest(old, is.new, span.span), is)
				if o, err = b.after(ctx, c, root, path, old, span); err != nil {
					return nil, err
				}
				if undone++; o.Outcome != wire.Verified || o.span() != span.span {
					kept++
				}
			}
		}
	}
	fmt.Fprintf(b.out, "  %d files\n", used)
	b.judge(none("addresses that are not verified after the edit was undone", kept, undone))
	for i, s := range shapes {
		all := reports[3*i].all()
		b.judge(none(s.name+": wrong content", all.content, all.asked))
		b.judge(none(s.name+": wrong identity", all.identity, all.asked))
		b.judge(none(s.name+": refused though alive", all.alive, all.asked))
	}
	return reports, nil
}

// after writes a text and asks what became of an address.
func (b *bench) after(ctx context.Context, c *client.Client, root, path string, text *anchors.Table, span followed) (outcome, error) {
	if err := os.WriteFile(filepath.Join(root, path), text.Source(), 0o644); err != nil {
		return outcome{}, err
	}
	outcomes, err := b.resolved(ctx, c, root, []followed{span})
	if err != nil {
		return outcome{}, err
	}
	return outcomes[0], nil
}

// editable reads a file that can be edited by lines; nil when it is not one.
func editable(path string) (*anchors.Table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > shapeBytes || len(text) == 0 || text[len(text)-1] != '\n' || bytes.ContainsAny(text, "\x00\r") {
		return nil, nil
	}
	if t := anchors.NewTable(text); t.Len() >= shapeLines {
		return t, nil
	}
	return nil, nil
}

// pickSpans picks one span of each length and one definition, with their addresses, as far as they find places
// where they do not overlap: what is done to one is then nothing that was done to another before.
func (b *bench) pickSpans(ctx context.Context, c *client.Client, root, path string, old *anchors.Table, chance *rand.Rand) ([]followed, error) {
	var spans []followed
	apart := func(s anchors.Span) bool {
		return !slices.ContainsFunc(spans, func(f followed) bool { return f.span.First <= s.Last && s.First <= f.span.Last })
	}
	for k, length := range spanLengths {
		first := 1 + chance.IntN(old.Len()-length+1)
		s := anchors.Span{First: first, Last: first + length - 1}
		if !apart(s) {
			continue
		}
		r, err := c.Get(ctx, wire.GetParams{Common: wire.Common{Root: root}, Ref: wire.RepoRef(path), Lines: s.String()})
		if _, refused := errors.AsType[*wire.Error](err); refused {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.Live != nil && r.Lines == (wire.Lines{s.First, s.Last}) {
			spans = append(spans, followed{s, k, r.Live.Address})
		}
	}
	r, err := c.Map(ctx, wire.MapParams{Common: wire.Common{Root: root}, Path: wire.RepoRef(path), Budget: outlineBudget})
	if _, refused := errors.AsType[*wire.Error](err); refused {
		return spans, nil
	}
	if err != nil || len(r.Entries) == 0 {
		return spans, err
	}
	chance.Shuffle(len(r.Entries), func(i, j int) { r.Entries[i], r.Entries[j] = r.Entries[j], r.Entries[i] })
	for _, d := range r.Entries {
		if d.Live == nil {
			continue
		}
		if s := (anchors.Span{First: d.Live.Lines[0], Last: d.Live.Lines[1]}); apart(s) {
			return append(spans, followed{s, aDefinition, d.Live.Address}), nil
		}
	}
	return spans, nil
}
