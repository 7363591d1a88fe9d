package daemon

import (
	"context"
	"path"
	"sync"

	"ctxd/daemon/captures"
	"ctxd/index"
)

// paths lists the files of a snapshot by directory and by base name: what resolving an import asks for. It is made
// when it is first asked for (7,700 files: 2 ms) and shared by all snapshots that have the same paths.
type paths struct {
	once  sync.Once
	dirs  map[string][]string
	bases map[string][]string
}

func (p *paths) of(s *Snapshot) *paths {
	p.once.Do(func() {
		p.dirs, p.bases = map[string][]string{}, map[string][]string{}
		for _, f := range s.files {
			dir := path.Dir(f.Path)
			if dir == "." {
				dir = ""
			}
			p.dirs[dir] = append(p.dirs[dir], f.Path)
			base := path.Base(f.Path)
			p.bases[base] = append(p.bases[base], f.Path)
		}
	})
	return p
}

// world is a snapshot as the resolver of references sees it, for one answer. It parses pending files that it is asked
// for, and remembers which content of which file the answer rests on.
type world struct {
	ws    *Workspace
	ctx   context.Context
	snap  *Snapshot
	paths *paths
	blobs map[string]captures.BlobID // of the files that were parsed or read for this answer
	made  map[string]*index.File     // pending files that were parsed for this answer; nil: it has no facts
	bytes []content                  // what was read last
	torn  bool                       // a file had other bytes than the answer rests on
}

// content is what Read gave for a path.
type content struct {
	path string
	src  []byte
}

// maxContents is how many files a world keeps the bytes of. Two are asked for in turns, that of a call and that of what
// may be called; those of every file with a site would be as much as the tree until the answer ends.
const maxContents = 8

func (ws *Workspace) world(ctx context.Context, snap *Snapshot) *world {
	return &world{ws: ws, ctx: ctx, snap: snap, paths: snap.paths.of(snap), made: map[string]*index.File{}, blobs: map[string]captures.BlobID{}}
}

func (w *world) File(p string) *index.File {
	f := w.snap.file(p)
	if f == nil {
		return nil
	}
	if f.Facts != nil {
		return &f.Facts.File
	}
	made, ok := w.made[p]
	if !ok {
		if t, err := w.ws.text(w.ctx, p); err == nil && w.restsOn(t) {
			made, _ = w.ws.facts(w.ctx, w.snap, t)
		}
		w.made[p] = made
	}
	return made
}

func (w *world) Dir(dir string) []string    { return w.paths.dirs[dir] }
func (w *world) Named(base string) []string { return w.paths.bases[base] }

// Read gives the bytes of a file; nil when it cannot be read, and when the offsets that are known of it are of other bytes.
func (w *world) Read(p string) []byte {
	for _, c := range w.bytes {
		if c.path == p {
			return c.src
		}
	}
	c := content{path: p}
	if t, err := w.ws.text(w.ctx, p); err == nil && w.restsOn(t) {
		c.src = t.Src()
	}
	if len(w.bytes) == maxContents {
		w.bytes = append(w.bytes[:0], w.bytes[1:]...)
	}
	w.bytes = append(w.bytes, c)
	return c.src
}

// restsOn says whether a text is what the answer rests on already, or may from now on. Where it is not, the answer is torn: what it says
// of other files may be due to what it could not see of this one.
func (w *world) restsOn(t *Text) bool {
	blob, known := w.blobs[t.Path]
	if !known {
		blob = t.Blob
		if f := w.snap.file(t.Path); f != nil && f.Facts != nil && f.Facts.Status == index.Parsed {
			blob = f.Facts.Blob
		}
		w.blobs[t.Path] = blob
	}
	if blob == t.Blob {
		return true
	}
	w.torn = true
	w.ws.outdated.add(t.Path)
	return false
}

// look is use for a reference in t: what the resolver knows of that file must be of the same bytes, or a number of a definition in the one
// would be taken for that of another.
func (s *refSearch) look(snap *Snapshot, t *Text) error {
	s.use(snap)
	if !s.world.restsOn(t) {
		return errMoved
	}
	return nil
}

// end is the error of a search that came to its end.
func (s *refSearch) end() error {
	if s.world != nil && s.world.torn && s.ctx.Err() == nil {
		return errMoved
	}
	return s.ctx.Err()
}

// stands says whether t, the file of a target now, is what the target was found in, and what the sites were compared with.
func (s *refSearch) stands(h hit, t *Text) bool {
	return t.Blob == h.blob && (h.def < 0 || s.world.restsOn(t))
}
