package daemon

import (
	"bytes"
	"container/list"
	"context"
	"slices"
	"sync"

	"ctxd/anchors"
	"ctxd/daemon/captures"
)

const (
	// keepVersions is how many versions of a file are held besides the maps between them: a new one is compared
	// with each, so that a switch to another branch and back leads from the version before to the one after.
	keepVersions = 4
	// keepCaptured is how many captured versions of a file are followed. Another is mapped from its bytes in
	// the capture store, without what came between.
	keepCaptured = 64
	// keepLineages bounds the bytes of all versions and maps of a workspace, maxLineages the files.
	keepLineages = 64 << 20
	maxLineages  = 1 << 14
	// bigTable: the table of a captured file above it is kept, that of a smaller one is made again from the capture
	// store when the file has changed.
	bigTable = 1 << 20
	// keepRead bounds the bytes of the tables that are kept of other versions.
	keepRead = 8 << 20
	// versionCost and trailCost are what a version, and each trail to it, takes besides its lines: with short files that
	// is nearly all, and 32 MB of lines were 200 MB of memory.
	versionCost = 512
	trailCost   = 160
	// keepFound bounds the addresses of one version whose places are kept, at 150 bytes each.
	keepFound = 10_000
)

// lineages are what a workspace knows of the past of the files of which addresses are out: the last used, within
// bounds. They only make identity finer: what is not there is made from the capture store.
type lineages struct {
	mu     sync.Mutex
	bytes  int
	order  *list.List // of *lineage, the last used in front
	byPath map[string]*list.Element
	read   []readTable // of versions that are not held, the last used at the end
}

// readTable is the line table of a captured version that was read from the store: the addresses of one request are mostly of
// few versions, and 1 MB takes 13 ms to read.
type readTable struct {
	blob  captures.BlobID
	table *anchors.Table
}

// lineage is the past of one file.
type lineage struct {
	path string

	mu       sync.Mutex
	versions []*version        // in the order in which they were last seen; at most keepVersions
	typed    []*version        // what clients have open and did not save: the file on disk never came from there; at most keepVersions
	captured []captures.BlobID // whose lines are followed, the last captured at the end; at most keepCaptured
	bytes    int               // bytes, as accounted in lineages
}

// version is one content of a file. Its maps are filled in under the lineage's lock.
type version struct {
	blob  captures.BlobID
	table *anchors.Table // nil until it is needed: the bytes are in the capture store
	// from tells where the lines of captured versions are in this one: step by step through what came between,
	// as far as that was seen. direct tells the same in one step, where it was asked for.
	from, direct map[captures.BlobID]trail
	met          bool // that it was met is on record
	// found are addresses that were looked for in this version, and where they are. It is a table of at most
	// keepFound, so that to resolve what is held again and again is to look it up.
	found map[anchors.Selector]finding
}

func newVersion(blob captures.BlobID, t *anchors.Table) *version {
	return &version{blob: blob, table: t, from: map[captures.BlobID]trail{}, direct: map[captures.BlobID]trail{}}
}

// trail tells where the lines of one version are in a later one, in one or more steps.
type trail struct {
	lines   *anchors.LineMap
	span    anchors.Span // where there is no map: of the lines of one address; zero when they are gone
	longest int          // of the steps, in lines that came or went
	known   bool         // false: there is no trail
}

// finding is where an address is in a version; it is true as long as its stamp is that of what is remembered of it.
type finding struct {
	stamp uint64
	outcome
}

func newLineages() *lineages {
	return &lineages{order: list.New(), byPath: map[string]*list.Element{}}
}

// of is the lineage of a path; nil when there is none, and create is false.
func (ls *lineages) of(path string, create bool) *lineage {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if e := ls.byPath[path]; e != nil {
		ls.order.MoveToFront(e)
		return e.Value.(*lineage)
	}
	if !create {
		return nil
	}
	l := &lineage{path: path}
	ls.byPath[path] = ls.order.PushFront(l)
	ls.trim()
	return l
}

// weigh accounts for what a lineage holds, and forgets those that were not used for longest.
func (ls *lineages) weigh(l *lineage) {
	l.mu.Lock()
	now := l.size()
	l.mu.Unlock()
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if e := ls.byPath[l.path]; e != nil && e.Value == l {
		ls.bytes += now - l.bytes
		l.bytes = now
		ls.trim()
	}
}

func (ls *lineages) trim() {
	for ls.order.Len() > 1 && (ls.bytes > keepLineages || ls.order.Len() > maxLineages) {
		last := ls.order.Remove(ls.order.Back()).(*lineage)
		delete(ls.byPath, last.path)
		ls.bytes -= last.bytes
	}
}

// recall is where an address is in t, if that is known: stamp says what is remembered of it.
func (ls *lineages) recall(t *Text, sel anchors.Selector, stamp uint64) (outcome, bool) {
	l := ls.of(t.Path, false)
	if l == nil || stamp == 0 {
		return outcome{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.present(t); v == nil {
		return outcome{}, false
	} else if f, ok := v.found[sel]; ok && f.stamp == stamp {
		return f.outcome, true
	}
	return outcome{}, false
}

// present is the version of t: for the file, the last that was seen. nil when it is not held; l.mu is held.
func (l *lineage) present(t *Text) *version {
	if t.Open {
		return l.known(t.Blob)
	}
	if n := len(l.versions); n > 0 && l.versions[n-1].blob == t.Blob {
		return l.versions[n-1]
	}
	return nil
}

// note keeps where an address is in t, which is the last version seen.
func (ls *lineages) note(t *Text, sel anchors.Selector, stamp uint64, p outcome) {
	l := ls.of(t.Path, false)
	if l == nil {
		return
	}
	p.caps, p.origin = nil, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.present(t)
	if v == nil {
		return
	}
	if v.found == nil || len(v.found) >= keepFound {
		v.found = map[anchors.Selector]finding{}
	}
	v.found[sel] = finding{stamp, p}
}

// unfind forgets where addresses are: what was not written down would not be written as long as they are recalled.
func (ls *lineages) unfind() {
	ls.mu.Lock()
	var all []*lineage
	for e := ls.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*lineage))
	}
	ls.mu.Unlock()
	for _, l := range all {
		l.mu.Lock()
		for _, v := range slices.Concat(l.versions, l.typed) {
			v.found = nil
		}
		l.mu.Unlock()
	}
}

// unmet says whether t is a held version that is not known to be on record as met.
func (ls *lineages) unmet(t *Text) bool {
	l := ls.of(t.Path, false)
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.present(t)
	return v != nil && !v.met
}

// meet notes that a version is on record as met.
func (ls *lineages) meet(path string, blob captures.BlobID) {
	l := ls.of(path, false)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range l.versions {
		v.met = v.met || v.blob == blob
	}
}

// tableOf is a table that was read before; nil when it is not kept.
func (ls *lineages) tableOf(blob captures.BlobID) *anchors.Table {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	i := slices.IndexFunc(ls.read, func(r readTable) bool { return r.blob == blob })
	if i < 0 {
		return nil
	}
	r := ls.read[i]
	ls.read = append(slices.Delete(ls.read, i, i+1), r)
	return r.table
}

// keep keeps a table that was read, and forgets what was not used for longest.
func (ls *lineages) keep(blob captures.BlobID, t *anchors.Table) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.read = append(ls.read, readTable{blob, t})
	held := 0
	for i, r := range slices.Backward(ls.read) {
		if held += len(r.table.Source()) + 12*r.table.Len() + 256; held > keepRead {
			ls.read = slices.Delete(ls.read, 0, i+1)
			break
		}
	}
}

// size is what l holds, in bytes, about.
func (l *lineage) size() int {
	n := 256 + 32*len(l.captured)
	for _, v := range slices.Concat(l.versions, l.typed) {
		n += versionCost
		if v.table != nil {
			n += len(v.table.Source()) + 12*v.table.Len() + 256
		}
		n += 200 * len(v.found)
		for _, maps := range []map[captures.BlobID]trail{v.from, v.direct} {
			for _, c := range maps {
				n += trailCost + c.lines.Size()
			}
		}
	}
	return n
}

// trace notes that addresses in t were given out: from now on its lines are followed.
func (ws *Workspace) trace(t *Text) {
	l := ws.lineages.of(t.Path, true)
	l.mu.Lock()
	if len(l.versions) == 0 && !t.Open {
		v := newVersion(t.Blob, nil)
		if len(t.Src()) > bigTable {
			v.table = t.Table
		}
		l.versions = append(l.versions, v)
	}
	l.follow(t.Blob)
	l.mu.Unlock()
	ws.versionOf(context.Background(), l, t)
	ws.lineages.weigh(l)
}

// follow keeps the maps from a captured version, until keepCaptured others were asked for.
func (l *lineage) follow(blob captures.BlobID) {
	if i := slices.Index(l.captured, blob); i >= 0 {
		l.captured = slices.Delete(l.captured, i, i+1)
	} else if len(l.captured) == keepCaptured {
		l.forget(l.captured[0])
	}
	l.captured = append(l.captured, blob)
}

// forget gives a captured version up.
func (l *lineage) forget(blob captures.BlobID) {
	l.captured = slices.DeleteFunc(l.captured, func(b captures.BlobID) bool { return b == blob })
	for _, v := range slices.Concat(l.versions, l.typed) {
		delete(v.from, blob)
		delete(v.direct, blob)
	}
}

// sees notes that a file of which addresses are out has new bytes. src may change afterwards.
func (ws *Workspace) sees(ctx context.Context, path string, blob captures.BlobID, src []byte) {
	if len(src) == 0 { // of a save that truncates and then writes: what stood there has gone nowhere
		return
	}
	l := ws.lineages.of(path, false)
	if l == nil || l.version(blob) != nil {
		return
	}
	ws.descend(ctx, l, blob, anchors.NewTable(bytes.Clone(src)), false)
}

// seen notes that t is what its file has now.
func (ws *Workspace) seen(ctx context.Context, t *Text) {
	if l := ws.lineages.of(t.Path, false); l != nil {
		ws.versionOf(ctx, l, t)
	}
}

// versionOf is the version of t, which is made if need be. That of the file is then the last seen.
func (ws *Workspace) versionOf(ctx context.Context, l *lineage, t *Text) *version {
	var v *version
	if l.mu.Lock(); t.Open {
		v = l.known(t.Blob)
	} else {
		v = l.last(t.Blob)
	}
	l.mu.Unlock()
	if v == nil {
		v = ws.descend(ctx, l, t.Blob, t.Table, t.Open)
	}
	return v
}

// known is the version with these bytes, typed or not; nil when it is not held. l.mu is held.
func (l *lineage) known(blob captures.BlobID) *version {
	for _, some := range [][]*version{l.versions, l.typed} {
		if i := slices.IndexFunc(some, func(v *version) bool { return v.blob == blob }); i >= 0 {
			return some[i]
		}
	}
	return nil
}

// version is the one with these bytes, which is then the last seen; nil when it is not held.
func (l *lineage) version(blob captures.BlobID) *version {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last(blob)
}

func (l *lineage) last(blob captures.BlobID) *version {
	i := slices.IndexFunc(l.versions, func(v *version) bool { return v.blob == blob })
	if i < 0 {
		return nil
	}
	v := l.versions[i]
	l.versions = append(slices.Delete(l.versions, i, i+1), v)
	return v
}

// descend adds a version to a lineage. It comes from the last one that was seen, or from another one of the held versions
// if that resembles it far more: after a switch to another branch and back. What a client has open comes from there, too, and
// nothing comes from it: what is typed and not saved is no past of the file.
func (ws *Workspace) descend(ctx context.Context, l *lineage, blob captures.BlobID, t *anchors.Table, open bool) *version {
	l.mu.Lock()
	held := slices.Clone(l.versions)
	l.mu.Unlock()
	var parent *version
	var parentTable *anchors.Table
	least := 0
	for _, v := range slices.Backward(held) {
		table := ws.table(l, v)
		if table == nil {
			continue
		}
		d := anchors.Distance(table, t)
		if parent == nil || 2*d < least {
			parent, parentTable, least = v, table, d
		}
	}
	var step *anchors.LineMap
	// What was answered of a version that was met before is on record, and the maps from its origins tell the rest.
	if parent != nil && (open || !ws.store.Now().Visited(captures.Visit{Root: ws.id, Path: l.path, In: blob})) {
		step = anchors.MapLines(parentTable, t, func() bool { return ctx.Err() != nil })
	}
	v := newVersion(blob, t)
	l.mu.Lock()
	known := l.known(blob)
	if !open {
		known = l.last(blob)
	}
	if known != nil { // another request was first
		l.mu.Unlock()
		return known
	}
	if step != nil && step.Complete() {
		for b, c := range parent.from {
			v.from[b] = trail{lines: c.lines.Then(step), longest: max(c.longest, least), known: true}
		}
		if slices.Contains(l.captured, parent.blob) {
			only := trail{lines: step, longest: least, known: true}
			v.from[parent.blob], v.direct[parent.blob] = only, only
		}
	}
	some := &l.versions
	if open {
		some = &l.typed
	}
	*some = append(*some, v)
	for n := len(*some); n > keepVersions || n > 1 && l.size() > keepLineages/4; n-- {
		*some = slices.Delete(*some, 0, 1)
	}
	l.mu.Unlock()
	ws.lineages.weigh(l)
	return v
}

// table is the line table of a version; nil when its bytes are not retained.
func (ws *Workspace) table(l *lineage, v *version) *anchors.Table {
	l.mu.Lock()
	t := v.table
	l.mu.Unlock()
	if t != nil {
		return t
	}
	src, err := ws.store.Read(v.blob)
	if err != nil {
		return nil
	}
	t = anchors.NewTable(src)
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.table == nil {
		v.table = t
	}
	return v.table
}

// descent tells where the lines of an origin are in t: through the versions that were seen between, and directly. They are
// the same where nothing was seen between; the second is not known when the origin's bytes are not retained, and neither is when
// nothing tells.
func (ws *Workspace) descent(ctx context.Context, t *Text, o *origin) (steps, direct trail) {
	l := ws.lineages.of(t.Path, true)
	v := ws.versionOf(ctx, l, t)
	l.mu.Lock()
	steps, direct = v.from[o.blob], v.direct[o.blob]
	l.mu.Unlock()
	if direct.known || ws.load(t.Path, o) == nil {
		return steps, direct
	}
	m := anchors.MapLines(o.table, t.Table, func() bool { return ctx.Err() != nil })
	if !m.Complete() {
		return steps, direct
	}
	direct = trail{lines: m, longest: anchors.Distance(o.table, t.Table), known: true}
	if !steps.known {
		steps = direct
	}
	l.mu.Lock()
	l.follow(o.blob)
	v.from[o.blob], v.direct[o.blob] = steps, direct
	l.mu.Unlock()
	ws.lineages.weigh(l)
	return steps, direct
}

// versionTables are the tables of the versions of a file that are held; nil for one whose bytes are not retained.
func (ws *Workspace) versionTables(path string) (tables []*anchors.Table) {
	l := ws.lineages.of(path, true)
	l.mu.Lock()
	versions := slices.Clone(l.versions)
	l.mu.Unlock()
	for _, v := range versions {
		tables = append(tables, ws.table(l, v))
	}
	return tables
}
