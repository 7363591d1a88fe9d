package lsp

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"go.lsp.dev/protocol"

	"ctxd/anchors"
	"ctxd/daemon"
)

// folder is one root of the client, with what it has open in there. Immutable.
type folder struct {
	uri     string // as the client spells it
	path    string // the same, as a path
	root    string // without symbolic links
	overlay *daemon.Overlay
	base    *daemon.Workspace // nil: it could not be opened
	release func()
	problem error
}

// openFolder holds the workspace of a folder open, until leave.
func openFolder(s *Session, uri string) (*folder, error) {
	p, ok := filePath(uri)
	if !ok {
		return nil, invalid("%s is no folder of this machine", uri)
	}
	f := &folder{uri: uri, path: p, root: p}
	f.base, f.release, f.problem = s.d.Hold(p)
	if f.base != nil {
		f.root = f.base.Root
	}
	return f, nil
}

// workspace is the folder as its client sees it; one that could not be opened before may be there now.
func (f *folder) workspace(d *daemon.Daemon) (*daemon.Workspace, func(), error) {
	ws, release, err := d.Workspace(f.path)
	if err != nil {
		return nil, nil, err
	}
	return ws.Under(f.overlay), release, nil
}

// rel is a path relative to the folder.
func (f *folder) rel(p string) (string, bool) {
	if r, ok := below(f.path, p); ok {
		return r, true
	}
	return below(f.root, p)
}

// with is the folder with d open, if it is below it.
func (f *folder) with(d *document) *folder {
	rel, ok := f.rel(d.path)
	if !ok || d.path == "" {
		return f
	}
	if d.lost {
		return f.without(d)
	}
	next := *f
	next.overlay = f.overlay.With(daemon.NewBuffer(rel, d.src))
	return &next
}

func (f *folder) without(d *document) *folder {
	rel, ok := f.rel(d.path)
	if !ok {
		return f
	}
	next := *f
	next.overlay = f.overlay.Without(rel)
	return &next
}

// announce tells the daemon what is open.
func (f *folder) announce(s *Session) {
	if f.base != nil {
		f.base.Announce(s, f.overlay)
	}
}

func (f *folder) leave(s *Session) {
	if f.base != nil {
		f.base.Announce(s, nil)
		f.release()
	}
}

type foldersEvent struct {
	Event struct {
		Added, Removed []protocol.WorkspaceFolder
	} `json:"event"`
}

func (s *Session) didChangeFolders(raw json.RawMessage) error {
	var p foldersEvent
	if err := decode(raw, &p); err != nil {
		return err
	}
	now := s.now.Load()
	next := &moment{s: s, docs: now.docs}
	gone := map[string]bool{}
	for _, r := range p.Event.Removed {
		gone[key(r.URI)] = true
	}
	for _, f := range now.folders {
		if gone[f.path] {
			f.leave(s)
			continue
		}
		next.folders = append(next.folders, f)
	}
	for _, a := range p.Event.Added {
		s.addFolder(next, a.URI)
	}
	s.publish(next)
	s.publisher.stir()
	return nil
}

// addFolder adds a folder to a moment that is not published yet. One that cannot be opened is kept: it may come.
func (s *Session) addFolder(next *moment, uri string) {
	for _, f := range next.folders {
		if f.path == key(uri) {
			return
		}
	}
	f, err := openFolder(s, uri)
	if err != nil {
		s.say(logWarning, "%v", err)
		return
	}
	if f.problem != nil {
		s.say(logWarning, "%v", f.problem)
	}
	for _, d := range next.docs {
		f = f.with(d)
	}
	next.folders = append(next.folders, f)
	s.publisher.follow(f)
}

// file is a document, or a file, that a request is about.
type file struct {
	at     *moment
	uri    string
	doc    *document // nil: it is not open
	folder *folder   // the innermost around it; nil: none
	path   string    // relative to the folder
	ws     *daemon.Workspace
	done   func()

	mappers mappers
}

// file finds what a URI names; nil when it is neither open nor below a folder. close must be called.
func (at *moment) file(uri string) (*file, error) {
	f := &file{at: at, uri: uri, doc: at.docs[key(uri)], done: func() {}, mappers: mappers{}}
	if f.doc != nil && f.doc.lost {
		f.doc = nil
	}
	p, ok := filePath(uri)
	if ok {
		for _, c := range at.folders {
			if rel, ok := c.rel(p); ok && (f.folder == nil || len(c.path) > len(f.folder.path)) {
				f.folder, f.path = c, rel
			}
		}
	}
	if f.folder == nil {
		if f.doc == nil {
			return nil, nil
		}
		return f, nil
	}
	ws, release, err := f.folder.workspace(at.s.d)
	if err != nil {
		return nil, err
	}
	f.ws, f.done = ws, release
	return f, nil
}

func (f *file) close() { f.done() }

// inFolder is file for requests that need more than the text; nil when it is in no folder.
func (at *moment) inFolder(uri string) (*file, error) {
	f, err := at.file(uri)
	if f != nil && f.ws == nil {
		return nil, nil
	}
	return f, err
}

// mapper converts places of a text.
func (f *file) mapper(t *daemon.Text) *mapper {
	m := f.mappers[t]
	if m == nil {
		l := lines{}
		if f.doc != nil && f.folder != nil && t.Path == f.path && len(t.Src()) == len(f.doc.src) && t.Open {
			l = f.doc.lines
		} else {
			l = newLines(t.Src())
		}
		m = newMapper(l, f.at.s.encoding)
		f.mappers[t] = m
	}
	return m
}

// asked is opened, but nil for a file that is kept back or that is not there as well: there is nothing to show.
func (at *moment) asked(ctx context.Context, p docPosition) (*file, *daemon.Text, int, error) {
	f, t, offset, err := at.opened(ctx, p)
	return f, t, offset, nothing(err)
}

// opened opens the file of a request about a position, with its text and the offset of the position in it. Nil for a file
// of no folder. close must be called of any other.
func (at *moment) opened(ctx context.Context, p docPosition) (*file, *daemon.Text, int, error) {
	f, err := at.inFolder(p.uri())
	if f == nil || err != nil {
		return nil, nil, 0, err
	}
	t, _, err := f.ws.Describe(ctx, f.path)
	if err != nil {
		f.close()
		return nil, nil, 0, err
	}
	return f, t, f.mapper(t).offsetOf(*p.Position), nil
}

// uriOf is the URI of a path of the folder, spelled as the client spells it where it has it open.
func (f *file) uriOf(rel string) protocol.DocumentURI {
	p := path.Join(f.folder.path, rel)
	if d := f.at.docs[p]; d != nil {
		return protocol.DocumentURI(d.uri)
	}
	return fileURI(p)
}

// location is a place of a text of the folder.
func (f *file) location(t *daemon.Text, start, end int) protocol.Location {
	return protocol.Location{URI: f.uriOf(t.Path), Range: f.mapper(t).span(start, end)}
}

// linesOf is the span of the lines that [start, end) touches.
func (f *file) linesOf(t *daemon.Text, start, end int) anchors.Span {
	return anchors.Span{First: t.Table.LineAt(start), Last: t.Table.LineAt(max(start, end-1))}
}

// tail is the last element of a dotted or slashed name.
func tail(name, sep string) string { return name[strings.LastIndex(name, sep)+1:] }

// mappers are those of the texts that an answer is about.
type mappers map[*daemon.Text]*mapper
