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
	id int64 // 0: it has no definitions, and nothing looks for it
}

// catalog holds the Facts of all workspaces, by content and by the names that they define.
//
// It only proposes: it may know more than a snapshot holds (other worktrees, older contents), and
// never less, so a look-up keeps of its proposals what the snapshot has. It refers to Facts weakly:
// the garbage collector, which alone knows when the last snapshot that holds one is gone, is the
// reference count. A map of names in each snapshot, which this replaces, cost 14 MB for each worktree of
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
	building map[facts.Key]chan struct{} // closed when the content's facts are known, or will not be

	last   atomic.Int64 // id of the newest Facts
	live   atomic.Int64 // Facts with definitions that were made and not yet collected
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
	c := &catalog{parser: parser, dir: dir, known: map[facts.Key]weak.Pointer[Facts]{}, building: map[facts.Key]chan struct{}{}}
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

// rest gives back what only a busy daemon needs.
func (c *catalog) rest() {
	c.prune()
	if c.store != nil {
		c.store.Rest()
	}
}

// describe gives the facts of a file with those bytes; problem says why there are none.
func (c *catalog) describe(root, path string, src []byte, blob captures.BlobID) (known *Facts, problem string) {
	key := facts.KeyOf(blob, path)
	if known = c.find(key); known != nil {
		return known, ""
	}
	file, problem := c.parser.build(root, path, src, blob)
	known = c.add(file)
	// What ran out of time may succeed on another day, and quarantine is for the parser to decide.
	if keep := problem == "" && file.Status != index.BudgetTime && file.Status != index.Failed; keep {
		c.settle(key, known)
		if c.store != nil {
			c.store.Put(key, file)
		}
	} else {
		c.settle(key, nil)
	}
	return known, problem
}

// recall gives the facts of a content that was described before, without its bytes; nil: not known.
func (c *catalog) recall(path string, blob captures.BlobID) *Facts {
	key := facts.KeyOf(blob, path)
	known := c.find(key)
	if known == nil {
		c.settle(key, nil)
	}
	return known
}

// find gives the facts of a content that are in memory or on disk, or nil: then the caller makes them if it
// can, and must call settle, for which others wait.
func (c *catalog) find(key facts.Key) *Facts {
	for {
		known, done := c.claim(key)
		if done == nil {
			if known == nil {
				known = c.load(key)
			}
			return known
		}
		<-done
	}
}

// load reads claimed facts from disk.
func (c *catalog) load(key facts.Key) *Facts {
	if c.store == nil {
		return nil
	}
	file, ok := c.store.Get(key)
	if !ok {
		return nil
	}
	known := c.add(file)
	c.settle(key, known)
	c.hits.Add(1)
	return known
}

func (c *catalog) stats() wire.Facts {
	s := wire.Facts{Hits: int(c.hits.Load()), Built: int(c.parser.built.Load())}
	if c.store != nil {
		disk := c.store.Stats()
		s.Bytes, s.Stored, s.Problem = disk.Bytes, int(disk.Stored), disk.Problem
	}
	return s
}

// claim gives the facts of key, or a channel to wait for who is making them, or neither: then key is
// claimed for the caller.
func (c *catalog) claim(key facts.Key) (*Facts, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known[key].Value(); known != nil {
		c.hits.Add(1)
		return known, nil
	}
	if done := c.building[key]; done != nil {
		return nil, done
	}
	c.building[key] = make(chan struct{})
	return nil, nil
}

// settle ends a claim; known is nil when there are no facts to share.
func (c *catalog) settle(key facts.Key, known *Facts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known != nil {
		c.known[key] = weak.Make(known)
	}
	close(c.building[key])
	delete(c.building, key)
}

// add makes Facts of file and lists its names.
func (c *catalog) add(file *index.File) *Facts {
	if len(file.Defs) == 0 {
		return &Facts{File: *file}
	}
	made := &Facts{File: *file, id: c.last.Add(1)}
	self := weak.Make(made)
	c.live.Add(1)
	runtime.AddCleanup(made, func(c *catalog) { c.live.Add(-1); c.dead.Add(1) }, c)
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

// rename drops the dead proposals of one name. The key is part of the string that holds all names of the
// file that brought it first: when that file's facts are dead, the key is taken from a living one.
func (s *nameShard) rename(name string, proposals []proposal) {
	var living []proposal
	key := ""
	for i, p := range proposals {
		known := p.facts.Value()
		switch {
		case known == nil && living == nil:
			living = append(make([]proposal, 0, len(proposals)-1), proposals[:i]...)
		case known != nil && living != nil:
			living = append(living, p)
		}
		if known != nil && key == "" {
			key = known.Defs[p.def].Name
		}
	}
	if living == nil {
		return // all live
	}
	delete(s.m, name)
	if len(living) > 0 {
		s.m[key] = living
	}
}
