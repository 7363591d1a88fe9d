package daemon

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode"
	"weak"

	"ctxd/client/wire"
	"ctxd/daemon/captures"
	"ctxd/daemon/facts"
	"ctxd/index"
)

// nameShards is the number of maps that share the names, each with a lock of its own. Names that begin with
// the same three letters, but for case, share one: those that resemble a name stand together, and are found
// without a look at all names (200,000 took 33 ms).
const nameShards = 1024

// keptLately bounds the facts that no snapshot holds any more and that are kept until the daemon rests, by the bytes of what
// they describe: facts take about as much, but never less than leastFacts (those of 24 bytes 380). Two commits of prometheus a
// year apart differ in 1,090 files of 12 MB; to load their facts again from disk with every switch was a sixth of the daemon's
// processor time.
const (
	keptLately = 32 << 20
	leastFacts = 1 << 10
)

// shardOf is FNV-1a over the first three letters.
func shardOf(name string) int {
	h, n := uint32(2166136261), 0
	for _, r := range name {
		if h = (h ^ uint32(fold(r))) * 16777619; n == 2 {
			break
		}
		n++
	}
	return int(h % nameShards)
}

// fold is the same for all letters that strings.EqualFold takes for equal.
func fold(r rune) rune {
	if r < 'A' || 'Z' < r && r < 'a' {
		return r
	}
	if r <= 'z' {
		return r &^ ('a' - 'A')
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// Facts is what is known of one content: it exists once in the daemon, however many files of
// however many worktrees have that content. Immutable.
type Facts struct {
	index.File
	Blob    captures.BlobID // SHA-256 of the content; zero when it was not read
	Problem string          // why there are none, "" otherwise
	id      int64           // 0: it has no definitions, and nothing looks for it
}

// catalog holds the Facts of all workspaces, by content and by the names that they define.
//
// It only proposes: it may know more than a snapshot holds (other worktrees, older contents), and
// never less, so a look-up keeps of its proposals what the snapshot has. It refers to Facts weakly:
// the garbage collector, which alone knows when the last snapshot that holds one is gone, is the
// reference count; the last keptLately that departed it holds itself, until the daemon rests. A map of names in each snapshot, which this replaces, cost 14 MB for each worktree of
// GOROOT/src, and a copy of the shards touched with every commit.
//
// Behind it stands the store of facts on disk, which survives the daemon and is shared by all worktrees of
// the user.
type catalog struct {
	parser *parser
	store  *facts.Store // nil: none are kept
	dir    string       // of the manifests

	mu       sync.Mutex
	known    map[facts.Key]weak.Pointer[Facts]
	building map[facts.Key]*making

	lately  []departed // the last that departed, the oldest first: after a switch of branches the next one often leads back
	departs int64      // bytes that these take, about; guarded by mu, as lately

	last   atomic.Int64 // id of the newest Facts
	live   atomic.Int64 // Facts that were made and not yet collected
	dead   atomic.Int64 // collected since the last prune
	pruned sync.Mutex   // held by the prune under way
	hits   atomic.Int64 // asked for, and known
	shards [nameShards]nameShard
}

type nameShard struct {
	mu sync.RWMutex
	m  map[string][]proposal
}

// proposal is one definition of a name.
type proposal struct {
	facts weak.Pointer[Facts]
	def   int32 // index into Facts.Defs
}

// newCatalog keeps facts under dir, of at most most bytes; none when that is 0.
func newCatalog(parser *parser, dir string, most int64, log *slog.Logger) (*catalog, error) {
	c := &catalog{parser: parser, dir: dir, known: map[facts.Key]weak.Pointer[Facts]{}, building: map[facts.Key]*making{}}
	if most == 0 {
		return c, nil
	}
	var err error
	c.store, err = facts.Open(dir, facts.Options{Version: index.Version(), MaxBytes: most, Logger: log})
	return c, err
}

// close writes what waits to be written.
func (c *catalog) close() error {
	if c.store == nil {
		return nil
	}
	return c.store.Close()
}

// departed are facts, and the bytes that they take, about.
type departed struct {
	facts *Facts
	size  int64
}

// depart keeps the facts of files for a while.
func (c *catalog) depart(files []*File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		if f.Facts != nil && f.Facts.id != 0 {
			size := max(f.Stat.Size, leastFacts)
			c.lately = append(c.lately, departed{f.Facts, size})
			c.departs += size
		}
	}
	over := 0
	for ; c.departs > keptLately; over++ {
		c.departs -= c.lately[over].size
	}
	clear(c.lately[:over]) // the array goes on with what follows, and would hold them
	c.lately = c.lately[over:]
}

// rest gives back what only a busy daemon needs.
func (c *catalog) rest() {
	c.mu.Lock()
	c.lately, c.departs = nil, 0
	c.mu.Unlock()
	c.prune()
	if c.store != nil {
		c.store.Rest()
	}
}

// making is the facts of one content while they are made; others wait for done.
type making struct {
	done    chan struct{}
	facts   *Facts
	lasting bool // what is made now holds for ever: it may be kept
}

// describe gives the facts of a file with those bytes; their Problem says why there are none.
func (c *catalog) describe(root, path string, src []byte, blob captures.BlobID) *Facts {
	key := facts.KeyOf(blob, path)
	for {
		known, m, ours := c.claim(key)
		switch {
		case known != nil:
			return known
		case ours:
			return c.build(key, m, root, path, src, blob)
		}
		if <-m.done; m.facts != nil {
			return m.facts
		}
		// It was only looked for, and is not there.
	}
}

// build loads or makes what was claimed.
func (c *catalog) build(key facts.Key, m *making, root, path string, src []byte, blob captures.BlobID) *Facts {
	defer c.release(key, m)
	if c.load(key, m, blob) {
		return m.facts
	}
	file, problem := c.parser.build(root, path, src, blob)
	m.facts = c.add(file, blob, problem)
	// What was too much may succeed on another machine, and quarantine is for the parser to decide.
	m.lasting = problem == "" && file.Status != index.BudgetWork && file.Status != index.Failed
	if m.lasting && c.store != nil {
		c.store.Put(key, file)
	}
	return m.facts
}

// fleeting is describe for what will not be asked for again: nothing is kept of it.
func (c *catalog) fleeting(root, path string, src []byte, blob captures.BlobID) *Facts {
	if known := c.recall(path, blob); known != nil {
		return known
	}
	file, problem := c.parser.build(root, path, src, blob)
	return c.add(file, blob, problem)
}

// recall gives the facts of a content that was described before, without its bytes; nil: not known, or not
// yet. It waits for nobody.
func (c *catalog) recall(path string, blob captures.BlobID) *Facts {
	key := facts.KeyOf(blob, path)
	known, m, ours := c.claim(key)
	if ours {
		defer c.release(key, m)
		c.load(key, m, blob)
		known = m.facts
	}
	return known
}

// load reads claimed facts from disk; false when they are not there.
func (c *catalog) load(key facts.Key, m *making, blob captures.BlobID) bool {
	if c.store == nil {
		return false
	}
	file, ok := c.store.Get(key)
	if ok {
		m.facts, m.lasting = c.add(file, blob, ""), true
		c.hits.Add(1)
	}
	return ok
}

// claim gives the facts of key, or who is making them: ours says that it is the caller, who must release
// the claim.
func (c *catalog) claim(key facts.Key) (known *Facts, m *making, ours bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known[key].Value(); known != nil {
		c.hits.Add(1)
		return known, nil, false
	}
	if m := c.building[key]; m != nil {
		return nil, m, false
	}
	m = &making{done: make(chan struct{})}
	c.building[key] = m
	return nil, m, true
}

// release ends a claim, whatever came of it.
func (c *catalog) release(key facts.Key, m *making) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.facts != nil && m.lasting {
		c.known[key] = weak.Make(m.facts)
	}
	delete(c.building, key)
	close(m.done)
}

func (c *catalog) stats() wire.Facts {
	s := wire.Facts{Hits: int(c.hits.Load()), Built: int(c.parser.built.Load())}
	if c.store != nil {
		disk := c.store.Stats()
		s.Bytes, s.Stored, s.Problem = disk.Bytes, int(disk.Stored), disk.Problem
	}
	return s
}

// add makes Facts of file and lists its names.
func (c *catalog) add(file *index.File, blob captures.BlobID, problem string) *Facts {
	made := &Facts{File: *file, Blob: blob, Problem: problem}
	c.live.Add(1)
	runtime.AddCleanup(made, func(c *catalog) { c.live.Add(-1); c.dead.Add(1) }, c)
	if len(made.Defs) > 0 {
		made.id = c.last.Add(1)
	}
	self := weak.Make(made)
	for i := range made.Defs {
		name := made.Defs[i].Name
		s := &c.shards[shardOf(name)]
		s.mu.Lock()
		if s.m == nil {
			s.m = map[string][]proposal{}
		}
		s.m[name] = append(s.m[name], proposal{self, int32(i)})
		s.mu.Unlock()
	}
	if dead := c.dead.Load(); dead > 64 && dead > c.live.Load()/4 {
		c.prune()
	}
	return made
}

// named calls yield with each definition called name, in no order.
func (c *catalog) named(name string, yield func(*Facts, int32)) {
	s := &c.shards[shardOf(name)]
	s.mu.RLock()
	proposals := s.m[name] // only ever appended to, or replaced
	s.mu.RUnlock()
	for _, p := range proposals {
		if known := p.facts.Value(); known != nil {
			yield(known, p.def)
		}
	}
}

// near calls yield with each definition whose name passes, of those that begin like name; in no order.
func (c *catalog) near(name string, passes func(string) bool, yield func(name string, known *Facts, def int32)) {
	s := &c.shards[shardOf(name)]
	s.mu.RLock()
	defer s.mu.RUnlock()
	for other, proposals := range s.m {
		if !passes(other) {
			continue
		}
		for _, p := range proposals {
			if known := p.facts.Value(); known != nil {
				yield(other, known, p.def)
			}
		}
	}
}

// prune drops what the garbage collector has taken. One at a time; others need not wait.
func (c *catalog) prune() {
	if !c.pruned.TryLock() {
		return
	}
	defer c.pruned.Unlock()
	c.dead.Store(0)
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for name, proposals := range s.m {
			s.rename(name, proposals)
		}
		s.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, known := range c.known {
		if known.Value() == nil {
			delete(c.known, key)
		}
	}
}

// rename drops the dead proposals of one name. The key is part of the string that holds all names of one file:
// it is taken from one that lives.
func (s *nameShard) rename(name string, proposals []proposal) {
	var living []proposal
	for i, p := range proposals {
		known := p.facts.Value()
		switch {
		case known == nil && living == nil:
			living = append(make([]proposal, 0, len(proposals)-1), proposals[:i]...)
		case known != nil && living != nil:
			living = append(living, p)
		}
	}
	if living == nil {
		return // all live
	}
	for _, p := range living {
		if known := p.facts.Value(); known != nil {
			s.m[known.Defs[p.def].Name] = living // an assignment replaces the key, too
			return
		}
	}
	delete(s.m, name)
}
