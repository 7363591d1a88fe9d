package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"go.lsp.dev/protocol"
)

// document is one version of what a client has open. Immutable.
type document struct {
	uri     string // as the client spells it
	path    string // absolute; "" when it is no file
	version int32
	lines
	// lost: the client and we disagree about the text, so that it counts as not open until it is sent as a whole.
	lost bool
}

// key is equal for all spellings of one document's URI.
func key(uri string) string {
	if p, ok := filePath(uri); ok {
		return p
	}
	return uri
}

// contentChange is one change of didChange. protocol's has a range that is always there, so that the replacement of
// all and an insertion at 0:0 are the same to it.
type contentChange struct {
	Range *protocol.Range `json:"range"`
	Text  *string         `json:"text"`
}

// errNonsense is a change that the text does not allow.
type errNonsense string

func (e errNonsense) Error() string { return string(e) }

// edited is the text after changes, each of which is about the text that the one before left.
func edited(l lines, changes []contentChange, e encoding) (lines, error) {
	m := newMapper(l, e)
	ours := false // the text may be written to
	for i, c := range changes {
		if c.Text == nil {
			return m.lines, errNonsense(fmt.Sprintf("change %d has no text", i))
		}
		if c.Range == nil {
			m, ours = newMapper(newLines([]byte(*c.Text)), e), true
			continue
		}
		start, end, ok := m.bytesOf(*c.Range)
		if !ok {
			return m.lines, errNonsense(fmt.Sprintf("change %d ends before it starts", i))
		}
		if !ours {
			m.starts, m.marks = slices.Clone(m.starts), slices.Clone(m.marks)
		}
		m.replace(start, end, *c.Text, ours)
		ours = true
	}
	return m.lines, nil
}

// replace puts text in the place of [start, end), both at characters. The starts and marks are m's own memory; the bytes are
// if ours, else they are copied.
//
// Whether a line starts somewhere depends on the byte before and the one there, so only the starts from start to the end
// of text are looked for again; those behind are moved: a thousand cursors in a file of a megabyte are a thousand moves, not
// a thousand scans. So are the marks; those of the line that end is on get the column that end has now.
func (m *mapper) replace(start, end int, text string, ours bool) {
	line := m.position(end).Line
	lineEnd, units := m.end(int(line)), m.at.units
	delta := len(text) - (end - start)
	if ours {
		m.src = slices.Replace(m.src, start, end, []byte(text)...)
	} else {
		src := append(make([]byte, 0, len(m.src)+len(text)+1024), m.src[:start]...)
		m.src = append(append(src, text...), m.src[end:]...)
	}

	first := max(1, sort.SearchInts(m.starts, start))
	behind := max(first, sort.SearchInts(m.starts, end+1))
	for i := behind; i < len(m.starts); i++ {
		m.starts[i] += delta
	}
	m.starts = slices.Replace(m.starts, first, behind, lineStarts(nil, m.src, max(start, 1), start+len(text))...)

	after := func(offset int) int {
		return sort.Search(len(m.marks), func(i int) bool { return m.marks[i].offset > offset })
	}
	kept := after(start)
	m.marks = slices.Delete(m.marks, kept, max(kept, after(end)))
	for i := kept; i < len(m.marks); i++ {
		m.marks[i].offset += delta
	}
	m.line = -1 // where it was may be another place now
	m.position(start + len(text))
	for i := after(start + len(text)); i < len(m.marks) && m.marks[i].offset <= lineEnd+delta; i++ {
		m.marks[i].units += m.at.units - units
	}
}

// didOpenParams and the like are decoded here because a nil field must be told from a zero one.
type didOpenParams struct {
	TextDocument *struct {
		URI     *string `json:"uri"`
		Version int32   `json:"version"`
		Text    *string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument *struct {
		URI     *string `json:"uri"`
		Version *int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type didSaveParams struct {
	TextDocument *struct {
		URI *string `json:"uri"`
	} `json:"textDocument"`
	Text *string `json:"text"`
}

func (s *Session) didOpen(raw json.RawMessage) error {
	var p didOpenParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	if p.TextDocument == nil || p.TextDocument.URI == nil || p.TextDocument.Text == nil {
		return invalid("didOpen needs textDocument with uri and text")
	}
	d := &document{uri: *p.TextDocument.URI, version: p.TextDocument.Version, lines: newLines([]byte(*p.TextDocument.Text))}
	d.path, _ = filePath(d.uri)
	s.put(d)
	return nil
}

func (s *Session) didChange(raw json.RawMessage) error {
	var p didChangeParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	if p.TextDocument == nil || p.TextDocument.URI == nil {
		return invalid("didChange needs textDocument with uri")
	}
	old := s.now.Load().docs[key(*p.TextDocument.URI)]
	if old == nil {
		return invalid("didChange of %s, which is not open", *p.TextDocument.URI)
	}
	next := *old
	if p.TextDocument.Version != nil {
		next.version = *p.TextDocument.Version
	}
	changes := p.ContentChanges
	if next.lost { // what was missed does not matter before the last change of all
		whole := lastWhole(changes)
		if whole < 0 {
			return nil
		}
		changes = changes[whole:]
	}
	var err error
	next.lines, err = edited(old.lines, changes, s.encoding)
	next.lost = err != nil
	s.put(&next)
	if err != nil {
		return invalid("%s: %v: its text is not relied on before it is sent as a whole", next.uri, err)
	}
	return nil
}

func lastWhole(changes []contentChange) int {
	for i, c := range slices.Backward(changes) {
		if c.Range == nil && c.Text != nil {
			return i
		}
	}
	return -1
}

func (s *Session) didSave(raw json.RawMessage) error {
	var p didSaveParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	if p.TextDocument == nil || p.TextDocument.URI == nil {
		return invalid("didSave needs textDocument with uri")
	}
	if old := s.now.Load().docs[key(*p.TextDocument.URI)]; old != nil && p.Text != nil && (old.lost || string(old.src) != *p.Text) {
		next := *old
		next.lines, next.lost = newLines([]byte(*p.Text)), false
		s.put(&next)
	}
	s.publisher.stir()
	return nil
}

func (s *Session) didClose(raw json.RawMessage) error {
	var p didSaveParams
	if err := decode(raw, &p); err != nil {
		return err
	}
	if p.TextDocument == nil || p.TextDocument.URI == nil {
		return invalid("didClose needs textDocument with uri")
	}
	s.drop(*p.TextDocument.URI)
	return nil
}
