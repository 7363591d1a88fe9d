package daemon

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
)

const (
	// maxElsewhere is how many equal regions in other files are named.
	maxElsewhere = 5
	// maxHolders is how many files may hold the most telling line of a span that is looked for in them. A line that
	// stands in more tells nothing.
	maxHolders = 64
	// enoughWord is how many letters and digits a span has at least that is looked for in other files. "return nil"
	// stands in every second one.
	enoughWord = 12
)

// elsewhere finds the lost content of one request in other files. They are read once for all addresses of the
// request: 90 MB of source take 0.1 s, and each of 10,000 addresses would take it again.
type elsewhere struct {
	ws     *Workspace
	wanted map[string]int64 // telling lines, and since when a file must have been written that has one: Unix nanoseconds
	snap   *Snapshot        // that was looked through; nil before
	hold   map[string][]*File
}

func newElsewhere(ws *Workspace) *elsewhere {
	return &elsewhere{ws: ws, wanted: map[string]int64{}}
}

// want announces that an origin in the file at path will be looked for.
func (e *elsewhere) want(path string, o *origin) {
	if o == nil || e.ws.load(path, o) == nil {
		return
	}
	line := o.telling()
	if line == "" {
		return
	}
	if since, known := e.wanted[line]; !known || o.since() < since {
		e.wanted[line] = o.since()
	}
}

// since is when the address was made, in Unix nanoseconds; 0 when that is not known. A file that was not written since
// had the content before: it is a copy, and nothing moved there.
func (o *origin) since() int64 {
	if o.rec == nil {
		return 0
	}
	return time.Unix(o.rec.Time-1, 0).UnixNano()
}

// find is where the content of an origin is: in the whole file under another name if its own is gone, else in a file that was
// written since the address was made. Several places are named and none is chosen. nil: nowhere.
func (e *elsewhere) find(ctx context.Context, path string, o *origin, gone bool) *wire.Became {
	if e.snap == nil {
		e.want(path, o)
		if e.ws.sync(ctx) != nil { // the other files, too, are to be those of now
			return nil
		}
		e.snap = e.ws.cur.Load()
		e.look(ctx)
	}
	kind := wire.Renamed
	found, more := e.regions(ctx, e.renamed(path, o, gone), o)
	if len(found) == 0 {
		kind = wire.Moved
		found, more = e.regions(ctx, e.holders(path, o), o)
	}
	if len(found) == 0 {
		return nil
	}
	b := &wire.Became{Kind: kind, Of: o.span.Len(), Surviving: o.span.Len()}
	if len(found) == 1 && more == 0 {
		r := found[0]
		b.Path, b.PathBase64, b.Lines, b.Address = displayPath(r.text.Path), exactPath(r.text.Path), toLines(r.span).Ref(), e.ws.addressOf(r.text, r.span)
		return b
	}
	for _, r := range found {
		b.Candidates = append(b.Candidates, e.ws.addressOf(r.text, r.span))
	}
	b.More = more
	return b
}

// renamed are the files that have the bytes of the whole file that is gone.
func (e *elsewhere) renamed(path string, o *origin, gone bool) (files []*File) {
	if !gone {
		return nil
	}
	for _, f := range e.snap.files {
		if f.Path != path && !f.Link && f.blob() == o.blob {
			files = append(files, f)
		}
	}
	return files
}

// holders are the other files that have the most telling line of an origin.
func (e *elsewhere) holders(path string, o *origin) []*File {
	if e.ws.load(path, o) == nil {
		return nil
	}
	files := e.hold[o.telling()]
	if len(files) > maxHolders {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(files), func(f *File) bool { return f.Path == path || f.Stat.Ctime < o.since() })
}

// regions are where the content of o stands in files: the nearest one of each file, and how many more there are.
func (e *elsewhere) regions(ctx context.Context, files []*File, o *origin) (found []movedRange, more int) {
	for _, f := range files {
		t, err := e.ws.text(ctx, f.Path)
		if err != nil {
			continue
		}
		r := t.Table.Resolve(o.selector(), &o.known, func() bool { return ctx.Err() != nil })
		if r.Outcome == anchors.Lost {
			continue
		}
		if more += r.Copies - 1; len(found) == maxElsewhere {
			more++
			continue
		}
		found = append(found, movedRange{text: t, span: r.Span})
	}
	return found, more
}

// look reads every listed file that was written late enough, and notes which of the wanted lines it has.
func (e *elsewhere) look(ctx context.Context) {
	e.hold = map[string][]*File{}
	if len(e.wanted) == 0 {
		return
	}
	since := int64(1<<63 - 1)
	for _, s := range e.wanted {
		since = min(since, s)
	}
	files := slices.DeleteFunc(slices.Clone(e.snap.files), func(f *File) bool { return f.Link || f.Stat.Ctime < since })
	lines := make([][]string, len(files)) // of the wanted ones, those that each file has
	var next atomic.Int32
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		readers.Go(func() {
			r := &scanner{search: &search{ws: e.ws, scope: &scope{ws: e.ws}}, disk: e.ws.disk.Load()}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if r.kept(files[i].Path) {
					continue
				}
				if src, ok := r.read(files[i]); ok && !isBinary(src) {
					lines[i] = e.wantedIn(src)
				}
			}
		})
	}
	readers.Wait()
	for i, f := range files {
		for _, line := range lines[i] {
			if len(e.hold[line]) <= maxHolders {
				e.hold[line] = append(e.hold[line], f)
			}
		}
	}
}

// wantedIn lists the wanted lines that src has, each once.
func (e *elsewhere) wantedIn(src []byte) (has []string) {
	for len(src) > 0 {
		n := bytes.IndexAny(src, "\r\n")
		if n < 0 {
			n = len(src)
		}
		line := bytes.TrimSpace(src[:n])
		if _, ok := e.wanted[string(line)]; ok && !slices.Contains(has, string(line)) {
			has = append(has, string(line))
		}
		src = src[min(n+1, len(src)):]
	}
	return has
}

// selector is the address of an origin's lines.
func (o *origin) selector() anchors.Selector {
	return anchors.Selector{Span: o.span, Anchor: o.known.Full.Anchor(), Anchored: true}
}

// telling is the longest line of an origin, without the blanks around it; "" when all of it says too little to be
// looked for.
func (o *origin) telling() string {
	if o.table == nil {
		return ""
	}
	longest, words := "", 0
	for n := o.span.First; n <= o.span.Last; n++ {
		line := strings.TrimSpace(string(o.table.Line(n)))
		if len(line) > len(longest) {
			longest = line
		}
		for i := range len(line) {
			if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= '0' && line[i] <= '9' || line[i] >= 0x80 {
				words++
			}
		}
	}
	if words < enoughWord {
		return ""
	}
	return longest
}
