package daemon

import (
	"bytes"
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
	"ctxd/daemon/captures"
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
	byBlob map[captures.BlobID][]*File // of snap, when files are gone
	unread map[int64][]*File           // of these, by size, those that are not parsed yet
	wants  []wanted
	places map[*origin][]haven // where the content of these stands; nil before that was looked for
}

// wanted is an origin that is looked for, in the file at path.
type wanted struct {
	path string
	*origin
}

// haven is a file that has the content of an origin: the nearest region, and how many there are.
type haven struct {
	path   string
	span   anchors.Span
	copies int
}

func newElsewhere(ws *Workspace) *elsewhere {
	return &elsewhere{ws: ws, wanted: map[string]int64{}}
}

// want announces that an origin in the file at path will be looked for. It keeps no text: of a request with 10,000 lost
// addresses each might have its own.
func (e *elsewhere) want(path string, o *origin) {
	if o == nil || e.ws.load(path, o) == nil {
		return
	}
	defer o.rest()
	line, _ := o.telling()
	if line == "" {
		return
	}
	e.wants = append(e.wants, wanted{path, o})
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
// written since the address was made. Several places are named and none is chosen. nil: nowhere; false: it cannot be known,
// for the tree cannot be looked at.
func (e *elsewhere) find(ctx context.Context, path string, o *origin, gone bool) (*wire.Became, bool) {
	if e.snap == nil {
		if !slices.ContainsFunc(e.wants, func(w wanted) bool { return w.origin == o }) {
			e.want(path, o)
		}
		if e.ws.sync(ctx) != nil { // the other files, too, are to be those of now
			return nil, false
		}
		e.snap = e.ws.cur.Load()
		e.look(ctx)
	}
	kind := wire.Renamed
	found, more := e.regions(ctx, e.renamed(ctx, path, o, gone), o)
	if len(found) == 0 {
		kind = wire.Moved
		if e.places == nil {
			e.place(ctx)
		}
		found, more = e.regions(ctx, e.places[o], o)
	}
	if len(found) == 0 {
		return nil, true
	}
	b := &wire.Became{Kind: kind, Of: o.span.Len(), Surviving: o.span.Len()}
	if len(found) == 1 && more == 0 {
		r := found[0]
		b.Path, b.PathBase64, b.Lines, b.Address = displayPath(r.text.Path), exactPath(r.text.Path), toLines(r.span).Ref(), e.ws.addressOf(r.text, r.span)
		return b, true
	}
	for _, r := range found {
		b.Candidates = append(b.Candidates, e.ws.addressOf(r.text, r.span))
	}
	b.More = more
	return b, true
}

// renamed are the files that have the bytes of the whole file that is gone. What is not parsed yet is read, if it is as long.
func (e *elsewhere) renamed(ctx context.Context, path string, o *origin, gone bool) (places []haven) {
	if !gone {
		return nil
	}
	if e.byBlob == nil {
		e.byBlob, e.unread = map[captures.BlobID][]*File{}, map[int64][]*File{}
		for _, f := range e.snap.files {
			switch blob := f.blob(); {
			case f.Link:
			case blob == captures.BlobID{}:
				e.unread[f.Stat.Size] = append(e.unread[f.Stat.Size], f)
			default:
				e.byBlob[blob] = append(e.byBlob[blob], f)
			}
		}
	}
	if len(e.unread) > 0 && e.ws.load(path, o) != nil {
		size := int64(len(o.table.Source()))
		for _, f := range e.unread[size] {
			if t, err := e.ws.text(ctx, f.Path); err == nil {
				e.byBlob[t.Blob] = append(e.byBlob[t.Blob], f)
			}
		}
		delete(e.unread, size)
	}
	for _, f := range e.byBlob[o.blob] {
		if f.Path != path {
			places = append(places, haven{f.Path, o.span, 1})
		}
	}
	// What was read here stands behind what was parsed: a daemon that has parsed all would name them in another order.
	slices.SortFunc(places, func(a, b haven) int { return strings.Compare(a.path, b.path) })
	return places
}

// place finds where all that is wanted stands. Each file is read once, however many origins it may have: to look through 40
// files of 1 MB for each of 10,000 took 11 minutes.
func (e *elsewhere) place(ctx context.Context) {
	e.places = map[*origin][]haven{}
	byFile := map[*File]map[string][]wanted{}
	for _, w := range e.wants {
		line, _ := w.telling()
		if len(e.hold[line]) > maxHolders {
			continue
		}
		for _, f := range e.hold[line] {
			if f.Path == w.path || f.Stat.Ctime < w.since() {
				continue
			}
			if byFile[f] == nil {
				byFile[f] = map[string][]wanted{}
			}
			byFile[f][line] = append(byFile[f][line], w)
		}
	}
	for _, f := range slices.SortedFunc(maps.Keys(byFile), byPath) {
		t, err := e.ws.text(ctx, f.Path)
		if ctx.Err() != nil {
			return
		} else if err != nil {
			continue
		}
		for _, w := range wantedBy(byFile[f], t.Table) {
			if span, copies := w.nearest(t.Table, w.lines); copies > 0 {
				e.places[w.origin] = append(e.places[w.origin], haven{f.Path, span, copies})
			}
		}
	}
}

// lined is an origin and where its telling line stands.
type lined struct {
	wanted
	lines []int
}

// wantedBy are the origins by line whose line stands in t.
func wantedBy(byLine map[string][]wanted, t *anchors.Table) (all []lined) {
	lines := map[string][]int{}
	for n := 1; n <= t.Len(); n++ {
		line := bytes.TrimSpace(t.Line(n))
		if byLine[string(line)] != nil {
			lines[string(line)] = append(lines[string(line)], n)
		}
	}
	for line, at := range lines {
		for _, w := range byLine[line] {
			all = append(all, lined{w, at})
		}
	}
	return all
}

// nearest is the region with the content of o that is nearest to its place, the earlier one of two, and how many there are.
// lines are where its telling line stands.
func (o *origin) nearest(t *anchors.Table, lines []int) (span anchors.Span, copies int) {
	_, nth := o.telling()
	for _, n := range lines {
		s := anchors.Span{First: n - nth, Last: n - nth + o.span.Len() - 1}
		if !o.standsAt(t, s) {
			continue
		}
		if copies++; copies == 1 || distance(s.First, o.span.First) < distance(span.First, o.span.First) {
			span = s
		}
	}
	return span, copies
}

// standsAt says whether lines of t have the content of o.
func (o *origin) standsAt(t *anchors.Table, s anchors.Span) bool {
	if s.First < 1 || s.Last > t.Len() {
		return false
	}
	is := t.Known(s)
	return is.Full == o.known.Full && (o.known.Text == [32]byte{} || is.Text == o.known.Text)
}

func distance(a, b int) int { return max(a-b, b-a) }

// regions are the first of some places, if they are still what was found, and how many more there are.
func (e *elsewhere) regions(ctx context.Context, places []haven, o *origin) (found []movedRange, more int) {
	for _, p := range places {
		if len(found) == maxElsewhere {
			more += p.copies
			continue
		}
		t, err := e.ws.text(ctx, p.path)
		if err != nil || !o.standsAt(t.Table, p.span) {
			continue
		}
		found = append(found, movedRange{text: t, span: p.span})
		more += p.copies - 1
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

// telling is the longest line of an origin, without the blanks around it, and how many lines of it stand before; "" when
// all of it says too little to be looked for.
func (o *origin) telling() (longest string, nth int) {
	if o.table == nil {
		return o.line, o.nth
	}
	words := 0
	for n := o.span.First; n <= o.span.Last; n++ {
		line := strings.TrimSpace(string(o.table.Line(n)))
		if len(line) > len(longest) {
			longest, nth = line, n-o.span.First
		}
		for i := range len(line) {
			if c := line[i] | 0x20; c >= 'a' && c <= 'z' || line[i] >= '0' && line[i] <= '9' || line[i] >= 0x80 {
				words++
			}
		}
	}
	if words < enoughWord {
		return "", 0
	}
	return longest, nth
}

// rest gives up an origin's text, which can be read again.
func (o *origin) rest() {
	if o.rec != nil || o.read != nil {
		o.line, o.nth = o.telling()
		o.table = nil
	}
}
