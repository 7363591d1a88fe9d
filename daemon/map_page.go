package daemon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxd/client/wire"
	"ctxd/index"
)

// pick is one definition of a part, before its addresses are made.
type pick struct {
	file int // among the part's
	def  int
	row  wire.MapEntry
}

// part is the part of a list that one answer shows.
type part struct {
	*mapping
	res   *wire.MapResult
	room  int // bytes of text that are left
	rows  int // with those of files without definitions
	texts []*Text
	facts []*index.File
	at    map[string]int // by path: among res.Files
	picks []pick
}

// newPart has room for what the budget leaves beside the lines around the rows, at their longest.
func (m *mapping) newPart(total wire.MapCount, after string) *part {
	res := &wire.MapResult{
		Path: "repo:.", Outline: m.outline, Engine: engine, Budget: m.budget, Coverage: coverage(m.snap, m.params.NoSync),
		Files: []wire.MapFile{}, Entries: []wire.MapEntry{}, Total: total, Omitted: total, Next: after,
	}
	if m.path != "" {
		res.Path = wire.RepoRef(m.path)
	}
	return &part{mapping: m, res: res, at: map[string]int{}}
}

// measure sets the room, when all that Head and Foot print is known or at its longest.
func (p *part) measure() {
	p.room = 4 * p.budget
	for _, line := range append(p.res.Head(), p.res.Foot(p.params.Anchors)...) {
		p.room -= shown(line)
	}
}

// shown is at most how many bytes a line takes as it is printed: what a terminal would obey is escaped.
func shown(line string) int {
	n := len(line) + 1
	for i := 0; i < len(line); {
		if c := line[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if size == 1 {
			n += len(`\x1b`) - 1
		} else if !unicode.IsPrint(r) {
			n += len(`\U000e0001`) - size
		}
		i += size
	}
	return n
}

// take puts a definition into the part; false when the budget does not take it.
func (p *part) take(f *File, imported uint32, t *Text, def int, weight uint32) bool {
	facts := &f.Facts.File
	row := entry(t, facts, def, weight)
	need := shown(p.res.EntryLine(&row, p.params.Anchors))
	i, known := p.at[f.Path]
	var file wire.MapFile
	if !known {
		file = mapFile(f, imported)
		need += shown(file.Line())
	}
	if !p.fits(need) {
		return false
	}
	if !known {
		i = len(p.res.Files)
		p.at[f.Path] = i
		p.res.Files = append(p.res.Files, file)
		p.texts, p.facts = append(p.texts, t), append(p.facts, facts)
	}
	p.picks = append(p.picks, pick{i, def, row})
	return true
}

// takeEmpty puts a file without definitions into the part.
func (p *part) takeEmpty(f *File, imported uint32) bool {
	file := mapFile(f, imported)
	if !p.fits(shown(file.Line())) {
		return false
	}
	p.res.Files = append(p.res.Files, file)
	return true
}

// fits counts a row that fits. The first one always does: the list has to advance.
func (p *part) fits(need int) bool {
	if p.rows > 0 && (need > p.room || p.rows >= maxRows) {
		return false
	}
	p.room -= need
	p.rows++
	return true
}

// finish makes the addresses of what was taken, the definitions of a file together.
func (p *part) finish() *wire.MapResult {
	if !p.outline {
		slices.SortFunc(p.picks, func(a, b pick) int { return cmp.Or(a.file-b.file, a.def-b.def) })
	}
	for len(p.picks) > 0 {
		n := 1
		for n < len(p.picks) && p.picks[n].file == p.picks[0].file {
			n++
		}
		defs := make([]int, n)
		for i := range defs {
			defs[i] = p.picks[i].def
		}
		file := p.picks[0].file
		for i, row := range p.ws.rows(p.texts[file], p.facts[file], defs) {
			e := p.picks[i].row
			row.Doc = ""
			e.Definition = row
			p.res.Entries = append(p.res.Entries, e)
		}
		p.picks = p.picks[n:]
	}
	return p.res
}

// mapFile is what a map says of a file.
func mapFile(f *File, imported uint32) wire.MapFile {
	m := wire.MapFile{Path: displayPath(f.Path), PathBase64: exactPath(f.Path), Size: int(f.Stat.Size), ImportedBy: int(imported), Problem: f.problem()}
	if f.Facts == nil {
		return m
	}
	m.Language, m.Definitions, m.Imports = f.Facts.Language, len(f.Facts.Defs), len(f.Facts.Imports)
	if m.Problem == "" && f.Facts.Language != "" && f.Facts.Status != index.Parsed {
		m.Problem = f.Facts.Status.String()
	}
	return m
}

// entry is the row of a definition, without its addresses, for its length.
func entry(t *Text, facts *index.File, def int, weight uint32) wire.MapEntry {
	d := &facts.Defs[def]
	e := wire.MapEntry{Weight: int(weight), Definition: wire.Definition{
		Name: d.Name, Container: d.Container, Kind: d.Kind.String(),
		Signature: clip(t.Src()[d.SigStart:d.SigEnd], 512), Lines: toLines(spanOf(t.Table, int(d.Start), int(d.End))),
		Live: &wire.Live{Anchor: "07407f1c"}, // as long as any
	}}
	e.Target, e.Symbol = wire.RepoRef(t.Path), d.Qualified()
	if !sayable(e.Symbol) {
		line := t.Table.LineAt(int(d.NameStart))
		e.Target, e.Symbol = fmt.Sprintf("%s:%d:%d", e.Target, line, int(d.NameStart)-t.Table.LineStart(line)+1), ""
	}
	return e
}

// sayable says whether a name can be asked for as it is: it reaches the daemon through a shell and JSON, and def
// takes it for nothing else. Others are named by their place.
func sayable(name string) bool {
	return len(name) <= 160 && strings.TrimSpace(name) == name && name != "" && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}
