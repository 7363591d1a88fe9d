package daemon

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ctxd/client/wire"
	"ctxd/index"
)

// Refs lists where the definitions that a target names are used, each place with how sure that is.
func (ws *Workspace) Refs(ctx context.Context, p wire.RefsParams) (*wire.RefsResult, error) {
	switch p.Tier {
	case "", wire.TierLocal, wire.TierImport, wire.TierName:
	default:
		return nil, refuse(wire.InvalidRequest, nil, "unknown tier %s: expected local, import or name", quote(p.Tier))
	}
	var names []string
	return upToDate(ctx, ws, asking{p.NoSync, mentioned(&names)}, func(snap *Snapshot) (res *wire.RefsResult, err error) {
		res, names, err = ws.refs(ctx, snap, p)
		return res, err
	})
}

// mentioned is what a list of references rests on: every file that holds one of names, which are known when the list is
// made.
func mentioned(names *[]string) sought {
	return sought{held: func(f *File) bool {
		return slices.ContainsFunc(*names, func(name string) bool { return len(f.Facts.Refs(name)) > 0 }) ||
			slices.ContainsFunc(f.Facts.Defs, func(d index.Def) bool { return slices.Contains(*names, d.Name) })
	}}
}

// errMoved: a file changed between the look at the index and the read of its bytes.
var errMoved = refuse(wire.EditConflict, nil, "the tree changes faster than it can be read; ask again")

// refs answers from one snapshot; names are those that it looked for in the tree.
func (ws *Workspace) refs(ctx context.Context, snap *Snapshot, p wire.RefsParams) (res *wire.RefsResult, names []string, err error) {
	q, err := ws.target(wire.DefParams{Common: p.Common, Target: p.Target, Symbol: p.Symbol})
	if err != nil {
		return nil, nil, err
	}
	below := ""
	if p.Path != "" {
		if below, err = ws.below(p.Path, p.Dir); err != nil {
			return nil, nil, err
		}
		if below != "" && !ws.exists(below) { // "no references" would be an answer about something
			return nil, nil, ws.readRefusal(below, fs.ErrNotExist)
		}
	}
	s := &refSearch{ws: ws, ctx: ctx, snap: snap, below: below, tier: p.Tier}
	sites, err := s.sites(q)
	res, err = s.finish(q, sites, p, err)
	return res, s.words(), err
}

// words are the names that were looked for in the tree.
func (s *refSearch) words() []string {
	if s.meaning == "" {
		return s.names
	}
	return append(slices.Clone(s.names), s.meaning)
}

// sites are all references to what q asks for.
func (s *refSearch) sites(q query) ([]site, error) {
	if q.at != nil {
		if local, err := s.local(q.at); err != nil || local != nil {
			if err == nil && s.meaning != "" {
				local, err = s.alsoMembers(local)
			}
			return local, err
		}
	}
	if err := s.findTargets(q); err != nil {
		return nil, err
	}
	if s.unsure {
		return s.candidates(s.meaning)
	}
	if err := s.findNames(); err != nil {
		return nil, err
	}
	sites := s.search()
	return sites, s.end()
}

// refSearch is one question under way.
type refSearch struct {
	ws       *Workspace
	ctx      context.Context
	snap     *Snapshot
	world    *world
	resolver *index.Resolver
	of       *Text // that the position is an offset of; nil: it is a line and a column of the file as it is now
	below    string
	tier     string

	hits    []hit
	targets map[index.Symbol]int // index into hits
	names   []string             // that of the definitions, then aliases
	unsure  bool                 // nothing shows what the position that was asked about means
	meaning string               // the name there, if others may refer to it by that name
	module  string               // that of the import there, where the tree has no such module
	member  bool                 // one of them is a member of a type
	other   int                  // places that are bound to something else
}

// tierRank is the order of sections.
var tierRank = map[string]int{wire.TierLocal: 0, wire.TierImport: 1, wire.TierName: 2}

// site is one reference that was found.
type site struct {
	path  string
	facts *index.File // of which it is part; nil for a local's
	ref   index.Ref
	name  string
	def   int // index into hits; -1: candidate, or one of several overloads that are
	tier  string
}

func (s *refSearch) use(snap *Snapshot) {
	torn := s.world != nil && s.world.torn
	s.snap, s.world = snap, s.ws.world(s.ctx, snap)
	s.world.torn = torn
	s.resolver = index.NewResolver(s.world)
	s.targets = map[index.Symbol]int{}
	s.ambient()
	for i, h := range s.hits {
		if h.def < 0 { // a local
			continue
		}
		s.targets[index.Symbol{Path: h.path, Def: h.def}] = i
		d := &h.facts.Defs[h.def]
		// A method of an object without a name has no container.
		s.member = s.member || d.Container != "" || d.Kind == index.Method || d.Kind == index.Property || d.Kind == index.Field
	}
}

// ambient tells the resolver of the modules that the files of the targets declare, and of the one that the position is
// about.
func (s *refSearch) ambient() {
	declares := map[string][]string{}
	for _, h := range s.hits {
		if h.def >= 0 {
			for _, m := range h.facts.AmbientModules() {
				declares[m] = append(declares[m], h.path)
			}
		}
	}
	if s.module != "" {
		for _, f := range s.snap.files {
			if f.Facts != nil && slices.Contains(f.Facts.AmbientModules(), s.module) {
				declares[s.module] = append(declares[s.module], f.Path)
			}
		}
	}
	for m, files := range declares {
		slices.Sort(files)
		s.resolver.Declares(m, slices.Compact(files))
	}
}

// findTargets finds the definitions that are asked about.
func (s *refSearch) findTargets(q query) (err error) {
	ws, ctx := s.ws, s.ctx
	switch {
	case q.at != nil:
		s.hits, err = s.targetsAt(q)
	case q.path != "":
		s.hits, err = ws.defsIn(ctx, s.snap, q.path, q.symbol)
	default:
		s.snap, s.hits, err = ws.defsNamed(ctx, s.snap, q.symbol)
	}
	if err == nil && len(s.hits) == 0 && !s.unsure {
		err = &missError{s.snap, q}
	}
	return err
}

// targetsAt is what a position means: the definition that it names; of a use, what that is bound to, and every
// definition of its name where that is not known. Only a position on no name means the definition around it.
func (s *refSearch) targetsAt(q query) ([]hit, error) {
	t, err := s.asked(q.at.path)
	if err != nil {
		return nil, err
	}
	if q.at.col == 0 || q.at.line > t.Table.Len() {
		return s.ws.defsAt(s.ctx, s.snap, q)
	}
	facts, _ := s.ws.facts(s.ctx, s.snap, t)
	offset := uint32(q.at.offset(t))
	name := identifierAt(t.Src(), int(offset))
	if i := nameAt(facts, offset); i >= 0 {
		return []hit{{path: q.at.path, blob: t.Blob, facts: facts, def: i}}, nil
	}
	if name == "" {
		return s.ws.defsAt(s.ctx, s.snap, q)
	}
	ref := refAt(facts, name, offset)
	if ref == nil {
		return nil, refusePath(wire.NotFound, q.at.path, nil, "%s at %s names nothing that others refer to", quote(name), q.printed())
	}
	found, verdict, err := s.resolve(t, facts, *ref, name)
	if err != nil {
		return nil, err
	}
	switch verdict {
	case index.Elsewhere:
		return nil, refusePath(wire.NotFound, q.at.path, nil, "%s at %s is bound to something outside the workspace", quote(name), q.printed())
	case index.Bound:
		return s.hitsOf(found), nil
	}
	s.unsure, s.meaning = true, name
	return nil, nil
}

// asked reads the file that the position is in.
func (s *refSearch) asked(path string) (*Text, error) {
	t, err := s.ws.text(s.ctx, path)
	if err == nil && s.of != nil && s.of.Blob != t.Blob {
		return nil, errMoved
	}
	return t, err
}

// resolve says what the reference in t is bound to that is asked about. Files that declare its module are parsed for it.
func (s *refSearch) resolve(t *Text, facts *index.File, ref index.Ref, name string) (found []index.Symbol, verdict index.Verdict, err error) {
	if err := s.look(s.snap, t); err != nil {
		return nil, index.Open, err
	}
	found, verdict = s.resolver.Resolve(t.Path, facts, ref, name)
	if verdict == index.Bound || ref.Via.Root < index.RootImport || !index.MayBeAmbient(facts.Language) || facts.Imports[ref.Via.Import].Path == "" || s.module != "" {
		return found, verdict, s.end()
	}
	s.module = facts.Imports[ref.Via.Import].Path
	if s.snap, err = s.ws.settleMentions(s.ctx, []string{s.module}); err != nil {
		return nil, index.Open, err
	}
	if err := s.look(s.snap, t); err != nil {
		return nil, index.Open, err
	}
	found, verdict = s.resolver.Resolve(t.Path, facts, ref, name)
	return found, verdict, s.end()
}

func (s *refSearch) hitsOf(found []index.Symbol) (hits []hit) {
	for _, x := range found {
		f, facts := s.snap.file(x.Path), s.world.File(x.Path)
		if f == nil || facts == nil {
			continue
		}
		name := facts.Defs[x.Def].Qualified()
		blob, parsed := s.world.blobs[x.Path]
		if !parsed {
			blob = f.blob()
		}
		hits = append(hits, hit{path: x.Path, blob: blob, facts: facts, def: x.Def,
			again: func(_ *Text, facts *index.File) []int { return named(facts, name) }})
	}
	return hits
}

// findNames collects the names under which the targets are known, and sees to it that every file that holds one of them
// is parsed.
func (s *refSearch) findNames() error {
	for _, h := range s.hits {
		if name := h.facts.Defs[h.def].Name; !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
	}
	for {
		snap := s.snap
		if snap.pending > 0 {
			var err error
			if snap, err = s.ws.settleMentions(s.ctx, index.Spellings(s.names)); err != nil {
				return err
			}
		}
		s.use(snap)
		s.join()
		before := len(s.names)
		s.findAliases()
		if len(s.names) == before || s.snap.pending == 0 {
			return s.end()
		}
	}
}

// join adds to the targets what declares the same: of a prototype the definition, and the other way round; the interface
// that declare module "x" adds to, and the constant that require gives its value. A
// declaration is bound to all that declares one symbol in the files that it knows; what has a target among it is one.
func (s *refSearch) join() {
	for before := -1; before != len(s.targets); {
		before = len(s.targets)
		for _, f := range s.snap.files {
			if f.Facts == nil {
				continue
			}
			if !declaresTwice(f.Facts.Language) {
				continue
			}
			for _, name := range s.names {
				for _, ref := range f.Facts.Refs(name) {
					if ref.Role != index.Declaration {
						continue
					}
					found, _ := s.resolver.Resolve(f.Path, &f.Facts.File, ref, name)
					if i := s.target(found); i >= 0 {
						for _, x := range found {
							if _, known := s.targets[x]; !known {
								s.targets[x] = i
							}
						}
					}
				}
			}
		}
	}
}

// declared is found, with what declares the same in other files where the language has that: of a prototype in a header
// the definition. ref, in t, is what it was found for.
func (s *refSearch) declared(t *Text, facts *index.File, ref index.Ref, name string, found []index.Symbol) ([]hit, error) {
	if len(found) == 0 || !declaresTwice(facts.Language) {
		return s.hitsOf(found), s.end()
	}
	snap := s.snap
	if snap.pending > 0 {
		var err error
		if snap, err = s.ws.settleMentions(s.ctx, []string{name}); err != nil {
			return nil, err
		}
		if err := s.look(snap, t); err != nil {
			return nil, err
		}
		found, _ = s.resolver.Resolve(t.Path, facts, ref, name)
	}
	s.hits, s.names = s.hitsOf(found), []string{name}
	s.use(snap)
	s.join()
	for x := range s.targets {
		if !slices.Contains(found, x) {
			found = append(found, x)
		}
	}
	slices.SortFunc(found, func(a, b index.Symbol) int { return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Def, b.Def)) })
	return s.hitsOf(found), s.end()
}

// declaresTwice says whether one symbol may be declared in several places of a language.
func declaresTwice(language string) bool {
	switch language {
	case "c", "cpp", "javascript", "typescript", "tsx":
		return true
	}
	return false
}

// findAliases adds the names that imports give to the targets.
func (s *refSearch) findAliases() {
	for before := -1; before != len(s.names); {
		before = len(s.names)
		for _, f := range s.snap.files {
			if f.Facts == nil {
				continue
			}
			for i := range f.Facts.Imports {
				m := &f.Facts.Imports[i]
				if m.Alias == "" || m.Alias == m.Name || !m.Takes(s.names) || slices.Contains(s.names, m.Alias) {
					continue
				}
				ref := index.Ref{Start: m.AliasStart, End: m.AliasStart, Via: index.Via{Root: index.RootAlias, Import: int32(i)}}
				if found, _ := s.resolver.Resolve(f.Path, &f.Facts.File, ref, m.Alias); s.target(found) >= 0 {
					s.names = append(s.names, m.Alias)
				}
			}
		}
	}
}

// target is the first target among symbols, -1 when none is one.
func (s *refSearch) target(symbols []index.Symbol) int {
	best := -1
	for _, x := range symbols {
		if i, ok := s.targets[x]; ok && (best < 0 || i < best) {
			best = i
		}
	}
	return best
}

func (s *refSearch) allTargets(symbols []index.Symbol) bool {
	return !slices.ContainsFunc(symbols, func(x index.Symbol) bool { _, ok := s.targets[x]; return !ok })
}

// search goes over all files that hold one of the names.
func (s *refSearch) search() []site {
	var sites []site
	for _, f := range s.snap.files {
		if f.Facts == nil || s.ctx.Err() != nil || !within(f.Path, s.below) {
			continue
		}
		for _, name := range s.names {
			for _, ref := range f.Facts.Refs(name) {
				// {x} is a variable and a member: what it is bound to comes first, and goes before what it may be.
				if n := len(sites); n > 0 && sites[n-1].path == f.Path && sites[n-1].ref.Start == ref.Start {
					continue
				}
				def, tier := s.judge(f.Path, &f.Facts.File, ref, name)
				if tier == "" {
					s.other++
				} else if s.wants(tier) {
					sites = append(sites, site{path: f.Path, facts: &f.Facts.File, ref: ref, name: name, def: def, tier: tier})
				}
			}
		}
	}
	slices.SortFunc(sites, func(a, b site) int {
		return cmp.Or(cmp.Compare(uint(a.def), uint(b.def)), cmp.Compare(tierRank[a.tier], tierRank[b.tier]),
			cmp.Compare(a.path, b.path), cmp.Compare(a.ref.Start, b.ref.Start))
	})
	return sites
}

// candidates are all references to name but those to what is certainly not in the tree: any may be what is asked about.
func (s *refSearch) candidates(name string) ([]site, error) {
	snap, err := s.ws.settleMentions(s.ctx, []string{name})
	if err != nil {
		return nil, err
	}
	s.use(snap)
	var sites []site
	for _, f := range snap.files {
		if f.Facts == nil || !within(f.Path, s.below) {
			continue
		}
		for _, ref := range f.Facts.Refs(name) {
			if _, verdict := s.resolver.Resolve(f.Path, &f.Facts.File, ref, name); verdict == index.Elsewhere {
				s.other++
			} else if n := len(sites); s.wants(wire.TierName) &&
				!(n > 0 && sites[n-1].path == f.Path && sites[n-1].ref.Start == ref.Start) { // a place may be two references
				sites = append(sites, site{path: f.Path, facts: &f.Facts.File, ref: ref, name: name, def: -1, tier: wire.TierName})
			}
		}
	}
	return sites, s.end()
}

// alsoMembers adds the candidates for the member that a local is taken from, in { name } = object.
func (s *refSearch) alsoMembers(local []site) ([]site, error) {
	members, err := s.candidates(s.meaning)
	members = slices.DeleteFunc(members, func(m site) bool {
		return slices.ContainsFunc(local, func(l site) bool { return l.path == m.path && l.ref.Start == m.ref.Start })
	})
	return append(local, members...), err
}

// judge says which target a reference is bound to and how sure that is; "" when it is bound to something else.
func (s *refSearch) judge(path string, facts *index.File, ref index.Ref, name string) (def int, tier string) {
	found, verdict := s.resolver.Resolve(path, facts, ref, name)
	switch verdict {
	case index.Elsewhere:
		return -1, ""
	case index.Member:
		if !s.member {
			return -1, ""
		}
		return -1, wire.TierName
	case index.Open:
		if name != s.hits[0].facts.Defs[s.hits[0].def].Name && !s.isTargetName(name) {
			return -1, "" // an alias is a name in its own right elsewhere
		}
		return -1, wire.TierName
	}
	if def = s.target(found); def >= 0 {
		overloaded := s.resolver.Overloaded(found)
		if overloaded && !s.allTargets(found) {
			return -1, wire.TierName // it may be one that was not asked about
		}
		if path == s.hits[def].path && ref.Via.Root == index.RootFile {
			tier = wire.TierLocal
		} else {
			tier = wire.TierImport
		}
		if overloaded {
			def = -1 // one of those that were asked about
		}
		return def, tier
	}
	if ref.Role != index.Declaration && s.mayImplement(found) || s.linked(found) {
		return -1, wire.TierName
	}
	return -1, ""
}

// isTargetName says whether a target has that name itself.
func (s *refSearch) isTargetName(name string) bool {
	return slices.ContainsFunc(s.hits, func(h hit) bool { return h.facts.Defs[h.def].Name == name })
}

func (s *refSearch) wants(tier string) bool {
	switch s.tier {
	case wire.TierLocal:
		return tier == wire.TierLocal
	case wire.TierImport:
		return tier != wire.TierName
	}
	return true
}

// linked says whether what a use is bound to may be a target once the program is linked.
func (s *refSearch) linked(found []index.Symbol) bool {
	for _, x := range found {
		for t := range s.targets {
			if s.resolver.Linked(x, t) || namesake(x.Path, t.Path) {
				return true
			}
		}
	}
	return false
}

// namesake says whether two headers have one name: which of them a file includes is up to the command that compiles it.
func namesake(a, b string) bool {
	ext := path.Ext(a)
	return a != b && path.Base(a) == path.Base(b) && len(ext) > 1 && ext[1] == 'h'
}

// mayImplement says whether a member that a use is bound to may be a target all the same when the program runs: one is
// a member of an interface, or of a type whose head names the other's.
func (s *refSearch) mayImplement(found []index.Symbol) bool {
	for _, x := range found {
		a := s.owner(x)
		if a == nil {
			continue
		}
		for t := range s.targets {
			if b := s.owner(t); b != nil && (a.abstract || b.abstract || a.extends(b) || b.extends(a)) {
				return true
			}
		}
	}
	return false
}

// owner is the type that has a member.
type owner struct {
	name     string
	head     string // its signature
	abstract bool
}

// extends says whether o's head names other, apart from itself.
func (o *owner) extends(other *owner) bool {
	return o.name != other.name && index.Mentions("", []byte(o.head), []byte(other.name))
}

// owner is nil for what is no member of a type.
func (s *refSearch) owner(x index.Symbol) *owner {
	facts := s.world.File(x.Path)
	if facts == nil || x.Def >= len(facts.Defs) {
		return nil
	}
	d := &facts.Defs[x.Def]
	if d.Container == "" {
		return nil
	}
	o := &owner{name: d.Container[strings.LastIndexByte(d.Container, '.')+1:], abstract: true} // an interface without a name
	for i := range facts.Defs {
		c := &facts.Defs[i]
		if c.Name != o.name || c.Qualified() != d.Container {
			continue
		}
		o.abstract = c.Kind != index.Class && c.Kind != index.Struct && c.Kind != index.Enum && c.Kind != index.Union && c.Kind != index.Type
		if t, err := s.ws.text(s.ctx, x.Path); err == nil && int(c.SigEnd) <= len(t.Src()) {
			o.head += string(t.Src()[c.SigStart:c.SigEnd])
		}
	}
	return o
}

// within says whether path is below, or is, the file or directory dir; "" is the root.
func within(path, dir string) bool {
	return dir == "" || path == dir || strings.HasPrefix(path, dir+"/")
}
